package baseball

import (
	"cmp"
	"context"
	"slices"

	"pagoda/internal/puzzle"
)

// A computation finds the rows of one window.
type computation struct {
	*Search
	mirror reflector
	ctx    context.Context
	in     puzzle.Source
	layer  int
	h      int // the free base
	to     *field
	// hold says that windows that have been read are kept until the end: the window has several ways to fill base 0, and
	// each reads some of the same windows. Otherwise only the last one is.
	hold bool
	read map[puzzle.WindowID]*field
}

// window fills c.to, which holds the ways first to end-1 of filling base 0.
func (c *computation) window(first, end int) error {
	ways := c.cells[c.h]
	c.hold = end-first > 1
	if c.layer == 0 {
		goal := Goal(c.params.Bases)
		f := c.order.filling(&goal)
		if rank := c.order.rank(&f, 0); rank >= c.to.first && rank < c.to.end() {
			c.to.set(rank)
		}
		return nil
	}
	for i := first; i < end; i++ {
		if !c.own(c.h) {
			fresh, err := c.fresh(ways[i])
			if err != nil {
				return err
			}
			c.to.or(ways[i].at, fresh, ways[i].at, ways[i].size)
			continue
		}
		if err := c.both(i, c.reflected(i), first, end); err != nil {
			return err
		}
	}
	return nil
}

// both adds the ways i and k of a cell that has its own reflections, where way k is the reflection of way i. A
// configuration found on either side is new on both. Of two ways in the window the first one does the work for both.
func (c *computation) both(i, k, first, end int) error {
	inside := k >= first && k < end
	if inside && k < i {
		return nil
	}
	ways := c.cells[c.h]
	fresh, err := c.fresh(ways[i])
	if err != nil {
		return err
	}
	c.to.or(ways[i].at, fresh, ways[i].at, ways[i].size)
	if i == k {
		return c.mirror.reflect(c.ctx, c.to, fresh, ways[i], c.h)
	}
	if inside {
		if err := c.mirror.reflect(c.ctx, c.to, fresh, ways[i], c.h); err != nil {
			return err
		}
	}
	if fresh, err = c.fresh(ways[k]); err != nil {
		return err
	}
	if inside {
		c.to.or(ways[k].at, fresh, ways[k].at, ways[k].size)
	}
	return c.mirror.reflect(c.ctx, c.to, fresh, ways[k], c.h)
}

// reflected returns the number of the way to fill base 0 that is the reflection of way i.
func (c *computation) reflected(i int) int {
	ways := c.cells[c.h]
	t := c.order.mirrorTokens(ways[i].a, ways[i].b)
	return slices.IndexFunc(ways, func(w way) bool { return w.a == t[0] && w.b == t[1] })
}

// fresh returns the configurations of a way that have a neighbour in the layer before, and are not in the layers before
// themselves. In a cell that has its own reflections it finds them without reflecting neighbours.
func (c *computation) fresh(w way) (*field, error) {
	if err := puzzle.Progress(c.ctx); err != nil {
		return nil, err
	}
	f := newField(w.at, w.size)
	for _, g := range c.sources(c.layer, c.h) {
		cell := cellOf(c.layer-1, g)
		var err error
		switch {
		case g == c.h:
			err = c.cross(f, cell, w)
		case min(g, c.h) == 0:
			err = c.first(f, cell, g == 0)
		default:
			err = c.inner(f, cell, w, min(g, c.h), g < c.h)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, cell := range c.before(c.layer, c.h) {
		old, err := c.covering(cell, w.at)
		if err != nil {
			return nil, err
		}
		f.drop(old)
	}
	return f, nil
}

// inner adds the moves between bases h and h+1, of which h is not base 0: they keep the tokens of base 0.
func (c *computation) inner(f *field, cell puzzle.Cell, w way, h int, right bool) error {
	src, err := c.covering(cell, w.at)
	if err == nil {
		c.swapper.move(f, src, w, h, right)
	}
	return err
}

// cross adds the moves between the two bases in the middle of an odd ring. A configuration with the free place on the
// other side is read from its reflection.
func (c *computation) cross(f *field, cell puzzle.Cell, w way) error {
	other := c.cells[c.h][c.reflected(slices.IndexFunc(c.cells[c.h], func(v way) bool { return v.at == w.at }))]
	src, err := c.covering(cell, other.at)
	if err != nil {
		return err
	}
	turned := newField(w.at, w.size)
	if err := c.mirror.reflect(c.ctx, turned, src, other, c.h); err != nil {
		return err
	}
	c.swapper.move(f, turned, w, c.h, false)
	return nil
}

// first adds the moves between bases 0 and 1, into base 1 with right.
func (c *computation) first(f *field, cell puzzle.Cell, right bool) error {
	windows, err := c.in.Windows(cell)
	if err != nil {
		return err
	}
	list := slices.Clone(c.swapper.of(all(c.params.Bases)))
	for i, s := range list {
		if right {
			list[i].left, list[i].right = s.right, s.left
		}
	}
	// One window after the other, so that a large one need not be held.
	slices.SortFunc(list, func(a, b swap) int { return cmp.Compare(a.right, b.right) })
	for _, s := range list {
		to, from, n := s.left, s.right, s.n
		// The part that lies in f.
		if to < f.first {
			cut := min(n, f.first-to)
			to, from, n = to+cut, from+cut, n-cut
		}
		if to >= f.end() {
			continue
		}
		n = min(n, f.end()-to)
		for n > 0 {
			i, _ := slices.BinarySearchFunc(windows, from, func(w puzzle.Window, at uint64) int {
				if w.First+w.Addresses <= at {
					return -1
				}
				return 1
			})
			src, err := c.load(windows[i])
			if err != nil {
				return err
			}
			part := min(n, src.end()-from)
			f.or(to, src, from, part)
			to, from, n = to+part, from+part, n-part
		}
	}
	return nil
}

// covering returns the window of a cell that holds a rank. A window holds whole ways to fill base 0.
func (c *computation) covering(cell puzzle.Cell, rank uint64) (*field, error) {
	windows, err := c.in.Windows(cell)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(windows, func(w puzzle.Window) bool { return rank-w.First < w.Addresses })
	return c.load(windows[i])
}

// load reads a window of a parent.
func (c *computation) load(w puzzle.Window) (*field, error) {
	id := w.ID()
	if f := c.read[id]; f != nil {
		return f, nil
	}
	if c.read == nil || !c.hold {
		c.read = map[puzzle.WindowID]*field{}
	}
	f, err := load(c.ctx, c.in, w)
	if err != nil {
		return nil, err
	}
	c.read[id] = f
	return f, nil
}

// load reads a window, from the cache if it is there.
func load(ctx context.Context, in puzzle.Source, w puzzle.Window) (*field, error) {
	if v, ok := in.Cache().Get(w.ID()); ok {
		return v.(*field), nil
	}
	f := newField(w.First, w.Addresses)
	err := in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		copy(f.words[(b.First-w.First)/64:], b.Occupied)
		return nil
	})
	if err != nil {
		return nil, err
	}
	in.Cache().Put(w.ID(), f, 8*uint64(len(f.words)))
	return f, nil
}
