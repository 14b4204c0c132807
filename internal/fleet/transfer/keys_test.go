package transfer

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/run/protocol"
)

func makeKeys(t *testing.T, o keys.MakeOptions) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "keys")
	if err := keys.Make(dir, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

func loadKeys(t *testing.T, parts ...string) *keys.Credentials {
	t.Helper()
	k, err := keys.Load(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// keyed names a worker of a key.
func keyed(key string) string { return protocol.Named("w1", keys.Fingerprint(key)) }

func TestKeys(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	rec := fill(t, theirs, window(1, 3), 100, r)
	fleet, bound, strangers := makeKeys(t, keys.MakeOptions{}), makeKeys(t, keys.MakeOptions{Run: "another"}),
		makeKeys(t, keys.MakeOptions{})
	secret := serve(t, theirs, ServerOptions{Keys: loadKeys(t, fleet, "worker")})
	other := serve(t, theirs, ServerOptions{Keys: loadKeys(t, bound, "worker")})
	open := serve(t, theirs, ServerOptions{})
	if err := keys.AddWorker(fleet, "second", "", 0); err != nil {
		t.Fatal(err)
	}
	own, second := loadKeys(t, fleet, "worker").Key, loadKeys(t, fleet, "second").Key
	coordinator := serve(t, theirs, ServerOptions{Keys: loadKeys(t, fleet, "coordinator")})
	for _, c := range []struct {
		name   string
		keys   *keys.Credentials
		server *Server
		holder string // its name
		want   Kind   // "" is that it works
	}{
		{"worker", loadKeys(t, fleet, "worker"), secret, keyed(own), ""},
		{"another worker", loadKeys(t, fleet, "second"), secret, keyed(own), ""},
		{"coordinator", loadKeys(t, fleet, "coordinator"), secret, keyed(own), ""},
		{"from the coordinator", loadKeys(t, fleet, "worker"), coordinator, protocol.OwnWorker, ""},
		{"a worker at the address of another", loadKeys(t, fleet, "worker"), secret, keyed(second), Refused},
		{"a worker without a key in its name", loadKeys(t, fleet, "worker"), secret, "w1", Refused},
		{"a worker at the coordinator's address", loadKeys(t, fleet, "worker"), secret, protocol.OwnWorker, Refused},
		{"the coordinator at a worker's address", loadKeys(t, fleet, "worker"), coordinator, keyed(own), Refused},
		{"no keys", nil, secret, keyed(own), Malformed},
		{"keys of another fleet", loadKeys(t, strangers, "worker"), secret, keyed(own), Refused},
		{"keys of a NATS server", loadKeys(t, fleet, "server"), secret, keyed(own), Refused},
		{"keys for another run", loadKeys(t, bound, "worker"), other, keyed(loadKeys(t, bound, "worker").Key), Refused},
		{"a server without keys", loadKeys(t, fleet, "worker"), open, keyed(own), Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fetcher(t, Options{Keys: c.keys})
			lw := located(rec, c.server.Address())
			lw.Holders[0].Name = c.holder
			got, err := read(f, lw, rec.First, rec.Addresses)
			if c.want == "" {
				if err != nil || !equal(got, truth(t, theirs, rec, rec.First, rec.Addresses)) {
					t.Errorf("the window did not come: %v", err)
				}
				return
			}
			var e *Error
			if !errors.As(err, &e) || len(e.Peers) != 1 || e.Peers[0].Kind != c.want || len(got) > 0 {
				t.Errorf("%d blocks and %v, want %s", len(got), err, c.want)
			}
			if f.Moved() > 0 {
				t.Error("bytes of the window came")
			}
		})
	}
}

func TestAddressesNeedKeys(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0"} {
		srv, err := NewServer(ServerOptions{Listen: address})
		var exposed *keys.ExposedError
		if !errors.As(err, &exposed) {
			t.Errorf("%s: %v", address, err)
		}
		if srv != nil {
			_ = srv.Close()
		}
		srv, err = NewServer(ServerOptions{Listen: address, Insecure: true})
		if err != nil {
			t.Error(err)
			continue
		}
		_ = srv.Close()
	}
}

// TestPeerErrors has the texts of the errors of a holder.
func TestPeerErrors(t *testing.T) {
	peer := protocol.Peer{Name: "w", Address: "w:1"}
	for want, err := range map[string]*PeerError{
		"worker w at w:1: other digest":       {Peer: peer, Kind: OtherDigest},
		"worker w at w:1: not held: no space": {Peer: peer, Kind: NotHeld, Err: errors.New("no space")},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

// TestServerDefaults pins the defaults of a server's options.
func TestServerDefaults(t *testing.T) {
	s, err := NewServer(ServerOptions{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	o := s.o
	if o.MaxStreams != 16 || o.MaxConnections != 1024 || o.SendTime != 15*time.Second || o.QueueTime != 5*time.Second ||
		cap(s.waiting) != 80 {
		t.Errorf("%+v, %d requests wait at most", o, cap(s.waiting))
	}
	// An answer may wait for its turn before its first write.
	if h := s.http; h.WriteTimeout != 20*time.Second || h.ReadHeaderTimeout != 5*time.Second ||
		h.MaxHeaderBytes != 4096 || h.IdleTimeout != 2*time.Minute {
		t.Errorf("an answer has %v, a request %v and %d bytes, an idle connection %v", h.WriteTimeout,
			h.ReadHeaderTimeout, h.MaxHeaderBytes, h.IdleTimeout)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-s.done:
	default:
		t.Error("a closed server still accepts connections")
	}
}

// TestServe: a run is served once at a time, under a proper ID, while the server is open.
func TestServe(t *testing.T) {
	s, err := NewServer(ServerOptions{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"", "_a", "-a", "a b", "a/b", strings.Repeat("a", maxRun+1)} {
		if _, err := s.Serve(run, oneWindow{}); err == nil {
			t.Errorf("run %q is served", run)
		}
	}
	for range 2 {
		stop, err := s.Serve("a", oneWindow{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Serve("a", oneWindow{}); err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("a second time: %v", err)
		}
		stop()
		stop()
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Serve("a", oneWindow{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("by a closed server: %v", err)
	}
	if _, err := NewServer(ServerOptions{Listen: s.Address() + "0"}); err == nil {
		t.Error("it listens on an improper address")
	}
}

func TestErrorsNameWindowAndPeer(t *testing.T) {
	rec := fill(t, openStore(t), window(7, 1), 100, rng(t))
	lw := located(rec, "127.0.0.1:1", "127.0.0.1:2")
	_, err := read(fetcher(t, Options{Patience: 1}), lw, rec.First, rec.Addresses)
	if !errors.Is(err, protocol.ErrUnreachable) || !strings.Contains(err.Error(), rec.Window.String()) ||
		!strings.Contains(err.Error(), "w1 at 127.0.0.1:1") || !strings.Contains(err.Error(), "w2 at 127.0.0.1:2") ||
		strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
