package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// tellInterval is how long a command that prints nothing else works before it tells what it is doing.
const tellInterval = 5 * time.Second

// A teller tells people now and then what a command is doing that takes long.
type teller struct {
	mu     sync.Mutex
	doing  string
	finish chan struct{}
	over   sync.WaitGroup
}

// tellEvery begins to write what is being done to w. The caller has to stop it.
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

// say sets what is being done.
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
