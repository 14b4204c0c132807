package counting

import (
	"context"
	"fmt"
	"iter"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// Columns of the rows of a pass: paths as in an enumeration's, and then the ways. Each has two words.
const (
	columnPaths = 0
	columnWays  = 2
)

// maxWays is the scalar that bounds the ways of the positions of a cell.
const maxWays = "max_ways"

// A wayKernel computes one window of a pass. The mask of its kernel is the window of the enumeration with the same
// addresses; it is nil where the enumeration has no rows, and then there is nothing to compute.
type wayKernel struct {
	*kernel
	p *pass

	positions, solutions, largest uint128.Uint128
}

func (p *pass) newKernel(
	ctx context.Context, w puzzle.Window, n int, v partition.Vector, in puzzle.Source,
) (*wayKernel, error) {
	k := &kernel{g: p.near, w: w, v: v, layout: p.near.space.Layout(v), in: in, moves: p.back}
	k.tally.init(k)
	reached := puzzle.Cell{Layer: n, Key: p.near.key(v)}
	t, err := in.Tally(reached)
	if err != nil {
		return nil, err
	}
	x := &wayKernel{kernel: k, p: p}
	if paths := t.Max(maxPaths); paths.IsZero() {
		return x, nil
	}
	ws, err := in.Windows(reached)
	if err != nil {
		return nil, err
	}
	if w.Part >= len(ws) || ws[w.Part].First != w.First || ws[w.Part].Addresses != w.Addresses {
		return nil, fmt.Errorf("window %s: cell %d/%s has no window of the same addresses", w, reached.Layer, reached.Key)
	}
	if k.mask, err = loadDense(ctx, in, ws[w.Part], k.layout, columnPaths); err != nil {
		return nil, err
	}
	k.dst = newDense(w, k.layout, bits32)
	return x, nil
}

// meet looks the ways up in the layer where the two enumerations meet.
func (k *wayKernel) meet(ctx context.Context) error {
	m := newComplementReader(k.p.join, k.w, k.v, k.in)
	l, ok, err := m.lookup(ending{element: k.p.turn})
	if err != nil || !ok {
		return err
	}
	prefixes := k.prefixes()
	for i := range prefixes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.fields && !k.p.slow {
			err = k.meetStretches(ctx, &m, &l, &prefixes[i])
		} else {
			err = k.meetRows(ctx, &m, &l, &prefixes[i])
		}
		if err == nil {
			err = k.finishPrefix(&prefixes[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reached are the stretches of a prefix in which the enumeration has rows, each with its first address.
func (k *wayKernel) reached(prefix *partition.Prefix) iter.Seq2[uint64, *partition.Stretch] {
	return func(yield func(uint64, *partition.Stretch) bool) {
		stretches := k.stretchesOf(prefix)
		for i := range stretches {
			if at := prefix.Base + stretches[i].Off - k.w.First; k.mask.isLive(at) && !yield(at, &stretches[i]) {
				return
			}
		}
	}
}

// meetStretches looks up whole stretches, where fields stay fields.
func (k *wayKernel) meetStretches(ctx context.Context, m *complementReader, l *lookup, prefix *partition.Prefix) error {
	image, ok := m.prefix(l, prefix)
	if !ok {
		return nil
	}
	for at, r := range k.reached(prefix) {
		far, from, ranks, err := m.stretch(ctx, l, image, r)
		if err != nil {
			return err
		}
		if far == nil {
			continue
		}
		for address, rank := range ranks {
			k.dst.set(at+uint64(address), far.at(from+uint64(rank)))
		}
	}
	return nil
}

// meetRows looks up every position by itself.
func (k *wayKernel) meetRows(ctx context.Context, m *complementReader, l *lookup, prefix *partition.Prefix) error {
	s := k.g.space
	for at, r := range k.reached(prefix) {
		high := prefix.Pattern<<s.Prefix.Shift | r.Mid<<s.Mid.Shift
		for rank, low := range s.LowPatterns(r.LowType) {
			address := at + uint64(rank)
			if paths := k.mask.at(address); paths.IsZero() {
				continue
			}
			n, err := m.row(ctx, l, high|uint64(low)<<s.Low.Shift, k.w.First+address)
			if err != nil {
				return err
			}
			k.dst.set(address, n)
		}
	}
	return nil
}

// pullBack sums the ways of the positions that jumps lead to.
func (k *wayKernel) pullBack(ctx context.Context, list []edge) error {
	if err := k.openEdges(list, maxWays); err != nil {
		return err
	}
	k.dst.widen(k.width)
	return k.pullAll(ctx, k.finishPrefix)
}

// finishPrefix clears the ways of positions of a prefix that have no paths, and tallies the others.
func (k *wayKernel) finishPrefix(prefix *partition.Prefix) error {
	t := &k.tally
	t.prefix = prefix
	weight := k.weight(prefix)
	var rows uint64
	var sum uint128.Uint128
	fits := true
	for at, r := range k.reached(prefix) {
		live := uint64(0)
		for address := at; address < at+uint64(r.Size); address++ {
			ways, paths := k.dst.at(address), k.mask.at(address)
			if ways.IsZero() {
				continue
			}
			if paths.IsZero() {
				k.dst.set(address, uint128.Uint128{})
				continue
			}
			live++
			if k.largest.Cmp(ways) < 0 {
				k.largest = ways
			}
			p, ok := product(paths, ways)
			s, ok2 := sum.Add(p)
			sum, fits = s, fits && ok && ok2
		}
		switch {
		case live == 0:
			continue
		case bits.OnesCount64(prefix.Fixed) == 1:
			t.classes += live
		default:
			stretch := k.dst.slice(at, at+uint64(r.Size))
			t.countClasses(r, &stretch, live)
		}
		k.dst.setLive(at, k.layout.PrefixRank(prefix.Pattern))
		rows += live
	}
	positions, ok := uint128.From(rows).Mul64(weight)
	k.positions, _ = k.positions.Add(positions)
	sum, ok2 := sum.Mul64(weight)
	var ok3 bool
	if k.solutions, ok3 = k.solutions.Add(sum); !fits || !ok || !ok2 || !ok3 {
		return fmt.Errorf("window %s: solutions: %w", k.w, puzzle.ErrOverflow)
	}
	return nil
}

// report makes the tally.
func (k *wayKernel) report() (t puzzle.Tally, err error) {
	err = t.AddMax(maxWays, k.largest)
	for _, s := range []puzzle.Scalar{
		{Name: k.p.sum(sumClasses), Value: uint128.From(k.tally.classes)},
		{Name: k.p.sum(sumPositions), Value: k.positions},
		{Name: k.p.sum(sumSolutions), Value: k.solutions},
	} {
		if err == nil {
			err = t.AddSum(s.Name, s.Value)
		}
	}
	if err != nil {
		err = fmt.Errorf("window %s: %w", k.w, err)
	}
	return t, err
}

// sumSolutions is, in each window of a pass, the solutions through its positions.
const sumSolutions = "solutions"

// sum is the name of a scalar of the pass.
func (p *pass) sum(name string) string { return p.name + "_" + name }

// write writes the window: paths and ways of the positions that have both.
func (k *wayKernel) write(out puzzle.Sink) error {
	k.dst.narrow()
	err := writeBlocks(k.w, k.dst, sinkFunc(func(b *puzzle.Block) error {
		rows := b.Rows()
		lo, hi := make([]uint64, 0, rows), make([]uint64, 0, rows)
		for i, word := range b.Occupied {
			for ; word != 0; word &= word - 1 {
				n := k.mask.at(b.First - k.w.First + uint64(i*64+bits.TrailingZeros64(word)))
				lo, hi = append(lo, n.Lo), append(hi, n.Hi)
			}
		}
		ways := b.Columns
		b.Columns = append([][]uint64{lo, hi}, ways...)
		err := out.Block(b)
		b.Columns = ways
		return err
	}))
	if err == nil {
		k.in.Cache().Put(k.w.ID(), k.dst, k.dst.bytes())
	}
	return err
}

// A sinkFunc is a puzzle.Sink.
type sinkFunc func(b *puzzle.Block) error

func (f sinkFunc) Block(b *puzzle.Block) error { return f(b) }
