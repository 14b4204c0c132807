package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/protocol"
)

// restartableServer is a NATS server that can be ended and started again at the same address, with or without its
// storage.
type restartableServer struct {
	t   *testing.T
	dir string
	o   server.Options

	mu sync.Mutex
	s  *server.Server
}

func rise(t *testing.T) *restartableServer {
	t.Helper()
	p := &restartableServer{t: t, dir: t.TempDir()}
	p.o = server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: p.dir, NoLog: true, NoSigs: true,
		PingInterval: pingEvery, MaxPingsOut: maxPings,
	}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	p.o.Port = p.s.Addr().(*net.TCPAddr).Port
	t.Cleanup(p.end)
	return p
}

func (p *restartableServer) start() error {
	o := p.o
	if o.Port > 0 {
		if err := p.portIsFree(); err != nil {
			return err
		}
	}
	s, err := server.NewServer(&o)
	if err != nil {
		return err
	}
	s.Start()
	p.mu.Lock()
	p.s = s
	p.mu.Unlock()
	if !s.ReadyForConnections(20 * time.Second) {
		return errors.New("the server is not ready")
	}
	return nil
}

// portIsFree waits for others to give back the port, should they have been given it while the server was away.
func (p *restartableServer) portIsFree() error {
	var l net.Listener
	pausetest.Until(p.t, "the port is not given back", func() (free bool) {
		var err error
		l, err = net.Listen("tcp", fmt.Sprintf("%s:%d", p.o.Host, p.o.Port))
		return err == nil
	})
	return l.Close()
}

func (p *restartableServer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s.Shutdown()
	p.s.WaitForShutdown()
}

// again ends the server and starts it after a while.
func (p *restartableServer) again(away time.Duration, forget bool) error {
	p.end()
	time.Sleep(away) // how long it is away matters only to the waiting clients
	if forget {
		if err := os.RemoveAll(p.dir); err != nil {
			return err
		}
	}
	return p.start()
}

func (p *restartableServer) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", p.o.Port) }

func (p *restartableServer) dial(name string) *nats.Conn {
	p.t.Helper()
	nc, err := Dial(p.t.Context(), DialOptions{URL: p.url(), Name: name})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(nc.Close)
	return nc
}

// queue returns both ends of a run's queue on connections of their own.
func (p *restartableServer) queue(o TaskOptions, worker string) (*Tasks, *Work) {
	p.t.Helper()
	tasks, err := NewTasks(p.t.Context(), p.dial("coordinator"), "r1", o)
	if err != nil {
		p.t.Fatal(err)
	}
	work, err := NewWork(p.dial(worker), "r1", worker, WorkOptions{Heartbeat: 500 * time.Millisecond})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(work.Close)
	return tasks, work
}

