package memrun

import (
	"context"
	"errors"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/example"
	"pagoda/internal/puzzle/setting"
)

// walks is a small run: walks of six moves on a board of side 5, in windows of ten squares.
func walks(t *testing.T) puzzle.Puzzle {
	t.Helper()
	declared := append([]setting.Setting{{Name: "window_addresses", Kind: setting.Integer, Default: "10", Max: 100}},
		example.Definition.Settings...)
	v, err := setting.NewSet(declared, map[string]string{"side": "5", "moves": "6"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := example.Definition.New(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhole(t *testing.T) {
	r, err := Whole(context.Background(), walks(t))
	if err != nil || !r.Complete() || r.Layers() != 7 || r.Rows() != 63 {
		t.Fatalf("%d layers, %d rows, complete %v: %v", r.Layers(), r.Rows(), r.Complete(), err)
	}
	tally, ok := r.Layer(6)
	if !ok || tally.Sum("walks").Lo != 3264 {
		t.Errorf("%v walks of six moves, want 3264", tally.Sum("walks"))
	}
	// The rows of a cell, by window and by part of one.
	rows := 0
	windows, err := r.Windows(puzzle.Cell{Layer: 6, Key: "squares"})
	if err != nil || len(windows) != 3 {
		t.Fatalf("%d windows, %v", len(windows), err)
	}
	for _, w := range windows {
		if err := r.Blocks(context.Background(), w, w.First, w.Addresses, func(b *puzzle.Block) error {
			rows += b.Rows()
			return b.Check(w)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if rows != 13 {
		t.Errorf("%d rows, want 13", rows)
	}
	if _, err := r.Plan(); !errors.Is(err, puzzle.ErrNoLayer) {
		t.Errorf("a layer after the last: %v", err)
	}
}

func TestUnfinished(t *testing.T) {
	r := New(walks(t))
	if _, err := r.Tally(puzzle.Cell{Layer: 0, Key: "squares"}); err == nil || r.Complete() || r.Cells(0) != nil {
		t.Error("an empty run has something")
	}
	plans, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for part := range plans[0].Windows() {
		if _, ok := r.Layer(0); ok {
			t.Errorf("layer 0 is there before its window %d", part)
		}
		if err := r.Compute(context.Background(), plans[0].Window(part)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := r.Layer(0); !ok || r.Complete() {
		t.Error("layer 0 is not there, or the run is complete")
	}
	if err := r.Compute(context.Background(), puzzle.Window{Cell: puzzle.Cell{Layer: 5, Key: "squares"}}); err == nil {
		t.Error("a window without a plan is computed")
	}
}

// A handed puzzle is walks that keep a decoded window in the cache, and demand those of the layer before from there.
type handed struct {
	puzzle.Puzzle
	missed bool
}

func (h *handed) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	if w.Layer > 0 {
		parents, err := in.Windows(puzzle.Cell{Layer: w.Layer - 1, Key: w.Key})
		if err != nil {
			return t, err
		}
		for _, p := range parents {
			v, ok := in.Cache().Get(p.ID())
			h.missed = h.missed || !ok || v != p
			err := in.Blocks(ctx, p, p.First, p.Addresses, func(*puzzle.Block) error { return nil })
			if !errors.Is(err, puzzle.ErrMissing) {
				return t, err
			}
		}
		for _, p := range parents {
			if _, ok := in.Cache().Get(puzzle.Window{Cell: puzzle.Cell{Layer: w.Layer - 2, Key: w.Key}, Part: p.Part}.ID()); ok {
				h.missed = true // it should have been forgotten
			}
		}
	}
	in.Cache().Put(w.ID(), w, 1)
	rows := puzzle.Block{First: w.First, Addresses: 1, Occupied: []uint64{1}, Columns: [][]uint64{{1}}}
	return t, out.Block(&rows)
}

// TestTallies hands windows on in the cache: those of the layer before are there, older ones are not, and blocks are
// not kept.
func TestTallies(t *testing.T) {
	h := &handed{Puzzle: walks(t)}
	r, err := Tallies(context.Background(), h)
	if err != nil || !r.Complete() || r.Layers() != 7 || h.missed || r.Rows() != 0 {
		t.Errorf("%d layers, %d rows, complete %v, missed %v: %v", r.Layers(), r.Rows(), r.Complete(), h.missed, err)
	}
}

// TestCache: a run with a cache keeps the decoded windows of two layers, and codes rows as one without.
func TestCache(t *testing.T) {
	r := Cached(walks(t))
	old, now := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "squares"}}, puzzle.WindowID{}
	for n := range 4 {
		plans, err := r.Plan()
		if err != nil {
			t.Fatal(err)
		}
		for i := range plans {
			for part := range plans[i].Windows() {
				w := plans[i].Window(part)
				if err := r.Compute(t.Context(), w); err != nil {
					t.Fatal(err)
				}
				now = w.ID()
				r.Put(now, n, 1)
			}
		}
		if v, ok := r.Get(now); !ok || v != n {
			t.Fatalf("window %s: %v, %v in the cache", now, v, ok)
		}
	}
	if v, ok := r.Get(old); ok {
		t.Errorf("window %s of layer 1 is in the cache in layer 3: %v", old, v)
	}
	if _, ok := r.Get(puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "squares"}}); !ok || r.Rows() == 0 {
		t.Errorf("no window of layer 2 is in the cache in layer 3; %d rows are kept", r.Rows())
	}
	if without := New(walks(t)); without.windows != nil || without.uncoded || r.uncoded {
		t.Error("a run without a cache has one, or a run with one keeps no rows")
	}
}
