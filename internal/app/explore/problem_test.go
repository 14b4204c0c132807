package explore_test

import (
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
	"pagoda/internal/run/certificate"
)

// add offers the problem of the small triangle with a vacancy and a last peg.
func (s *site) add(board, start, goal string) string {
	return "/problems?" + url.Values{"board": {board}, "start": {start}, "goal": {goal}}.Encode()
}

// TestProblems chooses more problems than are kept, and plays each: numbers are those of the reference. The first ones
// are given up, and can be carried out again.
func TestProblems(t *testing.T) {
	s := newSite(t)
	const full = 1<<15 - 1
	// Vacancy and last peg, by the numbers of their holes, of problems that have solutions.
	pairs := [][2]int{{0, 0}, {0, 12}, {1, 1}, {1, 5}, {2, 2}, {3, 3}, {5, 5}, {12, 0}}
	ids := map[string]bool{}
	for _, pair := range pairs {
		path := s.add("triangle5", fmt.Sprintf("%#x", full&^(1<<pair[0])), fmt.Sprintf("%#x", 1<<pair[1]))
		code, _, b := s.send(http.MethodPost, path)
		if code != http.StatusCreated {
			t.Fatalf("%v: %d %s", pair, code, b)
		}
		r := decode[run](t, b)
		ids[r.ID] = true
		if r.Title != "Triangle" && (strings.Contains(r.Title, "0x") || !strings.HasPrefix(r.Title, "triangle5, from ")) {
			t.Errorf("%v has the title %q", pair, r.Title)
		}
		s.send(http.MethodPost, "/runs/"+r.ID+"/begin")
		s.watch(r.ID, "complete")
		g := triangleProblem(pair[0], pair[1])
		a := s.query(r.ID, g.start)
		g.check(t, g.start, &a)
		if a.Document.Solutions == "0" {
			t.Errorf("%v has no solution", pair)
		}
		// The same again is the same run.
		if _, _, b := s.send(http.MethodPost, path); decode[run](t, b).ID != r.ID {
			t.Errorf("%v is another run the second time", pair)
		}
	}
	complete := 0
	for _, r := range s.runs() {
		if ids[r.ID] && r.Status.State == "complete" {
			complete++
		} else if ids[r.ID] {
			s.send(http.MethodPost, "/runs/"+r.ID+"/begin")
			s.watch(r.ID, "complete")
		}
	}
	if complete != 6 || len(ids) != len(pairs) {
		t.Errorf("%d of %d problems are kept", complete, len(ids))
	}
}

func TestProblemRefusals(t *testing.T) {
	s := newSite(t)
	var boards []string
	s.get("/problems", &boards)
	if len(boards) != 2 || boards[0] != "triangle5" {
		t.Errorf("boards %v", boards)
	}
	for path, text := range map[string]string{
		s.add("square6\nx", "0x7ffe", "0x1"):                 "not a board",
		s.add("square66", "0x7ffe", "0x1"):                   "unknown board",
		s.add("square6", "0xffffffffe", "0x1"):               "too large",
		s.add("triangle5", "0x7ffe", "0x1\nretention: last"): "not of the form",
		s.add("triangle5", "center", "0x1"):                  "not of the form",
		s.add("triangle5", "0x7fffe", "0x1"):                 "bad position",
		s.add("triangle5", "0x1", "0x7ffe"):                  "bad position",
		s.add("triangle5", "0x7ffe", "0x0"):                  "bad position",
	} {
		s.refuse(http.MethodPost, path, http.StatusBadRequest, text)
		if code, _, _ := s.send(http.MethodGet, path); code != http.StatusOK {
			t.Errorf("GET %s: %d", path, code)
		}
	}
	s.refuse(http.MethodPost, s.add("triangle5", "0x7ffe", "0x1"), http.StatusForbidden, "another site",
		header("Sec-Fetch-Site", "cross-site"))
	if n := len(s.runs()); n != len(smalls) {
		t.Errorf("%d runs are offered", n)
	}
}