// pass brings a task through the queue, for everybody or for the worker, however often it must be sent.
func pass(ctx context.Context, t *testing.T, tasks *Tasks, work *Work, id, to string) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	got := make(chan error, 1)
	go func() {
		for {
			d, err := work.Next(ctx)
			if err != nil {
				got <- err
				return
			}
			if err := d.Ack(); err != nil {
				got <- err
				return
			}
			if strings.HasPrefix(d.Task().ID, id) && d.Task().To == to {
				got <- nil
				return
			}
		}
	}()
	for try := 0; ; try++ {
		err := tasks.Submit(ctx, []protocol.Task{someTask("r1", fmt.Sprintf("%s-%d", id, try), to)})
		if err != nil && !errors.Is(err, protocol.ErrQueueDown) {
			t.Fatal(err)
		}
		if _, err := tasks.Pending(ctx); err != nil && !errors.Is(err, protocol.ErrQueueDown) {
			t.Fatal(err)
		}
		select {
		case err := <-got:
			if err != nil {
				t.Fatalf("task %s for %q: %v", id, to, err)
			}
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// TestServerComesAndGoes ends the server under both ends of a queue, with its storage and without, also while the
// coordinator's and the worker's questions are under way.
func TestServerComesAndGoes(t *testing.T) {
	for _, storage := range []jetstream.StorageType{jetstream.FileStorage, jetstream.MemoryStorage} {
		for _, forget := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s forget=%t", storage, forget), func(t *testing.T) {
				p := rise(t)
				ctx, cancel := context.WithCancel(t.Context())
				tasks, work := p.queue(TaskOptions{Storage: storage, AckWait: time.Second}, "w")
				served := make(chan error, 2)
				go func() {
					served <- tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply { return protocol.Reply{} })
				}()
				go func() { served <- tasks.ServeWorkers(ctx, &echoService{}) }()
				link, err := NewLink(work.nc, "r1")
				if err != nil {
					t.Fatal(err)
				}
				pass(ctx, t, tasks, work, "before", "")
				pass(ctx, t, tasks, work, "before", "w")
				rode := make(chan error, 3)
				go func() {
					_, err := work.Report(ctx, protocol.Report{Run: "r1", Worker: "w"})
					rode <- err
				}()
				go func() {
					_, err := link.Join(ctx, protocol.Join{
						Version: protocol.Version, Run: "r1", Worker: "w", Incarnation: "i",
					})
					rode <- err
				}()
				if err := p.again(300*time.Millisecond, forget); err != nil {
					t.Fatal(err)
				}
				go func() {
					_, err := link.Heartbeat(ctx, protocol.Heartbeat{Run: "r1", Worker: "w", Incarnation: "i"})
					rode <- err
				}()
				pass(ctx, t, tasks, work, "after", "w")
				pass(ctx, t, tasks, work, "after", "")
				for range 3 {
					if err := <-rode; err != nil {
						t.Error(err)
					}
				}
				cancel()
				for range 2 {
					if err := <-served; err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// TestAwayIsSaid asks a queue whose server is gone.
func TestAwayIsSaid(t *testing.T) {
	p := rise(t)
	tasks, _ := p.queue(TaskOptions{}, "w")
	p.end()
	pausetest.Until(t, "it still is connected", func() bool { return !tasks.nc.IsConnected() })
	err := tasks.Submit(t.Context(), []protocol.Task{someTask("r1", "x", "")})
	if !errors.Is(err, protocol.ErrQueueDown) {
		t.Errorf("submit: %v", err)
	}
	if _, err := tasks.Pending(t.Context()); !errors.Is(err, protocol.ErrQueueDown) {
		t.Errorf("pending: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, DialOptions{URL: p.url()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dial: %v", err)
	}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
}

// TestForeignQueue takes over a stream with foreign settings, and consumers that stand in the way.
func TestForeignQueue(t *testing.T) {
	p := rise(t)
	js, err := jetstream.New(p.dial("somebody"))
	if err != nil {
		t.Fatal(err)
	}
	// The folder of all streams is never empty: otherwise the server removes it a moment after the last one is deleted.
	stays := jetstream.StreamConfig{Name: "stays", Subjects: []string{"stays"}}
	if _, err := js.CreateStream(t.Context(), stays); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]jetstream.StreamConfig{
		"another storage":   {Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage},
		"another retention": {Retention: jetstream.LimitsPolicy},
		"a consumer of all": {Retention: jetstream.WorkQueuePolicy},
	} {
		c.Name, c.Subjects = streamName("r1"), []string{tasksSubject("r1")}
		s, err := js.CreateStream(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if name == "a consumer of all" {
			_, err := s.CreateConsumer(t.Context(), jetstream.ConsumerConfig{
				Durable: "thief", FilterSubject: tasksSubject("r1"), AckPolicy: jetstream.AckExplicitPolicy,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		tasks, work := p.queue(TaskOptions{}, "w")
		pass(t.Context(), t, tasks, work, name, "")
		pass(t.Context(), t, tasks, work, name, "w")
		if err := tasks.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// noStore is JetStream whose store fails some times, as of a server that is still removing its empty folders.
type noStore struct {
	jetstream.JetStream
	left, times int
}

func (n *noStore) CreateOrUpdateStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	n.times++
	if n.left > 0 {
		n.left--
		return nil, &jetstream.APIError{Code: 500, ErrorCode: 10049, Description: "error creating store for stream"}
	}
	return n.JetStream.CreateOrUpdateStream(ctx, c)
}

// TestNoStore: a stream whose store could not be made is made again, but not for ever.
func TestNoStore(t *testing.T) {
	p := rise(t)
	tasks, _ := p.queue(TaskOptions{}, "w")
	const most = storeAttempts + 1
	for _, c := range []struct{ fails, times int }{{0, 1}, {3, 4}, {storeAttempts, most}, {100, most}} {
		js := &noStore{JetStream: tasks.js, left: c.fails}
		again := &Tasks{js: js, run: tasks.run, o: tasks.o}
		if _, err := again.ensure(t.Context()); (err != nil) != (c.fails > storeAttempts) || js.times != c.times {
			t.Errorf("%d failures: asked %d times, %v", c.fails, js.times, err)
		}
	}
}

// TestWithdraw takes back the tasks directed to a worker, in its hands or not, and no others.
func TestWithdraw(t *testing.T) {
	p := rise(t)
	tasks, work := p.queue(TaskOptions{}, "w.1")
	ctx := t.Context()
	err := tasks.Submit(ctx, []protocol.Task{
		someTask("r1", "1", "w.1"), someTask("r1", "2", "w.1"), someTask("r1", "3", "w.2"), someTask("r1", "4", ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := work.Next(ctx)
	if err != nil || d.Task().To != "w.1" && d.Task().To != "" {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := tasks.Purge(ctx, "w.1"); err != nil {
		t.Fatal(err)
	}
	if n, err := tasks.Pending(ctx); n != 2 || err != nil {
		t.Errorf("%d tasks are left, %v", n, err)
	}
	if err := tasks.Purge(ctx, "stranger"); err != nil {
		t.Error(err)
	}
	pass(ctx, t, tasks, work, "later", "w.1")
}

// TestDirectedTasksComeFirst has tasks for everybody and for one worker at hand at the same time, in either order: it
// takes its own first. Which of them come to hand first is up to the server.
func TestDirectedTasksComeFirst(t *testing.T) {
	p := rise(t)
	tasks, work := p.queue(TaskOptions{AckWait: time.Hour}, "w")
	ctx := t.Context()
	if err := tasks.Submit(ctx, []protocol.Task{someTask("r1", "any", ""), someTask("r1", "own", "w")}); err != nil {
		t.Fatal(err)
	}
	next := func() *delivery {
		t.Helper()
		d, err := work.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return d.(*delivery)
	}
	own, other := next(), next()
	if own.Task().To == "" {
		own, other = other, own
	}
	lanes := map[*delivery]*consumer{own: work.consumers[0], other: work.consumers[1]}
	for _, order := range [][]*delivery{{own, other}, {other, own}} {
		work.mu.Lock()
		for _, d := range order {
			work.pass(lanes[d], d)
		}
		first, second := work.take(), work.take()
		work.mu.Unlock()
		if first != own || second != other {
			t.Fatal("a task for everybody comes before the worker's own")
		}
	}
	for _, d := range []*delivery{own, other} {
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNothingIsKeptFromOthers has a worker whose requests stand while it is busy: its tasks go to others soon, without
// waiting for their deadline, and a request made in vain is made again.
func TestNothingIsKeptFromOthers(t *testing.T) {
	p := rise(t)
	tasks, busy := p.queue(TaskOptions{AckWait: time.Hour}, "busy")
	ctx := t.Context()
	// Both consumers are asked, one of them answers: the other request stands.
	waiting := make(chan protocol.Delivery, 1)
	go func() {
		d, err := busy.Next(ctx)
		if err != nil {
			t.Error(err)
		}
		waiting <- d
	}()
	pausetest.Until(t, "nothing was asked for", func() bool {
		busy.mu.Lock()
		defer busy.mu.Unlock()
		return busy.consumers[0].asked+busy.consumers[1].asked > 0
	})
	if err := tasks.Submit(ctx, []protocol.Task{someTask("r1", "own", "busy")}); err != nil {
		t.Fatal(err)
	}
	if d := <-waiting; d.Task().ID != "own" {
		t.Fatalf("got %s", d.Task().ID)
	}
	other, err := NewWork(p.dial("other"), "r1", "other", WorkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for i := range 3 {
		if err := tasks.Submit(ctx, []protocol.Task{someTask("r1", fmt.Sprintf("any-%d", i), "")}); err != nil {
			t.Fatal(err)
		}
	}
	got := make(map[string]bool)
	for len(got) < 3 {
		d, err := other.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got[d.Task().ID] = true
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCloseGivesBack closes a worker that holds a task which no slot has taken: another gets it without waiting for the
// deadline.
func TestCloseGivesBack(t *testing.T) {
	p := rise(t)
	tasks, first := p.queue(TaskOptions{AckWait: time.Hour}, "w")
	first.o.Hold = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := first.Next(ctx)
		gone <- err
	}()
	pausetest.Until(t, "nothing was asked for", func() bool {
		first.mu.Lock()
		defer first.mu.Unlock()
		return first.consumers[1].asked > 0
	})
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := tasks.Submit(t.Context(), []protocol.Task{someTask("r1", "x", "")}); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if _, err := first.Next(t.Context()); err == nil {
		t.Error("a closed queue gives a task")
	}
	second, err := NewWork(p.dial("second"), "r1", "second", WorkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if d, err := second.Next(t.Context()); err != nil || d.Task().ID != "x" {
		t.Fatalf("%+v, %v", d, err)
	}
}

// TestStalledServer is silent after it was asked: the watchdog asks again.
func TestStalledServer(t *testing.T) {
	p := rise(t)
	tasks, work := p.queue(TaskOptions{}, "w")
	// To the worker, a request that is counted and never sent looks like one that the server has forgotten.
	work.mu.Lock()
	for _, l := range work.consumers {
		l.asked, l.heard = 5, time.Now()
	}
	work.mu.Unlock()
	pass(t.Context(), t, tasks, work, "x", "")
}

// TestFrozenWorker keeps a task past its deadline and acknowledges it late, while another worker has it.
func TestFrozenWorker(t *testing.T) {
	p := rise(t)
	tasks, frozen := p.queue(TaskOptions{AckWait: 200 * time.Millisecond}, "frozen")
	ctx := t.Context()
	if err := tasks.Submit(ctx, []protocol.Task{someTask("r1", "x", "")}); err != nil {
		t.Fatal(err)
	}
	late, err := frozen.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewWork(p.dial("other"), "r1", "other", WorkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	d, err := other.Next(ctx)
	if err != nil || d.Task().ID != "x" {
		t.Fatalf("%+v, %v", d, err)
	}
	// The late word may count for the other's (nats-server#4786). Neither hurts: the ledger decides.
	late.Progress()
	if err := errors.Join(late.Ack(), d.Ack(), d.Ack(), late.Nak()); err != nil {
		t.Fatal(err)
	}
	pausetest.Until(t, "the task is left", func() bool {
		n, err := tasks.Pending(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
	pass(ctx, t, tasks, other, "next", "")
}

// TestAnnounceAndDiscover has two coordinators of a run and one of another.
func TestAnnounceAndDiscover(t *testing.T) {
	p := rise(t)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	nc := p.dial("worker")
	go func() { // before any coordinator is there
		a, err := Discover(ctx, nc, "r1")
		if err == nil && a.Run != "r1" {
			err = fmt.Errorf("discovered %+v", a)
		}
		waiting <- err
	}()
	var ends sync.WaitGroup
	heard := make(chan protocol.Announcement, 100)
	begin := func(a protocol.Announcement) {
		coord := p.dial(a.Instance)
		ends.Go(func() {
			err := Announce(ctx, coord, func() protocol.Announcement { return a }, func(o protocol.Announcement) {
				select {
				case heard <- o:
				default:
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	begin(protocol.Announcement{Run: "r1", Instance: "a", Epoch: 3})
	begin(protocol.Announcement{Run: "r1", Instance: "b", Epoch: 4})
	begin(protocol.Announcement{Run: "r0", Instance: "c", Epoch: 9, Over: true})
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
	for seen := make(map[string]bool); len(seen) < 2; {
		o := <-heard
		if o.Run != "r1" {
			t.Fatalf("a coordinator of r1 hears %+v", o)
		}
		seen[o.Instance] = true
	}
	var all []protocol.Announcement
	var err error
	// On a machine that stands still meanwhile they may be heard too late.
	for wait := 250 * time.Millisecond; err == nil && len(all) < 2 && wait < time.Minute; wait *= 2 {
		all, err = Coordinators(ctx, nc, "r1", wait)
	}
	if err != nil || len(all) != 2 || all[0].Epoch+all[1].Epoch != 7 {
		t.Errorf("%+v, %v", all, err)
	}
	if a, err := Discover(ctx, nc, ""); err != nil || a.Run != "r1" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := Discover(ctx, nc, "r0"); err != nil || !a.Over {
		t.Errorf("%+v, %v", a, err)
	}
	if all, err := Coordinators(ctx, nc, "r2", 100*time.Millisecond); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	cancel()
	ends.Wait()
	if _, err := Discover(ctx, nc, ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDrops brings drops of any length to workers, and nothing that is none.
func TestDrops(t *testing.T) {
	p := rise(t)
	nc := p.dial("worker")
	link, err := NewLink(nc, "r1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan int, 100)
	ended := make(chan error, 1)
	go func() { ended <- link.Drops(ctx, func(d protocol.Drop) { got <- len(d.Windows) }) }()
	coord := p.dial("coordinator")
	d := protocol.Drop{Run: "r1", Epoch: 1}
	for i := range protocol.MaxDropPage + 1 {
		d.Windows = append(d.Windows, someTask("r1", "x", "").Windows[0].ID())
		d.Windows[i].Part = i
	}
	for n := 0; n < 2*len(d.Windows); { // the first may come before the worker listens
		for _, data := range []string{"", "{}", `{"run":"r2","epoch":1,"windows":[]}`, strings.Repeat("[", 1<<16)} {
			if err := coord.Publish(dropSubject("r1"), []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		if err := NewBroadcaster(coord).Broadcast(d); err != nil {
			t.Fatal(err)
		}
		if err := coord.Flush(); err != nil {
			t.Fatal(err)
		}
		for wait := true; wait; {
			select {
			case k := <-got:
				n += k
			case <-time.After(100 * time.Millisecond):
				wait = false
			}
		}
	}
	// When the server was away, there is an empty one, as some may have been missed.
	if err := p.again(0, false); err != nil {
		t.Fatal(err)
	}
	for empty := false; !empty; { // else it hangs: nothing was said of a connection that was lost
		empty = <-got == 0
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if NewBroadcaster(coord).Broadcast(protocol.Drop{Run: "a.b"}) == nil {
		t.Error("dropped windows of a run that cannot be")
	}
}

// TestMalformedQuestions sends rubbish of every size to every subject that the coordinator answers.
func TestMalformedQuestions(t *testing.T) {
	l := startLocal(t, "r1")
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 2)
	go func() {
		served <- l.Tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply { return protocol.Reply{} })
	}()
	go func() { served <- l.Tasks.ServeWorkers(ctx, &echoService{}) }()
	nc, err := l.server.Connect("rubbish", ConnEvents{})
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{
		reportSubject("r1", noKey), joinSubject("r1", noKey), heartbeatSubject("r1", noKey), locateSubject("r1", noKey),
	} {
		for _, data := range []string{
			"", "null", "[]", `{"run":7}`, `{"run":"r2","worker":"w","incarnation":"i"}`, `{"run":"../x"}`,
			strings.Repeat("[", 1<<20), `{"run":"r1","worker":"` + strings.Repeat("w", 4<<20) + `"}`, "\x00\xff",
		} {
			b, err := ask(ctx, nc, subject, []byte(data), 10*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(b), `"error":"`) && !strings.HasPrefix(data, `{"run":"r2"`) {
				t.Errorf("%s answers %.60q with %.200q", subject, data, b)
			}
			if len(b) > 8<<10 {
				t.Errorf("%s answers %.60q with %d bytes", subject, data, len(b))
			}
		}
	}
	if err := nc.Publish(reportSubject("r1", noKey), make([]byte, maxPayload+1)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("a message larger than any: %v", err)
	}
	cancel()
	for range 2 {
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// TestNoLeaks brings servers and queues up and down and looks at what is left.
func TestNoLeaks(t *testing.T) {
	cycle := func() {
		s, err := Listen(t.Context(), ServerOptions{Address: "127.0.0.1:0", Dir: t.TempDir(), Run: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		nc, err := Dial(t.Context(), DialOptions{URL: s.URL()})
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := NewTasks(t.Context(), nc, "r1", TaskOptions{})
		if err != nil {
			t.Fatal(err)
		}
		work, err := NewWork(nc, "r1", "w", WorkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pass(t.Context(), t, tasks, work, "x", "w")
		work.Close()
		nc.Close()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	count := func() (goroutines, files int) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("NOT RUN: this system does not list open files")
		}
		return runtime.NumGoroutine(), len(entries)
	}
	cycle() // what starts once and stays
	g0, f0 := count()
	for range 4 {
		cycle()
	}
	pausetest.Until(t, fmt.Sprintf("more than %d goroutines and %d files", g0, f0), func() bool {
		g, f := count()
		return g <= g0 && f <= f0 // closed connections end soon
	})
}
