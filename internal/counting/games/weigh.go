package games

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/uint128"
)

// Weighings checks the rows of every layer against those of the layer before, without the kernel, cells or flows. Every
// hole h has a random weight x(h), and a position the product of the weights of its pegs, modulo a random prime. Let
// n(P) be the number of paths to P. Both sides of
//
//	sum over Q of n(Q) x(Q) = sum over P of n(P) times the sum of x(P after j) over the jumps j that P allows
//
// are sums over the rows of one layer: x(P after j) is x(P) times a number that depends on j alone. The difference of
// the sides is a polynomial in the weights. When a count is wrong, it is not zero, and random weights are a root of it
// with probability d/p at most, d being the number of pegs. The prime is random because a count may be wrong by a
// multiple of a prime that is known beforehand. From the start on, layer by layer, all counts follow.
//
// A row stands for its symmetry class, so its weight is summed over the images of its position. Games and positions are
// counted exactly, from the same rows.
func (g *Puzzle) Weighings(known puzzle.Results, random func() uint64) ([]puzzle.Recount, error) {
	s := newScales(g, random)
	games := puzzle.Recount{What: "games, from the rows of all layers", Share: g.share(s.ended)}
	positions := puzzle.Recount{What: "positions, from the rows of all layers", Share: g.share(
		func(c counting.Class) (uint128.Uint128, bool) { return uint128.From(uint64(c.Orbit)), true })}
	var list []puzzle.Recount
	var before []puzzle.Window
	for n := range g.Layers {
		var own []puzzle.Window
		for _, c := range known.Cells(n) {
			for i := range c.Windows() {
				own = append(own, c.Window(i))
			}
		}
		t, ok := known.Layer(n)
		if !ok {
			return nil, fmt.Errorf("layer %d: %w", n, puzzle.ErrIncomplete)
		}
		games.Windows = append(games.Windows, own...)
		positions.Windows = append(positions.Windows, own...)
		var ok1, ok2 bool
		games.Want, ok1 = games.Want.Add(t.Sum(counting.SumEnded))
		positions.Want, ok2 = positions.Want.Add(t.Sum(counting.SumPositions))
		if !ok1 || !ok2 {
			return nil, puzzle.ErrOverflow
		}
		r := puzzle.Recount{What: "random weight of the start", Modulus: s.prime, Windows: own, Share: g.share(s.position)}
		if n == 0 {
			r.Want = uint128.From(s.times(s.residue(g.Unit), s.weight(g.Start, 0)))
		} else {
			r.What = fmt.Sprintf("random weights of the paths after %s, less those by a jump from the layer before",
				plural.Of(n, "jump"))
			r.Windows = slices.Concat(before, own)
			r.Share = func(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error) {
				if w.Layer == n {
					return g.share(s.position)(ctx, w, in)
				}
				sum, err := g.share(s.jumps)(ctx, w, in)
				return uint128.From(s.prime - s.residue(sum)), err
			}
		}
		list = append(list, r)
		before = own
	}
	return append(list, games, positions), nil
}

// share returns the function that sums a number over the symmetry classes of a window.
func (g *Puzzle) share(
	number func(counting.Class) (uint128.Uint128, bool),
) func(context.Context, puzzle.Window, puzzle.Source) (uint128.Uint128, error) {
	return func(ctx context.Context, w puzzle.Window, in puzzle.Source) (sum uint128.Uint128, err error) {
		err = in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
			return g.EachClass(w.Cell, b, func(c counting.Class) error {
				n, ok := number(c)
				if ok {
					sum, ok = sum.Add(n)
				}
				if !ok {
					return fmt.Errorf("window %s: %w", w, puzzle.ErrOverflow)
				}
				return nil
			})
		})
		return sum, err
	}
}

// primeBits is the size of the prime: a sum of so many weights as a board has jumps fits into 64 bits.
const primeBits = 55

// holesAtOnce is how many holes a table of weights covers.
const holesAtOnce = 11

// scales has random weights. They are multiplied by Montgomery's method: a weight w is kept as w 2^64 modulo the prime.
type scales struct {
	prime, negated uint64 // negated is -1/prime modulo 2^64
	group          []peg.Perm
	// tables has, by symmetry and piece of the board, the weights of all patterns of the piece, moved by the symmetry.
	tables [][][]uint64
	moves  []move     // the jumps of the board
	byJump [][]uint64 // by jump and symmetry: the factor by which the moved jump changes a position's weight
	orbit  []uint64   // by size of an orbit: its share of the symmetries
}

// A move is a jump as the holes that it looks at, and those of them with pegs.
type move struct{ mask, need peg.Position }

