package peg

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A reading is one way to understand a drawing.
type reading struct {
	// marks are 1 to MaxLarge holes in row-major order, their bounding box moved to start at 0.
	marks []mark
	// peg is the sign of pegs.
	peg rune
	// doubt says how the signs can be read the other way round. It is empty where they cannot.
	doubt string
}

// A spread is where the holes of a drawing may stand.
type spread int

const (
	together spread = iota // some are neighbours
	apart                  // they are where they stand, or together
	anyWidth               // or closer, by any part of the blanks between all signs
)

// spreadOf is where the holes of a board with a rule may stand, and of one without.
func spreadOf(rule string) spread {
	if rule != "" {
		return apart
	}
	return together
}

// readings returns the ways in which a drawing can be understood, the plainest first. They differ in the
// signs that stand for holes, because some authors write . or # for no hole, and in the grid of the holes.
//
// On a known board all readings are returned, and its outline decides. Otherwise only those are that the drawing
// suggests. Where holes may be apart, lines with holes may be, too. The error says why the plainest reading fails, also
// when there are others. It is for the caller to wrap.
func readings(l Lattice, text string, known bool, are spread) (list []reading, err error) {
	if l != Square && l != Triangular {
		return nil, fmt.Errorf("there is no %v", l)
	}
	signs, err := readSigns(text, known)
	if err != nil {
		return nil, err
	}
	if !known && are == together && linesApart(signs) && !strings.Contains(text, "//") {
		return nil, errors.New("no two lines with holes are neighbours: remove the lines between them, or write - in these")
	}
	var doubtful, all []rune
	for _, m := range signs {
		if !slices.Contains(all, m.sign) {
			all = append(all, m.sign)
			if m.sign == noHole || strings.ContainsRune(wallSigns, m.sign) {
				doubtful = append(doubtful, m.sign)
			}
		}
	}
	for set := range 1 << len(doubtful) {
		var turned []rune // signs with the other meaning
		for i, c := range doubtful {
			if set>>i&1 != 0 {
				turned = append(turned, c)
			}
		}
		isHole := func(c rune) bool { return (c == noHole) == slices.Contains(turned, c) }
		holes := filtered(signs, func(m mark) bool { return isHole(m.sign) })
		if !known && slices.ContainsFunc(turned, func(c rune) bool { return !suggested(c, signs, holes) }) {
			continue
		}
		kinds := filtered(all, func(c rune) bool { return c != eitherSign && isHole(c) })
		r, failed := readHoles(l, signs, holes, kinds, are)
		if set == 0 {
			err = failed
			switch {
			case known || failed == nil || errors.Is(failed, errHoles):
			case errors.Is(failed, errSigns):
				known = true // one of the others is meant
			default:
				return nil, err
			}
		}
		list = append(list, r...)
	}
	return list, err
}

func filtered[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return !keep(v) })
}

// suggested reports whether a drawing of an unknown board makes it likely that c has its other meaning.
func suggested(c rune, signs, holes []mark) bool {
	switch c {
	case 'X', 'x', '#':
		return true
	case noHole:
		return blanks(signs) // which are the places without a hole then
	}
	// A dot in a corner of a drawing without another sign for no hole. No line is drawn without holes.
	if blanks(signs) || slices.ContainsFunc(signs, func(m mark) bool { return m.sign == noHole }) {
		return false
	}
	low, high := box(signs)
	lines := map[int]bool{} // with holes
	for _, m := range holes {
		lines[m.hole.Row] = true
	}
	for _, m := range signs {
		if !lines[m.hole.Row] {
			return false
		}
	}
	if l, h := box(holes); l != low || h != high {
		return false
	}
	return slices.ContainsFunc(signs, func(m mark) bool {
		return m.sign == c && (m.hole.Row == low.Row || m.hole.Row == high.Row) &&
			(m.hole.Col == low.Col || m.hole.Col == high.Col)
	})
}

