package solve

import (
	"context"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// mergeFrom is how many positions a layer has at least that is merged: for a few, sorting is as quick.
const mergeFrom = 1 << 12

// merge is next without symmetries, in the memory of its result. A jump adds the same number to all positions on which
// it is legal, so that the positions after it are in ascending order already: those of all jumps are merged.
func (s *search) merge(ctx context.Context, d *side, layer []peg.Position) ([]peg.Position, error) {
	h := merger{layer: layer, jumps: s.Board.Jumps, at: make([]int, len(s.Board.Jumps))}
	for j := range h.jumps {
		if q, ok := h.advance(uint16(j), 0); ok {
			h.heap = append(h.heap, head{q, uint16(j)})
		}
	}
	for i := len(h.heap)/2 - 1; i >= 0; i-- {
		h.sift(i)
	}
	next := make([]peg.Position, 0, d.expected(layer))
	last := ^peg.Position(0)
	for turn := 0; len(h.heap) > 0; turn++ {
		if turn%(1<<16) == 0 && puzzle.Progress(ctx) != nil {
			return nil, ctx.Err()
		}
		top := &h.heap[0]
		if top.after != last {
			if last = top.after; !d.excluded(last) {
				next = append(next, last)
			}
		}
		q, ok := h.advance(top.jump, h.at[top.jump]+1)
		if ok {
			top.after = q
		} else {
			h.heap[0] = h.heap[len(h.heap)-1]
			h.heap = h.heap[:len(h.heap)-1]
		}
		h.sift(0)
	}
	return next, nil
}

// expected is about how many positions come after a layer: of exact layers each grows by less than the one before.
func (d *side) expected(layer []peg.Position) int {
	n := len(d.exact)
	if n < 2 || len(layer) != len(d.exact[n-1]) {
		return 2 * len(layer)
	}
	return int(1.03 * float64(len(layer)) * float64(len(layer)) / float64(len(d.exact[n-2])))
}

// A merger has for each jump how far it has come in the layer, and the next positions in a heap, the smallest on top.
type merger struct {
	layer []peg.Position
	jumps []peg.Jump // at most 65,536
	at    []int
	heap  []head
}

// A head is the next position after a jump.
type head struct {
	after peg.Position
	jump  uint16
}

// advance goes to the next position of the layer, from i on, on which the jump is legal.
func (h *merger) advance(jump uint16, i int) (after peg.Position, ok bool) {
	j := h.jumps[jump]
	mask, need := j.Mask(), j.Need()
	for ; i < len(h.layer); i++ {
		if q := h.layer[i]; q&mask == need {
			h.at[jump] = i
			return q ^ mask, true
		}
	}
	return 0, false
}

func (h *merger) sift(i int) {
	for {
		least := i
		for k := 2*i + 1; k <= 2*i+2 && k < len(h.heap); k++ {
			if h.heap[k].after < h.heap[least].after {
				least = k
			}
		}
		if least == i {
			return
		}
		h.heap[i], h.heap[least] = h.heap[least], h.heap[i]
		i = least
	}
}
