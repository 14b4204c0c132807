package proofs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestGoalsAreChecked alters certificates about several goals in each way that would make them prove too much.
func TestGoalsAreChecked(t *testing.T) {
	b := pegtest.Drawn(t, peg.Square, "ooooo")
	all := proofs.Proof{Kind: proofs.All, Forward: 2, Positions: 5}
	parity := proofs.Proof{Kind: proofs.Modular, Modulus: 2, Weights: []int64{1, 1, 0, 1, 1}}
	each := func(list ...proofs.GoalProof) proofs.Proof { return proofs.Proof{Kind: proofs.Each, Each: list} }
	search := func(goal string) proofs.GoalProof {
		return proofs.GoalProof{Goal: goal, Proof: proofs.Proof{Kind: proofs.Search, Forward: 2, Positions: 7}}
	}
	single, two := proofs.Goals{Least: 1, Most: 1}, proofs.Goals{Least: 1, Most: 2}
	game := func(jumps ...string) proofs.Proof { return proofs.Proof{Kind: proofs.Game, Jumps: jumps} }
	fits := func(pattern string, most int) proofs.Goals {
		return proofs.Goals{Patterns: []string{pattern}, Least: 1, Most: most}
	}
	early, miscounted := all, all
	early.Forward, miscounted.Positions = 1, 4
	const yes, no = proofs.Feasible, proofs.Infeasible
	for name, c := range map[string]struct {
		claim proofs.Claim
		goals proofs.Goals
		proof proofs.Proof
		fault string
	}{
		"all":             {no, single, all, ""},
		"all, a goal":     {no, two, all, "2 jumps lead to the goal"},
		"all, dead":       {no, proofs.Goals{Least: 1, Most: 5, Dead: true}, all, "2 jumps lead to the goal"},
		"all, no end":     {no, single, early, "1 jumps do not lead to all"},
		"all, miscounted": {no, single, miscounted, "5 positions can be reached"},
		"a game":          {yes, two, game("11x31", "51x31"), "cannot be played"},
		"a short game":    {yes, two, game("11x31"), "none of the goals"},
		"a whole game":    {yes, fits("..?oo", 3), game("11x31"), ""},
		"too few pegs":    {yes, fits("..?oo", 2), game("11x31"), "none of the goals"},
		"parity":          {no, single, each(proofs.GoalProof{Proof: parity}), "a multiple of 2"},
		"one goal":        {no, fits("....?", 5), each(proofs.GoalProof{Proof: parity}), ""},
		"no proof":        {no, single, each(), "it has no proof"},
		"an image":        {no, fits("?...?", 1), each(search("....o")), ""},
		"one too many":    {no, fits("??...", 1), each(search("....o")), "goal .o...: wrong certificate: it has no proof"},
		"the start":       {no, proofs.Goals{Least: 4, Most: 4}, each(), "the start is a goal"},
		"nested":          {no, single, each(proofs.GoalProof{Proof: all}), "cannot be of kind"},
		"another claim":   {proofs.InCone, single, all, "no proof of kind"},
		"at most":         {no, two, each(proofs.GoalProof{Proof: parity}), "a multiple of 2"},
	} {
		start, err := peg.ParseGoal(b, "oo.oo")
		if err != nil {
			t.Fatal(err)
		}
		cert := proofs.New(peg.Problem{Board: b, Start: start}, c.claim, c.proof)
		cert.Goal, cert.Goals = "", &c.goals
		err = cert.Check()
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %q", name, err, c.fault)
		case err != nil && !errors.Is(err, proofs.ErrForm) && !errors.Is(err, proofs.ErrProof):
			t.Errorf("%s: %v is of no kind", name, err)
		}
		if cert.Goal = "o...."; cert.Check() == nil {
			t.Errorf("%s: a goal and goals are taken", name)
		}
	}
}

// TestImagesOfGoals names each class of goals by each of its positions in turn: a proof for one is a proof for its
// class. No jump can be played on the corners, so a search ends at once.
func TestImagesOfGoals(t *testing.T) {
	b := pegtest.Drawn(t, peg.Square, "ooo\nooo\nooo")
	start, err := peg.ParseGoal(b, "o.o/.../o.o")
	if err != nil {
		t.Fatal(err)
	}
	group := b.Symmetries()
	search := proofs.Proof{Kind: proofs.Search, Forward: 2, Positions: 2}
	for i, g := range group {
		var each []proofs.GoalProof
		for p := range peg.AtMost(b, 2).All() {
			if least, _ := peg.Canonical(group, p); p.Pegs() == 2 && least == p {
				each = append(each, proofs.GoalProof{Goal: peg.FormatLine(b, g.Apply(p)), Proof: search})
			}
		}
		all := proofs.Proof{Kind: proofs.Each, Each: each}
		cert := proofs.New(peg.Problem{Board: b, Start: start}, proofs.Infeasible, all)
		cert.Goal, cert.Goals = "", &proofs.Goals{Least: 2, Most: 2}
		if err := cert.Check(); err != nil {
			t.Errorf("goals moved by symmetry %d: %v", i, err)
		}
	}
}