// box returns the corners of the bounding box.
func box(marks []mark) (low, high Hole) {
	low, high = marks[0].hole, marks[0].hole
	for _, m := range marks {
		low = Hole{min(low.Row, m.hole.Row), min(low.Col, m.hole.Col)}
		high = Hole{max(high.Row, m.hole.Row), max(high.Col, m.hole.Col)}
	}
	return low, high
}

var errHoles = fmt.Errorf("at most %d holes are possible", MaxLarge)

// readHoles returns a reading for each grid on which the holes may stand.
func readHoles(l Lattice, signs, holes []mark, kinds []rune, are spread) ([]reading, error) {
	if len(holes) == 0 {
		return nil, fmt.Errorf("the drawing is empty: it has no hole %s", holesHint)
	}
	peg, doubt, err := pegSign(kinds)
	if err != nil {
		return nil, err
	}
	if len(holes) > MaxLarge {
		m := holes[MaxLarge]
		return nil, fmt.Errorf("line %d, column %d: hole number %d: %w", m.line, m.col, MaxLarge+1, errHoles)
	}
	place := squareGrid
	if l == Triangular {
		place = triangularGrids
	}
	grids, err := place(signs, holes)
	if g := step(signs); are != together && (err != nil || g > 1) {
		low, _ := box(signs)
		for width := 1; width == 1 || are == anyWidth && width <= g; width++ { // characters of a column
			if g%width != 0 {
				continue
			}
			as, off := pulled(holes, low.Col, width), -1
			if l == Triangular {
				as, off = axial(as)
			}
			if off < 0 {
				grids, err = append(grids, as), nil
			}
		}
	}
	if err != nil {
		return nil, err
	}
	var list []reading
	for _, marks := range grids {
		if failed := settle(marks); failed != nil {
			err = cmp.Or(err, failed)
		} else {
			list = append(list, reading{marks, peg, doubt})
		}
	}
	if list != nil {
		err = nil // blanks made the others too wide
	}
	return list, err
}

// settle moves the bounding box of holes to row 0 and column 0.
func settle(marks []mark) error {
	low, _ := box(marks)
	for i := range marks {
		m := &marks[i]
		m.hole = m.hole.minus(low)
		if m.hole.Row >= maxSpan || m.hole.Col >= maxSpan {
			return fmt.Errorf("line %d, column %d: a hole in row %d and column %d of the board: both must be below %d",
				m.line, m.col, m.hole.Row, m.hole.Col, maxSpan)
		}
	}
	return nil
}

// step returns how far apart the columns are on which all signs stand: 2 where there is a blank between any two. It is
// 0 for a single column.
func step(signs []mark) (g int) {
	low, _ := box(signs)
	for _, m := range signs {
		for a := m.hole.Col - low.Col; a != 0; {
			g, a = a, g%a
		}
	}
	return g
}

// blanks reports whether a line of signs begins further right than another, or has a wider gap than there is between
// all signs.
func blanks(signs []mark) bool {
	low, _ := box(signs)
	g := step(signs)
	for i, m := range signs {
		if i > 0 && signs[i-1].hole.Row == m.hole.Row {
			if m.hole.Col-signs[i-1].hole.Col > g {
				return true
			}
		} else if m.hole.Col > low.Col {
			return true
		}
	}
	return false
}

// pulled returns marks with their columns divided by g.
func pulled(marks []mark, left, g int) []mark {
	marks = slices.Clone(marks)
	for i := range marks {
		marks[i].hole.Col = (marks[i].hole.Col - left) / g
	}
	return marks
}

// neighbours reports whether two holes of a row are side by side, and whether two are in one row at all.
func neighbours(holes []mark) (beside, inRow bool) {
	for i := 1; i < len(holes); i++ {
		a, b := holes[i-1].hole, holes[i].hole
		inRow = inRow || a.Row == b.Row
		beside = beside || a.Row == b.Row && a.Col+1 == b.Col
	}
	return beside, inRow
}

// linesApart reports whether there are several lines, and an empty one between any two of them.
func linesApart(signs []mark) bool {
	apart := false
	for i := 1; i < len(signs); i++ {
		switch signs[i].hole.Row - signs[i-1].hole.Row {
		case 0:
		case 1:
			return false
		default:
			apart = true
		}
	}
	return apart
}

