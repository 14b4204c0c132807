package tiles

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ErrGrid is wrapped by every error about a grid that the game does not allow. The error is a *GridError when cells are
// at fault.
var ErrGrid = errors.New("not an initial grid")

// A CellRef names a cell by row and column, from 0.
type CellRef struct {
	Row int `json:"row"`
	Col int `json:"col"`
}

func (c CellRef) String() string { return fmt.Sprintf("r%dc%d", c.Row, c.Col) }

// A GridError says which cells of a grid are at fault, and why. It wraps ErrGrid, and ErrShape too when the grid is too
// large or too small.
type GridError struct {
	Reason string
	Cells  []CellRef
	size   bool
}

func (e *GridError) Error() string { return fmt.Sprintf("%v: %s", ErrGrid, e.Reason) }

// Unwrap makes errors.Is hold for the kinds of error.
func (e *GridError) Unwrap() []error {
	if e.size {
		return []error{ErrGrid, ErrShape}
	}
	return []error{ErrGrid}
}

// A Grid is an initial grid: every 2x2 block shows four different colours. Colours are numbered in order of appearance,
// so that two grids which differ by a permutation of colours have the same cells.
type Grid struct {
	shape   Shape
	cells   cells
	letters string // of colours 0..Colours-1
}

// Shape returns the size and the number of colours.
func (g *Grid) Shape() Shape { return g.shape }

// Letters returns the letter of each colour, in order of appearance; colours that the grid does not show come last.
func (g *Grid) Letters() string { return g.letters }

// String writes the grid in the form that Parse reads.
func (g *Grid) String() string { return g.write(&g.cells) }

// write writes another colouring of the cells of g with its letters.
func (g *Grid) write(c *cells) string { return g.shape.write(c, g.letters) }

func (s Shape) write(c *cells, letters string) string {
	var b strings.Builder
	for i := range s.Cells() {
		if i > 0 && i%s.Cols == 0 {
			b.WriteByte('/')
		}
		b.WriteByte(letters[c[i]])
	}
	return b.String()
}

func (s Shape) ref(i int) CellRef { return CellRef{i / s.Cols, i % s.Cols} }

// plainLetters are the letters of grids that come without letters: digits.
const plainLetters = "012345"

// unseen lists, for the colours that a grid does not show, letters to be tried in this order: those of the source's
// French colour names, digits for grids of digits, then the alphabet.
var unseen = [2]string{"BRJVWOABCDEFGHIKLMNPQSTUXYZ", "0123456789"}

// Parse reads a grid, a letter or digit for each cell, rows separated by '/' or line ends, blanks ignored, small
// letters like capitals. colours is the number of colours that are to be had; the grid need not show all of them. A
// text that is another grid when blanks separate rows is refused. The error wraps ErrGrid or ErrShape, and names the
// cells at fault.
func Parse(text string, colours int) (*Grid, error) {
	g, err := parse(text, colours)
	if err != nil {
		return nil, err
	}
	rows := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '/' || unicode.IsSpace(r) }), "/")
	if other, err := parse(rows, colours); err == nil && other.shape != g.shape {
		return nil, fmt.Errorf("%w: two readings: %s without its blanks, or %s; remove the blanks, or write / for them",
			ErrGrid, g, other)
	}
	return g, nil
}

