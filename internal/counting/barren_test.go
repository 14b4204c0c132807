package counting

import (
	"context"
	"reflect"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// nothing is a source whose cells have no rows, and a sink that takes none.
type nothing struct{ t *testing.T }

func (nothing) Tally(puzzle.Cell) (t puzzle.Tally, err error) {
	return t, t.AddMax(MaxPaths, uint128.Uint128{})
}
func (nothing) Windows(puzzle.Cell) ([]puzzle.Window, error) { return nil, nil }
func (nothing) Blocks(context.Context, puzzle.Window, uint64, uint64, func(*puzzle.Block) error) error {
	return nil
}
func (n nothing) Cache() puzzle.Cache                { return n }
func (nothing) MemoryBytes() uint64                  { return 0 }
func (nothing) Get(puzzle.WindowID) (v any, ok bool) { return nil, false }
func (nothing) Put(puzzle.WindowID, any, uint64)     {}
func (n nothing) Block(*puzzle.Block) error          { n.t.Error("a block is written"); return nil }

// TestBarren: a window whose parents have no rows is answered without a layout as a kernel answers it, also where the
// position is whose paths are tallied.
func TestBarren(t *testing.T) {
	b, err := peg.Named("triangle5")
	if err != nil {
		t.Fatal(err)
	}
	start := b.Full() &^ 1
	s, err := New(b, start, 16, "")
	if err != nil {
		t.Fatal(err)
	}
	s.Watch(1)
	in, goals := nothing{t}, 0
	for n := range s.Layers {
		for _, c := range s.Plan(n) {
			for i := range c.Windows() {
				w := c.Window(i)
				v, err := s.Vector(w.Cell)
				if err != nil {
					t.Fatal(err)
				}
				quick, err := s.barren(t.Context(), v, w, in)
				if err != nil || (quick != nil) != (n > 0) {
					t.Fatalf("%v: %v, %v", w, quick, err)
				}
				if quick == nil {
					continue
				}
				slow, err := s.KernelOf(t.Context(), w, in, nil)
				if err != nil {
					t.Fatal(err)
				}
				want, err1 := slow.compute(t.Context(), in)
				got, err2 := s.ComputeWindow(t.Context(), w, in, in)
				if err1 != nil || err2 != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%v: %+v, a kernel says %+v, %v, %v", w, got, want, err1, err2)
				}
				for _, x := range got.Sums {
					if x.Name == SumGoal {
						goals++
					}
				}
			}
		}
	}
	if goals != 1 {
		t.Errorf("%d windows have the goal", goals)
	}
}