// squareGrid places the holes of a drawing on the square lattice: as they stand in the text, or closer together where a
// blank stands between any two signs.
func squareGrid(signs, holes []mark) ([][]mark, error) {
	beside, inRow := neighbours(holes)
	if beside || !inRow {
		return [][]mark{slices.Clone(holes)}, nil
	}
	if g := step(signs); g > 1 {
		low, _ := box(signs)
		holes = pulled(holes, low.Col, g)
		if beside, _ := neighbours(holes); beside {
			return [][]mark{holes}, nil
		}
	}
	return nil, errors.New("no two holes of a row are neighbours: write them side by side, or with blanks and not - " +
		"between them; the picture of a triangle or a hexagon is on the triangular lattice")
}

// triangularGrids places the holes of a drawing on the triangular lattice. There are two grids where the lines of a
// picture may have lost the blanks before them.
func triangularGrids(signs, holes []mark) ([][]mark, error) {
	low, _ := box(signs)
	g := step(signs)
	if g > 2 { // no jump of a picture is so wide
		signs, holes = pulled(signs, low.Col, g), pulled(holes, low.Col, g)
		low, g = Hole{low.Row, 0}, 1
	}
	if picture, off := axial(holes); off < 0 {
		return [][]mark{picture}, nil
	}
	if beside, _ := neighbours(holes); beside && !blanks(signs) {
		return [][]mark{slices.Clone(holes)}, nil // compact: the text places are the axial ones
	}
	if g == 2 {
		near, nearSigns := pulled(holes, low.Col, g), pulled(signs, low.Col, g)
		if picture, off := axial(near); off < 0 {
			return [][]mark{picture}, nil
		}
		if !blanks(nearSigns) {
			grids := [][]mark{near}
			if picture, off := axial(centred(near)); off < 0 {
				grids = append(grids, picture)
			}
			return grids, nil
		}
	}
	_, off := axial(holes)
	return nil, fmt.Errorf("line %d, column %d: this hole is out of line with the first: on a triangular lattice "+
		"neighbours of a row are two characters apart and every row is shifted by one", holes[off].line, holes[off].col)
}

// axial turns the text places of a picture into axial coordinates: one step right is two characters, one step
// down-right is one line and one character. off is the first hole that is out of line, -1 for none.
func axial(holes []mark) (picture []mark, off int) {
	odd := func(m mark) int { return (m.hole.Row + m.hole.Col) & 1 }
	off = slices.IndexFunc(holes, func(m mark) bool { return odd(m) != odd(holes[0]) })
	picture = slices.Clone(holes)
	for i := range picture {
		h := &picture[i].hole
		h.Col = (h.Row + h.Col) >> 1
	}
	return picture, off
}

// centred returns a picture in which the middles of all lines are above each other.
func centred(holes []mark) []mark {
	first, last := map[int]int{}, map[int]int{} // columns, by row
	for _, m := range slices.Backward(holes) {
		first[m.hole.Row] = m.hole.Col
	}
	for _, m := range holes {
		last[m.hole.Row] = m.hole.Col
	}
	picture := slices.Clone(holes)
	for i := range picture {
		h := &picture[i].hole
		h.Col = 2*h.Col - first[h.Row] - last[h.Row]
	}
	return picture
}

// outlines returns the different boards that readings give, without those on which no jump is possible. The error is
// that of the first without.
func outlines(name string, l Lattice, list []reading, rule string) (boards []*Layout, err error) {
	for _, r := range list {
		holes := make([]Hole, len(r.marks))
		for i, m := range r.marks {
			holes[i] = m.hole
		}
		b, failed := newLayout(name, l, holes, rule)
		if failed != nil {
			err = cmp.Or(err, failed)
		} else if !slices.ContainsFunc(boards, func(c *Layout) bool { return slices.Equal(b.Holes, c.Holes) }) {
			boards = append(boards, b)
		}
	}
	return boards, err
}
