package enginetest

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Pascal is a triangle of cells whose layers are known beforehand. Cell k of layer n is computed from cells k-1 and k
// of the layer above: address by address from the first, through a permutation of the addresses from the second. A last
// layer joins the cells of the layer before with each other and stores no rows.
type Pascal struct {
	Depth  int    // layers before the join
	Slots  uint64 // of every cell, odd
	Window uint64 // slots of a window, 0 for no cuts
}

// Identity implements puzzle.Puzzle.
func (p *Pascal) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "pascal", Params: []puzzle.Param{
		{Name: "depth", Value: fmt.Sprint(p.Depth)},
		{Name: "slots", Value: fmt.Sprint(p.Slots)},
		{Name: "window_addresses", Value: fmt.Sprint(p.Window)},
	}}
}

// Columns implements puzzle.Puzzle.
func (p *Pascal) Columns() []string { return []string{"paths"} }

func pascalCell(n, k int) puzzle.Cell { return puzzle.Cell{Layer: n, Key: fmt.Sprintf("k%d", k)} }

// Layer implements puzzle.Puzzle.
func (p *Pascal) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n > p.Depth {
		return nil, puzzle.ErrNoLayer
	}
	var plans []puzzle.CellPlan
	for k := range n + 1 {
		c := puzzle.CellPlan{
			Cell: pascalCell(n, k), Addresses: p.Slots, Cuts: cuts(p.Slots, p.Window),
			Work: float64(2 * p.Slots), MemoryBytes: 24 * p.Slots, RowBytes: float64(p.Slots),
			Flows: n > 0 && n < p.Depth, // the join counts none
		}
		if n == p.Depth {
			if k == n {
				break // the join has a cell for each cell before it
			}
			c.Key = fmt.Sprintf("join%d", k)
			c.RowBytes = 0
			c.Parents = []puzzle.Cell{pascalCell(n-1, k)}
			if k != n-1-k {
				c.Parents = append(c.Parents, pascalCell(n-1, n-1-k))
			}
		} else {
			for _, parent := range []int{k - 1, k} {
				if parent >= 0 && parent < n {
					c.Parents = append(c.Parents, pascalCell(n-1, parent))
				}
			}
		}
		plans = append(plans, c)
	}
	return plans, nil
}

// Compute implements puzzle.Puzzle.
func (p *Pascal) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	if w.Layer == p.Depth {
		return p.join(ctx, w, in)
	}
	var k int
	if _, err := fmt.Sscanf(w.Key, "k%d", &k); err != nil {
		return t, err
	}
	var left, right []uint64
	if k > 0 {
		if left, err = dense(ctx, in, pascalCell(w.Layer-1, k-1), p.Slots); err != nil {
			return t, err
		}
	}
	if k < w.Layer {
		if right, err = dense(ctx, in, pascalCell(w.Layer-1, k), p.Slots); err != nil {
			return t, err
		}
	}
	var fromLeft, fromRight uint64
	rows, sum, err := emit(w, out, func(a uint64) uint64 {
		v := p.start(w.Layer, a)
		if left != nil {
			v += left[a]
			fromLeft += left[a]
		}
		if right != nil {
			v += right[p.permute(a)]
			fromRight += right[p.permute(a)]
		}
		return v
	})
	if err != nil {
		return t, err
	}
	flows := []error{
		t.AddSum("rows", uint128.From(rows)), t.AddSum("paths", uint128.From(sum)),
		t.AddMax("rows_of_window", uint128.From(rows)),
	}
	if left != nil {
		flows = append(flows, t.AddIn(pascalCell(w.Layer-1, k-1), uint128.From(fromLeft)))
	}
	if right != nil {
		flows = append(flows, t.AddIn(pascalCell(w.Layer-1, k), uint128.From(fromRight)))
	}
	if w.Layer+1 < p.Depth {
		flows = append(flows,
			t.AddOut(pascalCell(w.Layer+1, k), uint128.From(sum)), t.AddOut(pascalCell(w.Layer+1, k+1), uint128.From(sum)))
	}
	for _, err := range flows {
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

func (p *Pascal) start(layer int, a uint64) uint64 {
	if layer == 0 && a%3 == 0 {
		return a%7 + 1
	}
	return 0
}

// permute is a permutation of the addresses, since Slots is odd.
func (p *Pascal) permute(a uint64) uint64 { return (2*a + 1) % p.Slots }

// join multiplies the window's rows with those of the mirrored cell.
func (p *Pascal) join(ctx context.Context, w puzzle.Window, in puzzle.Source) (t puzzle.Tally, err error) {
	var k int
	if _, err := fmt.Sscanf(w.Key, "join%d", &k); err != nil {
		return t, err
	}
	a, err := dense(ctx, in, pascalCell(w.Layer-1, k), p.Slots)
	if err != nil {
		return t, err
	}
	b, err := dense(ctx, in, pascalCell(w.Layer-1, w.Layer-1-k), p.Slots)
	if err != nil {
		return t, err
	}
	for i := w.First; i < w.First+w.Addresses; i++ {
		if err := t.AddSum("product", uint128.Mul(a[i], b[i])); err != nil {
			return t, err
		}
	}
	return t, nil
}

// Summarise implements puzzle.Puzzle: per layer the sum of paths, then the product.
func (p *Pascal) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	return summary(known, "paths", "product"), nil
}

// Reference computes what Summarise should say, with nothing but arrays.
func (p *Pascal) Reference() map[string]uint128.Uint128 {
	want := make(map[string]uint128.Uint128)
	var above [][]uint64
	for n := range p.Depth {
		row := make([][]uint64, n+1)
		var sum uint64
		for k := range row {
			row[k] = make([]uint64, p.Slots)
			for a := range p.Slots {
				v := p.start(n, a)
				if k > 0 {
					v += above[k-1][a]
				}
				if k < n {
					v += above[k][p.permute(a)]
				}
				row[k][a] = v
				sum += v
			}
		}
		want[fmt.Sprintf("%d/paths", n)] = uint128.From(sum)
		above = row
	}
	var product uint128.Uint128
	for k := range above {
		for a := range p.Slots {
			product, _ = product.Add(uint128.Mul(above[k][a], above[len(above)-1-k][a]))
		}
	}
	want[fmt.Sprintf("%d/product", p.Depth)] = product
	return want
}

// summary gives the named sums of every layer as facts called layer/name.
func summary(known puzzle.Results, names ...string) (s puzzle.Summary) {
	for n := range known.Layers() {
		t, ok := known.Layer(n)
		if !ok {
			continue
		}
		for _, name := range names {
			if v := t.Sum(name); !v.IsZero() {
				s.Facts = append(s.Facts, puzzle.Fact{
					Column: puzzle.Column{Name: fmt.Sprintf("%d/%s", n, name), Kind: puzzle.Count}, Value: puzzle.Value{N: v},
				})
			}
		}
	}
	return s
}
