package sweeps

import (
	"context"
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/counting/ways"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// states is what is stored of a position: by the hole where the last jump ended, or began on the side that goes back.
type states struct {
	total poly
	holes []holeState // ascending
}

type holeState struct {
	hole    int
	longest int // sweep that the last jump can belong to, in jumps
	counts  poly
}

// startStates are those of a start: one sequence without a jump, and so without a last hole.
var startStates = &states{total: poly{uint128.From(1)}}

// at returns the state of a hole; one without sequences where there is none.
func (s *states) at(hole int) holeState {
	for _, h := range s.holes {
		if h.hole == hole {
			return h
		}
	}
	return holeState{hole: hole}
}

// add makes room for a hole.
func (s *states) add(hole int) *holeState {
	for i := range s.holes {
		if s.holes[i].hole == hole {
			return &s.holes[i]
		}
	}
	s.holes = append(s.holes, holeState{hole: hole})
	return &s.holes[len(s.holes)-1]
}

// A window is the states of the positions of a window of the pass, by row; nil for rows that only repeat a class.
type window struct {
	puzzle.Window
	rows   *ways.RowSet
	states []*states
}

// load reads the states that belong to a window of the pass.
func (r *reader) load(ctx context.Context, x *window, n int, v partition.Vector) error {
	rows, err := ways.LoadRows(ctx, r.in, x.Window)
	if err != nil {
		return err
	}
	ws, err := r.in.Windows(r.cell(n, v))
	if err != nil {
		return err
	}
	if x.Part >= len(ws) || ws[x.Part].First != x.First*r.stride(n) {
		return fmt.Errorf("window %s: there are no sweeps of the same positions", x.Window)
	}
	if x.states, err = r.readStates(ctx, ws[x.Part], n); err == nil {
		x.rows = rows
	}
	return err
}

// readStates reads a window of states, by row.
func (r *reader) readStates(ctx context.Context, w puzzle.Window, n int) ([]*states, error) {
	if v, ok := r.in.Cache().Get(w.ID()); ok {
		if list, ok := v.([]*states); ok {
			return list, nil
		}
	}
	var list []*states
	err := r.in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		row := -1
		return counting.EachAddress(b, func(address uint64) error {
			row++
			at := address - w.First
			i, rest := at/r.stride(n), int(at%r.stride(n))
			for uint64(len(list)) <= i {
				list = append(list, nil)
			}
			if list[i] == nil {
				list[i] = &states{}
			}
			s := list[i]
			h, count := s.add(rest/(n+1)), counting.Wide(b, 0, row)
			if sweeps := rest % (n + 1); sweeps > 0 {
				if err := h.counts.add(sweeps, count); err != nil {
					return err
				}
				return s.total.add(sweeps, count)
			}
			h.longest = int(count.Lo)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	size := uint64(8 * len(list))
	for _, s := range list {
		if s == nil {
			continue
		}
		size += stateBytes + 16*uint64(cap(s.total))
		for i := range s.holes {
			size += holeBytes + 16*uint64(cap(s.holes[i].counts))
		}
	}
	r.in.Cache().Put(w.ID(), list, size)
	return list, nil
}

// What states take in memory besides their counts.
const (
	stateBytes = 64
	holeBytes  = 64
)

// A writer writes states, row by row.
type writer struct {
	w     puzzle.Window
	out   puzzle.Sink
	block puzzle.Block
	lo    []uint64
	hi    []uint64
}

func (x *writer) put(address uint64, n uint128.Uint128) error {
	if n.IsZero() {
		return nil
	}
	at := (address - x.w.First) / puzzle.BlockAddresses * puzzle.BlockAddresses
	if len(x.lo) > 0 && x.block.First != x.w.First+at {
		if err := x.flush(); err != nil {
			return err
		}
	}
	if len(x.lo) == 0 {
		x.block.First = x.w.First + at
		x.block.Addresses = int(min(puzzle.BlockAddresses, x.w.Addresses-at))
		x.block.Occupied = make([]uint64, (x.block.Addresses+63)/64)
	}
	i := address - x.block.First
	x.block.Occupied[i/64] |= 1 << (i % 64)
	x.lo, x.hi = append(x.lo, n.Lo), append(x.hi, n.Hi)
	return nil
}

// flush writes the block that has been begun.
func (x *writer) flush() error {
	if len(x.lo) == 0 {
		return nil
	}
	x.block.Columns = [][]uint64{x.lo}
	for _, h := range x.hi {
		if h != 0 {
			x.block.Columns = [][]uint64{x.lo, x.hi}
			break
		}
	}
	err := x.out.Block(&x.block)
	x.lo, x.hi = nil, nil
	return err
}