// TestDrawnProblems chooses problems on a board that the config of a run draws: the numbers of the triangle are those
// of the reference. Its pairs are counted, too, and belong to that board alone.
func TestDrawnProblems(t *testing.T) {
	const full = 1<<15 - 1
	config := "puzzle: peg\nname: triangle6\nlattice: triangular\ndrawing: o/oo/ooo/oooo/ooooo\n" +
		"start: r0c0\ngoal: r0c0\ncount: solutions\nstore_ways: true\nretention: all\n"
	s := siteOf(t, explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Temp: t.TempDir(), Problems: explore.Problems(),
		Small: []explore.Small{
			{Title: "Drawn", Config: config},
			{Title: "Square", Config: "puzzle: peg\ndrawing: oooo-/ooooo/-oooo\nstart: r0c0\ngoal: r0c0\ncount: solutions\n"},
			{Title: "Ruled", Config: "puzzle: peg\nboard: square5\nrule: 1,0 >0,1\nstart: r0c0\ngoal: r0c0\ncount: solutions\n"},
			{Title: "Cards", Config: "puzzle: mousetrap\ncards: 6\ncount: hits\n"},
		},
	})
	boards := map[string]string{}
	for _, r := range s.runs() {
		boards[r.Title] = r.Board
		if r.Pairs {
			t.Errorf("%s counts all pairs", r.Title)
		}
	}
	if boards["Square"] != "square oooo/ooooo/-oooo" || boards["Cards"] != "" ||
		boards["Ruled"] != "square ooooo/ooooo/ooooo/ooooo/ooooo >0,1 1,0" {
		t.Errorf("boards %q", boards)
	}
	code, _, b := s.send(http.MethodPost, s.add("square oooo/oooo/oooo/oooo diagonal", "0xfffe", "0x1"))
	if r := decode[run](t, b); code != http.StatusCreated || r.Board != "square oooo/oooo/oooo/oooo diagonal" {
		t.Errorf("a problem with diagonals: %d %s", code, b)
	}
	drawn := boards["Drawn"]
	choose := func(start, goal string) run {
		code, _, b := s.send(http.MethodPost, s.add(drawn, start, goal))
		if code != http.StatusCreated {
			t.Fatalf("%s to %s: %d %s", start, goal, code, b)
		}
		r := decode[run](t, b)
		if r.Board != drawn || !strings.HasPrefix(r.Title, "drawn board of 15 holes, ") {
			t.Errorf("%q is on the board %q, want %q", r.Title, r.Board, drawn)
		}
		s.send(http.MethodPost, "/runs/"+r.ID+"/begin")
		return s.watch(r.ID, "complete")
	}
	pair := choose(fmt.Sprintf("%#x", full&^(1<<4)), "0x1000")
	g := triangleProblem(4, 12)
	a := s.query(pair.ID, g.start)
	g.check(t, g.start, &a)
	all := choose("", "")
	if !all.Pairs {
		t.Errorf("%q does not count all pairs", all.Title)
	}
	var said struct {
		Document struct {
			Pairs []struct{ Start, Goal, Solutions string }
		}
	}
	s.get("/runs/"+all.ID+"/answer/pairs", &said)
	found := false
	for _, p := range said.Document.Pairs {
		if p.Start == "r2c1" && p.Goal == "r4c2" {
			found = p.Solutions == a.Document.AllSolutions
		}
	}
	if !found {
		t.Errorf("r2c1 to r4c2 has not %s solutions in %v", a.Document.AllSolutions, said.Document.Pairs)
	}
	for _, board := range []string{
		"square ooo\nretention: last", "square", "hexagonal ooo", "square o o o", "square oo",
		"square " + strings.Repeat("o", 65),
	} {
		if code, _, b := s.send(http.MethodPost, s.add(board, "", "")); code != http.StatusBadRequest {
			t.Errorf("%.40q: %d %s", board, code, b)
		}
	}
}

