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
	d := &decoder{stride: r.stride(n), sweeps: n + 1}
	err := r.in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		row := -1
		return counting.EachAddress(b, func(address uint64) error {
			row++
			return d.row(address-w.First, counting.Wide(b, 0, row))
		})
	})
	if err != nil {
		return nil, err
	}
	d.endPosition()
	size := 8*uint64(len(d.list)) + stateBytes*d.states.used + holeBytes*d.holes.used + countBytes*d.counts.used
	r.in.Cache().Put(w.ID(), d.list, size)
	return d.list, nil
}

// What a part of states takes in memory.
const (
	stateBytes = 48
	holeBytes  = 40
	countBytes = 16
)

// A decoder makes states of rows, in the order of their addresses.
type decoder struct {
	stride uint64 // addresses of a position
	sweeps int    // addresses of a hole
	list   []*states
	states slab[states]
	holes  slab[holeState]
	counts slab[uint128.Uint128]

	// The position that is being read, the last of list when there is any hole.
	here  []holeState
	count poly // of the last hole
	total poly
}

// row takes what is stored at an address of the window.
func (d *decoder) row(at uint64, count uint128.Uint128) error {
	i, rest := at/d.stride, int(at%d.stride)
	hole, sweeps := rest/d.sweeps, rest%d.sweeps
	if i >= uint64(len(d.list)) {
		d.endPosition()
		for uint64(len(d.list)) <= i {
			d.list = append(d.list, nil)
		}
	}
	if last := len(d.here) - 1; last < 0 || d.here[last].hole != hole {
		d.endHole()
		d.here = append(d.here, holeState{hole: hole})
	}
	if sweeps == 0 {
		d.here[len(d.here)-1].longest = int(count.Lo)
		return nil
	}
	if err := d.count.add(sweeps, count); err != nil {
		return err
	}
	return d.total.add(sweeps, count)
}

// endHole keeps the counts of the last hole.
func (d *decoder) endHole() {
	if len(d.here) > 0 {
		d.here[len(d.here)-1].counts = d.counts.keep(d.count)
		d.count.clear()
	}
}

// endPosition keeps the states of the last position.
func (d *decoder) endPosition() {
	if len(d.here) == 0 {
		return
	}
	d.endHole()
	s := d.states.keep([]states{{total: d.counts.keep(d.total), holes: d.holes.keep(d.here)}})
	d.list[len(d.list)-1] = &s[0]
	d.here = d.here[:0]
	d.total.clear()
}

// A slab keeps many short slices in few long ones.
type slab[T any] struct {
	free []T
	used uint64 // elements kept
}

// slabElements is how many elements a slab has made room for at a time.
const slabElements = 4096

// keep returns a copy.
func (s *slab[T]) keep(list []T) []T {
	if len(s.free) < len(list) {
		s.free = make([]T, max(slabElements, len(list)))
	}
	n := copy(s.free, list)
	kept := s.free[:n:n]
	s.free, s.used = s.free[n:], s.used+uint64(n)
	return kept
}

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
