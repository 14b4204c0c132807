package peg

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// named lists the boards that have names, in the order in which they are shown to people. Their holes are in the order
// and place of Board.Holes.
var named = func() []struct {
	name    string
	lattice Lattice
	holes   []Hole
} {
	type entry = struct {
		name    string
		lattice Lattice
		holes   []Hole
	}
	list := []entry{
		{"english", Square, rows(3, 3, 7, 7, 7, 3, 3)},
		{"french", Square, rows(3, 5, 7, 7, 7, 5, 3)},
		{"diamond", Square, rows(1, 3, 5, 7, 9, 7, 5, 3, 1)},
		{"wiegleb", Square, rows(3, 3, 3, 9, 9, 9, 3, 3, 3)},
		{"square5", Square, rows(5, 5, 5, 5, 5)},
		{"square6", Square, rows(6, 6, 6, 6, 6, 6)},
		{"square7", Square, rows(7, 7, 7, 7, 7, 7, 7)},
	}
	for side := 4; side <= 10; side++ {
		list = append(list, entry{fmt.Sprintf("triangle%d", side), Triangular, triangle(side)})
	}
	for side := 3; side <= 5; side++ {
		h := hexagon(side)
		list = append(list, entry{fmt.Sprintf("hexagon%d", len(h)), Triangular, h})
	}
	return list
}()

// Named returns a board by its name; see [Names]. The error wraps ErrBoard.
func Named(name string) (*Board, error) { return small(NamedLayout(name)) }

// NamedLayout is [Named] for a board of any size.
func NamedLayout(name string) (*Layout, error) {
	for _, e := range named {
		if e.name == name {
			return newLayout(e.name, e.lattice, e.holes, "")
		}
	}
	if f := rectangleForm.FindStringSubmatch(name); f != nil {
		rows, _ := strconv.Atoi(f[1]) // at most four digits: cannot fail
		columns, _ := strconv.Atoi(f[2])
		if rows*columns > MaxLarge {
			return nil, fmt.Errorf("%w %q: it has %d holes, at most %d are possible", ErrBoard, name, rows*columns, MaxLarge)
		}
		return newLayout(name, Square, rectangle(rows, columns), "")
	}
	return nil, fmt.Errorf("%w: unknown board %q: known are %s, and rectangles such as rectangle4x6; any other board can "+
		"be drawn", ErrBoard, shortened(name), strings.Join(Names(), ", "))
}

// Names lists the boards that [Named] knows: english (33 holes), french (37), diamond (41), wiegleb (45), square5..7
// (side n), triangle4..10 (side n, n(n+1)/2 holes), hexagon19, 37 and 61 (sides 3, 4, 5).
func Names() []string {
	names := make([]string, 0, len(named))
	for _, e := range named {
		names = append(names, e.name)
	}
	return names
}

// SameAs returns the name of the board that [Named] knows with the holes and jumps of b; "" when there is none.
func (b *Layout) SameAs() string {
	if b.Rule != "" {
		return ""
	}
	for _, e := range named {
		if e.lattice == b.Lattice && slices.Equal(e.holes, b.Holes) {
			return e.name
		}
	}
	// A rectangle has its name when it was given, or when its drawing would be long.
	last := b.Holes[len(b.Holes)-1]
	name := fmt.Sprintf("rectangle%dx%d", last.Row+1, last.Col+1)
	if b.Lattice == Square && (b.Name == name || b.Size() > MaxHoles) && b.Size() == (last.Row+1)*(last.Col+1) {
		return name
	}
	return ""
}

// rectangleForm is the name of a rectangle: rows and columns.
var rectangleForm = regexp.MustCompile(`^rectangle([1-9][0-9]{0,3})x([1-9][0-9]{0,3})$`)

func rectangle(rows, columns int) []Hole {
	var holes []Hole
	for r := range rows {
		for c := range columns {
			holes = append(holes, Hole{r, c})
		}
	}
	return holes
}

// rows makes rows of the given widths, all centred on the same column; the widths are all odd or all even.
func rows(widths ...int) []Hole {
	widest := slices.Max(widths)
	var holes []Hole
	for r, w := range widths {
		for c := range w {
			holes = append(holes, Hole{r, (widest-w)/2 + c})
		}
	}
	return holes
}

func triangle(side int) []Hole {
	var holes []Hole
	for r := range side {
		for c := 0; c <= r; c++ {
			holes = append(holes, Hole{r, c})
		}
	}
	return holes
}

// hexagon returns the places at most side-1 steps from (side-1, side-1). In axial coordinates with the steps of
// Triangular that is a square without two opposite corners.
func hexagon(side int) []Hole {
	var holes []Hole
	for r := range 2*side - 1 {
		for c := range 2*side - 1 {
			if d := r - c; -side < d && d < side {
				holes = append(holes, Hole{r, c})
			}
		}
	}
	return holes
}
