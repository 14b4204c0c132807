package baseball

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// methodsKey is the key of the only cell of the layer after the last distance.
const methodsKey = "methods"

// costBytes is the size of the tables of costs for each configuration: the best and the worst cost of the first method,
// and then, in the same bytes, one for each direction of the second.
const costBytes = 2

// methodsWork is the time of the methods for a configuration, by that of eight ranks without a row: 1,040 by 2.1
// nanoseconds, measured of seven bases.
const methodsWork = 490

// planMethods plans the layer of the methods: one window, which reads all rows.
func (s *Search) planMethods(layer int) puzzle.CellPlan {
	p := puzzle.CellPlan{
		Cell: puzzle.Cell{Layer: layer, Key: methodsKey}, Addresses: 1, Cuts: []uint64{0},
		Work:        methodsWork * float64(s.total),
		MemoryBytes: costBytes*s.total + s.params.WindowAddresses/8 + s.memory(0),
	}
	for l := range layer {
		for h := range s.cells {
			if s.exists(l, h) {
				p.Parents = append(p.Parents, cellOf(l, h))
			}
		}
	}
	return p
}

// costs are the moves that a method takes, plus one, by (free base) x ranks + rank; 0 is not known yet.
type costs struct {
	*Search
	ranks   uint64     // for each free base
	tables  [2][]uint8 // of the first method: best, worst; of the second: the free place is running left, right
	checked int
	ctx     context.Context
}

// after returns c, which stands at an index of the tables, after a move on the line, and the index of that.
func (t *costs) after(c *Configuration, at uint64, m Move) (Configuration, uint64) {
	after, lower := c.After(m), min(m.From, m.To)
	at += t.order.parts(&after, lower) - t.order.parts(c, lower) // modulo 2^64, as the next line
	return after, at + t.ranks*uint64(after.hole) - t.ranks*uint64(c.hole)
}

// playing marks a cost that is being found: meeting it again, the method goes in a circle.
const playing = ^uint8(0)

// errCost says that a cost does not fit. The greatest of 3 to 7 bases, 12, 29, 54, 87 and 128 moves, have second
// differences of 8, which gives 234 for nine bases: that fits.
var errCost = fmt.Errorf("a method takes %d moves or more, which the tables of costs cannot hold", playing-1)

// findOneBase returns the costs of the first method from c, at that index, plus one.
func (t *costs) findOneBase(c *Configuration, at uint64) (best, worst uint8, err error) {
	switch best, worst = t.tables[0][at], t.tables[1][at]; {
	case best == playing:
		return 0, 0, fmt.Errorf("%w: %v", errMethod, c)
	case best != 0:
		return best, worst, nil
	}
	t.tables[0][at] = playing
	best, worst = 1, 1
	var room [2]Move
	for i, m := range c.oneBase(room[:0]) {
		after, to := t.after(c, at, m)
		b, w, err := t.findOneBase(&after, to)
		if err != nil {
			return 0, 0, err
		}
		if w+1 == playing {
			return 0, 0, errCost
		}
		if i == 0 || b+1 < best {
			best = b + 1
		}
		worst = max(worst, w+1)
	}
	t.tables[0][at], t.tables[1][at] = best, worst
	return best, worst, t.alive()
}

// findPush returns the cost of the second method from c, at that index, plus one.
func (t *costs) findPush(c *Configuration, at uint64, right bool) (uint8, error) {
	if c.Solved() {
		return 1, nil
	}
	m, goes := c.push(right)
	table := t.tables[0]
	if goes {
		table = t.tables[1]
	}
	switch n := table[at]; {
	case n == playing:
		return 0, fmt.Errorf("%w: %v", errMethod, c)
	case n != 0:
		return n, nil
	}
	table[at] = playing
	after, to := t.after(c, at, m)
	n, err := t.findPush(&after, to, goes)
	if err != nil {
		return 0, err
	}
	if n+1 == playing {
		return 0, errCost
	}
	table[at] = n + 1
	return n + 1, t.alive()
}

