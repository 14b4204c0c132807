package explore_test

import (
	"flag"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

var clicks = flag.Int("clicks", 6000, "jumps that are played at random")

// held is the memory that this process uses, in MiB.
func held() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return (m.HeapInuse + m.StackInuse) >> 20
}

// TestPlay plays at random and demands that every number of every position is that of the slow reference, and that the
// server's memory does not grow.
func TestPlay(t *testing.T) {
	s := newSite(t)
	id := s.begin("Triangle").ID
	g := triangle()
	clicks := *clicks
	if testing.Short() {
		clicks = 500
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	position, dead, solved := g.start, 0, 0
	var before uint64
	for n := 0; n < clicks || dead == 0 || solved == 0; n++ { // a few games may all end in the same way
		if n == clicks/4 {
			before = held()
		}
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
	t.Logf("%d MiB after a quarter, %d MiB in the end", before, held())
	if held() > before+16 {
		t.Errorf("%d MiB are used after a quarter of the jumps, %d in the end", before, held())
	}
}

// TestEnglish plays random games on the English board, and demands that numbers fit together: the ways of a position
// are the sum of those of its jumps, and the position after a jump has the ways that the jump was said to have.
func TestEnglish(t *testing.T) {
	if testing.Short() {
		t.Skip("the run takes seconds")
	}
	s := newSite(t)
	full := "0x1fffeffff"
	_, _, b := s.send("POST", s.add("english", full, "0x10000"))
	id := decode[run](t, b).ID
	s.send("POST", "/runs/"+id+"/begin")
	s.watch(id, "complete")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	ends := 0
	for range 20 {
		position, said, path := full, "40861647040079968", []string(nil)
		for {
			d := s.query(id, position).Document
			if d.Ways != said {
				t.Fatalf("%v: %s ways, and %s were announced", path, d.Ways, said)
			}
			var sum, ways big.Int
			for _, n := range d.Next {
				ways.SetString(n.Ways, 10)
				sum.Add(&sum, &ways)
			}
			if len(d.Next) > 0 && sum.String() != d.Ways {
				t.Fatalf("%v: %s ways, and %v of the jumps", path, d.Ways, &sum)
			}
			if d.Ways == "0" || len(d.Next) == 0 {
				break // the paths to a dead position may take a search of a million positions
			}
			n := d.Next[random.IntN(len(d.Next))]
			position, said, path = jumped(d.Position, n.Jump), n.Ways, append(path, n.Jump)
		}
		ends++
	}
	if ends != 20 {
		t.Errorf("%d games came to an end", ends)
	}
}

// jumped is the position of a board of at most nine rows and columns after a jump such as 46x44.
func jumped(position, jump string) string {
	g := newGame(position, position, nil)
	b := []byte(position)
	at := func(column, row int) int {
		for _, p := range g.places {
			if p.row == row && p.column == column {
				return p.at
			}
		}
		return -1
	}
	digit := func(i int) int { return int(jump[i] - '1') }
	from, to := at(digit(0), digit(1)), at(digit(3), digit(4))
	b[from], b[to] = '.', 'o'
	b[at((digit(0)+digit(3))/2, (digit(1)+digit(4))/2)] = '.'
	return string(b)
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
