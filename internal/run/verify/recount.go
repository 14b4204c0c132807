package verify

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Outcomes of a second count.
const (
	RecountAgrees  = "agrees"
	RecountDiffers = "differs"
	RecountNotRun  = "not run" // the rows that it needs are not there
)

// A Recounted is a result that was counted a second time, in another way.
type Recounted struct {
	What   string          `json:"what"`
	State  string          `json:"state"`
	Want   uint128.Uint128 `json:"want"` // the run's
	Got    uint128.Uint128 `json:"got"`  // 0 when it was not counted
	Reason string          `json:"reason,omitempty"`
}

// recount repeats the counts that the puzzle can make in a second way, and asks it whether its results agree.
func (v *verifier) recount(ctx context.Context, p puzzle.Puzzle) error {
	weigher, _ := p.(puzzle.RowWeigher)
	if v.o.Weigh == nil {
		weigher = nil
	}
	if !v.plan.Complete() {
		if weigher != nil {
			v.out.Recounts = append(v.out.Recounts,
				Recounted{What: "random weights", State: RecountNotRun, Reason: "the run is not complete"})
		}
		return nil
	}
	if _, err := p.Summarise(v.plan); err != nil {
		v.out.Findings = append(v.out.Findings, Finding{Kind: FindTotals, Text: err.Error()})
	}
	var list []puzzle.Recount
	if r, ok := p.(puzzle.Recounter); ok {
		var err error
		if list, err = r.Recounts(v.plan); err != nil {
			return err
		}
	}
	if weigher != nil {
		more, err := weigher.Weighings(v.plan, v.o.Weigh)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	in := v.f.Reader(v.plan, v.o.CacheBytes)
	for i := range list {
		c := &list[i]
		out := Recounted{What: c.What, Want: c.Want}
		var err error
		out.Got, err = sumShares(ctx, c, in, v.o.Workers)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, puzzle.ErrMissing) || len(v.drop) > 0 && err != nil:
			out.State, out.Reason = RecountNotRun, err.Error()
		case err != nil:
			return fmt.Errorf("%s: %w", c.What, err)
		case out.Got == c.Want:
			out.State = RecountAgrees
		default:
			out.State = RecountDiffers
			v.out.Findings = append(v.out.Findings, Finding{Kind: FindTotals,
				Text: fmt.Sprintf("%s: %v, but the run says %v", c.What, out.Got, c.Want)})
		}
		v.out.Recounts = append(v.out.Recounts, out)
	}
	return nil
}

// sumShares counts all shares, some at a time.
func sumShares(ctx context.Context, c *puzzle.Recount, in puzzle.Source, workers int) (uint128.Uint128, error) {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, workers))
	var mu sync.Mutex
	var sum uint128.Uint128
	for _, w := range c.Windows {
		g.Go(func() error {
			if gctx.Err() != nil {
				return nil // another one has failed
			}
			n, err := c.Share(gctx, w, in)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			var ok bool
			if sum, ok = sum.Add(n); !ok {
				return puzzle.ErrOverflow
			}
			return nil
		})
	}
	err := g.Wait()
	return c.Reduce(sum), err
}
