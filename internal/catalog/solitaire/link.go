package solitaire

import (
	"strings"

	"pagoda/internal/peg"
)

// explorer is where coordinator explore serves its page, unless --listen says another address.
const explorer = "http://127.0.0.1:8420/"

// boardLink is the address of a page that shows a position of a problem, or a game from it, on a board. A run is not
// named, so the address is good wherever coordinator explore is.
func boardLink(p peg.Problem, at peg.Position, jumps []peg.Jump) string {
	b := p.Board
	var s strings.Builder
	add := func(name, value string) {
		sign := "&"
		if s.Len() == 0 {
			sign = explorer + "#"
		}
		s.WriteString(sign + name + "=" + strings.ReplaceAll(value, " ", "+"))
	}
	board := sameAs(b)
	if board == "" {
		board = b.Lattice.String() + " " + peg.FormatLine(b, b.Full())
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
