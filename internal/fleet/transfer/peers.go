package transfer

import (
	"sync"
	"time"
)

// peers remembers the unreachable peers, so that not every window waits for the same one in vain, and how long readers
// have waited for each.
type peers struct {
	pause time.Duration // of one that cannot be reached
	stall time.Duration // Options.StallTime
	mu    sync.Mutex
	down  map[string]down // by address
	owes  map[string]debt // by address
}

// debt is the time that readers have waited for a peer. A peer may keep them waiting for a tenth of the time.
type debt struct {
	waited time.Duration
	at     time.Time
}

const forgiven = 10

// left is the rest of it at a moment.
func (d debt) left(now time.Time) time.Duration { return max(0, d.waited-now.Sub(d.at)/forgiven) }

// waited notes that a reader has waited for a peer. The usual wait in a network does not count.
func (p *peers) waited(address string, d time.Duration) {
	if d -= p.stall / 28; d <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.owes == nil {
		p.owes = make(map[string]debt)
	}
	for a, d := range p.owes {
		if d.left(now) == 0 {
			delete(p.owes, a)
		}
	}
	p.owes[address] = debt{min(p.owes[address].left(now)+d, 2*p.stall), now}
}

// late reports whether readers have waited so long for a peer that they do not wait again as they would for another:
// it has one attempt for a window, and a seventh of the time. Otherwise a peer that answers just in time, each time,
// would hold up a run without end.
func (p *peers) late(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owes[address].left(time.Now()) > p.stall/2
}

// stallTime is how long a peer may take to connect, to answer, or to send the next block.
func (p *peers) stallTime(address string) time.Duration {
	if p.late(address) {
		return p.stall / 7
	}
	return p.stall
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
