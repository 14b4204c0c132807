package counting

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
)

// TestListsBuiltTogether has several workers ask for the same lists of a new table at the same moment: each gets the
// pairs that one of its own would have got.
func TestListsBuiltTogether(t *testing.T) {
	board, err := peg.Named("square5")
	if err != nil {
		t.Fatal(err)
	}
	start := board.Full() &^ 1
	space, err := partition.NewSpace(board, peg.Stabiliser(board.Symmetries(), start), start)
	if err != nil {
		t.Fatal(err)
	}
	alone := NewMoves(space, false).pairs
	shapes, types := len(alone.shapes), space.LowTypes()
	for shape := range shapes {
		for g := range space.Group {
			for low := range types {
				alone.build(shape, g, int32(low))
			}
		}
	}
	rounds := 30
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		together := newPairTable(space, alone.shapes)
		var wrong atomic.Int64
		var workers sync.WaitGroup
		for range 4 {
			workers.Go(func() {
				for shape := range shapes {
					sizes := together.ofShape(shape)
					for g := range space.Group {
						for low := range types {
							list := together.lists(shape, g) + int32(low)
							n, ready := together.ready(list, &sizes[low])
							if !ready {
								n = together.build(shape, g, int32(low))
							}
							want := int(alone.ofShape(shape)[low].Load()) - 1
							if n != want {
								wrong.Add(1)
								continue
							}
							to, from := together.of(list, n)
							if wantTo, wantFrom := alone.of(list, n); !slices.Equal(to, wantTo) || !slices.Equal(from, wantFrom) {
								wrong.Add(1)
							}
						}
					}
				}
			})
		}
		workers.Wait()
		if n := wrong.Load(); n > 0 {
			t.Fatalf("%d lists of %d are wrong", n, shapes*len(space.Group)*types)
		}
	}
}
