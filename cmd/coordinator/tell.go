package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// tellInterval is the time before the first line of a teller, and between two lines.
const tellInterval = 5 * time.Second

// A teller writes now and then what a slow command is doing.
type teller struct {
	mu     sync.Mutex
	doing  string
	finish chan struct{}
	over   sync.WaitGroup
}

// tellEvery starts a teller that writes to w. The caller has to stop it.
func tellEvery(w io.Writer, interval time.Duration) *teller {
	t := &teller{finish: make(chan struct{})}
	t.over.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-t.finish:
				return
			case <-tick.C:
				t.mu.Lock()
				_, _ = fmt.Fprintln(w, t.doing)
				t.mu.Unlock()
			}
		}
	})
	return t
}

// say sets the text that is written.
func (t *teller) say(doing string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doing = doing
}

// stop returns when nothing is written any more.
func (t *teller) stop() {
	close(t.finish)
	t.over.Wait()
}
