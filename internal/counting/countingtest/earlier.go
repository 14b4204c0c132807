package countingtest

import (
	"reflect"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// Earlier compares a puzzle whose enumerations meet after so many jumps with that of earlier programs, where they met
// elsewhere: the meeting alone tells one run from the other. With no meeting both are one run. It returns the earlier
// one.
func Earlier(t *testing.T, p puzzle.Revised, meeting string) puzzle.Puzzle {
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

// SameResults plays two puzzles, of different cells, and compares their results.
func SameResults(t *testing.T, p, q puzzle.Puzzle) {
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