// alive looks at the context every now and then.
func (t *costs) alive() error {
	if t.checked++; t.checked%(1<<16) != 0 {
		return nil
	}
	return puzzle.Progress(t.ctx)
}

// A score sums up a method.
type score struct{ sum, worst, optimal uint64 }

func (m Method) sumName() string     { return m.String() + ".moves" }
func (m Method) worstName() string   { return m.String() + ".worst" }
func (m Method) optimalName() string { return m.String() + ".optimal" }

// computeMethods plays the methods from every configuration, and compares them with its distance.
func (s *Search) computeMethods(ctx context.Context, w puzzle.Window, in puzzle.Source) (puzzle.Tally, error) {
	t := costs{Search: s, ctx: ctx, ranks: s.order.ranks()}
	for i := range t.tables {
		t.tables[i] = make([]uint8, s.total)
	}
	var scores [methods]score
	for i, find := range []finder{t.oneBase, t.bestPush} {
		if i > 0 {
			clear(t.tables[0])
			clear(t.tables[1])
		}
		if err := t.rows(in, w.Layer, find, &scores); err != nil {
			return puzzle.Tally{}, err
		}
	}
	var tally puzzle.Tally
	for m, sc := range scores {
		m := Method(m)
		for name, v := range map[string]uint64{m.sumName(): sc.sum, m.optimalName(): sc.optimal} {
			if err := tally.AddSum(name, uint128.From(v)); err != nil {
				return tally, err
			}
		}
		if err := tally.AddMax(m.worstName(), uint128.From(sc.worst)); err != nil {
			return tally, err
		}
	}
	return tally, nil
}

// A finder returns the costs of the methods from c, at that index, plus one.
type finder func(c *Configuration, at uint64) (costs [methods]uint8, err error)

func (t *costs) oneBase(c *Configuration, at uint64) (n [methods]uint8, err error) {
	n[OneBaseBest], n[OneBaseWorst], err = t.findOneBase(c, at)
	return n, err
}

func (t *costs) bestPush(c *Configuration, at uint64) (n [methods]uint8, err error) {
	n[BestPush], err = t.findPush(c, at, true)
	return n, err
}

// rows scores all configurations.
func (t *costs) rows(in puzzle.Source, layer int, find finder, scores *[methods]score) error {
	plan := t.planMethods(layer)
	for _, cell := range plan.Parents {
		windows, err := in.Windows(cell)
		if err != nil {
			return err
		}
		for _, v := range windows {
			if err := t.window(in, v, find, scores); err != nil {
				return err
			}
		}
	}
	return nil
}

// window scores the rows of a window and their reflections.
func (t *costs) window(in puzzle.Source, w puzzle.Window, find finder, scores *[methods]score) error {
	h, _, err := t.locate(w)
	if err != nil {
		return err
	}
	return in.Blocks(t.ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		for i, word := range b.Occupied {
			for ; word != 0; word &= word - 1 {
				rank := b.First + uint64(64*i+bits.TrailingZeros64(word))
				f := t.order.unrank(rank, h)
				if err := t.score(&f, h, rank, w.Layer, find, scores); err != nil {
					return err
				}
				if t.images(h) == 1 {
					continue
				}
				f = t.order.mirror(&f)
				hole := t.params.Bases - h
				if err := t.score(&f, hole, t.order.rank(&f, hole), w.Layer, find, scores); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// score plays methods from a configuration at that distance, given by its filling, free base and rank.
func (t *costs) score(
	f *filling, hole int, rank uint64, distance int, find finder, scores *[methods]score,
) error {
	c := t.order.configuration(f, hole)
	found, err := find(&c, uint64(hole)*t.ranks+rank)
	if err != nil {
		return err
	}
	for m, plusOne := range found {
		if plusOne == 0 {
			continue
		}
		n, s := uint64(plusOne-1), &scores[m]
		if n < uint64(distance) {
			return fmt.Errorf("%v: %v takes %d moves, and the distance is %d; verify the run", c, Method(m), n, distance)
		}
		s.sum += n
		s.worst = max(s.worst, n)
		if n == uint64(distance) {
			s.optimal++
		}
	}
	return nil
}
