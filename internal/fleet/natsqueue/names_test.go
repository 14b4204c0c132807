package natsqueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// witness is a coordinator that notes which worker says what.
type witness struct {
	mu    sync.Mutex
	heard []string
}

func (w *witness) note(what, worker string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = append(w.heard, what+" of "+worker)
}

func (w *witness) Join(_ context.Context, j protocol.Join) protocol.JoinResponse {
	if err := protocol.CheckVersion(j.Worker, j.Version); err != nil {
		return protocol.JoinResponse{Error: err.Error()}
	}
	w.note("join", j.Worker)
	return protocol.JoinResponse{Epoch: 1}
}

func (w *witness) Heartbeat(_ context.Context, b protocol.Heartbeat) protocol.HeartbeatResponse {
	w.note("heartbeat", b.Worker)
	return protocol.HeartbeatResponse{Epoch: 1}
}

func (*witness) Locate(context.Context, puzzle.Cell) ([]protocol.Located, error) { return nil, nil }

func (w *witness) report(_ context.Context, r protocol.Report) protocol.Reply {
	w.note("report", r.Worker)
	return protocol.Reply{}
}

// watched serves the run of g, and notes what the coordinator hears.
func watched(t *testing.T, g *guarded) *witness {
	t.Helper()
	w := new(witness)
	ctx, cancel := context.WithCancel(context.Background())
	ends := make(chan error, 2)
	go func() { ends <- g.tasks.Serve(ctx, w.report) }()
	go func() { ends <- g.tasks.ServeWorkers(ctx, w) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
	})
	return w
}

// TestNamesBelongToKeys: a client with credentials joins, reports, beats, takes tasks and acknowledges under the name
// of a worker of other credentials, of the coordinator's own worker, and of none. No such message arrives, and that
// worker goes on.
func TestNamesBelongToKeys(t *testing.T) {
	g := guard(t, "r1")
	w := watched(t, g)
	ctx := t.Context()
	honest := g.named(t, "worker", "w")
	hnc, _ := g.dial(t, "worker")
	nc, _ := g.dial(t, "any")
	hlink, err := NewLink(hnc, "r1")
	if err != nil {
		t.Fatal(err)
	}
	join := func(worker string) protocol.Join {
		return protocol.Join{Version: protocol.Version, Run: "r1", Worker: worker, Incarnation: "i"}
	}
	if r, err := hlink.Join(ctx, join(honest)); err != nil || r.Error != "" {
		t.Fatal(r, err)
	}
	if err := g.tasks.Submit(ctx, []protocol.Task{someTask("r1", "t", honest)}); err != nil {
		t.Fatal(err)
	}
	hwork, err := NewWork(hnc, "r1", honest, WorkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer hwork.Close()
	d, err := hwork.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.tasks.Submit(ctx, []protocol.Task{someTask("r1", "t2", honest)}); err != nil {
		t.Fatal(err)
	}

	own := keys.Fingerprint(g.keys(t, "any").Key)
	link, err := NewLink(nc, "r1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		honest, "w", protocol.OwnWorker, protocol.ArchiveName, "w~" + strings.Repeat("a", len(own)), "w~", "~" + own,
	} {
		work, err := NewWork(nc, "r1", "", WorkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		j, jerr := link.Join(ctx, join(name))
		b, berr := link.Heartbeat(ctx, protocol.Heartbeat{Run: "r1", Worker: name, Incarnation: "i"})
		r, rerr := work.Report(ctx, protocol.Report{Run: "r1", Worker: name, Incarnation: "i"})
		if err := errors.Join(jerr, berr, rerr); err != nil || j.Error == "" || b.Error == "" || r.Error == "" {
			t.Errorf("%s: %v, %+v, %+v, %+v", name, err, j, b, r)
		}
		work.Close()
	}
	// Its tasks: a request that names it, or an inbox of its, and an acknowledgement.
	inbox, unasked := nc.NewInbox(), hnc.NewInbox()
	if _, err := hnc.SubscribeSync(unasked); err != nil {
		t.Fatal(err)
	}
	stolen, err := nc.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	pull := pullRequest{Worker: honest, Own: true, Batch: 9, Expires: int64(time.Minute), Heartbeat: int64(time.Second)}
	publish := func(subject, reply string, v any) {
		t.Helper()
		data, err := json.Marshal(v)
		if err == nil {
			err = nc.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: data})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	publish(pullRequests("r1", keyOf(nc)), inbox, pull)
	pull.Worker, pull.Own = protocol.Named("x", own), false
	publish(pullRequests("r1", keyOf(nc)), unasked, pull)
	publish(ackSubject("r1", keyOf(nc)), "", ackRequest{d.(*delivery).reply, sayDone})
	if _, err := link.Locate(ctx, puzzle.Cell{Key: "a"}); err != nil { // all before it has been taken
		t.Fatal(err)
	}
	if m, err := stolen.NextMsg(10 * time.Millisecond); err == nil {
		t.Errorf("a task for %s came: %q", honest, m.Data)
	}
	// The worker itself gets its task, is heard, and acknowledges.
	second, err := hwork.Next(ctx)
	if err != nil || second.Task().ID != "t2" {
		t.Fatal(second, err)
	}
	// A task for everybody goes to the one that asks for it.
	if err := g.tasks.Submit(ctx, []protocol.Task{someTask("r1", "t3", "")}); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(ctx, defaultAckWait/2)
	defer cancel()
	third, err := hwork.Next(soon)
	if err != nil {
		t.Fatalf("a task for everybody has gone to an inbox that a stranger has named: %v", err)
	}
	if _, err := hwork.Report(ctx, protocol.Report{Run: "r1", Worker: honest, Incarnation: "i"}); err != nil {
		t.Fatal(err)
	}
	// Acknowledgements pass in their order: that of the stranger was the first.
	for i, d := range []protocol.Delivery{third, second, d} {
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
		for n := 3; n > 2-i; {
			if n, err = g.tasks.Pending(ctx); err != nil {
				t.Fatal(err)
			}
			if n < 2-i {
				t.Error("a stranger has acknowledged the task of a worker")
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if want := []string{"join of " + honest, "report of " + honest}; !slices.Equal(w.heard, want) {
		t.Errorf("the coordinator has heard %q, want %q", w.heard, want)
	}
}

// TestVersion1IsTold: a worker whose messages know no keys hears that its version is another; one of this version
// cannot join that way.
func TestVersion1IsTold(t *testing.T) {
	g := guard(t, "r1")
	w := watched(t, g)
	nc, _ := g.dial(t, "worker")
	for version, want := range map[int]string{1: "speaks version 1", protocol.Version: "without its key"} {
		m := fmt.Appendf(nil, `{"version":%d,"run":"r1","worker":"w","incarnation":"i","page":0}`, version)
		b, err := ask(t.Context(), nc, joinOfVersion1("r1"), m, time.Minute)
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("version %d: %s, %v", version, b, err)
		}
	}
	if len(w.heard) > 0 {
		t.Errorf("the coordinator has heard %q", w.heard)
	}
}
