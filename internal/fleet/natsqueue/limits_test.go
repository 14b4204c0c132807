package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/run/protocol"
)

// TestFloodIsBounded sends more reports than the coordinator can take: it keeps no more than its limits, says so, and
// answers later clients.
func TestFloodIsBounded(t *testing.T) {
	g := guard(t, "r1")
	g.tasks.Close()
	slow := make(chan struct{}, 1)
	nc, err := g.server.Connect("coordinator", ConnEvents{Trouble: func(err error) {
		if errors.Is(err, nats.ErrSlowConsumer) {
			select {
			case slow <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := NewTasks(t.Context(), nc, "r1", TaskOptions{Storage: jetstream.MemoryStorage})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	held, served := make(chan struct{}), make(chan error, 1)
	var reports atomic.Int64
	go func() {
		served <- tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply {
			reports.Add(1)
			<-held
			return protocol.Reply{}
		})
	}()
	report := protocol.Report{Run: "r1", Worker: g.named(t, "worker", "w")}
	b, err := report.Encode()
	if err != nil {
		t.Fatal(err)
	}
	flooding, _ := g.dial(t, "worker")
	sent := int64(0)
	for loud := false; !loud; {
		for range 1000 {
			if err := flooding.Publish(reportSubject("r1", keyOf(flooding)), b); err != nil {
				t.Fatal(err)
			}
		}
		sent += 1000
		if err := flooding.FlushTimeout(time.Minute); err != nil {
			t.Fatal(err)
		}
		select {
		case <-slow:
			loud = true
		default:
		}
	}
	for range 20 * pendingMessages {
		if err := flooding.Publish(reportSubject("r1", keyOf(flooding)), b); err != nil {
			t.Fatal(err)
		}
	}
	sent += 20 * pendingMessages
	if err := flooding.FlushTimeout(time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := nc.FlushTimeout(time.Minute); err != nil {
		t.Fatal(err)
	}
	close(held)
	honest, _ := g.dial(t, "worker")
	work, err := NewWork(honest, "r1", report.Worker, WorkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer work.Close()
	if _, err := work.Report(ctx, report); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	// Those that were being answered, the one that waited for that, those that waited, and those of the honest one.
	if n := reports.Load(); n > 2*(handlers+pendingMessages) {
		t.Errorf("the coordinator kept %d of %d reports", n, sent)
	}
}

// TestStreamIsBounded fills the stream: it takes no more, and its coordinator goes on when there is room again.
func TestStreamIsBounded(t *testing.T) {
	l := startLocal(t, "r1")
	ctx := t.Context()
	for _, size := range []int{protocol.MaxTaskBytes, 4 << 10, 64} {
		var err error
		for n := 0; err == nil; n++ {
			if n > maxTasksBytes/size {
				t.Fatalf("the stream takes more than %d bytes", maxTasksBytes)
			}
			_, err = l.Tasks.js.Publish(ctx, anySubject("r1"), make([]byte, size))
		}
		if !strings.Contains(err.Error(), "maximum bytes exceeded") {
			t.Fatal(err)
		}
	}
	if err := l.Tasks.Submit(ctx, []protocol.Task{someTask("r1", "x", "")}); !errors.Is(err, protocol.ErrQueueDown) {
		t.Errorf("a task for a full stream: %v", err)
	}
	s, err := l.Tasks.js.Stream(ctx, streamName("r1"))
	if err != nil {
		t.Fatal(err)
	}
	if c := s.CachedInfo().Config; c.MaxMsgs != maxTasks || c.MaxConsumers != 1+maxWorkers ||
		c.MaxMsgSize != protocol.MaxTaskBytes+maxHeader || c.Discard != jetstream.DiscardNew {
		t.Errorf("the stream is %+v", c)
	}
	if err := s.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	if err := l.Tasks.Submit(ctx, []protocol.Task{someTask("r1", "x", "")}); err != nil {
		t.Errorf("a task for an empty stream: %v", err)
	}
}

// TestJoinsAreBounded has more workers join than there can be consumers for: the coordinator does not hear of the next,
// and a worker that has joined before can join again.
func TestJoinsAreBounded(t *testing.T) {
	l := startLocal(t, "r1")
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- l.Tasks.ServeWorkers(ctx, &echoService{}) }()
	nc, err := l.server.Connect("workers", ConnEvents{})
	if err != nil {
		t.Fatal(err)
	}
	join := func(worker string) protocol.JoinResponse {
		t.Helper()
		link, err := NewLink(nc, "r1")
		if err != nil {
			t.Fatal(err)
		}
		r, err := link.Join(ctx, protocol.Join{Version: protocol.Version, Run: "r1", Worker: worker, Incarnation: "i"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := join("first"); r.Error != "" || r.Epoch != 7 {
		t.Fatalf("%+v", r)
	}
	l.Tasks.mu.Lock()
	for i := range maxWorkers - 1 {
		l.Tasks.workers[fmt.Sprintf("w%d", i)] = true
	}
	l.Tasks.mu.Unlock()
	if r := join("late"); r.Epoch != 0 || r.Stop || !strings.Contains(r.Error, "takes no more") {
		t.Errorf("one worker too many: %+v", r)
	}
	if r := join("first"); r.Error != "" || r.Epoch != 7 {
		t.Errorf("a worker that has joined before: %+v", r)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestSubscriptionsAreBounded listens to more subjects than any process of a fleet does.
func TestSubscriptionsAreBounded(t *testing.T) {
	g := guard(t, "r1")
	nc, refusals := g.dial(t, "worker")
	for i := range maxSubscriptions + 1 {
		if _, err := nc.SubscribeSync(inboxOf(g.keys(t, "worker").Key) + fmt.Sprintf(".%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-refusals:
		if !strings.Contains(err.Error(), "maximum subscriptions exceeded") {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Errorf("a worker may listen to more than %d subjects", maxSubscriptions)
	}
}

// TestOnlyWhoHasJoinedHasTasks asks for tasks directed to workers that have not joined.
func TestOnlyWhoHasJoinedHasTasks(t *testing.T) {
	l := startLocal(t, "r1")
	nc, err := l.server.Connect("stranger", ConnEvents{})
	if err != nil {
		t.Fatal(err)
	}
	for _, worker := range []string{"stranger", protocol.OwnWorker} {
		work, err := NewWork(nc, "r1", worker, WorkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := work.Next(ctx)
			ended <- err
		}()
		for turnedDown := false; !turnedDown; {
			work.mu.Lock()
			turnedDown = work.consumers[0].pause > 0
			work.mu.Unlock()
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		work.Close()
	}
	s, err := l.Tasks.js.Stream(t.Context(), streamName("r1"))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Consumers; n != 1 {
		t.Errorf("%d consumers", n)
	}
}

// TestOwnWorkerMayAcknowledge: when a coordinator with keys computes itself, no message of its worker is refused.
func TestOwnWorkerMayAcknowledge(t *testing.T) {
	g := guard(t, "r1")
	refusals := make(chan error, 100)
	nc, err := g.server.Connect(protocol.OwnWorker, ConnEvents{Trouble: func(err error) { refusals <- err }})
	if err != nil {
		t.Fatal(err)
	}
	work, err := NewWork(nc, "r1", protocol.OwnWorker, WorkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer work.Close()
	for i, to := range []string{protocol.OwnWorker, ""} {
		if err := g.tasks.Submit(t.Context(), []protocol.Task{someTask("r1", fmt.Sprintf("t%d", i), to)}); err != nil {
			t.Fatal(err)
		}
		d, err := work.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d.Progress()
		if err := d.Nak(); err != nil {
			t.Fatal(err)
		}
		if d, err = work.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
		for n := -1; n != 0; {
			if n, err = g.tasks.Pending(t.Context()); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-refusals:
				t.Fatal(err)
			default:
			}
		}
	}
}

// TestTroubleIsNotPrinted has the server refuse something to a connection within the process: its owner is told, and
// the library writes nothing to stderr.
func TestTroubleIsNotPrinted(t *testing.T) {
	g := guard(t, "r1")
	told := make(chan error, 1)
	nc, err := g.server.Connect("coordinator", ConnEvents{Trouble: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	if nc.Opts.AsyncErrorCB == nil {
		t.Fatal("the library prints what goes wrong")
	}
	if err := nc.Publish("forbidden", nil); err != nil {
		t.Fatal(err)
	}
	if err := nc.FlushTimeout(time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-told; !errors.Is(err, nats.ErrPermissionViolation) {
		t.Error(err)
	}
}

// TestManyQueues: an embedded server has room for the queues of MaxQueues runs.
func TestManyQueues(t *testing.T) {
	s, err := Listen(t.Context(), ServerOptions{Address: "127.0.0.1:0", Dir: t.TempDir(), Run: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	nc, err := Dial(t.Context(), DialOptions{URL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for i := range MaxQueues {
		ctx, end := context.WithTimeout(t.Context(), time.Minute) // it waits for room
		tasks, err := NewTasks(ctx, nc, fmt.Sprint("r", i), TaskOptions{Storage: jetstream.MemoryStorage})
		end()
		if err != nil {
			t.Fatalf("queue %d: %v", i, err)
		}
		defer tasks.Close()
	}
}
