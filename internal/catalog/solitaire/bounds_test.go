package solitaire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
)

// TestBoundsAreChecked has check verify the documents of problems with bounds, without a solution, and outside L. It
// refuses one that is about two problems.
func TestBoundsAreChecked(t *testing.T) {
	for _, test := range []struct {
		board, start, goal, given string
		jumps                     int
	}{
		{"english", "center", "center", "", 76}, {"english", "center", "center", "46x44=3", 0},
		{"english", "center", "center", "46x44=2 32x34=1", 76}, {"french", "center", "center", "", 0},
		{"triangle5", "a1", "a1", "", 36}, {"ooooooo", "ooooooo", "o.o.o.o", "", 0}, {"oooo", "oo.o", ".o..", "1x3=1", 4},
	} {
		a := puzzletest.Ask(t, &boundsQuestion, map[string]string{"board": test.board, "at_least": test.given}, test.start,
			test.goal)
		doc := a.Document.(boundsReport)
		if len(doc.Jumps) != test.jumps || (doc.Verdict == feasible.Infeasible) != (test.jumps == 0) {
			t.Errorf("%+v: %s, %d jumps", test, doc.Verdict, len(doc.Jumps))
		}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		puzzletest.Ask(t, &checkQuestion, nil, string(data))
		if len(doc.Certificates) < 2 {
			continue
		}
		doc.Certificates[1].Goal = doc.Certificates[1].Start
		if data, err = json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
		if _, err := parseCertificates(data); err == nil || !strings.Contains(err.Error(), "several problems") {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// TestBoundsOfRun demands of every jump the least and the greatest number of times in the solutions that are listed.
func TestBoundsOfRun(t *testing.T) {
	run := runOfSolutions(t)
	a, err := askRun(t, &listQuestion, run, nil)
	all := listed(t, a, err)
	a, err = askRun(t, &boundsQuestion, run, nil, "start", "r1c1")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range a.Document.(boundsReport).Jumps {
		least, greatest := int64(len(all)), int64(0)
		for _, s := range all {
			n := int64(strings.Count(s+" ", " "+j.Jump+" "))
			least, greatest = min(least, n), max(greatest, n)
		}
		if j.Least == nil || *j.Least != least || j.Greatest == nil || *j.Greatest != greatest {
			t.Errorf("%+v, want %d to %d", j, least, greatest)
		}
	}
	for _, test := range []struct {
		start, goal, given, want string
	}{{"r0c0", "goal", "", argStart}, {"start", "r0c0", "", argGoal}, {"start", "goal", "a3xa1=1", "at_least"}} {
		flags := map[string]string{}
		if test.given != "" {
			flags["at_least"] = test.given
		}
		_, err := askRun(t, &boundsQuestion, run, flags, test.start, test.goal)
		var e *setting.Error
		if !errors.As(err, &e) || e.Setting != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