// newScales draws a prime and weights.
func newScales(g *Puzzle, random func() uint64) *scales {
	s := &scales{group: g.Space.Group}
	board := g.Space.Board
	for {
		s.prime = random()>>(64-primeBits) | 1<<(primeBits-1) | 1
		if new(big.Int).SetUint64(s.prime).ProbablyPrime(32) {
			break
		}
	}
	inverse := s.prime // Newton's method: 3 bits are right, then 6, 12, 24, 48, 96
	for range 5 {
		inverse *= 2 - s.prime*inverse
	}
	s.negated = -inverse
	x := make([]uint64, board.Size())
	for h := range x {
		for x[h] == 0 {
			x[h] = random() % s.prime
		}
	}
	one := s.kept(1)
	for k := range len(s.group) + 1 {
		s.orbit = append(s.orbit, s.times(s.kept(uint64(k)), s.inverse(s.kept(uint64(len(s.group))))))
	}
	for _, j := range board.Jumps {
		s.moves = append(s.moves, move{j.Mask(), j.Need()})
	}
	s.byJump = make([][]uint64, len(s.moves))
	for _, m := range s.group {
		var pieces [][]uint64
		for first := 0; first < len(x); first += holesAtOnce {
			table := []uint64{one}
			for h := first; h < min(first+holesAtOnce, len(x)); h++ {
				for _, w := range table[:1<<(h-first)] {
					table = append(table, s.times(w, x[m[h]]))
				}
			}
			pieces = append(pieces, table)
		}
		s.tables = append(s.tables, pieces)
		for i, j := range board.Jumps {
			gone := s.times(x[m[j.From]], x[m[j.Over]])
			s.byJump[i] = append(s.byJump[i], s.times(x[m[j.To]], s.inverse(gone)))
		}
	}
	return s
}

// times multiplies: a b / 2^64 modulo the prime.
func (s *scales) times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	up, down := bits.Mul64(lo*s.negated, s.prime)
	_, carry := bits.Add64(lo, down, 0)
	if hi += up + carry; hi >= s.prime {
		hi -= s.prime
	}
	return hi
}

// kept is a number below the prime as it is kept.
func (s *scales) kept(a uint64) uint64 {
	_, r := bits.Div64(a, 0, s.prime)
	return r
}

// inverse is the inverse of a weight: its power with the exponent prime-2.
func (s *scales) inverse(a uint64) uint64 {
	r := s.kept(1)
	for e := s.prime - 2; e > 0; e >>= 1 {
		if e&1 != 0 {
			r = s.times(r, a)
		}
		a = s.times(a, a)
	}
	return r
}

// residue is a number modulo the prime.
func (s *scales) residue(n uint128.Uint128) uint64 {
	_, r := n.QuoRem64(s.prime)
	return r
}

// weight is the weight of a position that the m-th symmetry has moved.
func (s *scales) weight(p peg.Position, m int) uint64 {
	tables := s.tables[m]
	w := tables[0][p&(1<<holesAtOnce-1)]
	for _, t := range tables[1:] {
		p >>= holesAtOnce
		w = s.times(w, t[p&(1<<holesAtOnce-1)])
	}
	return w
}

// position is the weight of the paths to all positions of a class.
func (s *scales) position(c counting.Class) (uint128.Uint128, bool) {
	var sum uint64
	for m := range s.group {
		sum += s.weight(c.Position, m)
	}
	return s.paths(c, sum), true
}

// jumps is the weight of the paths from all positions of a class by one jump more.
func (s *scales) jumps(c counting.Class) (uint128.Uint128, bool) {
	var by [24]uint64 // a lattice has no more symmetries
	for i, j := range s.moves {
		if c.Position&j.mask == j.need {
			for m, w := range s.byJump[i] {
				by[m] += w
			}
		}
	}
	var sum uint64
	for m := range s.group {
		if by[m] != 0 {
			sum += s.times(s.weight(c.Position, m), by[m]%s.prime)
		}
	}
	return s.paths(c, sum), true
}

// paths is a sum of weights over all symmetries, as a sum over the positions of the class, times the paths to each.
func (s *scales) paths(c counting.Class, sum uint64) uint128.Uint128 {
	return uint128.From(s.times(s.times(s.residue(c.Paths), sum%s.prime), s.orbit[c.Orbit]))
}

// ended counts the games that end at the positions of a class.
func (s *scales) ended(c counting.Class) (uint128.Uint128, bool) {
	for _, j := range s.moves {
		if c.Position&j.mask == j.need {
			return uint128.Uint128{}, true
		}
	}
	return c.Paths.Mul64(uint64(c.Orbit))
}
