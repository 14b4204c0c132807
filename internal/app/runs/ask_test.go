package runs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/kv"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
)

// partial carries out a run until it has computed n windows, and opens its folder.
func partial(t *testing.T, text string, n int64) *runs.Stored {
	t.Helper()
	j := jobOf(t, text)
	f, end := folderFor(t, j)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := &interrupted{Puzzle: j.Puzzle, stop: cancel}
	p.left.Store(n)
	if _, err := engine.Run(ctx, p, f, engine.Options{Concurrency: 1}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
	end()
	return resultsIn(t, f.Dir)
}

// advises reports whether an error has a text and an advice.
func advises(err error, text, advice string) bool {
	return err != nil && strings.Contains(err.Error(), text) && strings.Contains(cli.Advice(err), advice)
}

// TestAsk: a question is given the run, with its rows where it needs them, and its answer begins with the problem. Its
// errors name the run, and advise what to do.
func TestAsk(t *testing.T) {
	s := stored(t, problem+"games\n")
	var view puzzle.RunView
	question := func(needs puzzle.Need, answer *puzzle.Answer, err error) *puzzle.Question {
		return &puzzle.Question{Needs: needs, Answer: func(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
			view = r.Run
			return answer, err
		}}
	}
	for needs, rows := range map[puzzle.Need]bool{
		puzzle.NeedsResults: false, puzzle.NeedsRows: true, puzzle.MayReadRows: true,
	} {
		a, err := s.Ask(t.Context(), question(needs, new(puzzle.Answer), nil), puzzle.Request{})
		if err != nil || view.ID != s.ID || view.Results == nil || view.Puzzle == nil || (view.Rows != nil) != rows ||
			len(a.Summary.Problem.Lines) == 0 {
			t.Errorf("needs %v: %+v, %+v, %v", needs, view, a, err)
		}
	}
	own := &puzzle.Answer{Summary: puzzle.Summary{Problem: puzzle.Problem{Lines: []puzzle.Line{{}}}}}
	if a, err := s.Ask(t.Context(), question(puzzle.NeedsResults, own, nil), puzzle.Request{}); err != nil || a != own ||
		len(a.Summary.Problem.Lines) != 1 {
		t.Errorf("an answer with a problem of its own: %+v, %v", a, err)
	}
	flag := &setting.Error{Err: errors.New("wrong")}
	for _, c := range []struct {
		err          error
		text, advice string
		usage        bool
	}{
		{&puzzle.NotAskedError{Reason: "no", Hint: "ask another"}, "run " + s.ID, "ask another", true},
		{puzzle.ErrIncomplete, "run " + s.ID, "run the config again", false},
		{fmt.Errorf("x: %w", kv.ErrCorrupt), "x: ", "verify the run", false},
		{fmt.Errorf("y: %w", puzzle.ErrMissing), "y: ", "retention=all", false},
		{errors.New("other"), "run " + s.ID + ": other", "", false},
		{flag, "", "", false},
	} {
		_, err := s.Ask(t.Context(), question(puzzle.NeedsResults, nil, c.err), puzzle.Request{})
		var mistake *cli.UsageError
		if !errors.Is(err, c.err) || !advises(err, c.text, c.advice) || errors.As(err, &mistake) != c.usage {
			t.Errorf("%v: %v, advice %q", c.err, err, cli.Advice(err))
		}
		if errors.Is(c.err, flag) && strings.Contains(err.Error(), s.ID) {
			t.Errorf("a mistake in a flag names the run: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Ask(ctx, question(puzzle.NeedsResults, nil, context.Canceled), puzzle.Request{})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), s.ID) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestAskIncomplete: a question that needs rows is not asked of a run that is not complete.
func TestAskIncomplete(t *testing.T) {
	s := partial(t, problem+"games\n", 3)
	asked := 0
	q := puzzle.Question{Answer: func(context.Context, puzzle.Request) (*puzzle.Answer, error) {
		asked++
		return nil, nil
	}}
	for needs, refused := range map[puzzle.Need]bool{
		puzzle.NeedsRows: true, puzzle.MayReadRows: true, puzzle.NeedsResults: false,
	} {
		asked, q.Needs = 0, needs
		_, err := s.Ask(t.Context(), &q, puzzle.Request{})
		if refused && !advises(err, "is not complete: ", "run the config again") || (asked == 0) != refused {
			t.Errorf("needs %v: asked %d times, %v", needs, asked, err)
		}
	}
}

// TestAskSmall: the small run that a question names is carried out whole and asked.
func TestAskSmall(t *testing.T) {
	d, err := catalog.All.Find("peg")
	if err != nil {
		t.Fatal(err)
	}
	var view puzzle.RunView
	q := &puzzle.Question{Instead: map[string]string{"board": "triangle4", "start": "r1c0", "goal": "r1c1"},
		Answer: func(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
			view = r.Run
			return new(puzzle.Answer), nil
		}}
	a, run, err := runs.AskSmall(t.Context(), d, q, puzzle.Request{})
	if err != nil || run != view.ID || view.Rows == nil || len(a.Summary.Problem.Lines) == 0 {
		t.Fatalf("%+v, run %s, %v", a, run, err)
	}
	same := stored(t, problem+"games\n")
	if run != same.ID {
		t.Errorf("it is run %s, the config has run %s", run, same.ID)
	}
	sum, err := view.Puzzle.Summarise(view.Results)
	want, werr := same.Puzzle.Summarise(same.Results)
	if err != nil || werr != nil || fmt.Sprint(sum.Facts) != fmt.Sprint(want.Facts) {
		t.Errorf("%v, want %v: %v, %v", sum.Facts, want.Facts, err, werr)
	}
	for _, instead := range []map[string]string{{"board": "none"}, {"window_addresses": "x"}} {
		q.Instead = instead
		if _, _, err := runs.AskSmall(t.Context(), d, q, puzzle.Request{}); err == nil {
			t.Errorf("settings %v are taken", instead)
		}
	}
	q.Instead = map[string]string{"board": "triangle4"}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := runs.AskSmall(ctx, d, q, puzzle.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLayers: rows are shown of one layer or of all that have any, if these are complete.
func TestLayers(t *testing.T) {
	whole, part := stored(t, problem+"games\n"), partial(t, problem+"games\n", 3)
	winner := stored(t, "puzzle: mousetrap\ncards: 5\ncount: hits\n")
	for _, c := range []struct {
		run     *runs.Stored
		layer   string
		text    string
		advice  string
		layers  int
		unusual bool
	}{
		{whole, "2", "", "", 1, false}, {whole, runs.AllLayers, "", "", -1, false},
		{whole, "", "needs a layer", "--layer all", 0, true},
		{whole, "99", "there is no layer 99", "has layers 0 to ", 0, true},
		{whole, "x", "there is no layer x", "has layers 0 to ", 0, true},
		{part, "0", "", "", 1, false}, {part, "8", "layer 8 is not complete", "run the config again", 0, false},
		{part, runs.AllLayers, "is not complete", "run the config again", 0, false},
		{winner, "0", "stores no rows", "--table layers", 0, true},
	} {
		exporter, layers, err := c.run.Layers(runs.Selection{Table: runs.RowsTable, Layer: c.layer})
		var mistake *cli.UsageError
		if c.text != "" {
			if !advises(err, c.text, c.advice) || errors.As(err, &mistake) != c.unusual {
				t.Errorf("layer %q: %v, advice %q", c.layer, err, cli.Advice(err))
			}
			continue
		}
		if err != nil || exporter == nil || c.layers > 0 && len(layers) != c.layers || len(layers) == 0 {
			t.Errorf("layer %q: %v, %v", c.layer, layers, err)
		}
		for _, n := range layers {
			if c.layers < 0 && whole.StoredRows(n) == 0 {
				t.Errorf("layer %d has no rows", n)
			}
		}
	}
	whole.Puzzle = noRows{whole.Puzzle.(puzzle.Exporter)}
	_, _, err := whole.Layers(runs.Selection{Table: runs.RowsTable, Layer: "0"})
	if !advises(err, "the run has no rows to show", "--table layers") {
		t.Errorf("no layer has rows: %v", err)
	}
	whole.Puzzle = whole.Puzzle.(noRows).Exporter
	rows := uint64(0)
	for n := range whole.Results.Layers() {
		rows += whole.StoredRows(n)
	}
	want := uint64(0)
	for _, p := range whole.Results.Progress() {
		want += p.Rows
	}
	if rows != want || rows == 0 || whole.StoredRows(-1)+whole.StoredRows(99)+winner.StoredRows(0) > 0 {
		t.Errorf("%d rows in all layers, want %d", rows, want)
	}
}

// noRows is a puzzle none of whose layers has rows to show.
type noRows struct{ puzzle.Exporter }

func (noRows) RowLayers() int      { return 0 }
func (noRows) RowLayer(int) int    { return 0 }
func (noRows) RowLayerColumn() int { return 0 }

// TestLinks: each row has the address of its position on the page, where the table has positions.
func TestLinks(t *testing.T) {
	s := stored(t, problem+"games\n")
	what := runs.Selection{Table: runs.CountsTable, Layer: "2", Format: "csv", Scale: string(render.Auto),
		Links: "http://host:1/page//"}
	exporter, layers, err := s.Layers(what)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	told := uint64(0)
	n, err := s.WriteLayer(t.Context(), &b, exporter, layers[0], what, t.TempDir(), 1<<20, func(n uint64) {
		if told = n; b.Len() > 0 {
			t.Error("bytes were written before the number of rows was told")
		}
	})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if err != nil || n == 0 || told != n || uint64(len(lines)) != n+1 || !strings.HasSuffix(lines[0], ",link") {
		t.Fatalf("%d rows, told %d, %v:\n%s", n, told, err, b.String())
	}
	for _, line := range lines[1:] {
		if !strings.Contains(line, "http://host:1/page/#") {
			t.Errorf("no link: %s", line)
		}
	}
	what.Table, what.Layer = runs.LayersTable, ""
	if err := s.WriteTable(&b, what); !advises(err, "table layers of the run has no links", "remove it") {
		t.Errorf("layers: %v", err)
	}
	traps := stored(t, "puzzle: mousetrap\ncards: 5\ncount: hits\n")
	what.Table = runs.WindowsTable
	if err := traps.WriteTable(&b, what); !advises(err, "table windows of the run has no links", "remove it") {
		t.Errorf("a puzzle without boards: %v", err)
	}
	what = runs.Selection{Table: runs.LayersTable, Format: "bfile", Column: "none", Scale: string(render.Auto)}
	if err := s.WriteTable(&b, what); !advises(err, "", "write --column with one of them") {
		t.Errorf("a b-file of no column: %v", err)
	}
}

// TestRowsAreGone: rows that are not in the folder, or damaged, are told with the layer, and with advice.
func TestRowsAreGone(t *testing.T) {
	s := storedWith(t, problem+"games\n", engine.Options{Concurrency: 1, Retention: plan.RetainSummary})
	what := runs.Selection{Table: runs.CountsTable, Layer: "2", Format: "csv", Scale: string(render.Auto)}
	exporter, layers, err := s.Layers(what)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	_, err = s.WriteLayer(t.Context(), &b, exporter, layers[0], what, t.TempDir(), 1<<20, nil)
	if !errors.Is(err, puzzle.ErrMissing) || !advises(err, "layer 2: ", "retention=all") || b.Len() > 0 {
		t.Errorf("%v, written %q", err, b.String())
	}
	for cause, advice := range map[error]string{kv.ErrCorrupt: "verify the run", errors.New("other"): ""} {
		s.Remote = failingRows{cause}
		_, err = s.WriteLayer(t.Context(), &b, exporter, layers[0], what, t.TempDir(), 1<<20, nil)
		if !errors.Is(err, cause) || !advises(err, "", advice) {
			t.Errorf("%v: %v", cause, err)
		}
	}
}

// failingRows are rows that cannot be read.
type failingRows struct{ err error }

func (f failingRows) Tally(puzzle.Cell) (puzzle.Tally, error)      { return puzzle.Tally{}, f.err }
func (f failingRows) Windows(puzzle.Cell) ([]puzzle.Window, error) { return nil, f.err }
func (f failingRows) Cache() puzzle.Cache                          { return nil }
func (f failingRows) MemoryBytes() uint64                          { return 0 }

func (f failingRows) Blocks(context.Context, puzzle.Window, uint64, uint64, func(*puzzle.Block) error) error {
	return f.err
}
