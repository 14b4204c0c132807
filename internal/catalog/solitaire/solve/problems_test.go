package solve

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pagoda/internal/peg"
)

// A listed problem is a line of testdata/problems.txt: board, start, goal, solvable or infeasible, and where it comes
// from.
type listed struct {
	peg.Problem
	solvable bool
	kind     string
}

func readProblems(t testing.TB) []listed {
	t.Helper()
	data, err := os.ReadFile("testdata/problems.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []listed
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 5 || f[3] != "solvable" && f[3] != "infeasible" {
			t.Fatalf("bad line %q", line)
		}
		p := vacancy(t, f[0], f[1], f[2])
		list = append(list, listed{p, f[3] == "solvable", f[4]})
	}
	return list
}

// TestProblems decides all problems of the list: every game is played, and every problem without a game is found to
// have none, with the certificate checked where a criterion has one. It takes every eighth problem,
// all with -tags long (make problems, for the processor times in its table), and a tenth of these with -short.
func TestProblems(t *testing.T) {
	list := readProblems(t)
	if len(list) < 200 {
		t.Fatalf("%d problems, want 200 at least", len(list))
	}
	type row struct {
		problems, solvable, criteria, rounds int
		times                                []time.Duration
	}
	table := map[string]*row{}
	var kinds []string
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		for i, p := range list {
			if i%stride != 0 || testing.Short() && i%(10*stride) != 0 {
				continue
			}
			t.Run(p.Board.Name, func(t *testing.T) {
				if stride > 1 { // times are those of one problem at a time
					t.Parallel()
				}
				begun := cpuTime()
				r, err := Solve(context.Background(), p.Problem, Options{})
				took := cpuTime() - begun
				if err != nil {
					t.Fatalf("%s to %s: %v", peg.FormatLine(p.Board, p.Start), peg.FormatLine(p.Board, p.Goal), err)
				}
				if r.Solvable != p.solvable {
					t.Fatalf("%s to %s: solvable: %v, want %v", peg.FormatLine(p.Board, p.Start),
						peg.FormatLine(p.Board, p.Goal), r.Solvable, p.solvable)
				}
				if r.Solvable {
					checkGame(t, p.Problem, r.Jumps)
				}
				if c := r.Verdict.Certificate; c != nil {
					if err := c.Check(); err != nil {
						t.Error(err)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				for _, key := range []string{p.kind + " " + p.Board.Name, "all"} {
					if table[key] == nil {
						table[key] = new(row)
						kinds = append(kinds, key)
					}
					e := table[key]
					e.problems++
					if r.Solvable {
						e.solvable++
					}
					if r.Rounds == 0 {
						e.criteria++
					}
					e.rounds, e.times = max(e.rounds, r.Rounds), append(e.times, took)
				}
			})
		}
	})
	slices.Sort(kinds)
	t.Logf("%-24s %8s %8s %8s %8s %9s %9s", "problems", "number", "solvable", "criteria", "rounds", "median ms", "most ms")
	for _, key := range kinds {
		e := table[key]
		slices.Sort(e.times)
		t.Logf("%-24s %8d %8d %8d %8d %9.1f %9.1f", key, e.problems, e.solvable, e.criteria, e.rounds,
			e.times[len(e.times)/2].Seconds()*1000, e.times[len(e.times)-1].Seconds()*1000)
	}
}
