package sweeps

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Counts of more than 64 bits do not occur on boards that can be played out, so what is done with them is tested by
// itself.

// drawCounts draws a polynomial whose counts have at most so many bits.
func drawCounts(t *rapid.T, bits int, label string) poly {
	wide := rapid.Custom(func(t *rapid.T) uint128.Uint128 {
		n := uint128.Uint128{Lo: rapid.Uint64().Draw(t, "low"), Hi: rapid.Uint64().Draw(t, "high")}
		switch drop := 128 - rapid.IntRange(0, bits).Draw(t, "bits"); {
		case drop >= 64:
			n.Hi, n.Lo = 0, n.Lo>>(drop-64)
		default:
			n.Hi >>= drop
		}
		return n
	})
	return rapid.SliceOfN(wide, 1, 12).Draw(t, label)
}

// value returns p at x = 2^300, which tells all of its terms.
func value(p poly) *big.Int {
	sum := new(big.Int)
	for i, n := range p {
		sum.Add(sum, new(big.Int).Lsh(n.Big(), uint(300*i)))
	}
	return sum
}

func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got products
		want, limit := new(big.Int), new(big.Int).Lsh(big.NewInt(1), 128)
		early := false // a factor alone does not fit
		var err error
		bits := rapid.SampledFrom([]int{30, 60, 66, 128}).Draw(t, "bits")
		for range rapid.IntRange(1, 5).Draw(t, "products") {
			a, b := drawCounts(t, bits, "a"), drawCounts(t, rapid.SampledFrom([]int{20, 64, 128}).Draw(t, "bits of b"), "b")
			times := rapid.Uint64Range(1, 24).Draw(t, "times")
			err = errors.Join(err, got.add(a, b, times))
			for _, m := range a {
				early = early || new(big.Int).Mul(m.Big(), new(big.Int).SetUint64(times)).Cmp(limit) >= 0
			}
			p := new(big.Int).Mul(value(a), value(b))
			want.Add(want, p.Mul(p, new(big.Int).SetUint64(times)))
		}
		all, err2 := got.sums()
		if err = errors.Join(err, err2); err != nil {
			if !errors.Is(err, puzzle.ErrOverflow) {
				t.Fatal(err)
			}
			over, mask := early, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 300), big.NewInt(1))
			for rest := new(big.Int).Set(want); rest.Sign() != 0; rest.Rsh(rest, 300) {
				over = over || new(big.Int).And(rest, mask).Cmp(limit) >= 0
			}
			if !over {
				t.Fatal("products that fit in 128 bits overflow")
			}
			return
		}
		if value(all).Cmp(want) != 0 {
			t.Fatalf("sum %v, want %v", value(all), want)
		}
	})
	for _, n := range []uint128.Uint128{{Lo: 1 << 63}, {Hi: 1 << 63}} { // sums of narrow products, and a wide one
		var got products
		var err error
		for range 4 {
			err = errors.Join(err, got.add(poly{n}, poly{{Lo: 1 << 63}}, 1))
		}
		if _, err2 := got.sums(); !errors.Is(errors.Join(err, err2), puzzle.ErrOverflow) {
			t.Errorf("4 times %v 2^63: %v, %v", n, err, err2)
		}
	}
}

// A pair is a window of a pass and one of a side, as a source.
type pair struct {
	pass, own puzzle.Window
	blocks    map[puzzle.Cell][]*puzzle.Block
}

func (p *pair) Tally(puzzle.Cell) (puzzle.Tally, error) { return puzzle.Tally{}, nil }
func (p *pair) Cache() puzzle.Cache                     { return p }
func (p *pair) MemoryBytes() uint64                     { return 0 }
func (p *pair) Get(puzzle.WindowID) (any, bool)         { return nil, false }
func (p *pair) Put(puzzle.WindowID, any, uint64)        {}

func (p *pair) Windows(c puzzle.Cell) ([]puzzle.Window, error) {
	return map[puzzle.Cell][]puzzle.Window{p.pass.Cell: {p.pass}, p.own.Cell: {p.own}}[c], nil
}