// TestProofsOfGoals has proofs that hold for the goal that they name, or for an image of one, and not for its least
// image. The half turn of three holes in a row fixes the start o.o and exchanges the goals o.. and ..o.
func TestProofsOfGoals(t *testing.T) {
	right, left := []int64{-1, 1, 0}, []int64{0, 1, -1} // of ..o, and of o..
	weights := func(goal string, w []int64) proofs.GoalProof {
		return proofs.GoalProof{Goal: goal, Proof: proofs.Proof{Kind: proofs.Pagoda, Weights: w}}
	}
	false1 := proofs.GoalProof{Goal: "o..", Proof: proofs.Proof{Kind: proofs.NoUndo}}
	for name, c := range map[string]struct {
		patterns []string
		each     []proofs.GoalProof
		fault    string
	}{
		"named":              {[]string{"..?"}, []proofs.GoalProof{weights("..o", right)}, ""},
		"named, its image":   {[]string{"?.."}, []proofs.GoalProof{weights("..o", right)}, ""},
		"of another":         {[]string{"..?"}, []proofs.GoalProof{weights("..o", left)}, "must weigh more"},
		"shared":             {[]string{"..?"}, []proofs.GoalProof{weights("", right)}, ""},
		"shared, its image":  {[]string{"?.."}, []proofs.GoalProof{weights("", right)}, ""},
		"shared, alone":      {[]string{".?."}, []proofs.GoalProof{weights("", []int64{-1, 1, -1})}, ""},
		"no image":           {[]string{"..?"}, []proofs.GoalProof{weights("", []int64{0, 1, 0})}, "must weigh more"},
		"false, then shared": {[]string{"..?"}, []proofs.GoalProof{false1, weights("", left)}, ""},
		"right, then false":  {[]string{"..?"}, []proofs.GoalProof{weights("o..", left), false1}, ""},
		"false, then right":  {[]string{"..?"}, []proofs.GoalProof{false1, weights("o..", left)}, ""},
		"none":               {nil, []proofs.GoalProof{weights("", right)}, ""},
		"no pattern":         {[]string{}, []proofs.GoalProof{weights("", right)}, ""},
		"all holes":          {[]string{"???"}, []proofs.GoalProof{weights("", right)}, ""},
	} {
		cert := line("o.o", "", proofs.Infeasible, proofs.Proof{Kind: proofs.Each, Each: c.each})
		cert.Goals = &proofs.Goals{Patterns: c.patterns, Least: 1, Most: 1}
		switch err := cert.Check(); {
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %q", name, err, c.fault)
		}
	}
}

// TestOnlySearchesCount has a bound on the positions of all searches, which the number in a proof without a search does
// not change.
func TestOnlySearchesCount(t *testing.T) {
	parity := proofs.Proof{Kind: proofs.Modular, Modulus: 2, Weights: []int64{1, 1, 0, 1, 1}, Positions: -9}
	c := line("oo.oo", "", proofs.Infeasible, proofs.Proof{Kind: proofs.Each, Each: []proofs.GoalProof{
		{Goal: "o....", Proof: parity},
		{Goal: ".o...", Proof: proofs.Proof{Kind: proofs.Search, Forward: 2, Positions: 7}},
	}})
	c.Goals = &proofs.Goals{Patterns: []string{"??..."}, Least: 1, Most: 1}
	if err := c.CheckWithin(context.Background(), 7); err != nil {
		t.Error(err)
	}
	err := c.CheckWithin(context.Background(), 6)
	if err == nil || !strings.Contains(err.Error(), "more than 6 positions") {
		t.Errorf("a search of 7 positions, where 6 may be visited: %v", err)
	}
	c.Proof.Each[0].Proof.Positions = 9
	if err := c.CheckWithin(context.Background(), 7); err != nil {
		t.Error(err)
	}

	// A search that proves nothing has visited as many positions as it says.
	few := proofs.Proof{Kind: proofs.Search, Forward: 2, Positions: 3}
	c.Proof.Each = append([]proofs.GoalProof{{Goal: ".o...", Proof: few}}, c.Proof.Each...)
	if err := c.CheckWithin(context.Background(), 10); err != nil {
		t.Error(err)
	}
	err = c.CheckWithin(context.Background(), 9)
	if err == nil || !strings.Contains(err.Error(), "more than 6 positions") {
		t.Errorf("searches of 3 and 7 positions, where 9 may be visited: %v", err)
	}
}
