package goals

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
)

// TestSmallBoards decides problems of random small boards with every kind of goals, and compares with all games. Small
// bounds have the goals listed, and have the beam look for them. Every certificate is checked.
func TestSmallBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(pegtest.Board(3, 11), pegtest.Apart(11)).Draw(t, "board")
		start := pegtest.Start(b).Draw(t, "start")
		pattern := peg.Goals{Board: b, Patterns: []peg.Pattern{{Fixed: 0b111, Pegs: 0b101}}, Least: 1, Most: b.Size()}
		k := strconv.Itoa(rapid.IntRange(1, b.Size()).Draw(t, "pegs"))
		text := rapid.SampledFrom([]string{"any", "at-most-" + k, "dead", "dead-at-least-" + k, "images(r0c0)",
			pattern.Patterns[0].Format(b), "images(" + pattern.Patterns[0].Format(b) + ")"}).Draw(t, "goals")
		g, err := peg.ParseGoals(b, text)
		if text == "images(r0c0)" && err != nil {
			g, err = peg.ParseGoals(b, "images("+peg.FormatLine(b, 1)+")")
		}
		if err != nil {
			t.Fatal(err)
		}
		reached := false
		for _, l := range reference.Play(b, start, -1) {
			for p := range l.Paths {
				reached = reached || g.Has(p)
			}
		}
		for _, near := range []int{0, 1} {
			d := newDecision(start, g, Options{near: near})
			if err := d.decide(context.Background()); err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{true: feasible.Feasible, false: feasible.Infeasible}[reached]; d.Verdict != want {
				t.Fatalf("%s to %s: %s by %s, want %s", peg.FormatLine(b, start), g, d.Verdict, d.Criterion, want)
			}
			checkResult(t, start, &d.Result, g)
		}
	})
}

// TestExtremesOfSmallBoards compares the most and the fewest pegs with those of all games.
func TestExtremesOfSmallBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(pegtest.Board(3, 13), pegtest.Apart(13)).Draw(t, "board")
		start := pegtest.Start(b).Draw(t, "start")
		most, fewest := 0, b.Size()
		for _, l := range reference.Play(b, start, -1) {
			if len(l.Dead) > 0 {
				most, fewest = max(most, l.Pegs), l.Pegs
			}
		}
		for text, want := range map[string]int{"most-pegs": most, "fewest-pegs": fewest} {
			g, err := peg.ParseGoals(b, text)
			if err != nil {
				t.Fatal(err)
			}
			for _, near := range []int{0, 1} {
				r, err := Decide(context.Background(), start, g, Options{near: near})
				if err != nil {
					t.Fatal(err)
				}
				e := r.Extreme
				if r.Verdict != feasible.Feasible || e.Pegs != want || !e.Proved() || r.End.Pegs() != want ||
					!b.Dead(r.End) {
					t.Fatalf("%s of %s: %s, %+v, want %d pegs", text, peg.FormatLine(b, start), r.Verdict, e, want)
				}
				checkResult(t, start, r, g)
				trivial := want == start.Pegs() || text == "fewest-pegs" && want == 1
				if (e.Certificate == nil) != trivial {
					t.Fatalf("%s of %s: the bound %d has the certificate %v", text, peg.FormatLine(b, start), e.Bound,
						e.Certificate)
				}
				if e.Certificate != nil {
					if err := e.Certificate.Check(); err != nil || e.Certificate.Claim != proofs.Infeasible {
						t.Fatalf("%s of %s: %s: %v", text, peg.FormatLine(b, start), e.Certificate.Claim, err)
					}
				}
			}
		}
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkResult plays the game and checks the certificate.
func checkResult(t fataler, start peg.Position, r *Result, g peg.Goals) {
	t.Helper()
	if r.Certificate == nil || string(r.Certificate.Claim) != r.Verdict {
		t.Fatalf("%s has the certificate %v", r.Verdict, r.Certificate)
	}
	if err := r.Certificate.Check(); err != nil {
		t.Fatalf("%s to %s: %v", peg.FormatLine(g.Board, start), g, err)
	}
	if r.Tried == nil {
		t.Fatalf("%s to %s: tried is null in a document, and not an empty list", peg.FormatLine(g.Board, start), g)
	}
	if r.Verdict != feasible.Feasible {
		return
	}
	at := start
	for _, j := range r.Jumps {
		if !j.Legal(at) {
			t.Fatalf("%s cannot be played on %s", peg.FormatJump(g.Board, j), peg.FormatLine(g.Board, at))
		}
		at = j.Play(at)
	}
	if at != r.End || !g.Has(at) {
		t.Fatalf("the game ends at %s, and %s is said: want a position of %s", peg.FormatLine(g.Board, at),
			peg.FormatLine(g.Board, r.End), g)
	}
}

// TestBudgets has every search for one goal with more memory than the one before, and the last with all of it.
func TestBudgets(t *testing.T) {
	for bytes, want := range map[int64][]int64{
		1 << 14:  {1 << 14},
		1 << 20:  {1 << 20},
		16 << 20: {1 << 20, 8 << 20, 16 << 20},
		64 << 20: {1 << 20, 8 << 20, 64 << 20},
		0:        {1 << 20, 8 << 20, 64 << 20, 512 << 20},
	} {
		if got := (Options{Bytes: bytes}).withDefaults().budgets(); !slices.Equal(got, want) {
			t.Errorf("%d bytes: %v, want %v", bytes, got, want)
		}
	}
}

