package peg

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrPosition is wrapped by [ParseStart], [ParseGoal] and [Problem.Check] when a text or a pair of positions cannot be
// used.
var ErrPosition = errors.New("bad position")

var (
	holeForm   = regexp.MustCompile(`^r([0-9]{1,4})c([0-9]{1,4})$`)
	numberForm = regexp.MustCompile(`^[1-9][0-9]?$`)
	letterForm = regexp.MustCompile(`^([a-z])([1-9][0-9]?)$`)
	hexForm    = regexp.MustCompile(`^0?x[0-9a-f]+$`)
)

// ParseStart reads a start position on b:
//
//	center      the full board without the peg of the middle hole (see [Board.Center]); centre does as well
//	r0c2        the full board without the peg of the hole in row 0 and column 2
//	17          the same for hole 17, counted from 1 in rows from the top left
//	44, d4      the same for a hole as [Board.Label] names it, or by letter and number on any board
//	0x1fffeffff the set of pegs, bit i being hole i; x1fffeffff is the same
//	a drawing   o for a peg, . for an empty hole, otherwise as in [Draw]; it must show every hole of b
//
// A text with two readings is refused: 31 is hole 31 of the English board, and the label of hole 1. The error wraps
// ErrPosition and names the text and the board.
func ParseStart(b *Board, s string) (Position, error) {
	p, err := b.StartSet(s)
	return Position(p[0]), err
}

// StartSet is [ParseStart] for a layout. Hexadecimal numbers are positions of boards of at most [MaxHoles] holes.
func (b *Layout) StartSet(s string) (Set, error) {
	p, single, err := parsePosition(b, s)
	if single {
		p = b.All().Less(p)
	}
	return p, err
}

// ParseGoal reads a goal position on b, as [ParseStart] does, but a hole is that peg alone.
func ParseGoal(b *Board, s string) (Position, error) {
	p, err := b.GoalSet(s)
	return Position(p[0]), err
}

// GoalSet is [ParseGoal] for a layout, as StartSet is ParseStart.
func (b *Layout) GoalSet(s string) (Set, error) {
	p, _, err := parsePosition(b, s)
	return p, err
}

// parsePosition reads a position; single says that the text names one hole, whose bit p is.
func parsePosition(b *Layout, s string) (p Set, single bool, err error) {
	word := strings.TrimFunc(s, isBlank)
	lower := strings.ToLower(word)
	type meaning struct {
		p      Set
		single bool
		text   string
	}
	var found []meaning
	add := func(m meaning, failed error) {
		switch {
		case failed != nil:
			err = cmp.Or(err, failed)
		case !slices.ContainsFunc(found, func(n meaning) bool { return n.p == m.p && n.single == m.single }):
			found = append(found, m)
		}
	}
	for _, named := range b.named(lower) {
		text := named.text
		if text == byNumber {
			text = "hole " + lower
		}
		if named.err == nil {
			text += " (" + b.letters(named.hole) + ")"
		}
		var p Set
		p.Put(named.hole)
		add(meaning{p, true, text}, named.err)
	}
	drawn := IsDrawing(word)
	if hexForm.MatchString(lower) || strings.HasPrefix(lower, "0x") || strings.HasPrefix(lower, "x") && !drawn {
		p, failed := b.readHex(word)
		add(meaning{p.Set(), false, "a hexadecimal number"}, failed)
		drawn = drawn && word != Hex(p) && word != b.hex(p)
	}
	if drawn {
		p, failed := b.readPosition(s)
		add(meaning{p, false, "a drawing"}, failed)
	}
	switch {
	case len(found) == 1:
		return found[0].p, found[0].single, nil
	case len(found) > 1:
		return Set{}, false, positionError(b, word, "two readings: %s, or %s; write it another way, such as %s",
			found[0].text, found[1].text, b.HoleText(found[1].p.First()))
	case err == nil && b.Size() > MaxHoles:
		err = positionError(b, word, "want center, a hole such as %s, or a drawing of . o and -", b.HoleText(0))
	case err == nil:
		err = positionError(b, word, "want center, a hole such as %s, a number such as 0x%x, or a drawing of . o and -",
			b.HoleText(0), b.All()[0]>>1)
	}
	return Set{}, false, err
}

// Meanings of a name that is digits.
const (
	byLabel  = "column and row"
	byNumber = "a number"
)

// A namedHole is a hole that a text may name, or an error where the board has it not.
type namedHole struct {
	hole int
	text string
	err  error
}

// named returns the holes that a word names.
func (b *Layout) named(word string) (list []namedHole) {
	at := func(row, col int, text string, name func(int) string) {
		i, ok := b.Hole(row, col)
		if !ok {
			list = append(list, namedHole{err: positionError(b, word, "the board has no such hole: %s", b.rowHint(row, name))})
			return
		}
		list = append(list, namedHole{i, text, nil})
	}
	if word == "center" || word == "centre" {
		i, ok := b.Center()
		if !ok {
			return []namedHole{{err: positionError(b, word, "the board has no hole in its middle: name one, such as %s",
				b.HoleText(0))}}
		}
		return []namedHole{{i, "the middle", nil}}
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // at most four digits: cannot fail
	if f := holeForm.FindStringSubmatch(word); f != nil {
		at(number(f[1]), number(f[2]), "row and column", b.HoleName)
	}
	if f := letterForm.FindStringSubmatch(word); f != nil {
		at(number(f[2])-1, int(f[1][0]-'a'), byLabel, b.letters)
	}
	if numberForm.MatchString(word) {
		n := number(word)
		if n <= b.Size() {
			list = append(list, namedHole{n - 1, byNumber, nil})
		}
		for i := range b.Size() {
			if b.Label(i) == word {
				list = append(list, namedHole{i, byLabel, nil})
			}
		}
		if list == nil {
			list = append(list, namedHole{err: positionError(b, word, "there is no hole %s, from 1 in rows from the top left, "+
				"of %d", word, b.Size())})
		}
	}
	return list
}

// readHex reads a set of pegs.
func (b *Layout) readHex(word string) (Position, error) {
	if b.Size() > MaxHoles {
		return 0, positionError(b, word, "hexadecimal numbers are positions of at most %d holes: draw it", MaxHoles)
	}
	_, digits, _ := strings.Cut(strings.ToLower(word), "x")
	v, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return 0, positionError(b, word, "not a hexadecimal number of at most 64 bits")
	}
	if v&^b.All()[0] != 0 {
		return 0, positionError(b, word, "it has pegs outside the %d holes, of which the last is bit %d", b.Size(),
			b.Size()-1)
	}
	return Position(v), nil
}

