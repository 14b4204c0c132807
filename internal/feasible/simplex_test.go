package feasible

import (
	"math"
	"math/big"
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

// TestTableau solves random systems and checks both answers: x >= 0 with A x = b, or y with y.A <= 0 and y.b > 0. Large
// numbers reach the 128-bit arithmetic and the overflow.
func TestTableau(t *testing.T) {
	large, overflow := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int64{2, 1000, 1 << 20, 1 << 40}).Draw(t, "size")
		n, m := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 10).Draw(t, "columns")
		value := rapid.Int64Range(-size, size)
		columns, b := make([][]entry, m), make([]int64, n)
		for c := range columns {
			for i := range n {
				columns[c] = append(columns[c], entry{i, value.Draw(t, "entry")})
			}
		}
		for i := range b {
			b[i] = value.Draw(t, "right side")
		}
		tab := newTableau(columns, b)
		ok, err := tab.solve()
		if tab.large {
			large++
		}
		if err != nil {
			overflow++
			if size < 1000 {
				t.Fatalf("overflow with small numbers")
			}
			return
		}
		if !ok {
			y := tab.dual()
			dot := func(column []entry) *big.Int {
				sum := new(big.Int)
				for _, e := range column {
					sum.Add(sum, new(big.Int).Mul(big.NewInt(y[e.row]), big.NewInt(e.value)))
				}
				return sum
			}
			var right []entry
			for i, v := range b {
				right = append(right, entry{i, v})
			}
			for c := range columns {
				if dot(columns[c]).Sign() > 0 {
					t.Fatalf("weights %v: column %d has a positive product", y, c)
				}
			}
			if dot(right).Sign() <= 0 {
				t.Fatalf("weights %v: the right side has no positive product", y)
			}
			return
		}
		x, den := tab.solution()
		for i := range n {
			sum := new(big.Int)
			for c := range columns {
				if x[c] < 0 {
					t.Fatalf("x = %v", x)
				}
				sum.Add(sum, new(big.Int).Mul(big.NewInt(x[c]), big.NewInt(columns[c][i].value)))
			}
			if sum.Cmp(new(big.Int).Mul(big.NewInt(b[i]), big.NewInt(den))) != 0 {
				t.Fatalf("row %d is not met by %v / %d", i, x, den)
			}
		}
	})
	if large == 0 || overflow == 0 {
		t.Errorf("%d systems with large numbers, %d with an overflow: want some of both", large, overflow)
	}
}
