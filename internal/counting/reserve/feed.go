package reserve

import (
	"context"
	"sync/atomic"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A feeder puts the reserve back: a position with a peg in the hole takes the count of the one without it. Both are
// addressed alike. The group fixes the hole, so a peg there changes neither which images are smallest nor which fields
// a position has: the stretch that a stretch takes from has the prefix, the mid pattern and the low patterns of the
// stretch, less the peg.
type feeder struct {
	before *counting.Enumeration
	class  uint8
	bit    uint64 // of the hole, in an ordered position
	// By low type of after, where the hole is in the low field: the ranks of its patterns that have the peg, and of those
	// patterns less the peg. A list is made when it is first needed.
	ranks []atomic.Pointer[rankPairs]
}

type rankPairs struct{ to, from []uint16 }

func newFeeder(before *counting.Enumeration, hole int) *feeder {
	s := before.Space
	f := &feeder{before: before, class: s.Board.Class[hole], bit: 1 << s.Bit(uint16(hole))}
	f.ranks = make([]atomic.Pointer[rankPairs], s.LowTypes())
	return f
}

// cell returns the vector of the cell of before that feeds the cell of v in a layer; ok is false when there is none.
func (f *feeder) cell(layer int, v partition.Vector) (u partition.Vector, ok bool) {
	if v[f.class] == 0 {
		return v, false
	}
	v[f.class]--
	n, ok := f.before.LayerOf(v)
	return v, ok && n == layer
}

// Cells implements counting.Feeder.
func (f *feeder) Cells(layer int, v partition.Vector) []puzzle.Cell {
	if u, ok := f.cell(layer, v); ok {
		return []puzzle.Cell{{Layer: layer, Key: f.before.Key(u)}}
	}
	return nil
}

// Addresses implements counting.Feeder.
func (f *feeder) Addresses(layer int, v partition.Vector) uint64 {
	if u, ok := f.cell(layer, v); ok {
		return f.before.Space.Addresses(u)
	}
	return 0
}

// Open implements counting.Feeder.
func (f *feeder) Open(k *counting.Kernel, in puzzle.Source) (feed counting.Feed, most uint128.Uint128, err error) {
	u, ok := f.cell(k.Window.Layer, k.Vector)
	if !ok {
		return nil, most, nil
	}
	c := puzzle.Cell{Layer: k.Window.Layer, Key: f.before.Key(u)}
	t, err := in.Tally(c)
	if err != nil {
		return nil, most, err
	}
	if most = t.Max(counting.MaxPaths); most.IsZero() {
		return nil, most, nil
	}
	r, err := counting.NewCellReader(in, c, f.before.Space.Layout(u))
	if err != nil {
		return nil, most, err
	}
	return func(ctx context.Context, prefix *partition.Prefix) error { return f.feed(ctx, k, in, r, prefix) }, most, nil
}

// feed feeds the stretches of a prefix.
func (f *feeder) feed(
	ctx context.Context, k *counting.Kernel, in puzzle.Source, r *counting.CellReader, prefix *partition.Prefix,
) error {
	s := f.before.Space
	pattern, ok := f.without(s.Prefix, prefix.Pattern)
	if !ok {
		return nil
	}
	from := r.Layout.PrefixOf(pattern)
	if from == nil {
		return nil
	}
	node := r.Layout.Node(from)
	stretches := k.StretchesOf(prefix)
	for i := range stretches {
		x := &stretches[i]
		mid, ok := f.without(s.Mid, x.Mid)
		if !ok {
			continue
		}
		off, lowType := r.Layout.Mid(node, mid)
		if lowType < 0 {
			continue
		}
		w, err := r.Window(ctx, in, from.Base+off)
		if err != nil {
			return err
		}
		address := from.Base + off - w.First
		if !w.IsLive(address) {
			continue
		}
		ranks := f.lowRanks(x.LowType)
		k.AddStretch(prefix, x, k.StretchAt(prefix, x), w, address, ranks.to, ranks.from)
	}
	return nil
}

// without takes the peg out of a field's pattern, where the hole is in the field; ok is false when the peg is missing.
func (f *feeder) without(field partition.Field, pattern uint64) (rest uint64, ok bool) {
	bit := field.Of(f.bit)
	return pattern &^ bit, pattern&bit == bit
}

// lowRanks returns the ranks of a low type, nil where the hole is not in the low field: then they stay as they are.
func (f *feeder) lowRanks(lowType int32) rankPairs {
	s := f.before.Space
	bit := s.Low.Of(f.bit)
	if bit == 0 {
		return rankPairs{}
	}
	if list := f.ranks[lowType].Load(); list != nil {
		return *list
	}
	list := rankPairs{to: []uint16{}, from: []uint16{}}
	for rank, x := range s.LowPatterns(lowType) {
		if uint64(x)&bit != 0 {
			_, from := s.LowRank(uint64(x) &^ bit)
			list.to, list.from = append(list.to, uint16(rank)), append(list.from, uint16(from))
		}
	}
	f.ranks[lowType].Store(&list) // a concurrent caller makes the same list
	return list
}
