package solitaire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
)

// askRun asks a question about a run.
func askRun(t *testing.T, q *puzzle.Question, run puzzle.RunView, flags map[string]string, args ...string) (
	*puzzle.Answer, error,
) {
	t.Helper()
	r, err := q.Request(args, flags)
	if err != nil {
		t.Fatal(err)
	}
	r.Run = run
	return q.Answer(context.Background(), r)
}

// listed are the numbers and jumps of the solutions of an answer.
func listed(t *testing.T, a *puzzle.Answer, err error) (list []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range a.Summary.Tables[0].Rows {
		list = append(list, fmt.Sprint(row[0].N, " ", row[2].S))
	}
	return list
}

// fact is the number of a fact, as a text.
func fact(t *testing.T, a *puzzle.Answer, name string) string {
	t.Helper()
	for _, f := range a.Summary.Facts {
		if f.Name == name {
			return f.Value.N.String()
		}
	}
	t.Fatalf("the answer does not say %s", name)
	return ""
}

// TestListOfRun demands the same solutions with a run and without one, in pieces and at once, chosen and not. Each has
// the number that peg rank says.
func TestListOfRun(t *testing.T) {
	run := runOfSolutions(t)
	small := map[string]string{"board": "triangle4", "count": "1000"}
	with := func(flags map[string]string, name, value string) map[string]string {
		more := map[string]string{name: value}
		for k, v := range flags {
			more[k] = v
		}
		return more
	}
	everything := puzzletest.Ask(t, &listQuestion, small, "r1c0", "r1c1")
	all := listed(t, everything, nil)
	if fact(t, everything, "all_solutions") != fmt.Sprint(len(all)) || len(all) < 5 {
		t.Fatalf("%d solutions, and the answer says %s", len(all), fact(t, everything, "all_solutions"))
	}
	a, err := askRun(t, &listQuestion, run, nil)
	if got := listed(t, a, err); !slices.Equal(got, all) {
		t.Errorf("the run has %v, want %v", got, all)
	}
	for i, want := range all {
		flags := map[string]string{"from": fmt.Sprint(i), "count": "1"}
		a, err := askRun(t, &listQuestion, run, flags)
		if got := listed(t, a, err); len(got) != 1 || got[0] != want {
			t.Errorf("from %d: %v, want %s", i, got, want)
		}
		number, jumps, _ := strings.Cut(want, " ")
		a, err = askRun(t, &rankQuestion, run, nil, jumps)
		if err != nil || fact(t, a, "number") != number {
			t.Errorf("solution %s: %v, %v", number, a, err)
		}
		a = puzzletest.Ask(t, &rankQuestion, map[string]string{"board": "triangle4", "start": "r1c0"}, jumps)
		if fact(t, a, "number") != number || fact(t, a, "all_solutions") != fmt.Sprint(len(all)) {
			t.Errorf("solution %s without a run: %+v", number, a.Summary.Facts)
		}
	}
	a, err = askRun(t, &listQuestion, run, map[string]string{"from": fmt.Sprint(len(all))})
	if got := listed(t, a, err); len(got) != 0 {
		t.Errorf("behind the last: %v", got)
	}
	b, chosen := pegtest.Named(t, "triangle4"), 0
	for _, j := range b.Jumps {
		name := peg.FormatJump(b, j)
		var want []string
		for _, s := range all {
			if slices.Contains(strings.Fields(s), name) {
				want = append(want, s)
			}
		}
		a, err := askRun(t, &listQuestion, run, map[string]string{"with": name})
		got := listed(t, a, err)
		few := listed(t, puzzletest.Ask(t, &listQuestion, with(small, "with", name), "r1c0", "r1c1"), nil)
		if !slices.Equal(got, want) || !slices.Equal(few, want) || fact(t, a, "chosen_solutions") != fmt.Sprint(len(want)) {
			t.Errorf("with %s: %v, without a run %v, want %v", name, got, few, want)
		}
		if len(want) > 0 && len(want) < len(all) {
			chosen++
		}
	}
	if chosen == 0 {
		t.Error("no jump chooses")
	}
	a, err = askRun(t, &listQuestion, run, map[string]string{"through": "start", "sweep": "1"})
	if got := listed(t, a, err); !slices.Equal(got, all) {
		t.Errorf("through the start: %v", got)
	}
}

// TestListRefusals demands of each refusal the part that is at fault.
func TestListRefusals(t *testing.T) {
	run := runOfSolutions(t)
	for _, test := range []struct {
		run   puzzle.RunView
		flags map[string]string
		args  []string
		want  string
	}{
		{want: argPosition}, {args: []string{"center"}, want: argPosition},
		{args: []string{"center", "center"}, want: argPosition}, {args: []string{"0x7", "0x7"}, want: argPosition},
		{args: []string{"r9c9", "0x7"}, want: argPosition},
		{run: run, args: []string{"start"}, want: argPosition},
		{run: run, flags: map[string]string{"board": "ooo"}, want: "board"},
		{run: run, flags: map[string]string{"with": "1x2"}, want: "with"},
		{run: run, flags: map[string]string{"through": "r9c9"}, want: "through"},
		{run: run, flags: map[string]string{"through": "0x0"}, want: "through"},
	} {
		_, err := askRun(t, &listQuestion, test.run, test.flags, test.args...)
		var e *setting.Error
		if !errors.As(err, &e) || e.Setting != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
	for _, text := range []string{"-1", "x", "1,000", ""} {
		if _, err := listQuestion.Request(nil, map[string]string{"from": text}); err == nil {
			t.Errorf("%q is the number of a solution", text)
		}
	}
}

// TestSampleDistinct draws all solutions, each once, and refuses to draw more.
func TestSampleDistinct(t *testing.T) {
	run := runOfSolutions(t)
	all, err := askRun(t, &listQuestion, run, nil)
	want := listed(t, all, err)
	flags := map[string]string{"distinct": "true", "draws": fmt.Sprint(len(want))}
	a, err := askRun(t, &sample, run, flags)
	got := listed(t, a, err)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	flags["draws"] = fmt.Sprint(len(want) + 1)
	var e *setting.Error
	if _, err = askRun(t, &sample, run, flags); !errors.As(err, &e) || e.Setting != "draws" {
		t.Error(err)
	}
}
