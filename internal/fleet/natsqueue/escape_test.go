package natsqueue

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/run/protocol"
)

// victim is a NATS server with two runs on it, r1 and r2, each with a coordinator that answers, and two tasks for
// everybody. The attacker has a worker's keys of r1.
type victim struct {
	t     *testing.T
	url   string
	dir   string // of keys
	admin *nats.Conn
	tasks map[string]*Tasks
	name  string // of the attacker
}

// attacked returns a victim at a URL whose server knows the keys in dir.
func attacked(t *testing.T, url, dir string, runs ...string) *victim {
	t.Helper()
	v := &victim{t: t, url: url, dir: dir, tasks: make(map[string]*Tasks)}
	v.admin = v.dial("coordinator", nil)
	v.name = protocol.Named("w", keys.Fingerprint(v.keys("worker").Key))
	for _, run := range runs {
		nc := v.dial("coordinator", nil)
		tasks, err := NewTasks(t.Context(), nc, run, TaskOptions{Storage: jetstream.MemoryStorage, AckWait: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		v.tasks[run] = tasks
		ctx, cancel := context.WithCancel(context.Background())
		ends := make(chan error, 3)
		go func() {
			ends <- tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply { return protocol.Reply{} })
		}()
		go func() { ends <- tasks.ServeWorkers(ctx, &echoService{}) }()
		go func() {
			ends <- Announce(ctx, nc, func() protocol.Announcement {
				return protocol.Announcement{Run: run, Instance: run, Epoch: 1}
			}, func(a protocol.Announcement) { t.Errorf("somebody else announces %+v", a) })
		}()
		t.Cleanup(func() {
			cancel()
			for range 3 {
				if err := <-ends; err != nil {
					t.Error(err)
				}
			}
		})
		if _, err := Discover(t.Context(), v.dial("any", nil), run); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if err := tasks.Submit(t.Context(), []protocol.Task{someTask(run, fmt.Sprintf("t%d", i), "")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := tasks.admit(t.Context(), v.name); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func (v *victim) keys(role string) *keys.Credentials {
	v.t.Helper()
	k, err := keys.Load(filepath.Join(v.dir, role))
	if err != nil {
		v.t.Fatal(err)
	}
	return k
}

func (v *victim) dial(role string, trouble func(error)) *nats.Conn {
	v.t.Helper()
	nc, err := Dial(v.t.Context(), DialOptions{
		URL: v.url, Name: role, Keys: v.keys(role), Events: ConnEvents{Trouble: trouble},
	})
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(nc.Close)
	return nc
}

// state describes all that an attacker must not change: of every stream its time of making, its count of tasks, and its
// consumers.
func (v *victim) state() string {
	v.t.Helper()
	var b strings.Builder
	js, err := jetstream.New(v.admin)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, run := range slices.Sorted(maps.Keys(v.tasks)) {
		s, err := js.Stream(v.t.Context(), streamName(run))
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", run, err)
			continue
		}
		i := s.CachedInfo()
		fmt.Fprintf(&b, "%s: made %s, %d tasks ever, %d consumers", run, i.Created, i.State.LastSeq, i.State.Consumers)
		for _, c := range []string{consumerAny, consumerOf(v.name)} {
			o, err := s.Consumer(v.t.Context(), c)
			if err != nil {
				fmt.Fprintf(&b, ", %s: %v", c, err)
				continue
			}
			fmt.Fprintf(&b, ", %s made %s", c, o.CachedInfo().Created)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// goals are subjects that a worker may not publish on, and tries to make another client publish on.
func (v *victim) goals() []string {
	goals := []string{"pagoda.find", "$SYS.REQ.SERVER.PING"}
	for run := range v.tasks {
		s := streamName(run)
		goals = append(goals,
			"$JS.API.STREAM.DELETE."+s, "$JS.API.STREAM.PURGE."+s, "$JS.API.CONSUMER.DELETE."+s+"."+consumerAny,
			"$JS.API.CONSUMER.DELETE."+s+"."+consumerOf(v.name), "$JS.API.STREAM.LEADER.STEPDOWN."+s,
			anySubject(run), toSubject(run, v.name), dropSubject(run), runSubject(run))
	}
	return goals
}

// attack sends every message that a worker of run r1 might try, with each goal as the place for the answer.
func (v *victim) attack(nc *nats.Conn, goal string) {
	v.t.Helper()
	delivery := "$JS.ACK.PAGODA-r1.workers.1.1.1.1.0"
	key := keyOf(nc)
	pull := pullRequest{Worker: v.name, Batch: 1, Expires: int64(time.Minute), Heartbeat: int64(time.Second)}
	good, err := json.Marshal(pull)
	if err != nil {
		v.t.Fatal(err)
	}
	report := protocol.Report{Run: "r1", Worker: v.name}
	reported, err := report.Encode()
	if err != nil {
		v.t.Fatal(err)
	}
	join := protocol.Join{Version: protocol.Version, Run: "r1", Worker: v.name, Incarnation: "i"}
	joined, err := join.Encode()
	if err != nil {
		v.t.Fatal(err)
	}
	ack := func(to, say string) []byte {
		b, err := json.Marshal(ackRequest{to, say})
		if err != nil {
			v.t.Fatal(err)
		}
		return b
	}
	for _, m := range []struct {
		subject string
		data    []byte
	}{
		// Straight to JetStream: an error as the answer, a task, and the answers to acknowledgements.
		{"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.workers", []byte("rubbish")},
		{"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.to-w", []byte("rubbish")},
		{"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.workers", []byte(`{"batch":1,"no_wait":true}`)},
		{"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.workers", nil},
		{delivery, []byte("+NXT rubbish")},
		{delivery, []byte("-NAK")},
		// By the coordinator.
		{pullRequests("r1", key), []byte("rubbish")},
		{pullRequests("r1", key), good},
		{pullRequests("r1", key), nil},
		{ackSubject("r1", key), ack(delivery, sayBack)},
		{ackSubject("r1", key), ack(goal, sayDone)},
		{ackSubject("r1", key), ack("$JS.ACK.PAGODA-r2.workers.1.1.1.1.0", sayDone)},
		{ackSubject("r1", key), ack(delivery, "+NXT")},
		{reportSubject("r1", key), reported},
		{reportSubject("r1", key), nil},
		{joinSubject("r1", key), joined},
		{joinSubject("r1", key), nil},
		{heartbeatSubject("r1", key), nil},
		{locateSubject("r1", key), nil},
		{joinOfVersion1("r1"), joined},
		{"pagoda.find.r1", nil},
	} {
		msg := &nats.Msg{Subject: m.subject, Reply: goal, Data: m.data}
		if err := nc.PublishMsg(msg); err != nil {
			v.t.Fatal(err)
		}
		msg.Reply, msg.Header = "", nats.Header{"Nats-Trace-Dest": {goal}} // the server tells there where a message goes
		if err := nc.PublishMsg(msg); err != nil {
			v.t.Fatal(err)
		}
	}
}

// TestNoEscapeByReply: a worker names subjects that it may not publish on as the place for an answer. Neither the
// server nor the coordinator publishes there for it. On a server of their own a stream of another run was deleted so.
func TestNoEscapeByReply(t *testing.T) {
	for name, start := range map[string]func(t *testing.T) *victim{
		"embedded": func(t *testing.T) *victim {
			g := guard(t, "")
			g.tasks.Close()
			return attacked(t, g.server.URL(), g.dir, "r1", "r2")
		},
		"own server": func(t *testing.T) *victim {
			url, dir := startExternal(t)
			return attacked(t, url, dir, "r1", "r2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := start(t)
			refused := make(chan error, 4096)
			nc := v.dial("worker", func(err error) {
				select {
				case refused <- err:
				default:
				}
			})
			heard := make(chan *nats.Msg, 1<<14)
			for _, s := range []string{"pagoda.*.task.>", "pagoda.*.drop", "pagoda.find"} {
				if _, err := v.admin.ChanSubscribe(s, heard); err != nil {
					t.Fatal(err)
				}
			}
			if err := v.admin.Flush(); err != nil {
				t.Fatal(err)
			}
			before := v.state()
			for _, goal := range v.goals() {
				v.attack(nc, goal)
				if err := nc.FlushTimeout(time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			// All messages have been answered when a worker that means well gets its answers the same way.
			v.complete("r1")
			v.complete("r2")
			if after := v.state(); before != after {
				t.Errorf("the streams were\n%sand are\n%s", before, after)
			}
			if err := v.admin.Flush(); err != nil {
				t.Fatal(err)
			}
			for len(heard) > 0 {
				m := <-heard
				t.Errorf("somebody published %q on %s", m.Data, m.Subject)
			}
			for len(refused) > 0 {
				if err := <-refused; !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
					t.Error(err)
				}
			}
		})
	}
}

// complete takes the two tasks of a run, and acknowledges them.
func (v *victim) complete(run string) {
	v.t.Helper()
	nc := v.dial("any", nil)
	name := protocol.Named("honest", keys.Fingerprint(keyOf(nc)))
	work, err := NewWork(nc, run, name, WorkOptions{})
	if err != nil {
		v.t.Fatal(err)
	}
	defer work.Close()
	ctx, cancel := context.WithTimeout(v.t.Context(), time.Minute)
	defer cancel()
	for range 2 {
		d, err := work.Next(ctx)
		if err != nil {
			v.t.Fatalf("run %s: its tasks are gone: %v; the streams are\n%s", run, err, v.state())
		}
		if _, err := work.Report(ctx, protocol.Report{Run: run, Worker: name}); err != nil {
			v.t.Fatal(err)
		}
		if err := d.Ack(); err != nil {
			v.t.Fatal(err)
		}
	}
	for n := -1; n != 0; {
		if n, err = v.tasks[run].Pending(ctx); err != nil {
			v.t.Fatal(err)
		}
	}
}

// startExternal starts a NATS server as a process, with the configuration that is written for it.
func startExternal(t *testing.T) (url, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "keys")
	for _, err := range []error{
		keys.Make(dir, keys.MakeOptions{Run: "r1"}), keys.AddWorker(dir, "second", "r2", 0),
		keys.AddWorker(dir, "any", "", 0), WriteConfig(dir, ""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(),
		"PAGODA_FLEET_TEST_SERVER="+t.TempDir(), "PAGODA_FLEET_TEST_CONFIG="+filepath.Join(dir, "server", ConfigFile))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	if url, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url), dir
}
