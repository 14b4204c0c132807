package counting

import (
	"fmt"
	"math/bits"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// An accumulator adds up the report of a window from the finished counts: it asks the legality tables for the jumps out
// of every row, independently of the pair lists that brought the counts in.
type accumulator struct {
	k *Kernel

	// The sets of jumps allowed by the prefix and by prefix and mid, and the current prefix with its weight: the number of
	// positions that each of its addresses stands for.
	prefix                *partition.Prefix
	all, byPrefix, byBoth []uint64
	weight                uint64
	sums                  stretchSums // of the stretches since the last flush
	room                  uint64      // addresses that may be added before the next one

	// Of the prefixes since the weight changed.
	rows, dead uint64
	paths      uint128.Uint128
	ended      uint128.Uint128
	rounded    rounding
	out        [4]uint128.Uint128 // by class removed

	classes       uint64
	positions     uint128.Uint128
	deadPositions uint128.Uint128
	allPaths      uint128.Uint128
	allEnded      uint128.Uint128
	allRounded    rounding
	allOut        [4]uint128.Uint128
	largest       uint128.Uint128
	overflow      bool
}

func (t *accumulator) init(k *Kernel) {
	t.k = k
	sets := make([]uint64, 12*k.g.table.words)
	n := len(sets) / 3
	t.all, t.byPrefix, t.byBoth = sets[:n], sets[n:2*n], sets[2*n:]
	for i := range t.all {
		t.all[i] = ^uint64(0)
	}
}

func (t *accumulator) beginPrefix(prefix *partition.Prefix) {
	t.prefix = prefix
	allowed(t.byPrefix, t.all, t.k.g.table.prefixSets, prefix.Pattern)
	if weight := t.k.Weight(prefix); weight != t.weight {
		t.closeWeight()
		t.weight = weight
	}
}

// stretch tallies one finished stretch and returns its rows.
func (t *accumulator) stretch(r *partition.Stretch, c *Counts) int {
	table := t.k.g.table
	allowed(t.byBoth, t.byPrefix, table.midSets, r.Mid)
	low := &table.lowSets[r.LowType]
	var rows int
	if addresses := uint64(r.Size); c.hi == nil && addresses <= t.k.flushAddresses && !t.k.g.split {
		if t.room < addresses {
			t.flush()
		}
		t.room -= addresses
		rows = t.sums.add(c, low, t.byBoth)
	} else {
		rows = t.wide(r, low, c)
	}
	t.rows += uint64(rows)
	switch {
	case rows == 0:
	case bits.OnesCount64(t.prefix.Fixed) == 1:
		t.classes += uint64(rows)
	default:
		t.countClasses(r, c, uint64(rows))
	}
	return rows
}

// flush carries the sums of stretches to those of prefixes.
func (t *accumulator) flush() {
	s := &t.sums
	t.add(&t.paths, uint128.From(total(&s.paths)))
	t.add(&t.ended, uint128.From(total(&s.ended)))
	for k := range t.out {
		t.add(&t.out[k], uint128.From(total(&s.out[k])))
	}
	t.dead += s.dead
	if l := uint128.From(slices.Max(s.largest[:])); t.largest.Cmp(l) < 0 {
		t.largest = l
	}
	t.sums = stretchSums{}
	t.room = t.k.flushAddresses
}

// countClasses counts the rows, of those of a stretch, that stand for their class, where the prefix has symmetries.
func (t *accumulator) countClasses(r *partition.Stretch, c *Counts, rows uint64) {
	s := t.k.g.Space
	var ties uint64 // elements that fix the mid pattern too
	for c := t.prefix.Fixed &^ 1; c != 0; c &= c - 1 {
		g := bits.TrailingZeros64(c)
		switch m := s.MidImage(g, r.Mid); {
		case m < r.Mid:
			return
		case m == r.Mid:
			ties |= 1 << g
		}
	}
	if ties == 0 {
		t.classes += rows
		return
	}
	t.classes += c.countAt(t.k.g.representatives.of(s, ties, r.LowType))
}

// wide adds up paths, dead ends and flows of a stretch, for counts of any size, and returns its rows. Chances are
// divided among the jumps of their rows.
func (t *accumulator) wide(r *partition.Stretch, low *lowSets, c *Counts) (rows int) {
	for rank := range r.Size {
		x := c.At(uint64(rank))
		if x.IsZero() {
			continue
		}
		rows++
		t.add(&t.paths, x)
		n := low.count(t.byBoth, rank)
		switch {
		case n == [4]uint64{}:
			t.dead++
			t.add(&t.ended, x)
		case t.k.g.split:
			x = t.rounded.divide(x, n[0]+n[1]+n[2]+n[3])
			c.Set(uint64(rank), x)
		}
		if t.largest.Cmp(x) < 0 {
			t.largest = x
		}
		for k := range n {
			t.addProduct(&t.out[k], x, n[k])
		}
	}
	return rows
}

// closeWeight carries the sums of prefixes of one weight, times that weight, to the window's.
func (t *accumulator) closeWeight() {
	t.flush()
	t.addProduct(&t.positions, uint128.From(t.rows), t.weight)
	t.addProduct(&t.deadPositions, uint128.From(t.dead), t.weight)
	t.addProduct(&t.allPaths, t.paths, t.weight)
	t.addProduct(&t.allEnded, t.ended, t.weight)
	t.addProduct(&t.allRounded.lost, t.rounded.lost, t.weight)
	t.addProduct(&t.allRounded.gained, t.rounded.gained, t.weight)
	for k := range t.out {
		t.addProduct(&t.allOut[k], t.out[k], t.weight)
	}
	t.rounded = rounding{}
	t.rows, t.dead = 0, 0
	t.paths, t.ended = uint128.Uint128{}, uint128.Uint128{}
	t.out = [4]uint128.Uint128{}
}

func (t *accumulator) add(sum *uint128.Uint128, x uint128.Uint128) {
	s, ok := sum.Add(x)
	*sum, t.overflow = s, t.overflow || !ok
}

func (t *accumulator) addProduct(sum *uint128.Uint128, x uint128.Uint128, n uint64) {
	p, ok := x.Mul64(n)
	t.overflow = t.overflow || !ok
	t.add(sum, p)
}

// addGoals adds the paths to the positions that are watched, where there are such in the window.
func (t *accumulator) addGoals(tally *puzzle.Tally) error {
	k := t.k
	var paths, ended uint128.Uint128
	here := false
	for _, w := range k.g.watched[k.Vector] {
		at := w.at - k.Window.First
		if w.at < k.Window.First || at >= k.Window.Addresses {
			continue
		}
		if here = true; k.Counts == nil { // the window is barren
			break
		}
		t.addProduct(&paths, k.Counts.At(at), w.times)
		t.addProduct(&ended, k.Counts.At(at), w.dead)
	}
	if !here {
		return nil
	}
	if t.overflow {
		return puzzle.ErrOverflow
	}
	if err := tally.AddSum(SumGoal, paths); err != nil || !k.g.several {
		return err
	}
	return tally.AddSum(SumGoalEnded, ended)
}

// finish checks that the paths that came in are the paths of the rows, and makes the tally.
func (t *accumulator) finish() (puzzle.Tally, error) {
	var tally puzzle.Tally
	k := t.k
	if t.closeWeight(); t.overflow {
		return tally, fmt.Errorf("window %s: sums: %w", k.Window, puzzle.ErrOverflow)
	}
	err := tally.AddMax(MaxPaths, t.largest)
	for _, s := range []puzzle.Scalar{
		{Name: SumClasses, Value: uint128.From(t.classes)},
		{Name: SumPositions, Value: t.positions},
		{Name: SumPaths, Value: t.allPaths},
		{Name: SumDead, Value: t.deadPositions},
		{Name: SumEnded, Value: t.allEnded},
	} {
		if err == nil {
			err = tally.AddSum(s.Name, s.Value)
		}
	}
	if k.g.split && err == nil {
		err = t.allRounded.report(&tally)
	}
	if err == nil {
		err = t.addGoals(&tally)
	}
	var in uint128.Uint128
	for i := range k.edges {
		e := &k.edges[i]
		t.add(&in, e.flow)
		if err == nil {
			err = tally.AddIn(e.Cell, e.flow)
		}
	}
	for c := range t.allOut {
		if t.allOut[c].IsZero() || err != nil {
			continue
		}
		child, ok := k.g.Space.OutEdge(k.Vector, c)
		if !ok {
			return tally, fmt.Errorf("window %s: paths leave through class %d, which has no pegs", k.Window, c)
		}
		err = tally.AddOut(k.g.cellOf(k.Window.Layer+1, child), t.allOut[c])
	}
	if err != nil {
		return tally, fmt.Errorf("window %s: %w", k.Window, err)
	}
	if k.filled {
		began, ok := Product(t.positions, k.g.Unit)
		t.overflow = t.overflow || !ok
		t.add(&in, began)
	}
	t.add(&in, k.fed)
	if t.overflow {
		return tally, fmt.Errorf("window %s: sums: %w", k.Window, puzzle.ErrOverflow)
	}
	if (k.Window.Layer > 0 || k.filled || k.g.feeder != nil) && in != t.allPaths {
		return tally, fmt.Errorf("window %s: %v paths came in, %v are there", k.Window, in, t.allPaths)
	}
	return tally, nil
}
