package tiles

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"

	"pgregory.net/rapid"
)

// fact returns a fact of a summary as text.
func fact(t testing.TB, s puzzle.Summary, name string) string {
	t.Helper()
	for _, f := range s.Facts {
		if f.Name == name {
			if f.Kind == puzzle.Text {
				return f.Value.S
			}
			return f.Value.N.String()
		}
	}
	t.Fatalf("there is no fact %s", name)
	return ""
}

func factMap(s puzzle.Summary, name string) map[string]uint64 {
	m := map[string]uint64{}
	for _, f := range s.Facts {
		if f.Name == name {
			for _, e := range f.Map {
				m[e.Key] = e.Value.Lo
			}
		}
	}
	return m
}

func summarise(t testing.TB, r *surveyRun) puzzle.Summary {
	t.Helper()
	s, err := r.survey.Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKnownSurveys are counts known from elsewhere; the last one is left out in short mode.
func TestKnownSurveys(t *testing.T) {
	for _, c := range []struct {
		shape                      Shape
		raw, colours, classes, max string
	}{
		{Shape{2, 2, 5}, "120", "1", "1", "24"},
		{Shape{2, 3, 5}, "720", "6", "4", "44"},
		{Shape{3, 3, 5}, "6720", "56", "15", "64"},
		{Shape{4, 4, 5}, "935040", "7792", "1011", "136"},
		{Shape{5, 5, 5}, "325061760", "2708848", "341041", "272"},
	} {
		if testing.Short() && c.shape.Cells() == 25 {
			t.Log("5x5 is left out in short mode")
			continue
		}
		s := summarise(t, runSurvey(t, Params{Rows: c.shape.Rows, Cols: c.shape.Cols, Colours: c.shape.Colours}))
		got := [4]string{fact(t, s, "raw"), fact(t, s, "up_to_colours"), fact(t, s, "classes"), fact(t, s, "max_finals")}
		if got != [4]string{c.raw, c.colours, c.classes, c.max} {
			t.Errorf("%v: raw, up to colours, classes, most finals %v, want %v", c.shape, got, c)
		}
		if fact(t, s, "cyclic_candidates") != "0" {
			t.Errorf("%v: %v", c.shape, s.Notes)
		}
	}
}

// tallyName is narrower than the names that puzzle.Scalar allows.
var tallyName = regexp.MustCompile(`^[a-z0-9_.]{1,128}$`)

// TestSurveyAgainstPlayingAll compares summaries with the slow reference.
func TestSurveyAgainstPlayingAll(t *testing.T) {
	for _, s := range []Shape{{2, 2, 5}, {2, 3, 5}, {3, 2, 5}, {2, 4, 5}, {3, 3, 5}, {2, 2, 6}} {
		ref := refer(t, s)
		r := runSurvey(t, Params{Rows: s.Rows, Cols: s.Cols, Colours: s.Colours})
		sum := summarise(t, r)
		if got := factMap(sum, "histogram_raw"); !maps.Equal(got, ref.histogram) {
			t.Errorf("%v: histogram_raw %v, want %v", s, got, ref.histogram)
		}
		total := uint64(0)
		for _, n := range factMap(sum, "histogram_classes") {
			total += n
		}
		if total != uint64(len(ref.classes)) || fact(t, sum, "classes") != fmt.Sprint(len(ref.classes)) {
			t.Errorf("%v: %d classes in the histogram, want %d", s, total, len(ref.classes))
		}
		if got := fact(t, sum, "max_finals"); got != fmt.Sprint(ref.most) {
			t.Errorf("%v: at most %s finals, want %d", s, got, ref.most)
		}
		for _, v := range r.tally.Sums {
			if !tallyName.MatchString(v.Name) {
				t.Errorf("%v: stores refuse the name %q", s, v.Name)
			}
		}
		if got := r.tally.Sum("permutable.raw"); got != uint128.From(ref.permutable) {
			t.Errorf("%v: %v grids with a permuted final, want %d", s, got, ref.permutable)
		}
		equal, tiles := map[string]uint64{}, map[string]uint64{}
		for _, table := range sum.Tables {
			for _, row := range table.Rows {
				switch table.Name {
				case "equal_missing_finals":
					equal[row[0].N.String()+" "+row[1].N.String()] = row[3].N.Lo
				case "tile_distributions":
					tiles[row[0].S+" "+row[1].S] = row[3].N.Lo
				}
			}
		}
		if !maps.Equal(equal, ref.equal) {
			t.Errorf("%v: by equal pairs and finals %v, want %v", s, equal, ref.equal)
		}
		if !maps.Equal(tiles, ref.tiles) {
			t.Errorf("%v: by distributions %v, want %v", s, tiles, ref.tiles)
		}
	}
}

// TestWindowsDoNotMatter divides the ranks anyhow.
func TestWindowsDoNotMatter(t *testing.T) {
	for _, shape := range []Shape{{3, 4, 5}, {4, 4, 5}, {2, 3, 6}} {
		s, err := New(Params{Rows: shape.Rows, Cols: shape.Cols, Colours: shape.Colours})
		if err != nil {
			t.Fatal(err)
		}
		whole := runWindows(t, s, puzzle.CellPlan{Cell: surveyCell, Addresses: s.addresses, Cuts: []uint64{0}})
		rows := whole.rows(t)
		rapid.Check(t, func(rt *rapid.T) {
			cuts := rapid.SliceOfNDistinct(rapid.Uint64Range(1, s.addresses-1), 1, 20, rapid.ID).Draw(rt, "cuts")
			cuts = append(cuts, 0)
			slices.Sort(cuts)
			r := runWindows(rt, s, puzzle.CellPlan{Cell: surveyCell, Addresses: s.addresses, Cuts: cuts})
			if !reflect.DeepEqual(r.tally, whole.tally) {
				rt.Fatalf("%v cut at %v: tally %v, want %v", shape, cuts, r.tally, whole.tally)
			}
			if !slices.Equal(r.rows(rt), rows) {
				rt.Fatalf("%v cut at %v: other rows", shape, cuts)
			}
		})
	}
}

// TestPlans checks the cuts, bounded by window_addresses or not.
func TestPlans(t *testing.T) {
	for _, c := range []struct {
		p       Params
		windows int
	}{
		{Params{4, 4, 5, 0}, 16}, {Params{4, 4, 5, 1 << 40}, 16}, {Params{4, 4, 5, 100}, 78}, {Params{2, 2, 5, 0}, 1},
		{Params{2, 2, 5, 1}, 1}, {Params{5, 5, 5, 0}, 64}, {Params{5, 5, 5, 1000}, 2709},
	} {
		s, err := New(c.p)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := s.Layer(0, nil)
		if err != nil {
			t.Fatal(err)
		}
		plan, total := cells[0], uint64(0)
		for i := range plan.Windows() {
			total += plan.Window(i).Addresses
		}
		if plan.Windows() != c.windows || total != plan.Addresses || plan.Work <= 0 || plan.MemoryBytes == 0 {
			t.Errorf(
				"%+v: %d windows of %d ranks in all, %d addresses, work %v",
				c.p,
				plan.Windows(),
				total,
				plan.Addresses,
				plan.Work,
			)
		}
	}
	_, err := New(Params{6, 6, 5, 1})
	if !errors.Is(err, ErrWindowAddresses) || !strings.Contains(err.Error(), "window_addresses") {
		t.Errorf("6x6 in windows of one rank: %v", err)
	}
}

// TestRowsAreClasses checks the exported rows against the summary.
func TestRowsAreClasses(t *testing.T) {
	r := runSurvey(t, Params{Rows: 4, Cols: 4, Colours: 5})
	sum := summarise(t, r)
	rows, orbit, finals := 0, uint64(0), map[string]uint64{}
	for i := range r.blocks {
		err := r.survey.ExportRows(surveyCell, &r.blocks[i], func(row []puzzle.Value) error {
			if len(row) != len(r.survey.RowColumns()) {
				return fmt.Errorf("row of %d fields", len(row))
			}
			g, err := Parse(row[1].S, 5)
			if err != nil {
				return err
			}
			if rank := r.survey.census.rank(&g.cells); rank != row[0].N {
				return fmt.Errorf("rank %v for %v of rank %v", row[0].N, g, rank)
			}
			rows++
			orbit += row[2].N.Lo
			finals[row[3].N.String()]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if rows != 1011 || orbit != 935040 || !maps.Equal(finals, factMap(sum, "histogram_classes")) {
		t.Errorf("%d rows, %d grids, histogram %v", rows, orbit, finals)
	}
}

// TestExportFindsWrongRows changes one stored number after the other.
func TestExportFindsWrongRows(t *testing.T) {
	r := runSurvey(t, Params{Rows: 3, Cols: 3, Colours: 6})
	b := r.blocks[0]
	if len(b.Columns) != columns {
		t.Fatalf("%d columns, want all %d", len(b.Columns), columns)
	}
	for c := range b.Columns {
		b.Columns[c][7]++
		err := r.survey.ExportRows(surveyCell, &b, func([]puzzle.Value) error { return nil })
		if err == nil || !strings.Contains(err.Error(), r.survey.Columns()[c]) {
			t.Errorf("wrong %s: error %v", r.survey.Columns()[c], err)
		}
		b.Columns[c][7]--
	}
	stop := errors.New("enough")
	if err := r.survey.ExportRows(surveyCell, &b, func([]puzzle.Value) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error of emit: %v", err)
	}
}

func TestComputeRefuses(t *testing.T) {
	s, err := New(Params{Rows: 4, Cols: 4, Colours: 5})
	if err != nil {
		t.Fatal(err)
	}
	good := puzzle.Window{Cell: surveyCell, Addresses: 7792}
	for _, w := range []puzzle.Window{
		{Cell: puzzle.Cell{Layer: 1, Key: "grids"}, Addresses: 10},
		{Cell: puzzle.Cell{Key: "other"}, Addresses: 10},
		{Cell: surveyCell},
		{Cell: surveyCell, First: 7792, Addresses: 1},
		{Cell: surveyCell, First: 1, Addresses: 7792},
		{Cell: surveyCell, First: 1, Addresses: ^uint64(0)},
	} {
		if _, err := s.Compute(context.Background(), w, nil, &surveyRun{}); err == nil {
			t.Errorf("window %+v is computed", w)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Compute(ctx, good, nil, &surveyRun{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.Layer(1, nil); !errors.Is(err, puzzle.ErrNoLayer) {
		t.Errorf("layer 1: %v", err)
	}
}

// unfinished is a run with a window missing.
type unfinished struct{ surveyRun }

func (*unfinished) Layer(int) (puzzle.Tally, bool) { return puzzle.Tally{}, false }

func TestSummariseChecks(t *testing.T) {
	r := runSurvey(t, Params{Rows: 3, Cols: 4, Colours: 5})
	part := &unfinished{*r}
	s, err := r.survey.Summarise(part)
	if err != nil || len(s.Facts) != 2 || fact(t, s, "raw") != "63360" {
		t.Errorf("unfinished survey: %v, %v", s, err)
	}
	if _, err := r.survey.Answers(part); !errors.Is(err, puzzle.ErrIncomplete) {
		t.Errorf("answers of an unfinished survey: %v", err)
	}
	answers, err := r.survey.Answers(r)
	if err != nil || len(answers) != 5 || !strings.Contains(answers[0].Answer, "63120 of the 63360 grids") {
		t.Errorf("answers %v, %v", answers, err)
	}
	tables := map[string]bool{}
	for _, table := range summarise(t, r).Tables {
		tables[table.Name] = true
	}
	for _, a := range answers {
		for _, name := range a.Tables {
			if !tables[name] {
				t.Errorf("answer %q names table %s, which does not exist", a.Question, name)
			}
		}
	}
	if err := r.tally.AddSum("raw", uint128.From(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.survey.Summarise(r); err == nil {
		t.Error("a grid too many goes unnoticed")
	}
}

// TestPlanPredicts compares predicted with real steps, of the whole survey and of each window: both are sampled.
func TestPlanPredicts(t *testing.T) {
	for _, s := range []Shape{{3, 4, 5}, {4, 5, 5}, {2, 4, 6}, {3, 3, 6}} {
		r := runSurvey(t, Params{Rows: s.Rows, Cols: s.Cols, Colours: s.Colours})
		sv, err := newSolver(s)
		if err != nil {
			t.Fatal(err)
		}
		w := newWalk(s, r.survey.census.unrank(uint128.Uint128{}))
		var all, own, off float64
		for i := range r.plan.Windows() {
			window, taken := r.plan.Window(i), uint64(0)
			for range window.Addresses {
				taken += 7
				if _, ok := canonical(r.survey.syms, &w.grid); ok {
					before := sv.steps
					finals := finalsOf(t, sv, &w.grid)
					taken += 50 + sv.steps - before + 28*uint64(len(finals))
				}
				w.next()
			}
			work, err := r.survey.WindowWork(window)
			if err != nil {
				t.Fatal(err)
			}
			all += float64(taken)
			own += math.Abs(work - float64(taken))
			off += math.Abs(r.plan.Share(window) - float64(taken))
		}
		if ratio := r.plan.Work / all; ratio < 0.4 || ratio > 1.15 || s.Colours == 5 && ratio < 0.85 {
			t.Errorf("%v: %.0f steps predicted, %.0f taken", s, r.plan.Work, all)
		}
		if s.Colours == 5 && (own > 0.15*all || own > 0.7*off) {
			t.Errorf("%v: the windows' work is off by %.0f of %.0f steps, and their shares by %.0f", s, own, all, off)
		}
	}
}

func TestIdentityTellsSurveysApart(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range []Params{{3, 4, 5, 0}, {4, 3, 5, 0}, {3, 4, 6, 0}, {3, 4, 5, 100}} {
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint(s.Identity())
		if seen[id] {
			t.Errorf("%v has the identity of another survey", p)
		}
		seen[id] = true
	}
}
