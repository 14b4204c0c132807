package feasible

import (
	"errors"
	"math/bits"
)

// errOverflow says that a number of the simplex method did not fit 64 bits.
var errOverflow = errors.New("a number does not fit 64 bits")

// A tableau is the simplex method in integers, for the question whether x >= 0 exists with A x = b: phase one, which
// minimises the sum of one artificial variable for each row.
//
// It pivots as Edmonds and Bareiss do: all entries are integers over one common denominator, the determinant of the
// basis, and every division is exact. So there are no tolerances, and results are the same on every machine. The
// entries are minors of A and b bordered by the cost. For a cone of at most 64 jumps in a basis Hadamard's inequality
// bounds them by sqrt(3)^64 = 1.9e15 in A. In b it is 8 times that, and in the cost 64 times as much, which fits 64
// bits; products are taken in 128 bits. Rows for the branches of branch and bound can exceed that: then solve returns
// errOverflow.
type tableau struct {
	rows  [][]int64 // one for each row of A, and the cost last; columns: A, artificial ones, b
	flip  []int64   // -1 where the row was negated to make b positive
	basis []int
	den   int64
	n, m  int // rows and columns of A
	large bool
	stop  func() error // ends solve before a pivot, unless it is nil
	// filled is the columns of the pivot row that are not 0.
	filled []int
}

// small bounds entries so that products of two, and their difference, fit 64 bits.
const small = 1 << 31

// newTableau takes the columns of A, each a list of (row, value), and b.
func newTableau(columns [][]entry, b []int64) *tableau {
	t := &tableau{n: len(b), m: len(columns), den: 1}
	width := t.m + t.n + 1
	cells := make([]int64, (t.n+1)*width)
	for i := range t.n + 1 {
		t.rows = append(t.rows, cells[i*width:(i+1)*width])
	}
	cost := t.rows[t.n]
	for i, v := range b {
		f := int64(1)
		if v < 0 {
			f = -1
		}
		t.flip = append(t.flip, f)
		t.basis = append(t.basis, t.m+i)
		t.rows[i][t.m+i] = 1
		t.rows[i][width-1] = f * v
		cost[width-1] += f * v
	}
	for c, column := range columns {
		for _, e := range column {
			v := t.flip[e.row] * e.value
			t.rows[e.row][c] += v
			cost[c] += v
		}
	}
	for _, v := range cells {
		t.large = t.large || v >= small || v <= -small
	}
	return t
}

// An entry of a column of A.
type entry struct {
	row   int
	value int64
}

// solve pivots to the optimum and reports whether it is 0, so that x exists.
func (t *tableau) solve() (bool, error) {
	cost, right := t.rows[t.n], t.m+t.n
	// The steepest reduced cost is quick but can cycle where the objective does not move; Bland's rule cannot.
	const patience = 20
	for stuck := 0; ; {
		enter := -1
		for c := range t.m {
			if cost[c] > 0 && (enter < 0 || cost[c] > cost[enter]) {
				enter = c
				if stuck > patience {
					break
				}
			}
		}
		if enter < 0 {
			return cost[right] == 0, nil
		}
		leave := -1
		for i := range t.n {
			if t.rows[i][enter] <= 0 {
				continue
			}
			if leave < 0 {
				leave = i
				continue
			}
			order := compareProducts(t.rows[i][right], t.rows[leave][enter], t.rows[leave][right], t.rows[i][enter])
			if order < 0 || order == 0 && t.basis[i] < t.basis[leave] {
				leave = i
			}
		}
		if leave < 0 {
			// The cost is a sum of rows, so a positive reduced cost has a positive entry above it.
			return false, errOverflow
		}
		if t.rows[leave][right] == 0 {
			stuck++
		} else {
			stuck = 0
		}
		if t.stop != nil {
			if err := t.stop(); err != nil {
				return false, err
			}
		}
		if err := t.pivot(leave, enter); err != nil {
			return false, err
		}
	}
}

// compareProducts compares a*b with c*d, all of them >= 0.
func compareProducts(a, b, c, d int64) int {
	h1, l1 := bits.Mul64(uint64(a), uint64(b))
	h2, l2 := bits.Mul64(uint64(c), uint64(d))
	switch {
	case h1 < h2 || h1 == h2 && l1 < l2:
		return -1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return 1
}

func (t *tableau) pivot(leave, enter int) error {
	row := t.rows[leave]
	p := row[enter]
	t.filled = t.filled[:0]
	for c, v := range row {
		if v != 0 {
			t.filled = append(t.filled, c)
		}
	}
	var largest int64
	for i, other := range t.rows {
		q := other[enter]
		if i == leave || q == 0 && p == t.den {
			continue
		}
		if p != t.den {
			for c, v := range other {
				if v == 0 && (q == 0 || row[c] == 0) {
					continue
				}
				w, ok := t.combine(p, v, q, row[c])
				if !ok {
					return errOverflow
				}
				other[c] = w
				largest = max(largest, w, -w)
			}
			continue
		}
		// The denominator stays, so only the columns that the row has change.
		for _, c := range t.filled {
			w, ok := t.combine(p, other[c], q, row[c])
			if !ok {
				return errOverflow
			}
			other[c] = w
			largest = max(largest, w, -w)
		}
	}
	// Once large, a tableau stays so.
	t.large = t.large || largest >= small || p >= small
	t.basis[leave] = enter
	t.den = p
	return nil
}

// combine returns (p v - q w) / den, which is an integer; ok is false when it does not fit.
func (t *tableau) combine(p, v, q, w int64) (int64, bool) {
	if t.large {
		return mulSubDiv(p, v, q, w, t.den)
	}
	if t.den == 1 {
		return p*v - q*w, true
	}
	return (p*v - q*w) / t.den, true
}

// mulSubDiv returns (a*b - c*d) / e for e > 0, where the division is exact; ok is false when it does not fit.
func mulSubDiv(a, b, c, d, e int64) (int64, bool) {
	h1, l1 := mul128(a, b)
	h2, l2 := mul128(c, d)
	lo, borrow := bits.Sub64(l1, l2, 0)
	hi, _ := bits.Sub64(h1, h2, borrow)
	// Each product is below 2^126 in size, so the difference is below 2^127 and its sign is right.
	negative := hi>>63 != 0
	if negative {
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	if hi >= uint64(e) {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, uint64(e))
	if q >= 1<<63 {
		return 0, false
	}
	if negative {
		return -int64(q), true
	}
	return int64(q), true
}

// mul128 returns the product in two's complement.
func mul128(a, b int64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	return hi, lo
}

// solution returns x as numerators over the common denominator.
func (t *tableau) solution() (x []int64, den int64) {
	x = make([]int64, t.m)
	for i, c := range t.basis {
		if c < t.m {
			x[c] = t.rows[i][t.m+t.n]
		}
	}
	return x, t.den
}

// dual returns y with y.A <= 0 and y.b > 0, in lowest terms, when no x exists (Farkas's lemma).
func (t *tableau) dual() []int64 {
	y := make([]int64, t.n)
	var g int64
	for i := range y {
		// The artificial column of row i holds the dual value less its cost of 1.
		y[i] = t.flip[i] * (t.rows[t.n][t.m+i] + t.den)
		g = gcd(g, y[i])
	}
	for i := range y {
		if g > 1 {
			y[i] /= g
		}
	}
	return y
}

// gcd is the greatest common divisor, >= 0; gcd(0, a) is |a|.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
