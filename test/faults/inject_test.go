//go:build faults

package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// An injectedFault is a fault that was done.
type injectedFault struct {
	kind, whom string
	begin, end time.Time
}

// A deck is the faults that are to come.
type deck struct {
	r    *rand.Rand
	left []fault // with -each, those that have not been done
	n    int     // how many are to come
	idle map[string]int
}

// patience is how often a kind of fault may find nothing to harm, with -each, before it is left out.
const patience = 10

func newDeck(r *rand.Rand) *deck {
	d := &deck{r: r, n: *count, idle: map[string]int{}}
	if *each > 0 {
		d.n = *each * len(faults)
		for range *each {
			d.left = append(d.left, faults...)
		}
		r.Shuffle(len(d.left), func(i, j int) { d.left[i], d.left[j] = d.left[j], d.left[i] })
	}
	return d
}

// next draws a fault.
func (d *deck) next() fault {
	d.n--
	if len(d.left) == 0 {
		return draw(d.r)
	}
	f := d.left[0]
	d.left = d.left[1:]
	return f
}

// back takes a fault that found nothing to harm: it, or another, comes later.
func (d *deck) back(f fault) {
	d.idle[f.name]++
	switch {
	case *each == 0:
		d.n++
	case d.idle[f.name] < patience:
		d.n++
		d.left = append(d.left, f)
	}
}

// atOnce is how many faults that last may go on at a time.
const atOnce = 3

// injectFaults does the faults, one every -pace on the average and several at a time where they last. A run that ends
// meanwhile is begun again when its results have been compared.
func (c *testFleet) injectFaults(t *testing.T, begin time.Time) ([]injectedFault, error) {
	t.Helper()
	r := rand.New(rand.NewPCG(*seed, 1))
	var (
		mu       sync.Mutex
		injected []injectedFault
		wrong    []error
		busy     sync.WaitGroup
	)
	d, room := newDeck(r), make(chan struct{}, atOnce)
	more := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return d.n > 0 && wrong == nil
	}
	for {
		if !more() {
			busy.Wait() // one that is going on may have found nothing to harm
			if !more() {
				break
			}
		}
		if time.Since(begin) > *limit {
			busy.Wait()
			return injected, fmt.Errorf("only %d faults within %s", len(injected), *limit)
		}
		time.Sleep(*pace/2 + jitter(r, *pace))
		select {
		case e := <-c.Ended:
			busy.Wait()
			if c.complete(t, e) {
				if err := c.again(); err != nil {
					return injected, err
				}
			}
		default:
		}
		mu.Lock()
		f, own := d.next(), rand.New(rand.NewPCG(*seed, r.Uint64()))
		mu.Unlock()
		room <- struct{}{}
		busy.Go(func() {
			defer func() { <-room }()
			b := injectedFault{kind: f.name, begin: time.Now()}
			var err error
			b.whom, err = f.do(c, own)
			b.end = time.Now()
			mu.Lock()
			defer mu.Unlock()
			t.Logf("%s %5.1f s: %s %s: %v", b.begin.Format(time.TimeOnly), b.end.Sub(b.begin).Seconds(), b.kind, b.whom, err)
			switch {
			case err == nil:
				injected = append(injected, b)
			case errors.Is(err, errIdle):
				d.back(f)
			default:
				wrong = append(wrong, fmt.Errorf("%s %s: %w", f.name, b.whom, err))
			}
		})
	}
	t.Logf("%d faults in %.0f s", len(injected), time.Since(begin).Seconds())
	return injected, errors.Join(wrong...)
}

// again has the fleet carry out the run once more, from nothing: what workers still hold of the last time they are told
// to drop.
func (c *testFleet) again() error {
	c.mu.Lock()
	c.runs++
	c.mu.Unlock()
	c.Move(filepath.Join(c.dir, fmt.Sprintf("run-%d", c.Runs())))
	return c.Coordinator.Again()
}
