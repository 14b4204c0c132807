package feasible

import (
	"context"
	"fmt"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
)

// A count of up to 64 pegs takes 7 bits, so that 9 of them fit a word.
const (
	cellWidth = 7
	maxCells  = 9
)

// walkCells numbers the cells of the class walk: the playable classes, each corner group apart from its class.
func (f *Prover) walkCells() []int {
	type cell struct{ class, group int }
	number := map[cell]int{}
	cells := make([]int, f.board.Size())
	for i, class := range f.board.Class {
		c := cell{int(class), -1}
		for k, g := range f.groups {
			if g.corners.Has(i) {
				c.group = k
			}
		}
		if _, ok := number[c]; !ok {
			number[c] = len(number)
		}
		cells[i] = number[c]
	}
	return cells
}

// packCells is the numbers of pegs in the cells of q, of which there are at most maxCells.
func (f *Prover) packCells(q peg.Position) (v uint64) {
	for i, c := range f.cells {
		if q.Has(i) {
			v += 1 << (cellWidth * c)
		}
	}
	return v
}

// classWalk looks at the numbers of pegs in the cells alone: the playable classes and the corners. A jump takes a peg
// from one cell over one of a second into a third, which must have room. Every game is such a walk, so there must be a
// walk from the numbers of the start to those of the goal. That contains all that can be said of peg counts by classes
// and corners, in whichever order the jumps come.
func (f *Prover) classWalk(ctx context.Context, p peg.Problem, limits Limits) finding {
	count := 0
	for _, c := range f.cells {
		count = max(count, c+1)
	}
	if count > maxCells {
		return finding{gaveUp: true, note: fmt.Sprintf("the board has %d cells, and at most %d are handled", count, maxCells)}
	}
	w := f.walkFrom(ctx, p.Start, max(0, p.Jumps()), limits.WalkStates)
	switch {
	case w.level == nil:
		return finding{gaveUp: true, note: fmt.Sprintf("more than %d states", limits.WalkStates)}
	case w.level[f.packCells(p.Goal)]:
		return finding{note: plural.Of(w.visited, "state")}
	}
	return forbids(proofs.Proof{Kind: proofs.Walk, Cells: f.cells})
}

// A walked level is the numbers of pegs that a number of jumps from a start lead to. It is nil after more states than
// most.
type walked struct {
	start       peg.Position
	jumps, most int
	level       map[uint64]bool
	visited     int
}

// walkFrom walks from start. It keeps the last walk, for problems with the same start.
func (f *Prover) walkFrom(ctx context.Context, start peg.Position, jumps, most int) *walked {
	last := f.lastWalk.Load()
	if last != nil && last.start == start && last.jumps == jumps && last.most == most {
		return last
	}
	const width, mask = cellWidth, 1<<cellWidth - 1
	room := f.packCells(f.board.Full())
	type step struct{ from, over, to int }
	kinds := map[step]bool{}
	for _, j := range f.board.Jumps {
		kinds[step{width * f.cells[j.From], width * f.cells[j.Over], width * f.cells[j.To]}] = true
	}
	w := &walked{start, jumps, most, map[uint64]bool{f.packCells(start): true}, 1}
	for range jumps {
		next := map[uint64]bool{}
		for v := range w.level {
			for k := range kinds {
				if v>>k.from&mask == 0 || v>>k.to&mask == room>>k.to&mask {
					continue
				}
				u := v - 1<<k.from
				if u>>k.over&mask == 0 {
					continue
				}
				next[u-1<<k.over+1<<k.to] = true
			}
		}
		w.level = next
		if w.visited += len(next); puzzle.Progress(ctx) != nil {
			return &walked{}
		}
		if w.visited > most {
			w.level = nil
			break
		}
	}
	f.lastWalk.Store(w)
	return w
}
