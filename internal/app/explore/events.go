package explore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"pagoda/internal/app/cli"
)

const (
	// eventPause is the least time between two looks for changes, for one client.
	eventPause = 250 * time.Millisecond
	// pollInterval is the time between two readings of the folders' statuses, while a client watches.
	pollInterval = time.Second
	// maxWatchers bounds the clients that watch. There are more connections than that, also from one machine.
	maxWatchers = 100
)

// watchers are told that there is a change, and look it up.
type watchers struct {
	slots chan struct{} // one token for each client

	mu      sync.Mutex
	version uint64        // changes so far
	wake    chan struct{} // closed at the next change
	looked  time.Time     // when the statuses of folders were read
}

func newWatchers() *watchers {
	return &watchers{wake: make(chan struct{}), slots: make(chan struct{}, maxWatchers)}
}

// change counts a change of the status of o, and wakes the watchers.
func (w *watchers) change(o *offer) {
	w.told(func(version uint64) {
		o.mu.Lock()
		o.version = version
		o.mu.Unlock()
	})
}

// told counts a change, tells note its number, and wakes the watchers.
func (w *watchers) told(note func(version uint64)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	note(w.version)
	close(w.wake)
	w.wake = make(chan struct{})
}

// now is the number of changes so far, and a channel that the next one closes.
func (w *watchers) now() (uint64, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version, w.wake
}

// serveEvents sends one event for every run, and another one for each run that has changed, until the client goes.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	select {
	case s.watch.slots <- struct{}{}:
		defer func() { <-s.watch.slots }()
	default:
		refuse(w, http.StatusServiceUnavailable, cli.Hint(fmt.Errorf("%d clients watch already", maxWatchers),
			"close a page that shows this server, or ask for the status: streams of events have places of their own"))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	first, seen := true, uint64(0)
	for {
		last := s.ctx.Err() != nil
		if last {
			s.refresh()
		}
		version, wake := s.watch.now()
		if b := s.coordinatorsEvent(seen); b != nil {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
		for _, o := range s.all() {
			o.mu.Lock()
			changed := o.version > seen
			o.mu.Unlock()
			if !first && !changed {
				continue
			}
			if _, err := w.Write(o.event()); err != nil {
				return
			}
		}
		first, seen = false, version
		if control.SetWriteDeadline(time.Now().Add(writeTime)) != nil || control.Flush() != nil {
			return
		}
		if last || !s.pause(r, wake, poll.C) {
			return
		}
	}
}

// coordinatorsEvent is the event that lists the coordinators elsewhere; nil when there are none, or nothing is known of
// them that was not after the given number of changes.
func (s *Server) coordinatorsEvent(seen uint64) []byte {
	s.watch.mu.Lock()
	at := s.coordinatorsAt
	s.watch.mu.Unlock()
	if len(s.remotes) == 0 || seen > 0 && at <= seen {
		return nil
	}
	b, err := json.Marshal(s.coordinators())
	if err != nil {
		return nil
	}
	return slices.Concat([]byte("event: coordinators\ndata: "), b, []byte("\n\n"))
}

// event is the event that tells of o. It is made once for all watchers.
func (o *offer) event() []byte {
	o.mu.Lock()
	version, told := o.version, o.told
	if o.toldAt == 0 || o.toldAt != version {
		told = nil
	}
	o.mu.Unlock()
	if told != nil {
		return told
	}
	b, err := json.Marshal(o.doc())
	if err != nil {
		return []byte(": an event that cannot be written\n\n")
	}
	told = slices.Concat([]byte("event: run\ndata: "), b, []byte("\n\n"))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told, o.toldAt = told, version
	return told
}

// pause waits for a change, but not too short; false says that the client has gone. It does not wait when the server
// ends: then the changes are told a last time.
func (s *Server) pause(r *http.Request, wake <-chan struct{}, poll <-chan time.Time) bool {
	short := time.NewTimer(eventPause)
	defer short.Stop()
	for {
		select {
		case <-r.Context().Done():
			return false
		case <-s.ctx.Done():
			return true
		case <-poll:
			if s.watch.due() {
				s.refresh()
			}
		case <-wake:
			select {
			case <-short.C:
				return true
			case <-r.Context().Done():
				return false
			case <-s.ctx.Done():
				return true
			}
		}
	}
}

// due reports whether the statuses of folders should be read, for all watchers at once.
func (w *watchers) due() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.looked) < pollInterval*9/10 {
		return false
	}
	w.looked = time.Now()
	return true
}
