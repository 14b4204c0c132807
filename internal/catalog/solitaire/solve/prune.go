package solve

import "pagoda/internal/peg"

// A transform applies a permutation of the holes byte by byte.
type transform [8][256]peg.Position

func newTransform(g peg.Perm) transform {
	var t transform
	for i := range t {
		for v := range t[i] {
			for bit := range 8 {
				if v>>bit&1 != 0 && 8*i+bit < len(g) {
					t[i][v] |= 1 << g[8*i+bit]
				}
			}
		}
	}
	return t
}

func (t *transform) apply(p peg.Position) peg.Position {
	return t[0][p&255] | t[1][p>>8&255] | t[2][p>>16&255] | t[3][p>>24&255] |
		t[4][p>>32&255] | t[5][p>>40&255] | t[6][p>>48&255] | t[7][p>>56]
}

// A weighing sums weights over the pegs of a position, byte by byte.
type weighing [8][256]int32

func newWeighing(weights []int32) *weighing {
	w := new(weighing)
	for i := range w {
		for v := range w[i] {
			for bit := range 8 {
				if v>>bit&1 != 0 && 8*i+bit < len(weights) {
					w[i][v] += weights[8*i+bit]
				}
			}
		}
	}
	return w
}

func (w *weighing) sum(p peg.Position) int32 {
	return w[0][p&255] + w[1][p>>8&255] + w[2][p>>16&255] + w[3][p>>24&255] +
		w[4][p>>32&255] + w[5][p>>40&255] + w[6][p>>48&255] + w[7][p>>56]
}

// A pruning is a pagoda function: positions that weigh less than the goal cannot lead to it.
type pruning struct {
	weigh *weighing
	goal  int32
}

func (d *side) excluded(q peg.Position) bool {
	for i := range d.prunings {
		if d.prunings[i].weigh.sum(q) < d.prunings[i].goal {
			return true
		}
	}
	return false
}

const (
	maxPrunings = 16  // each costs time at every position
	maxMisses   = 400 // samples in a row that no function excludes: with 24 a problem on square7 took 125 s, not 0.4 s
	maxWeight   = 1 << 20
)

// learn looks for pagoda functions that exclude positions of a layer, from the linear programs of some samples, and
// returns the layer without those that they do. Both sides use every function, the far side for the layers to come.
func (s *search) learn(d *side, layer []peg.Position, samples int) []peg.Position {
	for i := 0; i < samples && len(layer) > 0 && len(d.prunings) < maxPrunings && s.misses < maxMisses; i++ {
		q := layer[i*len(layer)/samples%len(layer)]
		w, ok := s.prover.Pagoda(peg.Problem{Board: s.Board, Start: q, Goal: d.goal})
		if !ok {
			s.misses++
			continue
		}
		s.misses = 0
		weights := make([]int32, len(w))
		for k, v := range w {
			if v > maxWeight || v < -maxWeight {
				ok = false
				break
			}
			weights[k] = int32(v)
		}
		if !ok {
			continue
		}
		weigh := newWeighing(weights)
		for _, side := range s.sides {
			side.prunings = append(side.prunings, pruning{weigh, weigh.sum(side.goal)})
		}
		kept := layer[:0]
		for _, r := range layer {
			if !d.excluded(r) {
				kept = append(kept, r)
			}
		}
		layer = kept
	}
	return layer
}