// readPosition reads a drawing that must show the holes of b and no others.
func (b *Layout) readPosition(text string) (Set, error) {
	p, either, err := b.readPattern(text)
	if err == nil && either != (Set{}) {
		err = positionError(b, text, "hole %s is ?, which stands for several positions: draw one, with o or . there",
			b.Label(either.First()))
	}
	return p, err
}

// readPattern is readPosition with holes that may have a peg or not, which either are. A drawing that can be read like
// that of a new board is; otherwise the holes of b are known, wherever they are.
func (b *Layout) readPattern(text string) (p, either Set, err error) {
	p, either, doubtful, err := b.readSpread(text, spreadOf(b.Rule))
	if err != nil && !doubtful {
		if p, either, _, failed := b.readSpread(text, anyWidth); failed == nil {
			return p, either, nil
		}
	}
	return p, either, err
}

// readSpread reads a drawing with holes that may be so far apart; doubtful says that it has two readings.
func (b *Layout) readSpread(text string, are spread) (p, either Set, doubtful bool, err error) {
	list, err := readings(b.Lattice, text, true, are)
	for _, r := range list {
		p, either, failed := b.pegs(r)
		switch {
		case failed != nil:
			err = cmp.Or(err, failed)
		case r.doubt != "":
			return p, either, true, positionError(b, text, "%s", r.doubt)
		default:
			return p, either, false, nil
		}
	}
	return p, either, false, positionError(b, text, "%v", err)
}

// pegs returns the pegs of a reading whose holes are those of b, and the holes that may have one or not.
func (b *Layout) pegs(r reading) (p, either Set, err error) {
	var seen Set
	for _, m := range r.marks {
		i, ok := b.number[m.hole]
		if !ok {
			return p, either, fmt.Errorf("line %d, column %d: a hole that the board has not; drawn full it is %s", m.line, m.col,
				b.FullLine())
		}
		seen.Put(i)
		switch m.sign {
		case r.peg:
			p.Put(i)
		case eitherSign:
			either.Put(i)
		}
	}
	for i := range b.Size() {
		if !seen.Has(i) {
			return p, either, fmt.Errorf("the drawing lacks hole %s; drawn full the board is %s", b.Label(i),
				b.FullLine())
		}
	}
	return p, either, nil
}

// mostQuoted is how many characters of a text an error repeats.
const mostQuoted = 90

// positionError names the text, shortened and in one line, and the board.
func positionError(b Grid, text, format string, args ...any) error {
	return fmt.Errorf("%w %q on board %s: %s", ErrPosition, shortened(text), b.Laid().Name, fmt.Sprintf(format, args...))
}

func shortened(text string) string {
	if r := []rune(text); len(r) > mostQuoted {
		return string(r[:mostQuoted]) + "..."
	}
	return text
}

// rowHint says which holes there are in the row, or that it has none.
func (b *Layout) rowHint(row int, name func(hole int) string) string {
	var names []string
	for i, h := range b.Holes {
		if h.Row == row {
			names = append(names, name(i))
		}
	}
	if names == nil {
		return fmt.Sprintf("it has none in that row, and its last is %s", name(b.Size()-1))
	}
	return "those of the row are " + strings.Join(names, " ")
}

// HoleText is the label of hole i where it has one reading, otherwise its letter and number.
func (b *Layout) HoleText(i int) string {
	label := b.Label(i)
	if slices.ContainsFunc(b.named(label), func(n namedHole) bool { return n.hole != i }) {
		return b.letters(i)
	}
	return label
}

// ShortStart writes a position as briefly as [ParseStart] reads it: a hole, or a hexadecimal number.
func (b *Board) ShortStart(p Position) string {
	if hole, ok := b.Complement(p).Only(); ok {
		return b.HoleText(hole)
	}
	return b.Hex(p)
}

// ShortGoal writes a position as briefly as [ParseGoal] reads it: a hole, or a hexadecimal number.
func (b *Board) ShortGoal(p Position) string {
	if hole, ok := p.Only(); ok {
		return b.HoleText(hole)
	}
	return b.Hex(p)
}

// Hex writes p as a hexadecimal number, which [ParseStart] and [ParseGoal] read on any board.
func Hex(p Position) string { return fmt.Sprintf("%#x", uint64(p)) }

// Hex writes p for files: x and as many hexadecimal digits as the board takes. Texts of one board sort as their numbers
// do, and two of one position are equal. Programs that guess what a column holds take 0x0001 for the number 1, and
// x0001 for a text. [ParseStart] and [ParseGoal] read both.
func (b *Board) Hex(p Position) string { return b.hex(p) }

func (b *Layout) hex(p Position) string { return fmt.Sprintf("x%0*x", (b.Size()+3)/4, uint64(p)) }
