package explore_test

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlay plays at random and demands that every number of every position is that of the slow reference.
func TestPlay(t *testing.T) {
	s := newSite(t)
	id := s.begin("Triangle").ID
	g := triangle()
	clicks := 6000
	if testing.Short() {
		clicks = 500
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	position, dead, solved := g.start, 0, 0
	for range clicks {
		a := s.query(id, position)
		g.check(t, position, &a)
		if a.Document.Winnable == "no" {
			dead++
		}
		var names []string
		for _, n := range a.Document.Next {
			names = append(names, n.Jump)
		}
		if position == g.goal {
			solved++
		}
		if len(names) == 0 {
			position = g.start
			continue
		}
		// Half of the time a jump that keeps a solution, so that games go to the end.
		slices.Sort(names)
		name := names[random.IntN(len(names))]
		for _, n := range a.Document.Next {
			if random.IntN(2) == 0 && n.Ways != "0" {
				name = n.Jump
			}
		}
		position = g.jumps(position)[name]
	}
	if dead == 0 || solved == 0 {
		t.Errorf("%d dead positions and %d solved ones were met", dead, solved)
	}
}

// TestStrayPositions asks about positions that no game comes to.
func TestStrayPositions(t *testing.T) {
	s := newSite(t)
	id := s.begin("Triangle").ID
	g := triangle()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	reasons := 0
	for range 300 {
		b := []byte(g.start)
		for _, p := range g.places {
			b[p.at] = ".o"[random.IntN(2)]
		}
		a := s.query(id, string(b))
		g.check(t, string(b), &a)
		reasons += len(a.Document.Notes)
	}
	if reasons == 0 {
		t.Error("no position says why it cannot be reached or won")
	}
}

// check compares an answer about a position with the reference.
func (g *game) check(t *testing.T, position string, a *answer) {
	t.Helper()
	d := &a.Document
	if d.Position != position {
		t.Fatalf("asked about %s, and told about %s", position, d.Position)
	}
	paths, ways := "0", g.onward(position).String()
	if n := g.paths[position]; n != nil {
		paths = n.String()
	}
	answer := map[bool]string{true: "yes", false: "no"}
	for what, pair := range map[string][2]string{
		"paths":         {d.Paths, paths},
		"ways":          {d.Ways, ways},
		"solutions":     {d.Solutions, g.through(position).String()},
		"all solutions": {d.AllSolutions, g.onward(g.start).String()},
		"reachable":     {d.Reachable, answer[paths != "0"]},
		"winnable":      {d.Winnable, answer[ways != "0"]},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s is %s, want %s", position, what, pair[0], pair[1])
		}
	}
	jumps := g.jumps(position)
	if len(d.Next) != len(jumps) || d.Pegs != pegs(position) {
		t.Errorf("%s: %d jumps and %d pegs, want %d and %d", position, len(d.Next), d.Pegs, len(jumps), pegs(position))
	}
	for _, n := range d.Next {
		after := jumps[n.Jump]
		want := g.onward(after)
		through := g.through(position).Set(want)
		if p := g.paths[position]; p != nil {
			through.Mul(want, p)
		} else {
			through.SetInt64(0)
		}
		if n.Ways != want.String() || n.Solutions != through.String() {
			t.Errorf("%s: %s has %s ways and %s solutions, want %v and %v", position, n.Jump, n.Ways, n.Solutions, want,
				through)
		}
	}
	g.checkPicture(t, position, a)
}

// checkPicture demands that the picture shows the holes in the order of the drawing, with their labels and pegs: the
// page plays by that.
func (g *game) checkPicture(t *testing.T, position string, a *answer) {
	t.Helper()
	if len(a.Figures) != 1 || len(a.Figures[0].Board) != len(g.places) {
		t.Fatalf("%s: figures %+v", position, a.Figures)
	}
	for i, cell := range a.Figures[0].Board {
		p := g.places[i]
		if cell.Detail != g.label(i) || cell.Glyph != position[p.at:p.at+1] || !cell.Circle ||
			cell.Row != float64(p.row) || cell.Column != float64(p.column)/2 {
			t.Errorf("%s: hole %d is %+v, want %s at %+v", position, i, cell, g.label(i), p)
		}
	}
}
