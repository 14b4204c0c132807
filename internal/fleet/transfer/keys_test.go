package transfer

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/fleet/certs"
	"pagoda/internal/run/protocol"
)

func makeKeys(t *testing.T, o certs.MakeOptions) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "keys")
	if err := certs.Make(dir, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

func loadKeys(t *testing.T, parts ...string) *certs.Credentials {
	t.Helper()
	k, err := certs.Load(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeys(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	rec := fill(t, theirs, window(1, 3), 100, r)
	fleet, bound, strangers := makeKeys(t, certs.MakeOptions{}), makeKeys(t, certs.MakeOptions{Run: "another"}),
		makeKeys(t, certs.MakeOptions{})
	secret := serve(t, theirs, ServerOptions{Keys: loadKeys(t, fleet, "worker")})
	other := serve(t, theirs, ServerOptions{Keys: loadKeys(t, bound, "worker")})
	open := serve(t, theirs, ServerOptions{})
	for _, c := range []struct {
		name   string
		keys   *certs.Credentials
		server *Server
		want   Kind // "" is that it works
	}{
		{"worker", loadKeys(t, fleet, "worker"), secret, ""},
		{"coordinator", loadKeys(t, fleet, "coordinator"), secret, ""},
		{"no keys", nil, secret, Malformed},
		{"keys of another fleet", loadKeys(t, strangers, "worker"), secret, Refused},
		{"keys of a NATS server", loadKeys(t, fleet, "server"), secret, Refused},
		{"keys for another run", loadKeys(t, bound, "worker"), other, Refused},
		{"a server without keys", loadKeys(t, fleet, "worker"), open, Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fetcher(t, Options{Keys: c.keys})
			got, err := read(f, located(rec, c.server.Address()), rec.First, rec.Addresses)
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
		var exposed *certs.ExposedError
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

func TestErrorsNameWindowAndPeer(t *testing.T) {
	rec := fill(t, openStore(t), window(7, 1), 100, rng(t))
	_, err := read(fetcher(t, Options{Patience: 1}), located(rec, "127.0.0.1:1"), rec.First, rec.Addresses)
	if !errors.Is(err, protocol.ErrUnreachable) || !strings.Contains(err.Error(), rec.Window.String()) ||
		!strings.Contains(err.Error(), "w1 at 127.0.0.1:1") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
