package transfer

import (
	"sync"
	"time"
)

// peers remembers the unreachable peers, so that not every window waits for the same one in vain.
type peers struct {
	pause time.Duration
	mu    sync.Mutex
	down  map[string]down // by address
}

type down struct {
	until time.Time
	why   *PeerError
	times int // in a row
}

// maxDoubled bounds how often the pause doubles, and a peer is forgotten after forgotten pauses without one.
const maxDoubled, forgotten = 3, 12

// served notes that a peer has served a window.
func (p *peers) served(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.down, address)
}

// rest lets a holder alone for a while, if it was asked again and again in vain.
func (p *peers) rest(h *holder) {
	if h.last == nil {
		return
	}
	switch h.last.Kind {
	case Unreachable, Stalled, Broken, Failed:
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.down == nil {
		p.down = make(map[string]down)
	}
	for a, d := range p.down {
		if now.After(d.until.Add(forgotten * p.pause)) {
			delete(p.down, a)
		}
	}
	if d := p.down[h.Address]; now.After(d.until) {
		p.down[h.Address] = down{now.Add(p.pause << min(d.times, maxDoubled)), h.last, d.times + 1}
	}
}

// resting reports whether a holder is to be left alone, and puts it out for this effort then.
func (p *peers) resting(h *holder) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, ok := p.down[h.Address]
	if !ok || time.Now().After(d.until) {
		return false
	}
	h.out, h.last = true, d.why
	return true
}
