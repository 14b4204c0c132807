package countingtest

import (
	"context"
	"errors"

	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/memrun"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// Weighed carries out a run, and computes every window once more. It compares the memory that a window is said to hold
// with the counts that it offers to the cache: its own, as far as it stores them, and those that it has read. It adds
// up the bytes that windows hold by the plan, by the puzzle, and at least.
func Weighed(t puzzletest.TB, p puzzle.Weigher) (planned, said, held uint64) {
	t.Helper()
	run, err := memrun.Whole(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for n := range run.Layers() {
		for _, c := range run.Cells(n) {
			for part := range c.Windows() {
				w, bytes := c.Window(part), c.Memory(part)
				says, err := p.Holds(w, bytes, run.Tally)
				if err != nil {
					t.Fatal(err)
				}
				in := &weighing{Run: run, kept: offered{}}
				if _, err := p.Compute(context.Background(), w, in, drop{}); err != nil {
					t.Fatal(err)
				}
				holds := in.kept.together(&c)
				if holds > says+uint64(len(in.kept))*markBytes {
					t.Fatalf("window %v holds %d bytes and more, not %d; %d are planned", w.ID(), holds, says, bytes)
				}
				planned, said, held = planned+bytes, said+says, held+holds
			}
		}
	}
	return planned, said, held
}

// markBytes is the memory of the marks of a small window beside its counts. No puzzle counts it.
const markBytes = 1 << 10

// Units are counts of a start that make the counts of small boards of every width.
var Units = []uint128.Uint128{uint128.From(1), uint128.From(1 << 40), {Hi: 1}}

// weighing is a source whose cache notes how large values are, and keeps none.
type weighing struct {
	*memrun.Run
	kept offered
}

func (s *weighing) Cache() puzzle.Cache { return s.kept }

// offered holds the sizes of the values offered.
type offered map[puzzle.WindowID]uint64

// together returns the bytes that are held at a time, at least: a window of an enumeration holds all that it reads, one
// of a join only some cells at a time.
func (o offered) together(c *puzzle.CellPlan) (bytes uint64) {
	cells := map[puzzle.Cell]uint64{}
	for w, n := range o {
		cells[w.Cell] += n
	}
	for _, n := range cells {
		if c.RowBytes > 0 { // a join stores no rows
			bytes += n
		} else {
			bytes = max(bytes, n)
		}
	}
	return bytes
}

func (offered) Get(puzzle.WindowID) (any, bool)              { return nil, false }
func (o offered) Put(w puzzle.WindowID, _ any, bytes uint64) { o[w] = bytes }

// drop is a sink that drops blocks.
type drop struct{}

func (drop) Block(*puzzle.Block) error { return nil }

// EachParentWeighs checks that a window holds more where the counts of any cell that it reads are wider.
func EachParentWeighs(t puzzletest.TB, p puzzle.Weigher) {
	t.Helper()
	for n := 0; ; n++ {
		plans, err := p.Layer(n, nil)
		if errors.Is(err, puzzle.ErrNoLayer) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range plans {
			c := &plans[i]
			with := func(wide puzzle.Cell) uint64 {
				bytes, err := p.Holds(c.Window(0), c.Memory(0), func(cell puzzle.Cell) (got puzzle.Tally, err error) {
					unit := Units[0]
					if cell == wide {
						unit = Units[2]
					}
					return got, got.AddMax(counting.MaxPaths, unit)
				})
				if err != nil {
					t.Fatal(err)
				}
				return bytes
			}
			for _, parent := range c.Parents {
				if narrow, wide := with(c.Cell), with(parent); wide <= narrow {
					t.Fatalf("cell %v holds %d bytes, and %d where cell %v has wide counts", c.Cell, narrow, wide, parent)
				}
			}
		}
	}
}