// TestShortestDeadEnds has the fewest jumps to a dead end, from every kind of vacancy of the boards in docs/results.md.
// That of the English board is 6, as problem 37 of CSPLib has it for the vacancy in the middle. For the first boards
// all positions are walked, too, which is another way.
func TestShortestDeadEnds(t *testing.T) {
	for _, c := range shortestDeadEnds {
		b := pegtest.Named(t, c.board)
		g, err := peg.ParseGoals(b, "most-pegs")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[peg.Position]bool{}
		group := b.Symmetries()
		for h := range b.Size() {
			start := b.Full() &^ (1 << h)
			least, _ := peg.Canonical(group, start)
			if seen[least] {
				continue
			}
			seen[least] = true
			if c.long && !all || testing.Short() && h > 2 {
				continue
			}
			r, err := Decide(context.Background(), start, g, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, start, r, peg.DeadEnds(b, r.End.Pegs()))
			if !r.Extreme.Proved() || len(r.Jumps) != c.jumps[b.Label(h)] {
				t.Errorf("%s without %s: %d jumps, %+v, want %d", c.board, b.Label(h), len(r.Jumps), r.Extreme,
					c.jumps[b.Label(h)])
			}
			if len(r.Jumps) == 0 || len(r.Jumps) > 9 || c.long {
				continue
			}
			if proof := r.Extreme.Certificate; proof == nil || proof.Check() != nil {
				t.Errorf("%s without %s: the certificate of the bound is %v", c.board, b.Label(h), proof)
			}
			at, end, err := newWalk(b, start).search(context.Background(), peg.DeadEnds(b, 1), 2_000_000)
			if err != nil || end != met || at.Pegs() != r.End.Pegs() {
				t.Errorf("%s without %s: the walk ends at %s (%v, %v), not with %d pegs", c.board, b.Label(h),
					peg.FormatLine(b, at), end, err, r.End.Pegs())
			}
		}
		if len(seen) != len(c.jumps) {
			t.Errorf("%s has %d kinds of vacancies, and the table %d", c.board, len(seen), len(c.jumps))
		}
	}
}

var shortestDeadEnds = []struct {
	board string
	long  bool
	jumps map[string]int // by the first vacancy of a kind
}{
	{"english", false, map[string]int{"31": 9, "41": 6, "32": 13, "42": 10, "33": 13, "43": 9, "44": 6}},
	{"french", true,
		map[string]int{"31": 13, "41": 15, "22": 14, "32": 14, "42": 13, "33": 14, "43": 13, "44": 15}},
	{"diamond", true,
		map[string]int{"51": 10, "42": 10, "52": 14, "33": 14, "43": 14, "53": 13, "44": 14, "54": 10, "55": 14}},
	{"wiegleb", true,
		map[string]int{"41": 15, "51": 12, "42": 12, "52": 13, "43": 13, "53": 13, "44": 15, "54": 12, "55": 13}},
	{"square5", false, map[string]int{"11": 8, "21": 8, "31": 8, "22": 8, "32": 7, "33": 8}},
	{"square6", false, map[string]int{"11": 8, "21": 11, "31": 8, "22": 15, "32": 11, "33": 8}},
	{"square7", true,
		map[string]int{"11": 15, "21": 18, "31": 15, "41": 15, "22": 18, "32": 18, "42": 18,
			"33": 15, "43": 15, "44": 15}},
	{"triangle4", false, map[string]int{"a1": 6, "a2": 4, "b3": 0}},
	{"triangle5", false, map[string]int{"a1": 6, "a2": 6, "a3": 7, "b3": 4}},
	{"triangle6", false, map[string]int{"a1": 8, "a2": 8, "a3": 8, "b3": 8, "b4": 8}},
	{"triangle7", true, map[string]int{"a1": 9, "a2": 12, "a3": 12, "b3": 9, "a4": 9, "b4": 12, "c5": 9}},
	{"triangle8", true, map[string]int{"a1": 13, "a2": 13, "a3": 13, "b3": 13, "a4": 13, "b4": 13, "b5": 13, "c5": 13}},
}

// TestEndsEarly has every search stop with its context, and give up with little memory.
func TestEndsEarly(t *testing.T) {
	b := pegtest.Named(t, "french")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	start := b.Full() &^ 1
	for _, text := range []string{"any", "at-most-2", "dead-at-least-30", "fewest-pegs", "most-pegs"} {
		g, err := peg.ParseGoals(b, text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decide(ctx, start, g, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
	}
	g, err := peg.ParseGoals(b, "most-pegs")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Decide(context.Background(), start, g, Options{Bytes: 1 << 14})
	if err != nil || r.Verdict != feasible.Feasible || r.Extreme.Bound >= start.Pegs() || r.Extreme.Proved() ||
		len(r.Tried) != 1 || r.Tried[0].Note != "more than 1024 classes" {
		t.Fatalf("%+v, %v", r, err)
	}
	checkResult(t, start, r, peg.DeadEnds(b, r.Extreme.Pegs))
}
