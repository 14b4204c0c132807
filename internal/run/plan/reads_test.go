package plan

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
)

// spare is a puzzle whose windows read drawn ranges.
type spare struct {
	puzzle.Puzzle
	reads map[puzzle.WindowID][]puzzle.Range
}

func (s *spare) Reads(w puzzle.Window) ([]puzzle.Range, bool) {
	r, ok := s.reads[w.ID()]
	return r, !ok
}

// TestEachRead compares the windows that are read with the ranges, address by address.
func TestEachRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &spare{plantest.Random(t), map[puzzle.WindowID][]puzzle.Range{}}
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.PlannedLayers {
			for i := range l.Plans {
				c := p.Index[l.Plans[i].Cell]
				for part := range c.Parts {
					checkReads(t, p, s, c, part)
				}
			}
		}
	})
}

func checkReads(t *rapid.T, p *Plan, s *spare, c *Cell, part int) {
	declared := rapid.Bool().Draw(t, "declared")
	want := map[puzzle.WindowID]bool{}
	if declared {
		s.reads[c.WindowID(part)] = nil
	}
	for _, parent := range c.ParentCells {
		for at := range parent.Addresses {
			// Ranges of one address each touch; the list may have them so.
			if declared && rapid.IntRange(0, 3).Draw(t, "read") > 0 {
				continue
			}
			if declared {
				id := c.WindowID(part)
				s.reads[id] = append(s.reads[id], puzzle.Range{Cell: parent.Cell, First: at, Addresses: 1})
			}
			for k := range parent.Parts {
				if w := parent.Window(k); w.First <= at && at < w.First+w.Addresses {
					want[w.ID()] = true
				}
			}
		}
	}
	var got []puzzle.WindowID
	known := p.EachRead(c, part, func(parent *Cell, k int) { got = append(got, parent.WindowID(k)) })
	other := slices.ContainsFunc(got, func(id puzzle.WindowID) bool { return !want[id] })
	if known != declared || len(got) != len(want) || other {
		t.Fatalf("window %v reads %v, want %v", c.WindowID(part), got, want)
	}
	slices.SortFunc(got, func(a, b puzzle.WindowID) int { return cmp.Compare(a.String(), b.String()) })
	if len(slices.Compact(got)) != len(want) {
		t.Fatalf("window %v reads a window twice: %v", c.WindowID(part), got)
	}
}
