package explore

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

const (
	// maxEvent bounds an event of a coordinator, in bytes: a status with all its squares and workers.
	maxEvent = 16 << 20
	// askAgain is how long a coordinator that does not answer is left alone.
	askAgain = time.Second
	// maxRemoteRuns bounds the runs that are remembered of one address. It is one, unless one coordinator after the other
	// is started there; the oldest goes.
	maxRemoteRuns = 8
	// remoteAnswers is how many answers a coordinator is asked for at a time; others wait.
	remoteAnswers = 2
)

// A remote is a coordinator that has an API somewhere. Its stream of events is followed as long as the server is there.
type remote struct {
	client *api.Client
	slots  chan struct{} // one token for each answer that it is asked for

	mu   sync.Mutex
	run  string // the run that it has told of last, "" for none
	err  error  // why it does not answer; nil: it does
	runs []string
}

var errNotAsked = errors.New("it has not been asked yet")

// A coordinatorDoc is the document of /coordinators about one.
type coordinatorDoc struct {
	URL   string `json:"url"`
	Run   string `json:"run,omitempty"`   // "" as long as it has told of none
	Error string `json:"error,omitempty"` // why it does not answer, "" when it does
}

func (r *remote) doc() coordinatorDoc {
	r.mu.Lock()
	defer r.mu.Unlock()
	doc := coordinatorDoc{URL: r.client.URL(), Run: r.run}
	if r.err != nil {
		doc.Error = r.err.Error()
	}
	return doc
}

// failure is why the coordinator does not answer, or does not any more of a run; "" when it does.
func (r *remote) failure(run string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return r.err.Error()
	case r.run != run:
		return "the coordinator there leads run " + r.run + " now"
	}
	return ""
}

// follow keeps the state of a coordinator up to date, until ctx is done.
func (s *Server) follow(ctx context.Context, r *remote) {
	for ctx.Err() == nil {
		err := s.listen(ctx, r)
		if ctx.Err() != nil {
			return
		}
		s.heard(r, func() { r.err = err })
		if pause.For(ctx, cmp.Or(s.o.AskAgain, askAgain)) != nil {
			return
		}
	}
}

// heard changes the state of a coordinator, and tells the watchers when that is something new.
func (s *Server) heard(r *remote, change func()) {
	before := r.doc()
	r.mu.Lock()
	change()
	runs := slices.Clone(r.runs)
	r.mu.Unlock()
	if r.doc() == before {
		return
	}
	s.watch.told(func(version uint64) { s.coordinatorsAt = version })
	for _, o := range s.all() {
		if o.remote == r && slices.Contains(runs, o.ID) {
			o.changed()
		}
	}
}

// listen follows the stream of events of a coordinator to its end, and returns why it ended.
func (s *Server) listen(ctx context.Context, r *remote) error {
	body, err := r.client.Open(ctx, "/events")
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	s.heard(r, func() { r.err = nil })
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	event := ""
	for lines.Scan() {
		line := lines.Bytes()
		if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			event = string(name)
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok || event != "run" {
			continue
		}
		if err := s.takeRemote(r, data); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("its stream of events broke off: %w", err)
	}
	return errors.New("its stream of events broke off")
}

// takeRemote takes over a coordinator's document about its run.
func (s *Server) takeRemote(r *remote, data []byte) error {
	var doc offerDoc
	if err := json.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("what it tells of its run cannot be read: %w", err)
	}
	if !protocol.ValidRun(doc.ID) {
		return fmt.Errorf("%.40q is no run ID", doc.ID)
	}
	o := s.remoteOffer(r, doc.ID)
	if o == nil {
		s.heard(r, func() { r.run = doc.ID })
		return nil // a folder of the same run is offered, or another coordinator of it
	}
	o.mu.Lock()
	o.elsewhere, o.status = doc, doc.Status.Status
	o.mu.Unlock()
	s.heard(r, func() { r.run = doc.ID })
	o.changed()
	return nil
}

// remoteOffer is the offer of a coordinator's run, which is made when there is none, or only one to carry it out here.
// It is nil when the run is offered already, and not by this coordinator.
func (s *Server) remoteOffer(r *remote, id string) *offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch o := s.byID[id]; {
	case o == nil:
	case o.remote == r:
		return o
	case o.remote != nil || o.state() != stateOffered:
		return nil
	default:
		s.offers = slices.DeleteFunc(s.offers, func(other *offer) bool { return other == o })
	}
	o := &offer{ID: id, remote: r}
	s.add(o)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs = append(r.runs, id); len(r.runs) > maxRemoteRuns {
		oldest := r.runs[0]
		r.runs = r.runs[1:]
		delete(s.byID, oldest)
		s.offers = slices.DeleteFunc(s.offers, func(o *offer) bool { return o.ID == oldest })
	}
	return o
}

// coordinators returns the states of the coordinators, in the order in which they were named.
func (s *Server) coordinators() []coordinatorDoc {
	list := []coordinatorDoc{}
	for _, r := range s.remotes {
		list = append(list, r.doc())
	}
	return list
}
