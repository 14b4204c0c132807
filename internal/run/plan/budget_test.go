package plan

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
)

// TestBudget draws cells and limits: no window may hold less than it can do with, nor more than the plan says; one
// holds less than that only where it would not fit alone; and the windows' memory fits into the limit, if it can.
func TestBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := make([]puzzle.CellPlan, rapid.IntRange(1, 6).Draw(t, "cells"))
		var least uint64 // the least memory that the run can do with
		for i := range cells {
			c := &cells[i]
			c.Cell, c.Addresses, c.Cuts = puzzle.Cell{Key: string(rune('a' + i))}, 1, []uint64{0}
			c.MemoryBytes = rapid.Uint64Range(1, 1<<30).Draw(t, "memory")
			if rapid.Bool().Draw(t, "windows differ") {
				c.Addresses, c.Cuts = 2, []uint64{0, 1}
				c.WindowBytes = []uint64{c.MemoryBytes, rapid.Uint64Range(1, c.MemoryBytes).Draw(t, "other window")}
			}
			if rapid.Bool().Draw(t, "can do with less") {
				c.LeastBytes = rapid.Uint64Range(1, c.MemoryBytes).Draw(t, "least")
				least = max(least, c.LeastBytes)
			} else {
				least = max(least, c.MemoryBytes)
			}
		}
		p, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{cells}})
		if err != nil {
			t.Fatal(err)
		}
		room := 2 * rapid.Uint64Range(0, 1<<30).Draw(t, "half of the room")
		slots := rapid.IntRange(1, 4).Draw(t, "concurrency")
		b, cache := p.Budget(overheadMemory+room/2*3, rapid.Uint64Range(0, 1<<30).Draw(t, "cache"), slots)
		reduced, most := 0, uint64(0)
		for i := range cells {
			c := &cells[i]
			bytes, planned := b.Of(puzzle.WindowID{Cell: c.Cell})
			less := bytes < planned
			switch {
			case less && (c.LeastBytes == 0 || bytes < c.LeastBytes || c.MemoryBytes <= room):
				t.Fatalf("%d bytes for a window that takes %d, or %d at least, of %d", bytes, c.MemoryBytes, c.LeastBytes, room)
			case !less && bytes != c.MemoryBytes:
				t.Fatalf("%d bytes for a window that takes %d", bytes, c.MemoryBytes)
			case planned != c.MemoryBytes || bytes > c.MemoryBytes || bytes > b.Bytes:
				t.Fatalf("%d bytes for a window that takes %d, with a budget of %d", bytes, c.MemoryBytes, b.Bytes)
			}
			if less {
				reduced++
			}
			most = max(most, min(c.MemoryBytes, b.Bytes)) // found to hold less when it is begun, it may take all
			other, planned := b.Of(puzzle.WindowID{Cell: c.Cell, Part: 1})
			want := c.MemoryBytes
			if len(c.WindowBytes) > 0 {
				want = c.WindowBytes[1]
			}
			if planned != want || other != min(bytes, want) {
				t.Fatalf("%d bytes for the other window of %v, planned %d", other, c.WindowBytes, planned)
			}
		}
		if got := p.Predict(Resources{Concurrency: slots, Budget: b}).WindowBytes; got != most {
			t.Fatalf("the largest window holds %d bytes at most, predicted are %d", most, got)
		}
		if b.Reduced != reduced {
			t.Fatalf("%d cells are reduced, the budget says %d", reduced, b.Reduced)
		}
		if total := b.Bytes + cache; total > max(room, least) {
			t.Fatalf("%d bytes and a cache of %d, of %d; %d would do", b.Bytes, cache, room, least)
		}
	})
}

// TestBudgetOfCache: the cache takes what it is allowed, and no more than half of the room beside the largest window.
func TestBudgetOfCache(t *testing.T) {
	p, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{
		{{Cell: puzzle.Cell{Key: "a"}, Addresses: 1, Cuts: []uint64{0}, MemoryBytes: 100}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for allowed, want := range map[uint64]uint64{0: 0, 200: 200, 450: 450, 451: 450, 5000: 450} {
		if b, cache := p.Budget(overheadMemory+1500, allowed, 2); cache != want || b.Bytes != 1000-want {
			t.Errorf("allowed %d: a cache of %d bytes, windows of %d", allowed, cache, b.Bytes)
		}
	}
}
