package tiles

import (
	"fmt"

	"pagoda/internal/puzzle/uint128"
)

// A Census counts and numbers the initial grids of a shape up to colour permutation, without generating them.
//
// One grid stands for all that differ from it by a permutation of colours: the one whose colours appear in the order
// 0, 1, 2, ... when it is read row by row. Those grids are numbered in lexicographic order; the number is the rank.
//
// The method is a transfer matrix by cells. The ways to complete a prefix depend only on its frontier up to renaming,
// and on how many colours have appeared. The frontier is the last Cols+1 cells, of which the next cell sees up to four.
// A table of completions by that key makes rank and unrank a walk over the cells. Safe for concurrent use.
type Census struct {
	shape       Shape
	completions []map[frontier]uint128.Uint128 // completions[i]: ways to go on after i cells
	raw         uint128.Uint128
}

// A frontier is the key of the transfer matrix. It has three bits for each of the last Cols+1 cells: the last one
// lowest, colours renamed in order of appearance from the oldest. From bit 27 it has the number of colours that have
// appeared. At the start of a row the oldest cell no longer matters and is left out.
type frontier uint32

const frontierUsed = 3 * (MaxSide + 1)

// NewCensus builds the tables for a shape. The error wraps ErrShape.
func NewCensus(s Shape) (*Census, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	c := &Census{shape: s, completions: make([]map[frontier]uint128.Uint128, s.Cells()+1)}
	reach := make([]map[frontier]struct{}, s.Cells()+1)
	reach[0] = map[frontier]struct{}{0: {}}
	for i := range s.Cells() {
		reach[i+1] = make(map[frontier]struct{})
		for f := range reach[i] {
			c.follow(i, f, func(next frontier, _ int) { reach[i+1][next] = struct{}{} })
		}
	}
	var err error
	if c.raw, err = c.sweep(reach, func(used int) uint64 { return arrangements(s.Colours, used) }); err != nil {
		return nil, err
	}
	if _, err = c.sweep(reach, func(int) uint64 { return 1 }); err != nil {
		return nil, err
	}
	return c, nil
}

// sweep fills the completions from the last cell back, a whole grid with so many colours having the given weight, and
// returns the completions of the empty prefix.
func (c *Census) sweep(reach []map[frontier]struct{}, weight func(used int) uint64) (uint128.Uint128, error) {
	last := c.shape.Cells()
	c.completions[last] = make(map[frontier]uint128.Uint128, len(reach[last]))
	for f := range reach[last] {
		c.completions[last][f] = uint128.From(weight(int(f >> frontierUsed)))
	}
	for i := last - 1; i >= 0; i-- {
		c.completions[i] = make(map[frontier]uint128.Uint128, len(reach[i]))
		for f := range reach[i] {
			var sum uint128.Uint128
			fits := true
			c.follow(i, f, func(next frontier, ways int) {
				for range ways {
					s, ok := sum.Add(c.completions[i+1][next])
					sum, fits = s, fits && ok
				}
			})
			if !fits {
				return sum, fmt.Errorf("%w: %v has more than 2^128 grids", ErrShape, c.shape)
			}
			c.completions[i][f] = sum
		}
	}
	return c.completions[0][0], nil
}

// follow passes the frontiers that can follow f when cell i is coloured, with the number of colours that lead there.
func (c *Census) follow(i int, f frontier, fn func(next frontier, ways int)) {
	used := int(f >> frontierUsed)
	old := c.unpack(i, f)
	shown := 0
	for _, v := range old {
		shown = max(shown, int(v)+1)
	}
	seen := c.seen(i, old)
	for v := range shown {
		if seen>>v&1 == 0 {
			fn(c.pack(i+1, append(old, uint8(v)), used), 1)
		}
	}
	if used > shown { // a colour that has appeared, but not in the frontier
		fn(c.pack(i+1, append(old, uint8(shown)), used), used-shown)
	}
	if used < c.shape.Colours {
		fn(c.pack(i+1, append(old, uint8(shown)), used+1), 1)
	}
}

