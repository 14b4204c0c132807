package countingtest

import (
	"reflect"
	"testing"

	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// Meetings compares the puzzles of problems with those of earlier programs. Two enumerations meet where they take the
// least work, the middle, and met at an end: the meeting alone tells one run from the other. One enumeration that is
// both sides meets as before, and both are one run. With results, both puzzles of a problem are played.
func Meetings[P puzzle.Revised](t *testing.T, made func(counting.Params) (P, error), results bool) {
	t.Helper()
	for _, c := range []struct{ board, start, goal, meeting string }{
		{"triangle6", "r1c0", "r2c2", "9"}, {"square5", "r2c2", "r2c2", ""},
	} {
		p, err := made(Problem(t, c.board, c.start, c.goal, 0))
		if err != nil {
			t.Fatal(err)
		}
		if e := earlier(t, p, c.meeting); results && c.meeting != "" {
			sameResults(t, p, e)
		}
	}
}

// earlier makes the puzzle of earlier programs, and compares the identities of a puzzle that meets after so many jumps.
func earlier(t *testing.T, p puzzle.Revised, meeting string) puzzle.Puzzle {
	t.Helper()
	e, err := p.Earlier()
	if err != nil {
		t.Fatal(err)
	}
	had, has := e.Identity(), p.Identity()
	if !reflect.DeepEqual(p.EarlierIdentity(), had) {
		t.Errorf("%v is said to be the earlier identity, and it is %v", p.EarlierIdentity(), had)
	}
	var params []puzzle.Param
	said := ""
	for _, x := range has.Params {
		if x.Name == "meeting" {
			said = x.Value
		} else {
			params = append(params, x)
		}
	}
	if said != meeting || !reflect.DeepEqual(params, had.Params) {
		t.Errorf("%v meets after %q jumps, want %q; earlier %v", has, said, meeting, had)
	}
	return e
}

// sameResults plays two puzzles, of different cells, and compares their results.
func sameResults(t *testing.T, p, q puzzle.Puzzle) {
	t.Helper()
	var sums [2]puzzle.Summary
	var cells [2]int
	for i, x := range []puzzle.Puzzle{p, q} {
		m := puzzletest.Play(t, x, puzzletest.Options{Stored: true})
		var err error
		if sums[i], err = x.Summarise(m); err != nil {
			t.Fatal(err)
		}
		for n := range m.Layers() {
			cells[i] += len(m.Cells(n))
		}
	}
	if !reflect.DeepEqual(sums[0].Facts, sums[1].Facts) {
		t.Errorf("%v, and %v", sums[0].Facts, sums[1].Facts)
	}
	if cells[0] == cells[1] {
		t.Errorf("both have %d cells", cells[0])
	}
}
