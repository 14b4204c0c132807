package counting

import (
	"fmt"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// Names of the scalars that a window reports.
const (
	sumClasses   = "classes"        // symmetry classes
	sumPositions = "positions"      // positions in those classes
	sumPaths     = "paths"          // ways to reach them from the start
	sumDead      = "dead_positions" // positions without a jump
	sumEnded     = "games_ended"    // paths into those
	sumGoal      = "goal_paths"     // paths into the goal
	maxPaths     = "max_paths"      // most paths into one position
)

// A tallier adds up what a window reports, from the finished counts: it asks the legality tables for the jumps out of
// every row, independently of the pair lists that brought the counts in.
type tallier struct {
	k *kernel

	// The sets of jumps allowed by the lead and by lead and mid, and the current lead with its weight: the number of
	// positions that each of its slots stands for.
	lead           *partition.Lead
	byLead, byBoth []uint64
	weight         uint64

	rows, dead uint64 // of the current lead
	paths      uint128.Uint128
	ended      uint128.Uint128
	out        [4]uint128.Uint128 // by class removed

	classes       uint64
	positions     uint128.Uint128
	deadPositions uint128.Uint128
	allPaths      uint128.Uint128
	allEnded      uint128.Uint128
	allOut        [4]uint128.Uint128
	largest       uint128.Uint128
	overflow      bool

	vals  []uint64 // counts of the rows of a run
	ranks []uint16
}

func (t *tallier) init(k *kernel) {
	t.k = k
	w := k.g.table.words
	t.byLead, t.byBoth = make([]uint64, w), make([]uint64, w)
	n := k.g.space.MaxLow() + 1
	t.vals, t.ranks = make([]uint64, n), make([]uint16, n)
}

func (t *tallier) beginLead(lead *partition.Lead) {
	t.lead = lead
	t.k.g.table.allowedByLead(t.byLead, lead.Pattern)
	t.weight = uint64(len(t.k.g.space.Group) / bits.OnesCount64(lead.Fixed))
	t.rows, t.dead = 0, 0
	t.paths, t.ended = uint128.Uint128{}, uint128.Uint128{}
	t.out = [4]uint128.Uint128{}
	for i := range t.k.edges {
		t.k.edges[i].sumLo, t.k.edges[i].sumHi = 0, 0
	}
}

// run tallies one finished run and returns its rows.
func (t *tallier) run(r *partition.Run, lo, hi []uint64) int {
	rows, or := t.gather(lo, hi)
	if rows == 0 {
		return 0
	}
	t.rows += uint64(rows)
	t.k.g.table.allowedByMid(t.byBoth, t.byLead, r.Mid)
	if bits.OnesCount64(t.lead.Fixed) == 1 {
		t.classes += uint64(rows)
	} else {
		t.countClasses(r.Mid, r.LowType, rows)
	}
	// A sum over the run of count x jumps fits one word when the largest count leaves room for both factors.
	if hi == nil && bits.Len64(or)+bits.Len(uint(rows))+bits.Len(uint(len(t.k.g.table.jumps))) <= 64 {
		t.narrow(r.LowType, rows)
	} else {
		t.wide(r.LowType, rows, lo, hi)
	}
	return rows
}

// gather lists the ranks and low words of the rows of a run. or is the bitwise or of all low words.
func (t *tallier) gather(lo, hi []uint64) (rows int, or uint64) {
	vals, ranks := t.vals, t.ranks
	if hi == nil {
		for i, x := range lo {
			vals[rows], ranks[rows] = x, uint16(i)
			or |= x
			rows += int((x | -x) >> 63)
		}
		return rows, or
	}
	for i, x := range lo {
		if x|hi[i] != 0 {
			vals[rows], ranks[rows] = x, uint16(i)
			or |= x
			rows++
		}
	}
	return rows, or
}

// countClasses counts the rows that stand for their class, where the lead pattern has symmetries.
func (t *tallier) countClasses(mid uint64, lowType int32, rows int) {
	s := t.k.g.space
	patterns := s.LowPatterns(lowType)
	var ties []int // elements that fix the mid pattern too
	for c := t.lead.Fixed &^ 1; c != 0; c &= c - 1 {
		g := bits.TrailingZeros64(c)
		switch m := s.MidImage(g, mid); {
		case m < mid:
			return
		case m == mid:
			ties = append(ties, g)
		}
	}
rows:
	for _, r := range t.ranks[:rows] {
		x := uint64(patterns[r])
		for _, g := range ties {
			if s.LowImage(g, x) < x {
				continue rows
			}
		}
		t.classes++
	}
}

// narrow adds up paths, dead ends and flows of a run whose sums fit one word.
func (t *tallier) narrow(lowType int32, rows int) {
	var paths, ended, largest uint64
	var out [4]uint64
	table := t.k.g.table
	low := table.lowSets[lowType]
	if table.words == 2 {
		b0, b1 := t.byBoth[0], t.byBoth[1]
		var c [4][2]uint64
		for k := range c {
			c[k] = [2]uint64{table.classSets[k][0], table.classSets[k][1]}
		}
		for i, x := range t.vals[:rows] {
			r := int(t.ranks[i]) * 2
			s0, s1 := low[r]&b0, low[r+1]&b1
			paths += x
			largest = max(largest, x)
			if s0|s1 == 0 {
				t.dead++
				ended += x
				continue
			}
			out[0] += x * uint64(bits.OnesCount64(s0&c[0][0])+bits.OnesCount64(s1&c[0][1]))
			out[1] += x * uint64(bits.OnesCount64(s0&c[1][0])+bits.OnesCount64(s1&c[1][1]))
			out[2] += x * uint64(bits.OnesCount64(s0&c[2][0])+bits.OnesCount64(s1&c[2][1]))
			out[3] += x * uint64(bits.OnesCount64(s0&c[3][0])+bits.OnesCount64(s1&c[3][1]))
		}
	} else {
		for i, x := range t.vals[:rows] {
			paths += x
			largest = max(largest, x)
			n, any := table.count(t.byBoth, low, int(t.ranks[i]))
			if !any {
				t.dead++
				ended += x
			}
			for k := range out {
				out[k] += x * n[k]
			}
		}
	}
	t.add(&t.paths, uint128.From(paths))
	t.add(&t.ended, uint128.From(ended))
	for k := range out {
		t.add(&t.out[k], uint128.From(out[k]))
	}
	if l := uint128.From(largest); t.largest.Cmp(l) < 0 {
		t.largest = l
	}
}

// wide is narrow for counts of any size.
func (t *tallier) wide(lowType int32, rows int, lo, hi []uint64) {
	table := t.k.g.table
	low := table.lowSets[lowType]
	for _, r := range t.ranks[:rows] {
		x := uint128.From(lo[r])
		if hi != nil {
			x.Hi = hi[r]
		}
		t.add(&t.paths, x)
		if t.largest.Cmp(x) < 0 {
			t.largest = x
		}
		n, any := table.count(t.byBoth, low, int(r))
		if !any {
			t.dead++
			t.add(&t.ended, x)
		}
		for k := range n {
			t.addProduct(&t.out[k], x, n[k])
		}
	}
}

// count returns, by class, the number of legal jumps of the row of the given rank that remove a peg of the class.
func (t *jumpTable) count(byBoth, low []uint64, rank int) (n [4]uint64, any bool) {
	low = low[rank*t.words:]
	for w, b := range byBoth {
		s := b & low[w]
		if s == 0 {
			continue
		}
		any = true
		for k := range n {
			n[k] += uint64(bits.OnesCount64(s & t.classSets[k][w]))
		}
	}
	return n, any
}

// endLead carries the lead's sums, times the positions that a slot stands for, to the window's.
func (t *tallier) endLead() error {
	t.addProduct(&t.positions, uint128.From(t.rows), t.weight)
	t.addProduct(&t.deadPositions, uint128.From(t.dead), t.weight)
	t.addProduct(&t.allPaths, t.paths, t.weight)
	t.addProduct(&t.allEnded, t.ended, t.weight)
	for k := range t.out {
		t.addProduct(&t.allOut[k], t.out[k], t.weight)
	}
	for i := range t.k.edges {
		e := &t.k.edges[i]
		t.addProduct(&e.flow, uint128.Uint128{Lo: e.sumLo, Hi: e.sumHi}, t.weight)
	}
	if t.overflow {
		return fmt.Errorf("window %s: sums: %w", t.k.w, puzzle.ErrOverflow)
	}
	return nil
}

func (t *tallier) add(sum *uint128.Uint128, x uint128.Uint128) {
	s, ok := sum.Add(x)
	*sum, t.overflow = s, t.overflow || !ok
}

func (t *tallier) addProduct(sum *uint128.Uint128, x uint128.Uint128, n uint64) {
	p, ok := x.Mul64(n)
	t.overflow = t.overflow || !ok
	t.add(sum, p)
}

// finish checks that what came in is what is there, and makes the tally.
func (t *tallier) finish() (puzzle.Tally, error) {
	var tally puzzle.Tally
	k := t.k
	err := tally.AddMax(maxPaths, t.largest)
	for _, s := range []puzzle.Scalar{
		{Name: sumClasses, Value: uint128.From(t.classes)},
		{Name: sumPositions, Value: t.positions},
		{Name: sumPaths, Value: t.allPaths},
		{Name: sumDead, Value: t.deadPositions},
		{Name: sumEnded, Value: t.allEnded},
	} {
		if err == nil {
			err = tally.AddSum(s.Name, s.Value)
		}
	}
	if at := k.g.goalAt - k.w.First; err == nil && k.g.goalKnown && k.v == k.g.goal && k.g.goalAt >= k.w.First && at < k.w.Slots {
		n := uint128.From(k.dst.lo[at])
		if k.dst.hi != nil {
			n.Hi = k.dst.hi[at]
		}
		err = tally.AddSum(sumGoal, n)
	}
	var in uint128.Uint128
	for i := range k.edges {
		e := &k.edges[i]
		t.add(&in, e.flow)
		if err == nil {
			err = tally.AddIn(e.cell, e.flow)
		}
	}
	for c := range t.allOut {
		if t.allOut[c].IsZero() || err != nil {
			continue
		}
		child, ok := k.g.space.OutEdge(k.v, c)
		if !ok {
			return tally, fmt.Errorf("window %s: paths leave through class %d, which has no pegs", k.w, c)
		}
		err = tally.AddOut(puzzle.Cell{Layer: k.w.Layer + 1, Key: k.g.key(child)}, t.allOut[c])
	}
	if err != nil {
		return tally, fmt.Errorf("window %s: %w", k.w, err)
	}
	if k.w.Layer > 0 && in != t.allPaths {
		return tally, fmt.Errorf("window %s: %v paths came in, %v are there", k.w, in, t.allPaths)
	}
	return tally, nil
}
