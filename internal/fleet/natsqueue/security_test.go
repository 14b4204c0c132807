package natsqueue

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// guarded is a server of run r1 with keys, its coordinator's queue, and the folder of all keys. The worker's keys are
// bound to run r1, those in second to r2, those in any to none.
type guarded struct {
	dir    string
	server *Server
	nc     *nats.Conn
	tasks  *Tasks

	mu       sync.Mutex
	warnings []string // of the server
}

func guard(t testing.TB, run string) *guarded {
	t.Helper()
	g := &guarded{dir: filepath.Join(t.TempDir(), "keys")}
	err := errors.Join(
		keys.Make(g.dir, keys.MakeOptions{Run: "r1"}),
		keys.AddWorker(g.dir, "second", "r2", 0),
		keys.AddWorker(g.dir, "any", "", 0),
	)
	if err != nil {
		t.Fatal(err)
	}
	g.server, err = Listen(t.Context(), ServerOptions{
		Address: "127.0.0.1:0", Dir: filepath.Join(t.TempDir(), "queue"), Keys: g.keys(t, "coordinator"), Run: run,
		Warn: func(text string) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.warnings = append(g.warnings, text)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.server.Close(); err != nil {
			t.Error(err)
		}
	})
	if g.nc, err = g.server.Connect("coordinator", ConnEvents{}); err != nil {
		t.Fatal(err)
	}
	g.tasks, err = NewTasks(t.Context(), g.nc, "r1", TaskOptions{Storage: jetstream.MemoryStorage})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *guarded) keys(t testing.TB, role string) *keys.Credentials {
	t.Helper()
	k, err := keys.Load(filepath.Join(g.dir, role))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// dial connects with the keys of a folder; the server's later refusals go to the channel.
func (g *guarded) dial(t testing.TB, role string) (*nats.Conn, <-chan error) {
	t.Helper()
	refusals := make(chan error, 100)
	nc, err := Dial(t.Context(), DialOptions{
		URL: g.server.URL(), Name: role, Keys: g.keys(t, role), Events: ConnEvents{Trouble: func(err error) {
			select {
			case refusals <- err:
			default:
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, refusals
}

// named returns the name of a worker with the keys of a folder.
func (g *guarded) named(t testing.TB, role, label string) string {
	return protocol.Named(label, keys.Fingerprint(g.keys(t, role).Key))
}

func someTask(run, id, to string) protocol.Task {
	return protocol.Task{Run: run, ID: id, To: to, Windows: []protocol.TaskWindow{
		{Window: puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Addresses: 1}},
	}}
}

// TestWorkerKeysWork takes a task, reports it and acknowledges it, with bound keys and with unbound ones.
func TestWorkerKeysWork(t *testing.T) {
	for _, tc := range []struct{ role, run string }{{"worker", "r1"}, {"worker", ""}, {"any", ""}, {"any", "r1"}} {
		role := tc.role
		t.Run(fmt.Sprintf("%s on a server of %q", role, tc.run), func(t *testing.T) {
			g := guard(t, tc.run)
			ctx, cancel := context.WithCancel(t.Context())
			ends := make(chan error, 3)
			go func() {
				ends <- g.tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply {
					return protocol.Reply{Stop: true}
				})
			}()
			go func() { ends <- g.tasks.ServeWorkers(ctx, &echoService{}) }()
			go func() {
				ends <- Announce(ctx, g.nc, func() protocol.Announcement {
					return protocol.Announcement{Run: "r1", Instance: "i", Config: "c"}
				}, func(protocol.Announcement) {})
			}()
			nc, refusals := g.dial(t, role)
			name := g.named(t, role, "w.1")
			for _, wanted := range []string{"", "r1"} {
				if wanted == "" && role == "worker" {
					continue // bound keys may not look around
				}
				if a, err := Discover(ctx, nc, wanted); err != nil || a.Run != "r1" || a.Config != "c" {
					t.Fatalf("discovered %+v, %v", a, err)
				}
			}
			link, err := NewLink(nc, "r1")
			if err != nil {
				t.Fatal(err)
			}
			if w, err := link.Join(ctx, protocol.Join{
				Version: protocol.Version, Run: "r1", Worker: name, Incarnation: "x",
			}); err != nil || w.Epoch != 7 {
				t.Fatalf("welcomed with %+v, %v", w, err)
			}
			if b, err := link.Heartbeat(
				ctx,
				protocol.Heartbeat{Run: "r1", Worker: name, Incarnation: "x"},
			); err != nil ||
				!b.Rejoin {
				t.Fatalf("beat answered with %+v, %v", b, err)
			}
			if _, err := link.Locate(ctx, puzzle.Cell{Key: "a"}); err != nil {
				t.Fatal(err)
			}
			work, err := NewWork(nc, "r1", name, WorkOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range []string{"", name} {
				if err := g.tasks.Submit(ctx, []protocol.Task{someTask("r1", "t"+to, to)}); err != nil {
					t.Fatal(err)
				}
				d, err := work.Next(ctx)
				if err != nil || d.Task().To != to {
					t.Fatalf("%+v, %v", d, err)
				}
				r, err := work.Report(ctx, protocol.Report{Run: "r1", Worker: name})
				if err != nil || !r.Stop {
					t.Fatalf("%+v, %v", r, err)
				}
				if err := d.Ack(); err != nil {
					t.Fatal(err)
				}
			}
			for n := -1; n != 0; {
				if n, err = g.tasks.Pending(ctx); err != nil {
					t.Fatal(err)
				}
			}
			work.Close()
			cancel()
			for range 3 {
				if err := <-ends; err != nil {
					t.Error(err)
				}
			}
			for len(refusals) > 0 {
				t.Errorf("a worker may not do its work: %v", <-refusals)
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if len(g.warnings) > 0 {
				t.Errorf("the server complains of a worker that means well: %q", g.warnings)
			}
		})
	}
}

// echoService answers with something to be recognised.
type echoService struct{}

func (echoService) Join(context.Context, protocol.Join) protocol.JoinResponse {
	return protocol.JoinResponse{Epoch: 7}
}
func (echoService) Heartbeat(context.Context, protocol.Heartbeat) protocol.HeartbeatResponse {
	return protocol.HeartbeatResponse{Rejoin: true}
}
func (echoService) Locate(context.Context, puzzle.Cell) ([]protocol.Located, error) {
	return nil, nil
}

// said are the subjects of a worker's messages.
var said = []func(run, key string) string{
	reportSubject, joinSubject, heartbeatSubject, locateSubject, pullRequests, ackSubject,
}

// TestWorkerKeysMayNothingElse tries the forbidden operations of a worker, with its own keys and with another run's.
func TestWorkerKeysMayNothingElse(t *testing.T) {
	g := guard(t, "")
	ctx := t.Context()
	if err := g.tasks.Submit(ctx, []protocol.Task{someTask("r1", "t", "")}); err != nil {
		t.Fatal(err)
	}
	publishes := map[string][]string{
		"worker": {
			"$JS.API.STREAM.PURGE.PAGODA-r1", "$JS.API.STREAM.DELETE.PAGODA-r1", "$JS.API.STREAM.INFO.PAGODA-r1",
			"$JS.API.STREAM.UPDATE.PAGODA-r1", "$JS.API.STREAM.MSG.GET.PAGODA-r1", "$JS.API.STREAM.MSG.DELETE.PAGODA-r1",
			"$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.INFO", "$JS.API.DIRECT.GET.PAGODA-r1",
			"$JS.API.STREAM.CREATE.mine", "$JS.API.CONSUMER.CREATE.PAGODA-r1.mine", "$JS.API.CONSUMER.DELETE.PAGODA-r1.workers",
			"$JS.API.CONSUMER.INFO.PAGODA-r1.workers", "$JS.API.CONSUMER.LIST.PAGODA-r1", "$SYS.REQ.SERVER.PING",
			"pagoda.r1.task.any", "pagoda.r1.task.to.w", "pagoda.r1.drop", "pagoda.runs.r1", "_INBOX.x", "anything",
			"pagoda.r2.report.*", "pagoda.r2.join.*", "pagoda.find", "pagoda.find.r2",
			"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r2.workers",
			"$JS.ACK.PAGODA-r2.workers.1.1.1.1.0", "pagoda.r2.pull.*", "pagoda.r2.ack.*",
			"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.workers", "$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.to-w",
			"$JS.ACK.PAGODA-r1.workers.1.1.1.1.0", "$JS.ACK._.acc.PAGODA-r1.workers.1.1.1.1.0", "$JS.FC.PAGODA-r1.workers.x",
		},
		"second": {
			"pagoda.r1.report.*",
			"pagoda.r1.join.*",
			"pagoda.r1.heartbeat.*",
			"pagoda.r1.locate.*",
			"pagoda.r1.task.any",
			"pagoda.find.r1",
			"pagoda.runs.r1",
			"pagoda.runs.r2",
			"pagoda.r1.pull.*",
			"pagoda.r1.ack.*",
			"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.workers",
			"$JS.API.CONSUMER.MSG.NEXT.PAGODA-r1.to-w",
			"$JS.ACK.PAGODA-r1.workers.1.1.1.1.0",
		},
		"any": {
			"$JS.API.STREAM.PURGE.PAGODA-r1", "pagoda.r1.task.any", "pagoda.runs.r1", "pagoda.runs.r2", "pagoda.r1.drop",
			"$JS.API.CONSUMER.CREATE.PAGODA-r1.mine", "$JS.API.STREAM.MSG.GET.PAGODA-r1",
		},
	}
	subscribes := map[string][]string{
		"worker": {">", "pagoda.>", "pagoda.r1.task.any", "pagoda.r1.report.*", "pagoda.r1.join.>", "pagoda.r1.*", "_INBOX.>",
			"pagoda.r2.drop", "pagoda.runs.*", "pagoda.runs.r2", "$JS.>", "$SYS.>",
			inboxOf(g.keys(t, "coordinator").Key) + ".>"},
		"second": {"pagoda.runs.r1", "pagoda.r1.drop", inboxOf(g.keys(t, "worker").Key) + ".>"},
		"any":    {">", "pagoda.r1.report.*", "pagoda.r1.task.>", "_INBOX.>"},
	}
	for role, subjects := range publishes {
		// Its own key in a subject of another run, and the key of another worker in one of its own.
		for i, s := range subjects {
			if strings.HasSuffix(s, ".*") {
				subjects[i] = strings.TrimSuffix(s, "*") + g.keys(t, role).Key
			}
		}
		run := cmp.Or(g.keys(t, role).Run, "r1")
		for _, other := range []string{"coordinator", "worker", "second", "any", noKey} {
			if other == role {
				continue
			}
			key := other
			if other != noKey {
				key = g.keys(t, other).Key
			}
			for _, subject := range said {
				publishes[role] = append(publishes[role], subject(run, key))
			}
		}
	}
	for _, role := range slices.Sorted(maps.Keys(publishes)) {
		nc, refusals := g.dial(t, role)
		denied := func(what, subject string) {
			t.Helper()
			if err := nc.FlushTimeout(time.Minute); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-refusals:
				if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), subject) {
					t.Errorf("%s: %s %s: %v", role, what, subject, err)
				}
			case <-time.After(time.Minute):
				t.Errorf("%s may %s %s", role, what, subject)
			}
		}
		for _, s := range publishes[role] {
			if err := nc.Publish(s, nil); err != nil {
				t.Fatal(err)
			}
			denied("publish", s)
		}
		for _, s := range subscribes[role] {
			sub, err := nc.SubscribeSync(s)
			if err != nil {
				t.Fatal(err)
			}
			denied("subscribe", s)
			if m, err := sub.NextMsg(time.Millisecond); m != nil {
				t.Errorf("%s hears %q: %v", role, m.Data, err)
			}
		}
	}
	if n, err := g.tasks.Pending(ctx); n != 1 || err != nil {
		t.Fatalf("%d tasks are left, %v", n, err)
	}
}

// TestStrangers connects without keys, with keys of another fleet, and with a certificate but no user.
func TestStrangers(t *testing.T) {
	g, other := guard(t, "r1"), guard(t, "r1")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	refuses := func(what string, o DialOptions) {
		t.Helper()
		o.URL = g.server.URL()
		nc, err := Dial(ctx, o)
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil {
			nc.Close()
		}
	}
	refuses("another fleet's worker", DialOptions{Keys: other.keys(t, "worker")})
	refuses("another fleet's coordinator", DialOptions{Keys: other.keys(t, "coordinator")})
	// A user that the server has not been told of, with a certificate of the fleet's.
	if err := keys.AddWorker(g.dir, "late", "r1", 0); err != nil {
		t.Fatal(err)
	}
	refuses("an unknown user", DialOptions{Keys: g.keys(t, "late")})
	// A user of another run: an embedded server serves its own run alone.
	refuses("another run's worker", DialOptions{Keys: g.keys(t, "second")})

	// A client without a certificate does not get a single byte of NATS.
	addr := strings.TrimPrefix(g.server.URL(), "nats://")
	plain, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	if err := plain.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Write([]byte("CONNECT {}\r\nPING\r\n")); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(plain); strings.Contains(string(b), "INFO") || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a stranger got %q, %v", b, err)
	}
	//nolint:gosec // a client that does not care who answers
	nobody, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err == nil {
		_ = nobody.SetDeadline(time.Now().Add(10 * time.Second))
		n, rerr := nobody.Read(make([]byte, 1))
		if n > 0 || rerr == nil || errors.Is(rerr, os.ErrDeadlineExceeded) {
			t.Errorf("a client without certificate got %d bytes, %v", n, rerr)
		}
		_ = nobody.Close()
	}
}

// TestExpired connects with keys that were good when they were loaded.
func TestExpired(t *testing.T) {
	g := guard(t, "r1")
	var k *keys.Credentials
	for valid := 2 * time.Second; k == nil; valid *= 2 {
		if err := keys.Renew(g.dir, valid); err != nil {
			t.Fatal(err)
		}
		// On a machine that is very busy they may have expired when they are loaded.
		k, _ = keys.Load(filepath.Join(g.dir, "worker"))
	}
	// They are good, until they are not any more.
	var err error
	for err == nil {
		var nc *nats.Conn
		if nc, err = Dial(t.Context(), DialOptions{URL: g.server.URL(), Keys: k}); err == nil {
			nc.Close()
		}
	}
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("expired keys: %v", err)
	}
	if a := refused.Advice(); !strings.Contains(a, "--renew") {
		t.Errorf("%v: the advice is %q", err, a)
	}
}

// TestExposed asks for addresses that need keys, and for nonsense.
func TestExposed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	dir := filepath.Join(t.TempDir(), "queue")
	var exposed *keys.ExposedError
	for _, a := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		if _, err := Listen(ctx, ServerOptions{Address: a, Dir: dir}); !errors.As(err, &exposed) {
			t.Errorf("listens on %s: %v", a, err)
		}
	}
	for _, a := range []string{"127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "127.0.0.1:-1"} {
		if s, err := Listen(ctx, ServerOptions{Address: a, Dir: dir}); err == nil {
			t.Errorf("listens on %s, %v", a, s.Close())
		}
	}
	s, err := Listen(ctx, ServerOptions{Address: "0.0.0.0:0", Dir: dir, Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	taken := strings.TrimPrefix(s.URL(), "nats://")
	if _, err := Listen(ctx, ServerOptions{Address: taken, Dir: dir, Insecure: true}); err == nil {
		t.Error("two servers on one address")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, url := range []string{
		"nats://192.0.2.1:4222", "nats://127.0.0.1:1,nats://example.org:4222", "tls://example.org:1",
	} {
		if _, err := Dial(ctx, DialOptions{URL: url}); !errors.As(err, &exposed) {
			t.Errorf("dials %s: %v", url, err)
		}
	}
	for _, url := range []string{
		"", "127.0.0.1:4222", "nats://127.0.0.1", "http://127.0.0.1:1", "nats://me:secret@127.0.0.1:4222",
	} {
		_, err := Dial(ctx, DialOptions{URL: url, Insecure: true})
		if err == nil || strings.Contains(err.Error(), "secret") && !strings.Contains(err.Error(), "secrets come") ||
			strings.Contains(err.Error(), "me:secret") {
			t.Errorf("dials %q: %v", url, err)
		}
	}
	creds := filepath.Join(t.TempDir(), "creds")
	if err := os.WriteFile(creds, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Dial(ctx, DialOptions{URL: "nats://127.0.0.1:1", Creds: creds})
	if err == nil || !strings.Contains(err.Error(), "0644") {
		t.Errorf("open credentials: %v", err)
	}
}

// TestNATSConfig reads the configuration for a NATS server of its own, and compares it with the embedded server's
// options.
func TestNATSConfig(t *testing.T) {
	g := guard(t, "")
	if err := WriteConfig(g.dir, ""); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(g.dir, "server", ConfigFile)
	got, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	so := ServerOptions{Keys: g.keys(t, "server")}
	want, err := so.server()
	if err != nil {
		t.Fatal(err)
	}
	if got.TLSHandshakeFirst != want.TLSHandshakeFirst || got.TLSTimeout != want.TLSTimeout ||
		got.TLSConfig.ClientAuth != want.TLSConfig.ClientAuth || got.TLSConfig.MinVersion != want.TLSConfig.MinVersion ||
		got.PingInterval != want.PingInterval || got.MaxPingsOut != want.MaxPingsOut {
		t.Errorf("TLS of the file: %+v", got)
	}
	if len(got.Nkeys) != 4 || len(want.Nkeys) != 4 {
		t.Fatalf("%d users, want %d", len(got.Nkeys), len(want.Nkeys))
	}
	for i := range got.Nkeys {
		g, w := got.Nkeys[i], want.Nkeys[i]
		if g.Nkey != w.Nkey || !reflect.DeepEqual(g.Permissions, w.Permissions) {
			t.Errorf("user %d: %+v, want %+v", i, g.Permissions, w.Permissions)
		}
	}
	// Such a server accepts the fleet's processes.
	got.Host, got.Port, got.JetStream, got.StoreDir, got.NoLog, got.NoSigs = "127.0.0.1", -1, true, t.TempDir(), true, true
	ns, err := server.NewServer(got)
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	defer func() {
		ns.Shutdown()
		ns.WaitForShutdown()
	}()
	if !ns.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	for _, role := range []string{"coordinator", "worker"} {
		nc, err := Dial(t.Context(), DialOptions{URL: "nats://" + ns.Addr().String(), Keys: g.keys(t, role)})
		if err != nil {
			t.Fatal(err)
		}
		if role == "coordinator" {
			if _, err := NewTasks(t.Context(), nc, "r1", TaskOptions{}); err != nil {
				t.Error(err)
			}
		}
		nc.Close()
	}
}

// TestSmallMessages refuses a server whose messages are too small, and rides on one with the usual limit.
func TestSmallMessages(t *testing.T) {
	for limit, ok := range map[int32]bool{64 << 10: false, minPayload: true} {
		ns, err := server.NewServer(&server.Options{
			Host: "127.0.0.1", Port: -1, MaxPayload: limit, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		ns.Start()
		if !ns.ReadyForConnections(10 * time.Second) {
			t.Fatal("the server is not ready")
		}
		nc, err := Dial(t.Context(), DialOptions{URL: "nats://" + ns.Addr().String()})
		if ok != (err == nil) {
			t.Errorf("limit %d: %v", limit, err)
		}
		if err == nil {
			w, werr := NewWork(nc, "r1", "w", WorkOptions{})
			if werr != nil {
				t.Fatal(werr)
			}
			r := protocol.Report{Run: "r1", Worker: "w"}
			for range 300 {
				r.Failures = append(r.Failures, protocol.Failure{Kind: protocol.FailError, Text: strings.Repeat("x", 4096)})
			}
			if _, rerr := w.Report(t.Context(), r); !errors.Is(rerr, protocol.ErrTooLarge) {
				t.Errorf("a report of more than the limit: %v", rerr)
			}
			w.Close()
			nc.Close()
		}
		ns.Shutdown()
		ns.WaitForShutdown()
	}
}
