package feasible

import (
	"context"
	"fmt"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A branching looks for integers x, least <= x <= most, one for each jump, with the given sum of jump vectors. A
// negative most is no bound.
type branching struct {
	prover      *Prover
	ctx         context.Context
	left        int // nodes that may still be visited
	difference  []int64
	least, most []int64
}

// solve returns x, or else the tree that proves that there is none.
func (s *branching) solve() (*proofs.Node, []int64, error) {
	if s.left--; s.left < 0 {
		return nil, nil, fmt.Errorf("branch and bound reached its limit of nodes")
	}
	if err := puzzle.Progress(s.ctx); err != nil {
		return nil, nil, err
	}
	t, columns := s.relax()
	inside, err := t.solve()
	if err != nil {
		return nil, nil, err
	}
	if !inside {
		return &proofs.Node{Weights: t.dual()[:s.prover.board.Size()]}, nil, nil
	}
	x, den := t.solution()
	// Branch on the jump whose count is farthest from an integer.
	at, farthest, value := -1, int64(0), int64(0)
	for c, i := range columns {
		if r := min(x[c]%den, den-x[c]%den); r > farthest {
			at, farthest, value = i, r, s.least[i]+x[c]/den
		}
	}
	if at < 0 {
		full := append([]int64(nil), s.least...)
		for c, i := range columns {
			full[i] += x[c] / den
		}
		return nil, full, nil
	}
	j := s.prover.board.Jumps[at]
	node := &proofs.Node{Jump: peg.FormatJump(s.prover.board, j), AtMost: value}
	least, most := s.least[at], s.most[at]
	s.most[at] = value
	less, found, err := s.solve()
	s.most[at] = most
	if err != nil || found != nil {
		return nil, found, err
	}
	s.least[at] = value + 1
	more, found, err := s.solve()
	s.least[at] = least
	if err != nil || found != nil {
		return nil, found, err
	}
	node.Less, node.More = less, more
	return node, nil, nil
}

// relax makes the linear program of a node, in y = x - least >= 0. Jumps with equal bounds drop out; the others with an
// upper bound get a row y + slack = most - least. columns says which jump each of the first columns of it is.
func (s *branching) relax() (t *tableau, columns []int) {
	b := append([]int64(nil), s.difference...)
	var matrix, slacks [][]entry
	for i, column := range s.prover.columns {
		for _, e := range column {
			b[e.row] -= s.least[i] * e.value
		}
		if s.least[i] == s.most[i] {
			continue
		}
		if s.most[i] >= 0 {
			row := len(b)
			b = append(b, s.most[i]-s.least[i])
			column = append(append([]entry(nil), column...), entry{row, 1})
			slacks = append(slacks, []entry{{row, 1}})
		}
		matrix, columns = append(matrix, column), append(columns, i)
	}
	return newTableau(append(matrix, slacks...), b), columns
}
