package main

import (
	"sync"
	"time"
)

// patience gives up when a worker has been without work for a time: without a connection, or without a run. A nil
// *patience has no end. Safe for concurrent use.
type patience struct {
	most time.Duration

	mu        sync.Mutex
	timer     *time.Timer
	connects  bool
	serves    bool
	satisfied bool
}

// newPatience calls giveUp, in a goroutine of its own, after most without both a connection and a run; nil for 0.
func newPatience(most time.Duration, giveUp func()) *patience {
	if most == 0 {
		return nil
	}
	return &patience{most: most, timer: time.AfterFunc(most, giveUp)}
}

// connected says whether there is a connection to the queue.
func (p *patience) connected(yes bool) {
	p.change(func() { p.connects = yes })
}

// serving says whether the worker serves a run.
func (p *patience) serving(yes bool) {
	p.change(func() { p.serves = yes })
}

func (p *patience) change(fn func()) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
	was := p.satisfied
	p.satisfied = p.connects && p.serves
	switch {
	case p.satisfied && !was:
		p.timer.Stop()
	case !p.satisfied && was:
		p.timer.Reset(p.most)
	}
}

// end keeps it from giving up.
func (p *patience) end() {
	if p != nil {
		p.timer.Stop()
	}
}
