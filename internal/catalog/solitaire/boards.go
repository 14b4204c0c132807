package solitaire

import (
	"errors"
	"fmt"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle/setting"
)

// ruleDoc describes the rule of a board.
const ruleDoc = "how pegs jump: diagonal, for diagonals too; vectors by rows and columns: 0,1 1,0 2,1; triplets: " +
	"a1-b1-c1 a1-a2-a3; empty: along the directions of the lattice"

// drawHint says how a board is drawn.
const drawHint = "o is a hole, - is none, / or a line break ends a row; somewhere three in a row"

// namedOrDrawn returns the board of a run: by name or as drawn, with its rule, or the triplets of a rule alone.
func namedOrDrawn(c setting.Values) (*peg.Board, error) {
	b, err := runLayout(c)
	of := "board"
	if c.Text("board") == "" {
		of = "drawing"
	}
	return small(of, b, err)
}

// small is a board of a question or a run that takes no large one.
func small(of string, b *peg.Layout, err error) (*peg.Board, error) {
	if err != nil {
		return nil, err
	}
	board, ok := b.Small()
	if !ok {
		return nil, &setting.Error{Setting: of, Err: fmt.Errorf("%w %q: it has %d holes, and %w", peg.ErrBoard, b.Name,
			b.Size(), peg.ErrLarge), Hint: fmt.Sprintf("feasible, solve, check and import take boards of up to %d holes; "+
			"others take at most %d", peg.MaxLarge, peg.MaxHoles)}
	}
	return board, nil
}

// runLayout is namedOrDrawn for a board of any size.
func runLayout(c setting.Values) (*peg.Layout, error) {
	name, drawing, rule := c.Text("board"), c.Text("drawing"), c.Text("rule")
	lattice := c.Text("lattice")
	switch {
	case name != "" && drawing != "":
		return nil, &setting.Error{Setting: "board", Err: errors.New("both a board and a drawing are given"),
			Hint: "remove one of the two"}
	case drawing != "":
		return drawn("drawn", "drawing", drawing, lattice, rule)
	case name == "" && peg.IsTriplets(rule):
		return ofTriplets("drawn", "rule", rule, lattice)
	case name == "":
		return nil, &setting.Error{Setting: "board", Err: errors.New("no board is given"),
			Hint: "write board: english, or draw one with drawing: |"}
	}
	b, err := named("board", name, rule, "name one of these boards, or draw one with drawing: |")
	if err != nil {
		return nil, err
	}
	if lattice != "" && lattice != b.Lattice.String() {
		return nil, &setting.Error{Setting: "lattice", Err: fmt.Errorf("board %s is on the %v lattice, not the %s one", name,
			b.Lattice, lattice), Hint: "remove it: a board by name has its own"}
	}
	return b, nil
}

// A boardValue is a setting of a config, by its name, with its value.
type boardValue struct{ name, value string }

// boardValues are the settings by which namedOrDrawn makes a board: its name if it has one, otherwise a drawing. A rule
// of triplets has its drawing, too, because it need not name all holes.
func boardValues(b *peg.Layout) []boardValue {
	if name := b.SameAs(); name != "" {
		return []boardValue{{"board", name}}
	}
	list := []boardValue{{"drawing", b.FullLine()}}
	if b.Lattice != peg.Square {
		list = append(list, boardValue{"lattice", b.Lattice.String()})
	}
	if rule := b.LineRule(); rule != "" {
		list = append(list, boardValue{"rule", rule})
	}
	return list
}

// askedBoard returns the board that problemFlags name.
func askedBoard(flags setting.Values) (*peg.Board, error) {
	return readBoard(flags, "board", flags.Text("board"))
}

// askedLayout is askedBoard for a board of any size.
func askedLayout(flags setting.Values) (*peg.Layout, error) {
	return readLayout(flags, "board", flags.Text("board"))
}

// readBoard returns the board by name or as drawn, with its rule, or that of triplets. The three forms differ in their
// signs. Errors are about the argument or flag name.
func readBoard(flags setting.Values, name, text string) (*peg.Board, error) {
	b, err := readLayout(flags, name, text)
	return small(name, b, err)
}

// readLayout is readBoard for a board of any size.
func readLayout(flags setting.Values, name, text string) (*peg.Layout, error) {
	rule := flags.Text("rule")
	switch {
	case peg.IsTriplets(text) && rule != "":
		return nil, &setting.Error{Setting: "rule", Err: errors.New("the board is a list of triplets, which are its rule"),
			Hint: "remove one of the two"}
	case peg.IsTriplets(text):
		return ofTriplets("drawn", name, text, flags.Text("lattice"))
	case peg.IsDrawing(text):
		return drawn("drawn", name, text, flags.Text("lattice"), rule)
	}
	return named(name, text, rule, "name one of these boards, or draw one: ooo/ooo/ooo")
}

// drawn returns the board of a drawing, which is the value of a setting. An empty lattice is the square one.
func drawn(name, of, drawing, lattice, rule string) (*peg.Layout, error) {
	l := peg.Square
	if lattice != "" {
		var err error
		if l, err = peg.ParseLattice(lattice); err != nil {
			return nil, &setting.Error{Setting: "lattice", Err: err}
		}
	}
	b, err := peg.DrawLayout(name, l, drawing, rule)
	if err != nil {
		return nil, boardError(of, err, drawHint)
	}
	return b, nil
}

// ofTriplets returns the board of triplets, which are the value of a setting. It is on the square lattice.
func ofTriplets(name, of, text, lattice string) (*peg.Layout, error) {
	if lattice != "" && lattice != peg.Square.String() {
		return nil, &setting.Error{Setting: "lattice", Err: fmt.Errorf("a board of triplets alone is on the %v lattice, not "+
			"the %s one", peg.Square, lattice), Hint: "remove it, or draw the board and give the triplets as its rule"}
	}
	b, err := peg.TripletLayout(name, text)
	if err != nil {
		return nil, &setting.Error{Setting: of, Err: err}
	}
	return b, nil
}

// named returns a board by its name, which is the value of a setting.
func named(of, name, rule, hint string) (*peg.Layout, error) {
	b, err := peg.NamedLayout(name)
	if err == nil && rule != "" {
		b, err = b.WithRule(rule)
	}
	if err != nil {
		if near, ok := setting.Nearest(name, peg.Names()); ok {
			hint = "did you mean " + near + "?"
		}
		return nil, boardError(of, err, hint)
	}
	return b, nil
}

// boardError is about the rule of a board where that is at fault, otherwise about the board.
func boardError(of string, err error, hint string) error {
	if errors.Is(err, peg.ErrRule) {
		return &setting.Error{Setting: "rule", Err: err}
	}
	return &setting.Error{Setting: of, Err: err, Hint: hint}
}
