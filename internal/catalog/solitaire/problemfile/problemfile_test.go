package problemfile_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/problemfile"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// written is a problem as the generators of the competitions write it, with objects named by name.
func written(b *peg.Board, start, goal peg.Position, name func(hole int) string, order []int) string {
	var s strings.Builder
	s.WriteString("; a remark with a bracket )\n(define (problem Sequential-068)\n" +
		"  (:domain pegsolitaire-sequential)\n  (:objects\n")
	for _, h := range order {
		fmt.Fprintf(&s, "    %s - location\n", name(h))
	}
	s.WriteString("  )\n  (:init\n    (= (total-cost) 0)\n    (MOVE-ENDED)\n")
	for _, j := range b.Jumps {
		fmt.Fprintf(&s, "    (IN-LINE %s %s %s)\n", name(int(j.From)), name(int(j.Over)), name(int(j.To)))
	}
	is := func(p peg.Position, h int) string {
		if p.Has(h) {
			return "occupied"
		}
		return "free"
	}
	for h := range b.Holes {
		fmt.Fprintf(&s, "    (%s %s)\n", is(start, h), name(h))
	}
	s.WriteString("  )\n  (:goal (and (move-ended)\n")
	for h := range b.Holes {
		fmt.Fprintf(&s, "    (%s %s)\n", is(goal, h), name(h))
	}
	s.WriteString("  ))\n  (:metric minimize (total-cost))\n)\n")
	return s.String()
}

// TestPlaces reads back every named board of the square lattice, with diagonals and without, from objects in any order.
func TestPlaces(t *testing.T) {
	for _, name := range []string{"english", "french", "diamond", "wiegleb", "square5", "square6", "square7"} {
		for _, rule := range []string{"", peg.Diagonal, ">0,1 1,0 2,1"} {
			b, err := pegtest.Named(t, name).WithRule(rule)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, uint64(b.Size())))
			start, goal := peg.Position(random.Uint64())&b.Full(), peg.Position(random.Uint64())&b.Full()
			text := written(b, start, goal, func(h int) string {
				return fmt.Sprintf("pos-%d-%d", b.Holes[h].Row+2, b.Holes[h].Col+1)
			}, random.Perm(b.Size()))
			list, err := problemfile.Read(text)
			if err != nil || len(list) != 1 {
				t.Fatalf("%s: %d problems, %v", name, len(list), err)
			}
			p := list[0]
			if p.Name != "sequential-068" || len(p.Notes) != 1 || p.StartLine() != peg.FormatLine(b, start) ||
				p.GoalLine() != peg.FormatLine(b, goal) {
				t.Errorf("%s: %s %q, from %s to %s", name, p.Name, p.Notes, p.StartLine(), p.GoalLine())
			}
			again, err := peg.DrawRule("drawn", peg.Square, p.StartLine(), p.Rule())
			if err != nil || again.Rule != b.Rule || !slices.Equal(again.Jumps, b.Jumps) {
				t.Errorf("%s with rule %q: read as %v, %v", name, rule, again, err)
			}
		}
	}
}

// TestNoPlaces reads a board whose objects have names without places: each fact is a jump, between the same objects.
func TestNoPlaces(t *testing.T) {
	b := pegtest.Named(t, "english")
	random := rand.New(rand.NewPCG(2, 3))
	number := random.Perm(b.Size())
	start, goal := b.Complement(1<<16), peg.Position(1<<16)
	name := func(h int) string { return fmt.Sprintf("location_%d", number[h]) }
	text := written(b, start, goal, name, random.Perm(b.Size()))
	list, err := problemfile.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	p := list[0]
	var objects []string
	for _, m := range regexp.MustCompile(`(location_[0-9]+) - location`).FindAllStringSubmatch(text, -1) {
		objects = append(objects, m[1])
	}
	var got, want []string
	for _, j := range p.Jumps {
		got = append(got, strings.Join([]string{objects[j[0]], objects[j[1]], objects[j[2]]}, " "))
	}
	for _, m := range regexp.MustCompile(`IN-LINE ([a-z0-9_ ]+)`).FindAllStringSubmatch(text, -1) {
		want = append(want, m[1])
	}
	if !slices.Equal(got, want) || len(got) != 76 || len(p.Notes) != 1 || p.Holes[9] != (peg.Hole{Row: 1, Col: 1}) {
		t.Errorf("%d jumps, notes %q", len(got), p.Notes)
	}
	facts, _, _ := strings.Cut(text, ":goal")
	for i, name := range objects {
		if (p.Start[i] == problemfile.Peg) != strings.Contains(facts, "(occupied "+name+")\n") {
			t.Errorf("%s: %c", name, p.Start[i])
		}
	}
	if n := strings.Count(p.StartLine(), "o"); n != 32 || strings.Count(p.GoalLine(), "o") != 1 {
		t.Errorf("from %s to %s", p.StartLine(), p.GoalLine())
	}
}

