package transfer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
	maxWrong   = 3  // wrong answers of a peer
	maxBusy    = 12 // busy answers of a peer; they take some seven seconds
	lateBusy   = 6  // the same for a peer that readers have long waited for; less than a second
	maxSlow    = 2  // slow streams of a holder until progress is no excuse
	maxTimes   = 16 // times the window's bytes until progress is no excuse
)

// download is the attempt to get a window from any of its holders.
type download struct {
	f       *Fetcher
	window  *inbound
	holders []holder
	alone   bool // parts of different peers did not fit: take all from one
	all     bool // it asks holders at rest too, once: they may be there again
	done    Fetched
}

type holder struct {
	protocol.Peer
	out         bool
	rested      bool // it was left alone
	wrong, busy int
	last        *PeerError
}

func (f *Fetcher) newDownload(lw *protocol.LocatedWindow, a *inbound) *download {
	e := &download{f: f, window: a, done: Fetched{Window: lw.Record.ID()}}
	for _, p := range lw.Holders {
		if f.other(p) && p.Name != protocol.ArchiveName {
			e.holders = append(e.holders, holder{Peer: p})
		}
	}
	rand.Shuffle(len(e.holders), func(i, j int) { e.holders[i], e.holders[j] = e.holders[j], e.holders[i] })
	if f.o.Archive != nil && protocol.HasArchive(lw.Holders) {
		e.holders = append(e.holders, holder{Peer: protocol.Peer{Name: protocol.ArchiveName, Address: f.o.Archive.String()}})
	}
	return e
}

// run asks the holders in turn until the window is there. The error is an *Error, a local one, or ctx's.
func (e *download) run(ctx context.Context) error {
	start := time.Now()
	patient := start.Add(e.f.o.Patience)
	slow := 0 // streams that were too slow
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		before, usable, busy := e.done.Bytes, false, false
		for i := range e.holders {
			h := &e.holders[i]
			if h.out {
				continue
			}
			if h.rested = e.f.peers.resting(h) && !e.all; h.rested {
				continue
			}
			there, err := e.ask(ctx, h)
			if there || err != nil {
				e.done.Took = time.Since(start)
				return err
			}
			usable = usable || !h.out
			busy = busy || h.last.Kind == Busy
			if errors.Is(h.last, errSlow) {
				slow++
			}
		}
		switch now := time.Now(); {
		case !usable && e.wake():
			continue
		case slow < maxSlow*len(e.holders) && usable && e.done.Bytes > before && e.done.Bytes/maxTimes <= e.window.want.Bytes:
			patient, wait = now.Add(e.f.o.Patience), firstPause/2
			continue
		case usable && busy:
			patient = now.Add(e.f.o.Patience)
		case !usable || now.After(patient):
			for i := range e.holders {
				e.f.peers.rest(&e.holders[i])
			}
			e.done.Took = time.Since(start)
			return e.failure()
		}
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
		for i := range e.holders {
			if h := &e.holders[i]; !h.out {
				e.f.peers.waited(h.Address, wait)
			}
		}
	}
}

// ask asks one holder. there reports whether the window is whole now; h notes the holder's faults.
func (e *download) ask(ctx context.Context, h *holder) (there bool, err error) {
	a := e.window
	others := func() bool {
		return slices.ContainsFunc(a.from, func(s string) bool { return s != h.Address })
	}
	if e.alone && others() {
		a.reset()
	}
	late := e.f.peers.late(h.Address)
	bytes, err := e.f.stream(ctx, h.Peer, a)
	e.done.Bytes += bytes
	e.done.Peer = h.Peer
	whole := err == nil
	if whole {
		if err = a.arrival.Check(); err == nil {
			e.f.peers.served(h.Address)
			return true, nil
		}
		err = &PeerError{Peer: h.Peer, Kind: Corrupt, Err: err}
	}
	if !errors.As(err, &h.last) {
		return false, err
	}
	e.done.Errors = append(e.done.Errors, h.last)
	switch h.last.Kind {
	case Corrupt, Malformed:
		if others() {
			// Blocks of several peers that do not fit together accuse none of them.
			e.alone = true
			a.reset()
			return false, nil
		}
		if whole {
			h.out = true // it would send the same again
			a.reset()
		}
		h.wrong++
	case Busy:
		h.busy++
	}
	h.out = h.out || h.last.Kind.final() || h.wrong >= maxWrong || h.busy >= maxBusy ||
		late && (h.last.Kind != Busy || h.busy >= lateBusy)
	return false, nil
}

// wake has the holders asked that were left alone, once, when another holder does not have the window: otherwise the
// window would be taken for lost at all of them. It reports whether there are any.
func (e *download) wake() (more bool) {
	lost := slices.ContainsFunc(e.holders, func(h holder) bool {
		return !h.rested && h.last != nil && h.last.Kind.final()
	})
	if e.all || !lost {
		return false
	}
	e.all = true
	for i := range e.holders {
		if h := &e.holders[i]; h.rested {
			h.out, more = false, true
		}
	}
	return more
}

func (e *download) failure() error {
	err := &Error{Run: e.window.want.Run, Window: e.done.Window}
	for i := range e.holders {
		if last := e.holders[i].last; last != nil {
			err.Peers = append(err.Peers, last)
		}
	}
	return err
}