// parse is Parse where blanks separate nothing.
func parse(text string, colours int) (*Grid, error) {
	rows := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\n' || r == '\r' })
	var lines [][]byte
	for _, row := range rows {
		if line := strings.ToUpper(strings.Join(strings.Fields(row), "")); line != "" {
			lines = append(lines, []byte(line))
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%w: it has no cells; write it like RVRV/BWBW/RVRV/BWBW", ErrGrid)
	}
	g := &Grid{shape: Shape{Rows: len(lines), Cols: len(lines[0]), Colours: colours}}
	for r, line := range lines {
		for c, v := range line {
			if !letterOrDigit(v) {
				return nil, gridError("the cell is neither a letter nor a digit", CellRef{r, c})
			}
		}
		if len(line) != len(lines[0]) {
			return nil, gridError(fmt.Sprintf("row %d has %d cells and row 0 has %d; its last cell is", r, len(line),
				len(lines[0])), CellRef{r, len(line) - 1})
		}
	}
	if err := g.shape.checkSize(); err != nil {
		return nil, err
	}
	if err := g.shape.Check(); err != nil {
		return nil, err
	}
	for i := range g.shape.Cells() {
		v := lines[i/g.shape.Cols][i%g.shape.Cols]
		k := strings.IndexByte(g.letters, v)
		if k < 0 {
			k = len(g.letters)
			g.letters += string(rune(v))
		}
		if k >= colours {
			return nil, gridError(fmt.Sprintf("%c is colour number %d and there are only %d (%s)", v, k+1, colours,
				g.letters[:colours]), g.shape.ref(i))
		}
		g.cells[i] = uint8(k)
	}
	if err := g.checkBlocks(); err != nil {
		return nil, err
	}
	g.nameUnseen()
	return g, nil
}

// checkSize names the cells that are too many, or the few that there are.
func (s Shape) checkSize() error {
	for _, side := range []struct {
		name string
		n    int
		past func(c CellRef) bool
	}{
		{"rows", s.Rows, func(c CellRef) bool { return c.Row >= MaxSide }},
		{"columns", s.Cols, func(c CellRef) bool { return c.Col >= MaxSide }},
	} {
		if MinSide <= side.n && side.n <= MaxSide {
			continue
		}
		reason := fmt.Sprintf("it has %d %s, want %d to %d", side.n, side.name, MinSide, MaxSide)
		if side.n < MinSide {
			reason += "; there are only the cells"
		} else {
			reason += "; too much are the cells"
		}
		var at []CellRef
		for i := range s.Cells() {
			if c := s.ref(i); side.n < MinSide || side.past(c) {
				at = append(at, c)
			}
		}
		e := gridError(reason, at...)
		e.size = true
		return e
	}
	return nil
}

func letterOrDigit(v byte) bool { return 'A' <= v && v <= 'Z' || '0' <= v && v <= '9' }

// gridError ends the reason with the cells.
func gridError(reason string, at ...CellRef) *GridError {
	var b strings.Builder
	for i, c := range at {
		if i == 8 {
			fmt.Fprintf(&b, " and %d more", len(at)-i)
			break
		}
		b.WriteString(" " + c.String())
	}
	return &GridError{Reason: reason + ":" + b.String(), Cells: at}
}

// checkBlocks demands four different colours in every block.
func (g *Grid) checkBlocks() error {
	faults := map[int]bool{}
	var first string
	for i, near := range g.shape.neighbours() {
		for _, j := range near {
			if g.cells[i] != g.cells[j] {
				continue
			}
			if len(faults) == 0 {
				first = fmt.Sprintf("a 2x2 block shows colour %c twice, in %v and %v; all such cells",
					g.letters[g.cells[i]], g.shape.ref(i), g.shape.ref(j))
			}
			faults[i], faults[j] = true, true
		}
	}
	if len(faults) == 0 {
		return nil
	}
	var at []CellRef
	for i := range g.shape.Cells() {
		if faults[i] {
			at = append(at, g.shape.ref(i))
		}
	}
	return gridError(first, at...)
}

// nameUnseen finds letters for the colours that the grid does not show.
func (g *Grid) nameUnseen() {
	try := unseen[0]
	if strings.Trim(g.letters, unseen[1]) == "" {
		try = unseen[1]
	}
	for _, v := range try {
		if len(g.letters) < g.shape.Colours && !strings.ContainsRune(g.letters, v) {
			g.letters += string(v)
		}
	}
}

// MissingColours returns, block by block in row order, the set of the colours that the block does not show, bit v for
// colour v.
func (g *Grid) MissingColours() []uint8 { return g.shape.missing(&g.cells) }

func (s Shape) missing(g *cells) []uint8 {
	all := uint8(1)<<s.Colours - 1
	out := make([]uint8, 0, (s.Rows-1)*(s.Cols-1))
	for r := range s.Rows - 1 {
		for c := range s.Cols - 1 {
			i := s.at(r, c)
			out = append(out, all&^(1<<g[i]|1<<g[i+1]|1<<g[i+s.Cols]|1<<g[i+s.Cols+1]))
		}
	}
	return out
}

// equalMissing counts the pairs of blocks, side by side or one above the other, that miss the same colours.
func (s Shape) equalMissing(g *cells) (pairs int) {
	n := s.Cols
	// Neighbouring blocks share two cells, so they show the same colours when the other two cells of each do.
	same := func(a, b, c, d int) {
		if 1<<g[a]|1<<g[b] == 1<<g[c]|1<<g[d] {
			pairs++
		}
	}
	for r := range s.Rows - 1 {
		for c := range n - 2 {
			i := s.at(r, c)
			same(i, i+n, i+2, i+n+2)
		}
	}
	for r := range s.Rows - 2 {
		for c := range n - 1 {
			i := s.at(r, c)
			same(i, i+1, i+2*n, i+2*n+1)
		}
	}
	return pairs
}