const small = `(define (problem small)
(:domain pegsolitaire-temporal)
(:objects a-0-0 a-0-1 a-0-2 - location t0 t1 - time-step)
(:init (in-line a-0-0 a-0-1 a-0-2)
(occupied a-0-0) (occupied a-0-1)
(free a-0-2) (at-time t0) (consecutive t0 t1))
(:goal (and (not (free a-0-2)) (not (occupied a-0-1)))))`

func TestGoals(t *testing.T) {
	for goal, want := range map[string]string{
		"(and (not (free a-0-2)) (not (occupied a-0-1)))": "?.o",
		"(occupied a-0-2)": "??o",
		"(and (and (free a-0-0) (move-ended)) (free a-0-1))": "..?",
		"(and)":                        "???",
		"(not (not (occupied a-0-0)))": "o??",
		"(and (occupied a-0-2) (free A-0-0) (not (occupied a-0-1)))": "..o",
	} {
		text := strings.Replace(small, "(and (not (free a-0-2)) (not (occupied a-0-1)))", goal, 1)
		list, err := problemfile.Read(text)
		if err != nil || list[0].GoalLine() != want || list[0].StartLine() != "oo." || list[0].Rule() != "r0c0>r0c1>r0c2" {
			t.Errorf("%s: %v, want %s", goal, err, want)
		}
	}
	list, err := problemfile.Read("(define (domain d))" + small + "\n" + strings.Replace(small, "small", "other", 1))
	if err != nil || len(list) != 2 || list[1].Name != "other" {
		t.Errorf("two problems: %v", err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{small, "; nothing", "it is empty"},
		{small, "(define (domain d))", "it defines a domain; give the file of a problem"},
		{small, "(defun f)", "line 1: (defun f): want (define (problem NAME) ...)"},
		{small, "(define (problem p)", "line 1: this bracket is not closed"},
		{small, "(a))", "line 1: a bracket is closed that none opens"},
		{small, "(a)\nb", `line 2: "b" stands outside of all brackets`},
		{small, strings.Repeat("(", 101), "more than 100 brackets"},
		{small, "(define (problem p) (:init) (:init))", "line 1: (:init): the problem has it twice"},
		{small, "(define (problem p) (:init))", "line 1: problem p has no (:objects ...)"},
		{"(free a-0-2)", "(free a-0-3)", "line 6: (free a-0-3): there is no location \"a-0-3\""},
		{"(free a-0-2)", "", "line 4: location a-0-2 is neither occupied nor free"},
		{"(free a-0-2)", "(free a-0-2) (free a-0-1)", "line 6: (free a-0-1): the location is both occupied and free"},
		{"(free a-0-2)", "(free a-0-2 a-0-1)", "line 6: (free a-0-2 a-0-1): want 1 names of locations"},
		{"(free a-0-2)", "(red a-0-2)", "line 6: (red a-0-2): want in-line, occupied or free"},
		{"(in-line a-0-0 a-0-1 a-0-2)", "", "line 4: no fact (in-line FROM OVER TO)"},
		{"(in-line a-0-0 a-0-1 a-0-2)", "(in-line a-0-0 a-0-1 a-0-0)", "it names a location twice"},
		{"a-0-2 - location", "a-0-2 a-0-2 - location", "object a-0-2 is there twice"},
		{"- time-step)", "-)", "no type stands behind the last -"},
		{"a-0-2 - location", "a-0-2 - thing", "no object is a location"},
		{"(and (not (free a-0-2)) (not", "(or (not (free a-0-2)) (not",
			"line 7: (or (not (free a-0-2)) (not (occupied a-0-1))): a goal must say"},
		{"(and (not (free a-0-2)) (not", "(not (and (free a-0-2)) (not", "want one condition"},
		{"(and (not (free a-0-2)) (not (occupied a-0-1)))", "(not (and (free a-0-2)))", "a goal must say of each location"},
		{"(not (free a-0-2))", "(not (move-ended))", "every move can end"},
		{"(not (free a-0-2))", "(free a-0-2) (occupied a-0-2)", "both occupied and free"},
		{"(:goal (and", "(:goal (free a-0-1) (and", "want one condition"},
	} {
		text := strings.Replace(small, c.old, c.new, 1)
		if _, err := problemfile.Read(text); !errors.Is(err, problemfile.ErrFile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s instead of %s: %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

func TestDrawings(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []problemfile.Drawn
	}{
		"one":         {"ooo\n.oo\n", []problemfile.Drawn{{Start: "ooo\n.oo\n"}}},
		"two":         {"ooo\r\n\r\n..o\r\n", []problemfile.Drawn{{Start: "ooo\n", Goal: "\n\n..o\n"}}},
		"words":       {"# Start:\nooo\nGoal\n..o", []problemfile.Drawn{{Start: "\nooo\n", Goal: "\n\n\n..o\n"}}},
		"in the line": {"start: ooo/o.o\ngoal: any\n", []problemfile.Drawn{{Start: "ooo/o.o\n", Goal: "\nany"}}},
		"three": {"A\nooo\n\nB\noo.\n---\n.oo", []problemfile.Drawn{
			{Name: "A", Start: "\nooo\n"}, {Name: "B", Start: "\n\n\n\noo.\n"}, {Start: "\n\n\n\n\n\n.oo\n"}}},
		"goals of two": {"A\nooo\ngoal\n..o\n\nB\noo.\ntarget\n..o", []problemfile.Drawn{
			{"A", "\nooo\n", "\n\n\n..o\n"}, {"B", "\n\n\n\n\n\noo.\n", "\n\n\n\n\n\n\n\n..o\n"}}},
		"open": {"oo.\n\n?.o\n", []problemfile.Drawn{{Start: "oo.\n", Goal: "\n\n?.o\n"}}},
	} {
		got, err := problemfile.ReadDrawings(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                           "no drawing is in it",
		"hello\n":                    "no drawing is in it",
		"goal\n..o\n":                "line 2: a goal without a start before it",
		"ooo\ngoal\n..o\ngoal: any":  "line 4: a goal without a start before it",
		"start: oo.\n\ngoal any\n":   "line 3: no goal stands below it",
		"oo.\ngoal\n\nstart: .oo\n":  "line 2: no goal stands below it",
		"start: center\n\noo.\n":     `line 1: the start "center" is not drawn`,
		"oo.\n\ninitial = 33\n.oo\n": `line 3: the start "33" is not drawn`,
	} {
		_, err := problemfile.ReadDrawings(text)
		if !errors.Is(err, problemfile.ErrFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]bool{
		"; x\n\n (define": true, "ooo": false, "": false, "; (\n": false, "[1,0]": false,
	} {
		if problemfile.IsPDDL(text) != want {
			t.Errorf("%q: PDDL is %v", text, !want)
		}
	}
}

// FuzzRead: whatever reads as a problem is the same one when its drawings and its rule are read as a board of any size.
func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(written(pegtest.Named(f, "english"), 7, 1, func(h int) string { return fmt.Sprintf("pos-%d-%d", h/3, h%3) },
		rand.New(rand.NewPCG(1, 2)).Perm(33)))
	f.Fuzz(func(t *testing.T, text string) {
		list, err := problemfile.Read(text)
		if err != nil && !errors.Is(err, problemfile.ErrFile) {
			t.Fatal(err)
		}
		for _, p := range list {
			b, err := peg.DrawLayout("drawn", peg.Square, p.BoardLine(), p.Rule())
			if err != nil {
				if !errors.Is(err, peg.ErrBoard) {
					t.Fatal(err)
				}
				continue
			}
			start, err := b.StartSet(p.StartLine())
			if err != nil || b.Size() != len(p.Holes) {
				t.Fatalf("%d holes, start %s: %v", b.Size(), p.StartLine(), err)
			}
			pegs, free, err := b.PatternSets(p.GoalLine())
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Holes {
				goal := problemfile.Empty
				if pegs.Has(i) {
					goal = problemfile.Peg
				} else if free.Has(i) {
					goal = problemfile.Either
				}
				if start.Has(i) != (p.Start[i] == problemfile.Peg) || goal != p.Goal[i] {
					t.Fatalf("hole %d of %s, %s", i, p.StartLine(), p.GoalLine())
				}
			}
			for _, j := range p.Jumps {
				if !slices.Contains(b.Jumps, peg.Jump{From: uint16(j[0]), Over: uint16(j[1]), To: uint16(j[2])}) {
					t.Fatalf("the board has no jump %v", j)
				}
			}
		}
	})
}
