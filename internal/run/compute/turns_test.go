package compute

import (
	"context"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/turns"
)

// paced computes every window for a second, in ten pieces.
type paced struct{ keyed }

func (paced) Compute(ctx context.Context, _ puzzle.Window, _ puzzle.Source, _ puzzle.Sink) (puzzle.Tally, error) {
	for range 10 {
		time.Sleep(100 * time.Millisecond)
		if err := puzzle.Progress(ctx); err != nil {
			return puzzle.Tally{}, err
		}
	}
	return puzzle.Tally{}, nil
}

// TestTurns: a window takes twice its time beside another run of the process, and its own time where there is none.
func TestTurns(t *testing.T) {
	for _, test := range []struct {
		name   string
		beside bool
		want   float64
	}{{"alone", false, 1}, {"beside another run", true, 2}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := turns.New(1, time.Now)
				ctx, end := context.WithCancel(t.Context())
				var other sync.WaitGroup
				if test.beside {
					turn, err := all.Join(1).Take(ctx, func() {})
					if err != nil {
						t.Fatal(err)
					}
					other.Go(func() {
						for ctx.Err() == nil {
							time.Sleep(50 * time.Millisecond)
							turn.Pass(ctx)
						}
						turn.End()
					})
				}
				f := &fleet{begin: time.Now(), idle: make(chan struct{}, 9), beats: stopAt(2)}
				f.idle <- struct{}{}
				f.tasks = append(f.tasks, task("a"))
				var computed []Computed
				err := Serve(ctx, Options{
					Name: "w", Run: "r1", Puzzle: paced{}, Store: newStore(t), Queue: f, Coordinator: f, Turns: all.Join(1),
					Events: Events{Computed: func(c Computed) { computed = append(computed, c) }},
				})
				end()
				other.Wait()
				m := regexp.MustCompile(`(?m)^(\S+) report 1 of epoch 1: 1/a/0 0 rows try0$`).FindStringSubmatch(f.log.String())
				if err != nil || m == nil {
					t.Fatalf("%v, %s", err, f.log.String())
				}
				if at, err := strconv.ParseFloat(m[1], 64); err != nil || at < 0.9*test.want || at > 1.1*test.want {
					t.Errorf("reported after %s s, want %g: %v", m[1], test.want, err)
				}
				if len(computed) != 1 || computed[0].Window != keyedWindow("a", 0).ID() || computed[0].Audit ||
					computed[0].Took < time.Second {
					t.Errorf("told of %+v", computed)
				}
			})
		})
	}
}
