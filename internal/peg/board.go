// Package peg is peg solitaire on any board of up to 64 holes, on the square or the triangular lattice: boards, their
// jumps along the lattice or by a rule, playable classes, symmetries, linear invariants, positions as people write
// them, and the criteria that prove a problem unsolvable without search.
//
// The usual way in:
//
//	b, err := peg.Named("english")
//	start, err := peg.ParseStart(b, "center")
//	goal, err := peg.ParseGoal(b, "center")
//
// A position is one bit per hole, so everything here works on machine words. Beyond 64 holes a board is a [Layout],
// with a [Set] for a position; what need not be fast works on both. The package is pure: no files, no clock, no
// logging, and every result depends on its arguments alone, in content and in order.
package peg

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// MaxHoles is the largest number of holes: a position is one 64-bit word.
const MaxHoles = 64

// MaxLarge is the largest number of holes of a layout.
const MaxLarge = 1024

// maxSpan bounds the bounding box of a board. The most holes in a row need it; more would only be blanks.
const maxSpan = MaxLarge

// ErrBoard is wrapped by [Named] and [Draw] when the text gives no usable board.
var ErrBoard = errors.New("bad board")

// ErrLarge is wrapped beside ErrBoard where a board has more holes than a position has bits.
var ErrLarge = fmt.Errorf("at most %d holes are possible here", MaxHoles)

// ErrRule is wrapped beside ErrBoard when the rule of a board is at fault.
var ErrRule = errors.New("bad rule")

// Lattice is the pattern on which the holes of a board lie.
type Lattice int

const (
	// Square is the square lattice; jumps go along rows and columns.
	Square Lattice = iota
	// Triangular is the triangular lattice in axial coordinates: the neighbours of (row, col) are (row, col+-1),
	// (row+-1, col) and +-(row+1, col+1). Going down a row keeps the column to the lower left, and adds one to it to
	// the lower right.
	Triangular
)

// String is "square" or "triangular".
func (l Lattice) String() string {
	switch l {
	case Square:
		return "square"
	case Triangular:
		return "triangular"
	}
	return fmt.Sprintf("lattice %d", int(l))
}

// ParseLattice reads the output of Lattice.String. The error wraps ErrBoard.
func ParseLattice(s string) (Lattice, error) {
	for _, l := range []Lattice{Square, Triangular} {
		if s == l.String() {
			return l, nil
		}
	}
	return 0, fmt.Errorf("%w: unknown lattice %q: want square or triangular", ErrBoard, s)
}

// directions returns one of each pair of opposite unit steps.
func (l Lattice) directions() []Hole {
	if l == Triangular {
		return []Hole{{0, 1}, {1, 0}, {1, 1}}
	}
	return []Hole{{0, 1}, {1, 0}}
}

// A Hole is a place of the lattice, counted from 0 in the bounding box of the board. Axial coordinates on the
// triangular lattice; on a triangle row r has columns 0..r.
type Hole struct{ Row, Col int }

// String is the name of the hole, such as "r0c2".
func (h Hole) String() string { return fmt.Sprintf("r%dc%d", h.Row, h.Col) }

func (h Hole) plus(d Hole) Hole  { return Hole{h.Row + d.Row, h.Col + d.Col} }
func (h Hole) minus(d Hole) Hole { return Hole{h.Row - d.Row, h.Col - d.Col} }

// order is row-major order.
func (h Hole) order(g Hole) int { return cmp.Or(cmp.Compare(h.Row, g.Row), cmp.Compare(h.Col, g.Col)) }

// Position is a set of holes that hold a peg: bit i is hole i of the board.
type Position uint64

// Pegs counts the pegs of p.
func (p Position) Pegs() int { return bits.OnesCount64(uint64(p)) }

// Only returns the hole of the only peg; ok is false unless there is one.
func (p Position) Only() (hole int, ok bool) { return bits.TrailingZeros64(uint64(p)), p.Pegs() == 1 }

// Has reports whether hole i holds a peg.
func (p Position) Has(i int) bool { return p>>uint(i)&1 != 0 }

// A Jump takes the peg of hole From over hole Over, which loses its peg, into hole To, which was empty.
type Jump struct{ From, Over, To uint16 }

// Mask returns the three holes of j, all of which the jump flips.
func (j Jump) Mask() Position { return 1<<j.From | 1<<j.Over | 1<<j.To }

// Need is the two holes of j that must hold pegs.
func (j Jump) Need() Position { return 1<<j.From | 1<<j.Over }

// Legal reports whether j can be played on p.
func (j Jump) Legal(p Position) bool { return p&j.Mask() == j.Need() }

// Play returns the position after j; p must allow it.
func (j Jump) Play(p Position) Position { return p ^ j.Mask() }

