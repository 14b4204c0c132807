package feasible

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestMulSubDiv compares the 128-bit arithmetic with big integers, at the limits too.
func TestMulSubDiv(t *testing.T) {
	number := rapid.OneOf(rapid.Int64Range(-math.MaxInt64, math.MaxInt64), rapid.Int64Range(-1000, 1000),
		rapid.SampledFrom([]int64{math.MaxInt64, -math.MaxInt64, 0, 1, -1, 1 << 32, -1 << 62}))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := number.Draw(t, "a"), number.Draw(t, "b"), number.Draw(t, "c"), number.Draw(t, "d")
		e := rapid.Int64Range(1, math.MaxInt64).Draw(t, "e")
		want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		want.Sub(want, new(big.Int).Mul(big.NewInt(c), big.NewInt(d)))
		rest := new(big.Int)
		if want.QuoRem(want, big.NewInt(e), rest); rest.Sign() != 0 {
			e = 1 // only exact divisions are asked for
			want.Mul(want, big.NewInt(e)).Set(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)))
			want.Sub(want, new(big.Int).Mul(big.NewInt(c), big.NewInt(d)))
		}
		got, ok := mulSubDiv(a, b, c, d, e)
		if fits := want.IsInt64() && want.Int64() != math.MinInt64; ok != fits || ok && got != want.Int64() {
			t.Fatalf("(%d*%d - %d*%d) / %d = %d, %v; want %v", a, b, c, d, e, got, ok, want)
		}
	})
}

// TestTableau solves random systems.
func TestTableau(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int64{2, 1000, 1 << 20, 1 << 40}).Draw(t, "size")
		n, m := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 10).Draw(t, "columns")
		value := rapid.Int64Range(-size, size)
		_, err := checkTableau(t, n, m, func() int64 { return value.Draw(t, "value") })
		if err != nil && size == 2 {
			t.Fatal("overflow with small numbers")
		}
	})
}

// TestTableauOverflow: numbers that grow beyond 64 bits are noticed, and those near it are computed in 128 bits.
func TestTableauOverflow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	large, overflow := 0, 0
	for range 200 {
		tab, err := checkTableau(t, 4, 6, func() int64 { return rng.Int64N(1<<41) - 1<<40 })
		if tab.large {
			large++
		}
		if err != nil {
			overflow++
		}
	}
	for range 200 {
		tab, err := checkTableau(t, 3, 6, func() int64 { return rng.Int64N(1<<17) - 1<<16 })
		if tab.large && err == nil {
			large++
		}
	}
	if large < 250 || overflow == 0 {
		t.Errorf("%d systems with large numbers, %d with an overflow", large, overflow)
	}
}

// checkTableau solves a system of n rows and m columns and checks the answer: x >= 0 with A x = b, or y with y.A <= 0
// and y.b > 0.
func checkTableau(t rapid.TB, n, m int, value func() int64) (*tableau, error) {
	t.Helper()
	columns, b := make([][]entry, m), make([]int64, n)
	for c := range columns {
		for i := range n {
			columns[c] = append(columns[c], entry{i, value()})
		}
	}
	for i := range b {
		b[i] = value()
	}
	tab := newTableau(columns, b)
	ok, err := tab.solve()
	if err != nil {
		return tab, err
	}
	product := func(v int64, w int64) *big.Int { return new(big.Int).Mul(big.NewInt(v), big.NewInt(w)) }
	if !ok {
		y := tab.dual()
		right := new(big.Int)
		for i, v := range b {
			right.Add(right, product(y[i], v))
		}
		if right.Sign() <= 0 {
			t.Fatalf("weights %v: the product with the right side is %v", y, right)
		}
		for c := range columns {
			sum := new(big.Int)
			for _, e := range columns[c] {
				sum.Add(sum, product(y[e.row], e.value))
			}
			if sum.Sign() > 0 {
				t.Fatalf("weights %v: the product with column %d is %v", y, c, sum)
			}
		}
		return tab, nil
	}
	x, den := tab.solution()
	for i := range n {
		sum := new(big.Int)
		for c := range columns {
			if x[c] < 0 {
				t.Fatalf("x = %v", x)
			}
			sum.Add(sum, product(x[c], columns[c][i].value))
		}
		if sum.Cmp(product(b[i], den)) != 0 {
			t.Fatalf("row %d is not met by %v / %d", i, x, den)
		}
	}
	return tab, nil
}