// seen returns the set of the colours among the neighbours of cell i that come before it; win is the frontier.
func (c *Census) seen(i int, win []uint8) (set uint8) {
	n, col := c.shape.Cols, i%c.shape.Cols
	back := func(d int) {
		if d <= len(win) && d <= i {
			set |= 1 << win[len(win)-d]
		}
	}
	if col > 0 {
		back(1)
		back(n + 1)
	}
	back(n)
	if col < n-1 {
		back(n - 1)
	}
	return set
}

// width returns the length of the frontier after i cells.
func (c *Census) width(i int) int {
	w := c.shape.Cols + 1
	if i%c.shape.Cols == 0 {
		w--
	}
	return min(i, w)
}

// unpack returns the frontier after i cells, oldest first, with room for one more.
func (c *Census) unpack(i int, f frontier) []uint8 {
	w := c.width(i)
	out := make([]uint8, w, w+1)
	for j := range out {
		out[j] = uint8(f >> (3 * (w - 1 - j)) & 7)
	}
	return out
}

// pack makes the key of the frontier after i cells from the colours that end with the last of them.
func (c *Census) pack(i int, win []uint8, used int) frontier {
	win = win[len(win)-c.width(i):]
	f := frontier(0)
	var names renaming
	for _, v := range win {
		f = f<<3 | frontier(names.of(v))
	}
	return f | frontier(used)<<frontierUsed
}

// A renaming gives colours the names 0, 1, 2, ... in the order in which it is asked for them.
type renaming struct {
	name [MaxColours + 2]uint8 // 1 + name, 0 for none yet
	next uint8
}

func (r *renaming) of(v uint8) uint8 {
	if r.name[v] == 0 {
		r.next++
		r.name[v] = r.next
	}
	return r.name[v] - 1
}

// Shape returns the shape the census was made for.
func (c *Census) Shape() Shape { return c.shape }

// Raw returns the number of initial grids.
func (c *Census) Raw() uint128.Uint128 { return c.raw }

// UpToColours returns the number of initial grids up to colour permutation: ranks are below it.
func (c *Census) UpToColours() uint128.Uint128 { return c.completions[0][0] }

// unrank writes the grid of the given rank, which is below UpToColours.
func (c *Census) unrank(rank uint128.Uint128) (g cells) {
	used := 0
	for i := range c.shape.Cells() {
		for v := uint8(0); ; v++ {
			next, u := c.step(&g, i, v, used)
			if u < 0 {
				continue
			}
			ways := c.completions[i+1][next]
			if rank.Cmp(ways) < 0 {
				g[i], used = v, u
				break
			}
			rank, _ = rank.Sub(ways)
		}
	}
	return g
}

// rank returns the rank of g, whose colours appear in order.
func (c *Census) rank(g *cells) uint128.Uint128 {
	var sum uint128.Uint128
	used := 0
	for i := range c.shape.Cells() {
		now := used
		for v := uint8(0); v <= g[i]; v++ {
			next, u := c.step(g, i, v, now)
			if u < 0 {
				continue
			}
			if v == g[i] {
				used = u
			} else {
				sum, _ = sum.Add(c.completions[i+1][next]) // below UpToColours
			}
		}
	}
	return sum
}

// step returns the frontier after cell i of g gets colour v, and how many colours have then appeared: -1 when v is not
// possible there.
func (c *Census) step(g *cells, i int, v uint8, used int) (frontier, int) {
	w := c.width(i)
	var buf [MaxSide + 2]uint8
	win := append(buf[:0], g[i-w:i]...)
	if int(v) > used || int(v) >= c.shape.Colours || c.seen(i, win)>>v&1 == 1 {
		return 0, -1
	}
	if int(v) == used {
		used++
	}
	return c.pack(i+1, append(win, v), used), used
}
