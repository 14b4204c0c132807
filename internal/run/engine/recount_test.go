package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/verify"
)

// counted is a toy that counts its rows a second time, and its summary, which can be made to fail.
type counted struct {
	toy
	extra   uint64 // added to the rows that the run claims
	summary error
}

func (c *counted) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	r := puzzle.Recount{What: "rows", Want: uint128.From(c.extra), Share: countRows}
	for n := range known.Layers() {
		for _, cell := range known.Cells(n) {
			for i := range cell.Windows() {
				r.Windows = append(r.Windows, cell.Window(i))
			}
		}
	}
	return []puzzle.Recount{r}, nil
}

func (c *counted) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	if c.summary != nil {
		return puzzle.Summary{}, c.summary
	}
	return c.toy.Summarise(known)
}

func countRows(ctx context.Context, w puzzle.Window, in puzzle.Source) (n uint128.Uint128, err error) {
	rows := 0
	err = in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		rows += b.Rows()
		return nil
	})
	return uint128.From(uint64(rows)), err
}

// A second count that differs from the run's is a finding, as is a summary that contradicts itself; rows that are not
// there leave it not run.
func TestVerifyRecounts(t *testing.T) {
	p := &counted{toy: &enginetest.Pascal{Depth: 8, Slots: 301, Window: 47}}
	again := func(dir string) *verify.Report {
		f := create(t, p, dir)
		defer closeFolder(t, f)
		v, err := verify.Run(t.Context(), p, f, verify.Options{Workers: 3, CacheBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	dir := t.TempDir()
	run(t, p, dir, faultless(), engine.Options{})
	p.extra = again(dir).Rows
	check := func(name string, v *verify.Report, state string, findings ...string) {
		t.Helper()
		if len(v.Recounts) != 1 || v.Recounts[0].State != state {
			t.Errorf("%s: %+v, want %s", name, v.Recounts, state)
		}
		var texts []string
		for _, f := range v.Findings {
			texts = append(texts, f.Kind+" "+f.Text)
		}
		if got, want := strings.Join(texts, "\n"), strings.Join(findings, "\n"); got != want {
			t.Errorf("%s: findings %q, want %q", name, got, want)
		}
	}
	check("right", again(dir), verify.RecountAgrees)
	p.extra++
	check("wrong", again(dir), verify.RecountDiffers,
		fmt.Sprintf("totals rows: %d, but the run says %d", p.extra-1, p.extra))
	p.extra--
	p.summary = errors.New("one and one is three")
	check("contradiction", again(dir), verify.RecountAgrees, "totals one and one is three")
	p.summary = nil
	dropped := t.TempDir()
	run(t, p, dropped, faultless(), engine.Options{Retention: plan.RetainSummary})
	check("dropped", again(dropped), verify.RecountNotRun)
}