// A Layout is a set of holes and the jumps between them: a board of up to [MaxLarge] holes, whose positions are values
// of type [Set]. Layouts are made by [NamedLayout] and [DrawLayout], as parts of boards by [Named] and [Draw], and not
// modified after.
type Layout struct {
	Name    string
	Lattice Lattice
	// Rule says how pegs jump where that is not along the directions of the lattice; see [Board.WithRule].
	Rule string
	// Holes are in row-major order, their bounding box starting at row 0 and column 0. The index is the hole number.
	Holes []Hole
	// Jumps are all jumps of the board, sorted by From, Over, To.
	Jumps []Jump
	// Class is the playable class of each hole, 0..3: 2*(row mod 2) + (col mod 2). A jump keeps the class of the peg
	// that moves, and takes away a peg of another class. A board of triplets has classes of its own, and with some rules
	// the peg that is taken away is of the same class.
	Class []uint8

	number map[Hole]int
}

// A Board is a layout of at most [MaxHoles] holes, so that a position is one machine word, a [Position].
type Board struct{ Layout }

// A Grid is a [Layout], alone or as the part of a [Board].
type Grid interface{ Laid() *Layout }

// Laid is b.
func (b *Layout) Laid() *Layout { return b }

// Small returns a board with the layout of b; ok is false where it has more than [MaxHoles] holes.
func (b *Layout) Small() (small *Board, ok bool) { return &Board{*b}, len(b.Holes) <= MaxHoles }

// small turns what makes a layout into what makes a board.
func small(b *Layout, err error) (*Board, error) {
	if err != nil {
		return nil, err
	}
	if len(b.Holes) > MaxHoles {
		return nil, fmt.Errorf("%w %q: it has %d holes, and %w", ErrBoard, b.Name, len(b.Holes), ErrLarge)
	}
	return &Board{*b}, nil
}

// newLayout makes a layout from distinct holes, in any order and place, and a rule.
func newLayout(name string, l Lattice, holes []Hole, rule string) (*Layout, error) {
	switch {
	case len(holes) == 0:
		return nil, fmt.Errorf("%w %q: it has no hole", ErrBoard, name)
	case len(holes) > MaxLarge:
		return nil, fmt.Errorf("%w %q: it has %d holes, at most %d are possible", ErrBoard, name, len(holes), MaxLarge)
	}
	holes = normalise(holes)
	slices.SortFunc(holes, Hole.order)
	b := &Layout{Name: name, Lattice: l, Holes: holes, number: make(map[Hole]int, len(holes))}
	for i, h := range holes {
		b.number[h] = i
	}
	if err := b.setRule(rule); err != nil {
		return nil, fmt.Errorf("%w %q: %w: %w", ErrBoard, name, ErrRule, err)
	}
	switch {
	case len(b.Jumps) > 0:
	case strings.TrimSpace(rule) != "":
		return nil, fmt.Errorf("%w %q: %w %q: no jump is possible with it", ErrBoard, name, ErrRule, shortened(rule))
	default:
		return nil, fmt.Errorf("%w %q: no jump is possible on it: no three holes in line on the %s lattice",
			ErrBoard, name, l)
	}
	b.classify()
	return b, nil
}

// normalise returns a copy of holes, moved so that the bounding box starts at row 0 and column 0.
func normalise(holes []Hole) []Hole {
	low := holes[0]
	for _, h := range holes {
		low = Hole{min(low.Row, h.Row), min(low.Col, h.Col)}
	}
	moved := make([]Hole, len(holes))
	for i, h := range holes {
		moved[i] = h.minus(low)
	}
	return moved
}

// Size is the number of holes.
func (b *Layout) Size() int { return len(b.Holes) }

// Full is the position with a peg in every hole.
func (b *Board) Full() Position { return ^Position(0) >> (64 - uint(len(b.Holes))) }

// Hole returns the number of the hole at (row, col); ok is false when the board has none there.
func (b *Layout) Hole(row, col int) (i int, ok bool) {
	i, ok = b.number[Hole{row, col}]
	return i, ok
}

// HoleName is the name of hole i, such as "r0c2": its row and column from 0 in the bounding box.
func (b *Layout) HoleName(i int) string { return b.Holes[i].String() }

// Center returns the number of the hole in the middle of the board: the hole at the centroid of all holes. ok is false
// where no hole lies there, as on the 6x6 board.
func (b *Layout) Center() (i int, ok bool) {
	var sum Hole
	for _, h := range b.Holes {
		sum = sum.plus(h)
	}
	n := len(b.Holes)
	if sum.Row%n != 0 || sum.Col%n != 0 {
		return 0, false
	}
	return b.Hole(sum.Row/n, sum.Col/n)
}

// ClassMasks returns the holes of each playable class.
func (b *Board) ClassMasks() [4]Position {
	var m [4]Position
	for i, k := range b.Class {
		m[k] |= 1 << i
	}
	return m
}

// Corners are the holes that no jump goes over. On the English board they are the eight ends of the arms' outer rows.
func (b *Board) Corners() Position {
	corners := b.Full()
	for _, j := range b.Jumps {
		corners &^= 1 << j.Over
	}
	return corners
}

// Complement swaps pegs and empty holes. A jump played backwards is a jump played forwards on the complement. So there
// are as many paths from p to q as from the complement of q to the complement of p.
func (b *Board) Complement(p Position) Position { return p ^ b.Full() }

// Moves passes every legal jump of p to fn, in the order of b.Jumps.
func (b *Board) Moves(p Position, fn func(Jump)) {
	for _, j := range b.Jumps {
		if j.Legal(p) {
			fn(j)
		}
	}
}
