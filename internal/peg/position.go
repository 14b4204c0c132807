package peg

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ErrPosition is wrapped by [ParseStart], [ParseGoal] and [Problem.Check] when a text or a pair of positions cannot be
// used.
var ErrPosition = errors.New("bad position")

var holeForm = regexp.MustCompile(`^r([0-9]{1,4})c([0-9]{1,4})$`)

// ParseStart reads a start position on b:
//
//	center      the full board without the peg of the middle hole (see [Board.Center]); centre does as well
//	r0c2        the full board without the peg of the hole in row 0 and column 2
//	0x1fffeffff the set of pegs, bit i being hole i; x1fffeffff is the same
//	a drawing   o or * for a peg, . for an empty hole, otherwise as in [Draw]; it must show every hole of b
//
// The error wraps ErrPosition and names the text and the board.
func ParseStart(b *Board, s string) (Position, error) {
	p, single, err := parsePosition(b, s)
	if single {
		p = b.Complement(p)
	}
	return p, err
}

// ParseGoal reads a goal position on b, as [ParseStart] does, but center and r0c2 are that peg alone.
func ParseGoal(b *Board, s string) (Position, error) {
	p, _, err := parsePosition(b, s)
	return p, err
}

// parsePosition reads a position; single says that the text names one hole, whose bit p is.
func parsePosition(b *Board, s string) (p Position, single bool, err error) {
	word := strings.TrimSpace(s)
	lower := strings.ToLower(word)
	switch {
	case lower == "center" || lower == "centre":
		i, ok := b.Center()
		if !ok {
			return 0, false, positionError(b, word, "the board has no hole in its middle: name one, such as %s", b.HoleName(0))
		}
		return 1 << i, true, nil
	case holeForm.MatchString(lower):
		f := holeForm.FindStringSubmatch(lower)
		row, _ := strconv.Atoi(f[1]) // at most four digits: cannot fail
		col, _ := strconv.Atoi(f[2])
		i, ok := b.Hole(row, col)
		if !ok {
			return 0, false, positionError(b, word, "the board has no such hole: %s", rowsHint(b, row))
		}
		return 1 << i, true, nil
	case strings.HasPrefix(lower, "0x") || strings.HasPrefix(lower, "x"):
		_, digits, _ := strings.Cut(lower, "x")
		v, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			return 0, false, positionError(b, word, "not a hexadecimal number of at most 64 bits")
		}
		if p := Position(v); p&^b.Full() != 0 {
			return 0, false, positionError(b, word, "it has pegs outside the %d holes, of which the last is bit %d", b.Size(),
				b.Size()-1)
		}
		return Position(v), false, nil
	case word == "" || strings.Trim(word, ".o*- /\r\n") != "":
		return 0, false, positionError(b, word,
			"want center, a hole such as %s, a number such as 0x%x, or a drawing of . o and -",
			b.HoleName(0), uint64(b.Full()>>1))
	}
	p, err = b.readPosition(s)
	return p, false, err
}

// readPosition reads a drawing that must show the holes of b and no others.
func (b *Board) readPosition(text string) (Position, error) {
	marks, err := readDrawing(b.Lattice, text)
	if err != nil {
		return 0, positionError(b, text, "%v", err)
	}
	var p, seen Position
	for _, m := range marks {
		i, ok := b.number[m.hole]
		if !ok {
			return 0, positionError(b, text,
				"line %d, column %d: a hole that the board has not; drawn full it is %s", m.line, m.col,
				FormatLine(b, b.Full()))
		}
		seen |= 1 << i
		if m.peg {
			p |= 1 << i
		}
	}
	for i := range b.Size() {
		if !seen.Has(i) {
			return 0, positionError(b, text, "the drawing lacks hole %s; drawn full the board is %s", b.HoleName(i),
				FormatLine(b, b.Full()))
		}
	}
	return p, nil
}

// mostQuoted is how many characters of a text an error repeats.
const mostQuoted = 90

// positionError names the text, shortened and in one line, and the board.
func positionError(b *Board, text, format string, args ...any) error {
	if r := []rune(text); len(r) > mostQuoted {
		text = string(r[:mostQuoted]) + "..."
	}
	return fmt.Errorf("%w %q on board %s: %s", ErrPosition, text, b.Name, fmt.Sprintf(format, args...))
}

// rowsHint says which holes there are in the row, or which rows.
func rowsHint(b *Board, row int) string {
	last := b.Holes[len(b.Holes)-1].Row
	var cols []string
	for _, h := range b.Holes {
		if h.Row == row {
			cols = append(cols, strconv.Itoa(h.Col))
		}
	}
	switch {
	case row > last:
		return fmt.Sprintf("its rows are 0 to %d", last)
	case cols == nil:
		return fmt.Sprintf("row %d has no holes", row)
	}
	return fmt.Sprintf("row %d has columns %s", row, strings.Join(cols, " "))
}

// Hex writes p as a hexadecimal number, which [ParseStart] and [ParseGoal] read on any board.
func Hex(p Position) string { return fmt.Sprintf("%#x", uint64(p)) }

// Hex writes p for files: x and as many hexadecimal digits as the board takes. Texts of one board sort as their numbers
// do, and two of one position are equal. Programs that guess what a column holds take 0x0001 for the number 1, and
// x0001 for a text. [ParseStart] and [ParseGoal] read both.
func (b *Board) Hex(p Position) string { return fmt.Sprintf("x%0*x", (b.Size()+3)/4, uint64(p)) }