// TestCountedProblem demands that a problem whose run is complete, with windows of another size, is that run.
func TestCountedProblem(t *testing.T) {
	s := siteOf(t, explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Temp: t.TempDir(), Problems: explore.Problems(),
		Small: []explore.Small{{Title: "Other", Config: "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\n" +
			"count: solutions\nstore_ways: true\nwindow_addresses: 0\n"}},
	})
	drawn := s.add("triangle5", "----./---o-o/--o-o-o/-o-o-o-o/o-o-o-o-o", "----o/---.-./--.-.-./-.-.-.-./.-.-.-.-.")
	choose := func() string {
		code, _, b := s.send(http.MethodPost, drawn)
		if code != http.StatusCreated {
			t.Fatalf("%d %s", code, b)
		}
		return decode[run](t, b).ID
	}
	other := s.runs()[0].ID
	if choose() == other {
		t.Error("a run that is not complete stands for another one")
	}
	s.begin("Other")
	if id := choose(); id != other {
		t.Errorf("the run %s is offered, and %s is complete", id, other)
	}
	if _, _, b := s.send(http.MethodPost, s.add("triangle5", "0x7ffe", "0x1000")); decode[run](t, b).ID == other {
		t.Error("the run of another goal is offered")
	}
}

// TestCancel cancels a run, which can be begun again then.
func TestCancel(t *testing.T) {
	s := siteOf(t, explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Temp: t.TempDir(),
		Small: []explore.Small{
			{Title: "Long", Config: "puzzle: peg\nboard: english\ncount: solutions\npairs: all\nretention: last\n"},
			{Title: "Short", Config: "puzzle: peg\nboard: triangle4\nstart: r1c0\ngoal: r1c1\ncount: solutions\n"},
		},
	})
	id := s.runs()[0].ID
	s.refuse(http.MethodPost, "/runs/"+id+"/cancel", http.StatusConflict, "not being carried out")
	s.send(http.MethodPost, "/runs/"+id+"/begin")
	if code, _, b := s.send(http.MethodPost, "/runs/"+id+"/cancel"); code != http.StatusAccepted {
		t.Fatalf("%d %s", code, b)
	}
	s.watch(id, "offered")
	s.begin("Short") // the place is free
	s.send(http.MethodPost, "/runs/"+id+"/begin")
	if code, _, b := s.send(http.MethodPost, "/runs/"+id+"/cancel"); code != http.StatusAccepted {
		t.Fatalf("the second time: %d %s", code, b)
	}
	s.watch(id, "offered")
}

// TestPairsResult counts all pairs of a board. The number that stands for the run says how many pairs have solutions,
// of how many, and how many solutions these have together, all as the slow reference has it. A run that was carried out
// here has a certificate, a date and a duration, as one of a folder.
func TestPairsResult(t *testing.T) {
	s := newSite(t)
	_, _, b := s.send(http.MethodPost, "/problems?board=triangle4")
	id := decode[run](t, b).ID
	s.send(http.MethodPost, "/runs/"+id+"/begin")
	s.watch(id, "complete")
	board, err := peg.Named("triangle4")
	if err != nil {
		t.Fatal(err)
	}
	solvable, all, of := 0, new(big.Int), peg.CompatiblePairs(board)
	for _, pair := range of {
		p := pair.Problem(board)
		n := reference.Solutions(reference.Play(board, p.Start, -1), p.Goal)
		solvable += n.Sign()
		all.Add(all, n)
	}
	want := fmt.Sprintf("%d solvable_pairs of %d, %v", solvable, len(of), all)
	var list []struct {
		ID      string
		Result  *struct{ Name, Value, Of, All string }
		Ended   string
		Seconds float64
	}
	s.get("/runs", &list)
	for _, r := range list {
		if r.ID != id {
			continue
		}
		if r.Result == nil || r.Ended == "" || r.Seconds <= 0 {
			t.Fatalf("%+v", r)
		}
		if got := fmt.Sprintf("%s %s of %s, %s", r.Result.Value, r.Result.Name, r.Result.Of, r.Result.All); got != want {
			t.Errorf("the list has %s, want %s", got, want)
		}
	}
	code, _, b := s.send(http.MethodGet, "/runs/"+id+"/certificate")
	c, err := certificate.Decode(b)
	if code != http.StatusOK || err != nil || c.Run != id || c.Checks.Edges == 0 {
		t.Errorf("%d %v: %.200s", code, err, b)
	}
}
