package solitaire

import (
	"errors"
	"slices"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// explorer is where coordinator explore serves its page, unless --listen says another address.
const explorer = "http://127.0.0.1:8420/"

// boardLink is the address of a page that shows a position of a problem, or a game from it, on a board. A run is not
// named, so the address is good wherever coordinator explore is.
func boardLink(p peg.Problem, at peg.Position, jumps []peg.Jump) string {
	return explorer + boardAddress(p, at, jumps)
}

// boardAddress is boardLink from # on.
func boardAddress(p peg.Problem, at peg.Position, jumps []peg.Jump) string {
	b := p.Board
	var s strings.Builder
	add := func(name, value string) {
		sign := "&"
		if s.Len() == 0 {
			sign = "#"
		}
		s.WriteString(sign + name + "=" + strings.ReplaceAll(value, " ", "+"))
	}
	board := b.SameAs()
	if board == "" {
		board = strings.TrimSpace(b.Lattice.String() + " " + peg.FormatLine(b, b.Full()) + " " + b.LineRule())
	}
	add("board", board)
	add("start", b.ShortStart(p.Start))
	add("goal", b.ShortGoal(p.Goal))
	if at != p.Start {
		add("at", b.Hex(at))
	}
	if len(jumps) > 0 {
		add("game", strings.ReplaceAll(peg.FormatJumps(b, jumps), " ", "."))
	}
	return s.String()
}

// links makes the addresses of rows: of a position in the run's problem, or of the start of a pair's problem.
func links(v setting.Values, columns []puzzle.Column) (func([]puzzle.Value) (string, error), error) {
	column := func(name string) int {
		return slices.IndexFunc(columns, func(c puzzle.Column) bool { return c.Name == name })
	}
	board, err := namedOrDrawn(v)
	if err != nil {
		return nil, err
	}
	at, start, goal := column("position"), column("start"), column("goal")
	switch {
	case at >= 0 && v.Text("pairs") != pairsAll:
		params := counting.Params{Board: board}
		if err := readProblem(v, &params); err != nil {
			return nil, err
		}
		if !params.HasGoal {
			return nil, errors.New("the run has not one goal, without which a position is not shown on the board")
		}
		problem := boardAddress(peg.Problem{Board: board, Start: params.Start, Goal: params.Goal}, params.Start, nil)
		return func(row []puzzle.Value) (string, error) { return problem + "&at=" + row[at].S, nil }, nil
	case start >= 0 && goal >= 0:
		return func(row []puzzle.Value) (string, error) {
			from, err := peg.ParseStart(board, row[start].S)
			if err != nil {
				return "", err
			}
			to, err := peg.ParseGoal(board, row[goal].S)
			return boardAddress(peg.Problem{Board: board, Start: from, Goal: to}, from, nil), err
		}, nil
	}
	return nil, errors.New("the table has no positions of one problem, and no pairs of a start and a goal")
}