func (p *pair) Blocks(_ context.Context, w puzzle.Window, _, _ uint64, fn func(*puzzle.Block) error) error {
	for _, b := range p.blocks[w.Cell] {
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

// Block implements puzzle.Sink.
func (p *pair) Block(b *puzzle.Block) error {
	if err := b.Check(p.own); err != nil {
		return err
	}
	p.blocks[p.own.Cell] = append(p.blocks[p.own.Cell], b.Clone())
	return nil
}

// TestTotals: written totals are read again, some rows without counts, in windows of one block and of several. Chains
// of them add up to sum of (1-x)^k times polynomials, modulo 2^128.
func TestTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "jumps")
		rows := rapid.IntRange(1, 30).Draw(t, "rows")
		gap := rapid.SampledFrom([]int{0, 0, 5000}).Draw(t, "rows without counts between")
		bits := rapid.SampledFrom([]int{20, 64, 128}).Draw(t, "bits")
		addresses := uint64(rows*(gap+1) + 10)
		p := &pair{
			pass: puzzle.Window{Cell: puzzle.Cell{Key: "pass"}, First: 640, Addresses: addresses},
			own: puzzle.Window{
				Cell: puzzle.Cell{Key: "own"}, First: 640 * uint64(n), Addresses: addresses * uint64(n),
			},
			blocks: map[puzzle.Cell][]*puzzle.Block{},
		}
		for first := uint64(0); first < addresses; first += puzzle.BlockAddresses {
			size := min(puzzle.BlockAddresses, addresses-first)
			b := &puzzle.Block{First: 640 + first, Addresses: int(size), Occupied: make([]uint64, (size+63)/64)}
			for i := range size {
				b.Occupied[i/64] |= 1 << (i % 64)
			}
			p.blocks[p.pass.Cell] = append(p.blocks[p.pass.Cell], b)
		}
		x := puzzle.NewWriter(p.own, p)
		want := map[int]poly{}
		for i := range rows {
			counts := drawCounts(t, bits, "counts")
			counts = counts[:min(n, len(counts))]
			row := i * (gap + 1)
			for k, count := range counts {
				if count.IsZero() {
					continue
				}
				if err := x.Row(p.own.First+uint64(row*n+k), count.Lo, count.Hi); err != nil {
					t.Fatal(err)
				}
			}
			want[row] = append(poly{{}}, counts...) // the first stands for one sweep
		}
		if err := x.Flush(); err != nil {
			t.Fatal(err)
		}
		got, err := loadTotals(context.Background(), p, p.own, p.pass, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		c := &chains{sums: make([]poly, rows), longest: -1}
		modulus := new(big.Int).Lsh(big.NewInt(1), 128)
		sum, weight := []*big.Int{}, []*big.Int{big.NewInt(1)}
		add := func(i int, n *big.Int) {
			for len(sum) <= i {
				sum = append(sum, new(big.Int))
			}
			sum[i].Mod(sum[i].Add(sum[i], n), modulus)
		}
		for i := range rows {
			row := i * (gap + 1)
			r, ok := got.rows.Row(p.pass.First + uint64(row))
			if !ok || r != row {
				t.Fatalf("row %d is said to be row %d, %v", row, r, ok)
			}
			if row >= len(got.places) || got.places[row].n == 0 {
				if value(want[row]).Sign() != 0 {
					t.Fatalf("row %d has no counts", row)
				}
				got.places = append(got.places, make([]place, max(0, row+1-len(got.places)))...)
			} else if value(got.poly(row)).Cmp(value(want[row])) != 0 {
				t.Fatalf("row %d has %v, want %v", row, got.poly(row), want[row])
			}
			c.add(i, got, row)
			for k, m := range want[row] {
				for d, w := range weight {
					add(k+d, new(big.Int).Mul(m.Big(), w))
				}
			}
			next := make([]*big.Int, len(weight)+1) // times 1-x
			for d := range next {
				next[d] = new(big.Int)
				if d < len(weight) {
					next[d].Add(next[d], weight[d])
				}
				if d > 0 {
					next[d].Sub(next[d], weight[d-1])
				}
			}
			weight = next
		}
		folded := c.fold(drawCounts(t, bits, "room"))
		for i, n := range sum {
			if folded.at(i).Big().Cmp(n) != 0 {
				t.Fatalf("the fold has %v at %d, want %v", folded.at(i), i, n)
			}
		}
	})
}
