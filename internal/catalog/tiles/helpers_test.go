package tiles

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"

	"pgregory.net/rapid"
)

// mustCensus and the like are for shapes that the test knows to be good.
func mustCensus(t testing.TB, s Shape) *Census {
	t.Helper()
	c, err := NewCensus(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustParse(t testing.TB, text string, colours int) *Grid {
	t.Helper()
	g, err := Parse(text, colours)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// plain makes a grid of cells whose colours appear in order.
func plain(s Shape, c cells) *Grid {
	return &Grid{shape: s, cells: c, letters: plainLetters[:s.Colours]}
}

// shapes draws a shape with at most the given number of cells.
func shapes(maxCells int) *rapid.Generator[Shape] {
	return rapid.Custom(func(t *rapid.T) Shape {
		m := rapid.IntRange(MinSide, min(MaxSide, maxCells/MinSide)).Draw(t, "rows")
		n := rapid.IntRange(MinSide, min(MaxSide, maxCells/m)).Draw(t, "cols")
		return Shape{m, n, rapid.IntRange(MinColours, MaxColours).Draw(t, "colours")}
	})
}

// drawGrid draws any grid of a shape, colours in order of appearance.
func drawGrid(t *rapid.T, c *Census) cells {
	up := c.UpToColours()
	r := uint128.Uint128{Hi: rapid.Uint64Range(0, up.Hi).Draw(t, "high")}
	r.Lo = rapid.Uint64().Draw(t, "low")
	if r.Cmp(up) >= 0 {
		r.Lo %= up.Lo
		if r.Cmp(up) >= 0 {
			r.Hi--
		}
	}
	return c.unrank(r)
}

// finalsOf lists the finals of a grid by the block method, in lexicographic order.
func finalsOf(t testing.TB, sv *finalSolver, g *cells) []cells {
	t.Helper()
	var out []cells
	if err := sv.solve(context.Background(), g, func(f *planes) { out = append(out, sv.unturn(f)) }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(out, compareCells)
	return out
}

// naive calls fn with every colouring of a shape in which neighbours differ, colours in any order.
func naive(s Shape, fn func(*cells)) {
	near := s.neighbours()
	var g cells
	var fill func(i int)
	fill = func(i int) {
		if i == s.Cells() {
			fn(&g)
			return
		}
	colours:
		for v := range uint8(s.Colours) {
			for _, j := range near[i] {
				if j < i && g[j] == v {
					continue colours
				}
			}
			g[i] = v
			fill(i + 1)
		}
	}
	fill(0)
}

// A surveyRun is a survey computed in memory: the tally of its only cell, and its blocks in order.
type surveyRun struct {
	survey *Survey
	plan   puzzle.CellPlan
	tally  puzzle.Tally
	blocks []puzzle.Block
}

func (r *surveyRun) Layers() int                           { return 1 }
func (r *surveyRun) Complete() bool                        { return true }
func (r *surveyRun) Cells(int) []puzzle.CellPlan           { return []puzzle.CellPlan{r.plan} }
func (r *surveyRun) Cell(puzzle.Cell) (puzzle.Tally, bool) { return r.tally, true }
func (r *surveyRun) Layer(int) (puzzle.Tally, bool)        { return r.tally, true }

// Block implements puzzle.Sink.
func (r *surveyRun) Block(b *puzzle.Block) error {
	r.blocks = append(r.blocks, *b.Clone())
	return nil
}

type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// runSurvey computes every window of the plan.
func runSurvey(t fataler, p Params) *surveyRun {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Layer(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return runWindows(t, s, plan[0])
}

// runWindows computes windows, the last one first, so that nothing can depend on the order.
func runWindows(t fataler, s *Survey, plan puzzle.CellPlan) *surveyRun {
	t.Helper()
	r := &surveyRun{survey: s, plan: plan}
	var parts [][]puzzle.Block
	for i := plan.Windows() - 1; i >= 0; i-- {
		w := plan.Window(i)
		r.blocks = nil
		tally, err := s.Compute(context.Background(), w, nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if !tally.Canonical() {
			t.Fatalf("window %v: tally is not canonical", w)
		}
		if err := r.tally.Merge(&tally); err != nil {
			t.Fatal(err)
		}
		for j := range r.blocks {
			if err := r.blocks[j].Check(w); err != nil {
				t.Fatalf("window %v: %v", w, err)
			}
		}
		parts = append(parts, r.blocks)
	}
	r.blocks = nil
	slices.Reverse(parts)
	for _, p := range parts {
		r.blocks = append(r.blocks, p...)
	}
	return r
}

// rows exports all rows as lines of text.
func (r *surveyRun) rows(t fataler) []string {
	t.Helper()
	var out []string
	for i := range r.blocks {
		err := r.survey.ExportRows(surveyCell, &r.blocks[i], func(row []puzzle.Value) error {
			out = append(out, fmt.Sprint(row))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
