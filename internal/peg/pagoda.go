package peg

import (
	"fmt"
	"math"
	"strings"
)

// PagodaFunction looks for a proof that goal cannot be reached from start: an integer weight w of the holes. For every
// jump w[From]+w[Over] >= w[To], so no jump increases the weight of the pegs, but goal weighs more than start. ok is
// false when it finds none. It finds one only if no non-negative real amounts of the jumps, without regard to order,
// turn start into goal (Farkas's lemma). That is not the case for every unsolvable problem.
//
// The search is a linear program in floating point, whose result is only a suggestion: the weights returned have been
// rounded to integers and checked exactly.
func (b *Board) PagodaFunction(start, goal Position) (w []int, ok bool) {
	y := b.separate(start, goal)
	// The extreme solutions are fractions with small denominators: try to clear them.
	const denominators = 60
	largest := 0.0
	for _, v := range y {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return nil, false
	}
	w = make([]int, len(y))
	for d := 1; d <= denominators; d++ {
		for i, v := range y {
			w[i] = int(math.Round(v * float64(d)))
		}
		if b.IsPagoda(w) && Weight(w, goal) > Weight(w, start) {
			return w, true
		}
	}
	return nil, false
}

// IsPagoda reports whether no jump of the board increases the weight of the pegs.
func (b *Board) IsPagoda(w []int) bool {
	for _, j := range b.Jumps {
		if w[j.From]+w[j.Over] < w[j.To] {
			return false
		}
	}
	return true
}

// Weight returns the sum of w over the pegs of p.
func Weight(w []int, p Position) int {
	sum := 0
	for i, v := range w {
		if p.Has(i) {
			sum += v
		}
	}
	return sum
}

func (p Problem) pagodaFunction() (string, bool) {
	w, ok := p.Board.PagodaFunction(p.Start, p.Goal)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("pagoda function: no jump increases the weight of the pegs, which is %d at the start "+
		"and %d at the goal; weights by row: %s", Weight(w, p.Start), Weight(w, p.Goal), p.Board.formatWeights(w)), true
}

// formatWeights lists the weights of the holes, rows separated by slashes.
func (b *Board) formatWeights(w []int) string {
	var s strings.Builder
	for i, h := range b.Holes {
		if i > 0 {
			s.WriteString(map[bool]string{true: " ", false: "/"}[b.Holes[i-1].Row == h.Row])
		}
		fmt.Fprint(&s, w[i])
	}
	return s.String()
}

// separate solves phase one of the simplex method for: jumps in amounts x >= 0 with effect start-goal, the effect of a
// jump being +1 on From and Over and -1 on To. It returns the dual values, scaled to the holes: weights whose product
// with the effect of every jump is >= 0 and with start-goal is < 0, up to rounding; all zero when amounts exist.
//
// The tableau has one row for each hole, a column for each jump, one artificial column for each hole and the right
// side: at most 64 x 600 numbers. Products are rounded before they are added, so that machines with fused
// multiply-add agree.
func (b *Board) separate(start, goal Position) []float64 {
	n, m := b.Size(), len(b.Jumps)
	const eps = 1e-7
	right := m + n
	rows := make([][]float64, n+1) // the last row is minus the reduced costs, its right side the infeasibility
	for i := range rows {
		rows[i] = make([]float64, right+1)
	}
	for c, j := range b.Jumps {
		rows[j.From][c], rows[j.Over][c], rows[j.To][c] = 1, 1, -1
	}
	flip := make([]float64, n)
	cost := rows[n]
	for i := range n {
		row := rows[i]
		row[right] = float64(start>>uint(i)&1) - float64(goal>>uint(i)&1)
		flip[i] = 1
		if row[right] < 0 {
			flip[i] = -1
			for c := range row {
				row[c] = -row[c]
			}
		}
		for c, v := range row {
			cost[c] += v
		}
		row[m+i] = 1
	}
	basis := make([]int, n)
	for i := range basis {
		basis[i] = m + i
	}
	// Bland's rule, the first column that helps and the smallest basic column among ties, cannot cycle. The limit is
	// for rounding alone; a search cut short gives weights that fail the exact check.
	for range 50 * (n + m) {
		enter := -1
		for c := range m {
			if cost[c] > eps {
				enter = c
				break
			}
		}
		if enter < 0 {
			break
		}
		leave, best := -1, math.Inf(1)
		for i := range n {
			if rows[i][enter] <= eps {
				continue
			}
			q := rows[i][right] / rows[i][enter]
			if q < best-eps || q < best+eps && basis[i] < basis[leave] {
				leave, best = i, q
			}
		}
		if leave < 0 {
			break
		}
		basis[leave] = enter
		pivot(rows, leave, enter)
	}
	y := make([]float64, n)
	if cost[right] > 1e-4 {
		for i := range y {
			// The artificial column of row i holds the i-th dual value less its cost of 1.
			y[i] = -flip[i] * (cost[m+i] + 1)
		}
	}
	return y
}

func pivot(rows [][]float64, leave, enter int) {
	row := rows[leave]
	f := 1 / row[enter]
	for c := range row {
		row[c] *= f
	}
	for i, other := range rows {
		if f := other[enter]; i != leave && f != 0 {
			for c, v := range row {
				other[c] -= float64(f * v)
			}
		}
	}
}
