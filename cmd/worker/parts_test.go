package main

import (
	"errors"
	"testing"

	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/run/plan"
)

// TestParts: runs get the memory that they have a use for, leave some to the next, and wait where there is none.
func TestParts(t *testing.T) {
	planOf := func(text string) *plan.Plan {
		j, err := runs.Loader{Catalog: catalog.All}.Parse(t.Context(), "f.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		pl, err := plan.New(j.Puzzle)
		if err != nil {
			t.Fatal(err)
		}
		return pl
	}
	small := planOf("puzzle: peg\nboard: triangle5\nstart: r0c0\n")
	large := planOf("puzzle: peg\nboard: english\nstart: center\nwindow_addresses: 0\n")
	const memory, processors = 2 << 30, 256
	several := func(s settings) *process {
		s.memory, s.concurrency = memory, processors
		return &process{settings: &s, parts: parts{left: memory}}
	}
	p := several(settings{atATime: 8})
	first, back, err := p.reserve("r1", large)
	if err != nil || first != memory/4*3 {
		t.Errorf("a large run has %d, %v", first, err)
	}
	rest, backToo, err := p.reserve("r2", large)
	if err != nil || rest != memory/16*3 {
		t.Errorf("a second large run has %d, %v", rest, err)
	}
	if _, _, err := p.reserve("r3", small); !errors.Is(err, errNoRoom) {
		t.Errorf("a third run: %v", err)
	}
	if bytes, _, err := several(settings{atATime: 8}).reserve("r3", small); err != nil ||
		bytes != estimate.Useful(small, processors) || bytes >= first {
		t.Errorf("a small run alone has %d, %v", bytes, err)
	}
	back()
	backToo()
	if again, _, err := p.reserve("r3", large); err != nil || again != first {
		t.Errorf("when both are over, the third has %d, %v", again, err)
	}
	for _, s := range []settings{{atATime: 1}, {atATime: 8, once: true}, {atATime: 8, run: "r1"}} {
		if all, _, err := several(s).reserve("r1", small); err != nil || all != memory {
			t.Errorf("%+v: one run has %d, %v", s, all, err)
		}
	}
	tiny := several(settings{atATime: 8})
	tiny.memory, tiny.parts.left = 100<<20, 100<<20
	var no *refusal
	if _, _, err := tiny.reserve("r1", large); !errors.As(err, &no) {
		t.Errorf("a run that never fits: %v", err)
	}
}
