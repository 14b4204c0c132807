package turns_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/run/turns"
)

// work has a run compute pieces in n slots until end, windows of so many pieces each, and returns its processor time.
func work(r *turns.Run, n, pieces int, piece time.Duration, end time.Time) func() time.Duration {
	var slots sync.WaitGroup
	var mu sync.Mutex
	var had time.Duration
	for range n {
		slots.Go(func() {
			for time.Now().Before(end) {
				turn, err := r.Take(context.Background(), func() {})
				if err != nil {
					panic(err)
				}
				for k := 0; k < pieces && time.Now().Before(end); k++ {
					time.Sleep(piece)
					mu.Lock()
					had += piece
					mu.Unlock()
					turn.Pass(context.Background())
				}
				turn.End()
			}
		})
	}
	return func() time.Duration {
		slots.Wait()
		return had
	}
}

// TestShares: runs with work get time in proportion to their weights, whatever the lengths of their windows are.
func TestShares(t *testing.T) {
	type claim struct {
		weight uint64
		slots  int
		pieces int
		piece  time.Duration
	}
	for name, claims := range map[string][]claim{
		"alone":          {{1, 2, 10, time.Millisecond}},
		"equal":          {{1, 2, 10, time.Millisecond}, {1, 2, 10, time.Millisecond}},
		"long and short": {{1, 2, 10000, time.Millisecond}, {1, 2, 1, time.Millisecond}},
		"by weight":      {{3, 2, 100, time.Millisecond}, {1, 2, 7, time.Millisecond}},
		"five": {
			{1, 2, 1000, time.Millisecond}, {1, 2, 1, time.Millisecond}, {2, 2, 10, time.Millisecond},
			{4, 2, 300, time.Millisecond}, {2, 2, 50, time.Millisecond},
		},
		"without passing": {{1, 2, 1, 400 * time.Millisecond}, {1, 2, 1, 3 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const processors, length = 2, 2 * time.Minute
				p := turns.New(processors, time.Now)
				end := time.Now().Add(length)
				var ends []func() time.Duration
				all := uint64(0)
				for _, c := range claims {
					ends = append(ends, work(p.Join(c.weight), c.slots, c.pieces, c.piece, end))
					all += c.weight
				}
				for i, had := range ends {
					want := processors * length * time.Duration(claims[i].weight) / time.Duration(all)
					if got := had(); got < want*98/100 || got > want*102/100 {
						t.Errorf("run %d had %v, want %v", i, got, want)
					}
				}
			})
		})
	}
}

// TestReturn: a run that has paused gets its part from then on, and nothing for the time that it left to the other.
func TestReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := turns.New(1, time.Now)
		long, short := p.Join(1), p.Join(1)
		begun := time.Now()
		whole := work(long, 1, 1000, time.Millisecond, begun.Add(20*time.Minute))
		for _, when := range []string{"at first", "after a pause"} {
			had := work(short, 1, 5, time.Millisecond, time.Now().Add(time.Minute))()
			if had < 29*time.Second || had > 31*time.Second {
				t.Errorf("%s it had %v", when, had)
			}
			time.Sleep(9 * time.Minute)
		}
		if had := whole(); had < 18*time.Minute+58*time.Second || had > 19*time.Minute+2*time.Second {
			t.Errorf("the other had %v", had)
		}
	})
}

// TestCancelled: contexts that end at random, in line and while a processor is passed on, lose no processor.
func TestCancelled(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			const processors = 3
			p := turns.New(processors, time.Now)
			var slots sync.WaitGroup
			var mu sync.Mutex
			busy, most := 0, 0
			for i := range 12 {
				r, random := p.Join(uint64(1+i%3)), rand.New(rand.NewPCG(seed, uint64(i)))
				slots.Go(func() {
					for range 200 {
						ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(400))*time.Millisecond)
						turn, err := r.Take(ctx, func() {})
						for k := random.IntN(8); err == nil && ctx.Err() == nil && k > 0; k-- {
							mu.Lock()
							busy++
							most = max(most, busy)
							mu.Unlock()
							time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
							mu.Lock()
							busy--
							mu.Unlock()
							turn.Pass(ctx)
						}
						turn.End()
						cancel()
					}
				})
			}
			slots.Wait()
			if most != processors {
				t.Errorf("seed %d: at most %d at a time, want %d", seed, most, processors)
			}
			r := p.Join(1)
			for range processors {
				if _, err := r.Take(context.Background(), func() {}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestAlive: what waits for long says that it is alive.
func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := turns.New(1, time.Now)
		first, err := p.Join(1).Take(t.Context(), func() {})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, first.End)
		said := 0
		second, err := p.Join(1).Take(t.Context(), func() { said++ })
		if err != nil || said < 10 {
			t.Errorf("%v, said %d times", err, said)
		}
		second.End()
	})
}

// TestNone: without others there is nothing to wait for.
func TestNone(t *testing.T) {
	var r *turns.Run
	turn, err := r.Take(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	turn.Pass(t.Context())
	turn.End()
}

// TestLongRun: what a run has had in weeks on many processors is not forgotten.
func TestLongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const processors = 64
		p := turns.New(processors, time.Now)
		long, short := p.Join(1), p.Join(1)
		take := func(r *turns.Run) *turns.Turn {
			turn, err := r.Take(t.Context(), func() {})
			if err != nil {
				t.Fatal(err)
			}
			return turn
		}
		var held []*turns.Turn
		for range processors {
			held = append(held, take(long))
		}
		time.Sleep(25 * 24 * time.Hour)
		for _, turn := range held[1:] {
			turn.End()
		}
		for range processors - 1 {
			held = append(held, take(short))
		}
		order := make(chan string, 2)
		for name, r := range map[string]*turns.Run{"long": long, "short": short} {
			go func() {
				turn := take(r)
				order <- name
				time.Sleep(time.Second)
				turn.End()
			}()
		}
		synctest.Wait() // both are in line
		held[0].End()
		if first := <-order; first != "short" {
			t.Errorf("the run that has had everything is first")
		}
		<-order
		for _, turn := range held[processors:] {
			turn.End()
		}
		time.Sleep(time.Minute)
	})
}
