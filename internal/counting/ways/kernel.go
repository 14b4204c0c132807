package ways

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/counting"
	"pagoda/internal/counting/join"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
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
	*counting.Kernel
	p  *Pass
	in puzzle.Source

	positions, solutions, largest uint128.Uint128
}

func (p *Pass) newKernel(
	ctx context.Context, w puzzle.Window, n int, v partition.Vector, in puzzle.Source,
) (*wayKernel, error) {
	k, err := p.Near.MaskedKernel(ctx, p.back, w, puzzle.Cell{Layer: n, Key: p.Near.Key(v)}, in)
	if err != nil {
		return nil, err
	}
	return &wayKernel{Kernel: k, p: p, in: in}, nil
}

// meet looks the ways up in the layer where the two enumerations meet.
func (k *wayKernel) meet(ctx context.Context) error {
	m := join.NewComplementReader(k.p.Join, k.Window, k.Vector, k.in)
	l, ok, err := m.Lookup(join.Ending{Element: k.p.Turn})
	if err != nil || !ok {
		return err
	}
	prefixes := k.Prefixes()
	for i := range prefixes {
		if err := puzzle.Progress(ctx); err != nil {
			return err
		}
		if l.Fields && !k.p.Slow {
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

// meetStretches looks up whole stretches, where fields stay fields.
func (k *wayKernel) meetStretches(
	ctx context.Context,
	m *join.ComplementReader,
	l *join.Lookup,
	prefix *partition.Prefix,
) error {
	image, ok := m.Prefix(l, prefix)
	if !ok {
		return nil
	}
	for at, r := range k.Reached(prefix) {
		far, from, ranks, err := m.Stretch(ctx, l, image, r)
		if err != nil {
			return err
		}
		if far == nil {
			continue
		}
		for address, rank := range ranks {
			k.Counts.Set(at+uint64(address), far.At(from+uint64(rank)))
		}
	}
	return nil
}

// meetRows looks up every position by itself.
func (k *wayKernel) meetRows(
	ctx context.Context,
	m *join.ComplementReader,
	l *join.Lookup,
	prefix *partition.Prefix,
) error {
	s := k.p.Near.Space
	for at, r := range k.Reached(prefix) {
		high := prefix.Pattern<<s.Prefix.Shift | r.Mid<<s.Mid.Shift
		for rank, low := range s.LowPatterns(r.LowType) {
			address := at + uint64(rank)
			if paths := k.Mask.At(address); paths.IsZero() {
				continue
			}
			n, err := m.Row(ctx, l, high|uint64(low)<<s.Low.Shift, k.Window.First+address)
			if err != nil {
				return err
			}
			k.Counts.Set(address, n)
		}
	}
	return nil
}

// pullBack sums the ways of the positions that jumps lead to.
func (k *wayKernel) pullBack(ctx context.Context, list []counting.Edge) error {
	return k.PullFrom(ctx, list, maxWays, k.finishPrefix)
}

// finishPrefix clears the ways of positions of a prefix that have no paths, and tallies the others.
func (k *wayKernel) finishPrefix(prefix *partition.Prefix) error {
	weight := k.Weight(prefix)
	var rows uint64
	var sum uint128.Uint128
	fits := true
	for at, r := range k.Reached(prefix) {
		live := uint64(0)
		for address := at; address < at+uint64(r.Size); address++ {
			ways, paths := k.Counts.At(address), k.Mask.At(address)
			if ways.IsZero() {
				continue
			}
			if paths.IsZero() {
				k.Counts.Set(address, uint128.Uint128{})
				continue
			}
			live++
			if k.largest.Cmp(ways) < 0 {
				k.largest = ways
			}
			p, ok := counting.Product(paths, ways)
			s, ok2 := sum.Add(p)
			sum, fits = s, fits && ok && ok2
		}
		if live > 0 {
			k.AddRows(prefix, r, at, live)
			rows += live
		}
	}
	positions, ok := uint128.From(rows).Mul64(weight)
	k.positions, _ = k.positions.Add(positions)
	sum, ok2 := sum.Mul64(weight)
	var ok3 bool
	if k.solutions, ok3 = k.solutions.Add(sum); !fits || !ok || !ok2 || !ok3 {
		return fmt.Errorf("window %s: solutions: %w", k.Window, puzzle.ErrOverflow)
	}
	return nil
}

// report makes the tally.
func (k *wayKernel) report() (t puzzle.Tally, err error) {
	err = t.AddMax(maxWays, k.largest)
	for _, s := range []puzzle.Scalar{
		{Name: k.p.sum(counting.SumClasses), Value: uint128.From(k.Classes())},
		{Name: k.p.sum(counting.SumPositions), Value: k.positions},
		{Name: k.p.sum(sumSolutions), Value: k.solutions},
	} {
		if err == nil {
			err = t.AddSum(s.Name, s.Value)
		}
	}
	if err != nil {
		err = fmt.Errorf("window %s: %w", k.Window, err)
	}
	return t, err
}

// sumSolutions is, in each window of a pass, the solutions through its positions.
const sumSolutions = "solutions"

// sum is the name of a scalar of the pass.
func (p *Pass) sum(name string) string { return p.name + "_" + name }

// write writes the window: paths and ways of the positions that have both.
func (k *wayKernel) write(out puzzle.Sink) error {
	return k.Write(sinkFunc(func(b *puzzle.Block) error {
		rows := b.Rows()
		lo, hi := make([]uint64, 0, rows), make([]uint64, 0, rows)
		for i, word := range b.Occupied {
			for ; word != 0; word &= word - 1 {
				n := k.Mask.At(b.First - k.Window.First + uint64(i*64+bits.TrailingZeros64(word)))
				lo, hi = append(lo, n.Lo), append(hi, n.Hi)
			}
		}
		ways := b.Columns
		b.Columns = append([][]uint64{lo, hi}, ways...)
		err := out.Block(b)
		b.Columns = ways
		return err
	}))
}

// A sinkFunc is a puzzle.Sink.
type sinkFunc func(b *puzzle.Block) error

func (f sinkFunc) Block(b *puzzle.Block) error { return f(b) }
