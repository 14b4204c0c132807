package join

import (
	"context"
	"fmt"
	"sync/atomic"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A ComplementReader finds the complements of the positions of a near window among the counts of the far enumeration.
type ComplementReader struct {
	j   *Join
	w   puzzle.Window
	v   partition.Vector // of the window's cell
	in  puzzle.Source
	far map[partition.Vector]*counting.CellReader
}

// NewComplementReader makes a reader for window w of the cell of v, which reads the far side from in.
func NewComplementReader(j *Join, w puzzle.Window, v partition.Vector, in puzzle.Source) ComplementReader {
	return ComplementReader{j: j, w: w, v: v, in: in, far: map[partition.Vector]*counting.CellReader{}}
}

// A Lookup is an ending, prepared for the cell of the near window.
type Lookup struct {
	Ending
	*transform
	cell *counting.CellReader
	best []uint8
}

// Lookup prepares an ending; ok is false when far has no position there.
func (m *ComplementReader) Lookup(e Ending) (l Lookup, ok bool, err error) {
	far := m.j.Far.Space
	u, coset := far.Canonical(m.j.Complement(m.v, e.Element))
	if n, ok := m.j.Far.LayerOf(u); !ok || n != m.j.FarJumps {
		return l, false, nil // not in far's lattice: all counts are 0
	}
	cell, err := m.reader(u)
	if err != nil {
		return l, false, err
	}
	return Lookup{Ending: e, transform: m.j.transform(e), cell: cell, best: far.BestElement(coset)}, true, nil
}

// reader returns the reader of a cell of far.
func (m *ComplementReader) reader(u partition.Vector) (cell *counting.CellReader, err error) {
	if cell, ok := m.far[u]; ok {
		return cell, nil
	}
	c := puzzle.Cell{Layer: m.j.FarJumps, Key: m.j.Far.Key(u)}
	if cell, err = counting.NewCellReader(m.in, c, m.j.Far.Space.Layout(u)); err == nil {
		m.far[u] = cell
	}
	return cell, err
}

// whole is an ordered position with all holes of a field.
func whole(f partition.Field) uint64 { return uint64(f.Size()-1) << f.Shift }

// SameFields reports whether a spread takes each field of one space to the same field of another.
func SameFields(near, far *partition.Space, s partition.Spread) bool {
	return s.Apply(whole(near.Prefix)) == whole(far.Prefix) && s.Apply(whole(near.Mid)) == whole(far.Mid) &&
		s.Apply(whole(near.Low)) == whole(far.Low)
}

// Row returns the count of the complement of the near position x, in near's order; at is its address, for errors. It
// works between any two orders of holes.
func (m *ComplementReader) Row(ctx context.Context, l *Lookup, x, at uint64) (n uint128.Uint128, err error) {
	s, far := m.j.Near.Space, m.j.Far.Space
	y := l.spread.Apply(s.Ordered(s.Board.Full()) ^ x)
	address, ok := l.cell.Layout.Address(far.Move(int(l.best[far.Prefix.Of(y)]), y))
	if !ok {
		return n, fmt.Errorf("window %s: the complement of address %d has none", m.w, at)
	}
	if l.cell.Outside(address) {
		return n, nil
	}
	w, err := l.cell.Window(ctx, m.in, address)
	if err != nil {
		return n, err
	}
	return w.At(address - w.First), nil
}

// A PrefixImage is where the complements of the positions of a near prefix are, where fields stay fields.
type PrefixImage struct {
	element int // of far's group: makes their prefix canonical
	to      *partition.Prefix
}

// image returns the complement of a field's pattern in far's order: that of the other fields, set in full, is nothing.
func (l *Lookup) image(f partition.Field, pattern uint64) uint64 {
	return l.spread.Apply((uint64(f.Size()-1) ^ pattern) << f.Shift)
}

// Prefix finds the complements of a prefix; ok is false when far has no position there.
func (m *ComplementReader) Prefix(l *Lookup, prefix *partition.Prefix) (i PrefixImage, ok bool) {
	far := m.j.Far.Space
	y := far.Prefix.Of(l.image(m.j.Near.Space.Prefix, prefix.Pattern))
	i.element = int(l.best[y])
	i.to = l.cell.Layout.PrefixOf(far.PrefixImage(i.element, y))
	return i, i.to != nil
}

// Stretch finds the complements of a stretch: ranks[i] addresses after from in window w is that of address i. w is nil
// when all counts there are 0, or in another part of the cell than the one that is being read.
func (m *ComplementReader) Stretch(
	ctx context.Context, l *Lookup, i PrefixImage, r *partition.Stretch,
) (w *counting.Dense, from uint64, ranks []uint16, err error) {
	far := m.j.Far.Space
	mid := far.MidImage(i.element, far.Mid.Of(l.image(m.j.Near.Space.Mid, r.Mid)))
	off, lowType := l.cell.Layout.Mid(l.cell.Layout.Node(i.to), mid)
	if lowType < 0 {
		return nil, 0, nil, nil
	}
	w, from, err = m.stretchAt(ctx, l, i.to.Base+off)
	if err != nil || w == nil {
		return nil, 0, nil, err
	}
	return w, from, m.stretchRanks(l, i.element, r.LowType), nil
}

// stretchAt returns the window of far's cell in which a stretch begins at an address, and where in it. w is nil when
// all counts there are 0, or in another part of the cell than the one that is being read.
func (m *ComplementReader) stretchAt(
	ctx context.Context, l *Lookup, address uint64,
) (w *counting.Dense, from uint64, err error) {
	if l.cell.Outside(address) {
		return nil, 0, nil
	}
	if w, err = l.cell.Window(ctx, m.in, address); err != nil {
		return nil, 0, err
	}
	if from = address - w.First; !w.IsLive(from) {
		return nil, 0, nil
	}
	return w, from, nil
}

// A transform is the effect of an ending on ordered positions. All windows share it.
type transform struct {
	spread partition.Spread // from near's ordered complement to far's order
	Fields bool             // spread takes each field of near to the same field of far
	// By element of far's group and low type of near: the ranks in far's stretch of the complements of a stretch's
	// addresses. A list is made when it is first needed.
	ranks []atomic.Pointer[[]uint16]
	runs  []atomic.Pointer[runs] // by near low type, made when they are first needed: see runsOf
	mixes bool                   // something of near's prefix comes to far's low field
}

// transform returns the transform of an ending.
func (j *Join) transform(e Ending) *transform {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.byEnding[string(e.Element)]
	if t == nil {
		near, far := j.Near.Space, j.Far.Space
		t = &transform{spread: near.SpreadTo(far, e.Element)}
		t.Fields = SameFields(near, far, t.spread)
		t.mixes = t.spread.Apply(whole(near.Prefix))&whole(far.Low) != 0
		t.runs = make([]atomic.Pointer[runs], near.LowTypes())
		if t.Fields {
			t.ranks = make([]atomic.Pointer[[]uint16], len(far.Group)*near.LowTypes())
		}
		j.byEnding[string(e.Element)] = t
	}
	return t
}

// stretchRanks returns, for the addresses of a stretch, the ranks of their complements in far's stretch.
func (m *ComplementReader) stretchRanks(l *Lookup, g int, lowType int32) []uint16 {
	s, far := m.j.Near.Space, m.j.Far.Space
	at := &l.ranks[g*s.LowTypes()+int(lowType)]
	if list := at.Load(); list != nil {
		return *list
	}
	patterns := s.LowPatterns(lowType)
	list := make([]uint16, len(patterns))
	for i, x := range patterns {
		_, rank := far.LowRank(far.LowImage(g, far.Low.Of(l.image(s.Low, uint64(x)))))
		list[i] = uint16(rank)
	}
	at.Store(&list) // a concurrent caller makes the same list
	return list
}
