package keys

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func made(t *testing.T, o MakeOptions) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "credentials")
	if err := Make(dir, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

func loaded(t *testing.T, parts ...string) *Credentials {
	t.Helper()
	k, err := Load(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestMakeAndLoad(t *testing.T) {
	dir := made(t, MakeOptions{Hosts: []string{"nats.example.org", "192.0.2.7"}, Run: "r-1", Valid: time.Hour})
	for role, users := range map[Role]int{Coordinator: 2, Server: 2, Worker: 0} {
		k := loaded(t, dir, string(role))
		if k.Role != role || len(k.Users) != users || (k.Run == "r-1") != (role == Worker) {
			t.Errorf("%s: %+v with %d users", role, k.Identity, len(k.Users))
		}
		if (k.Key == "") != (role == Server) {
			t.Errorf("%s has the public key %q", role, k.Key)
		}
		if left := time.Until(k.Expires); left > time.Hour || left < 50*time.Minute {
			t.Errorf("%s expires in %s", role, left)
		}
	}
	c, w := loaded(t, dir, "coordinator"), loaded(t, dir, "worker")
	for _, u := range loaded(t, dir, "server").Users {
		if u != c.Identity && u != w.Identity {
			t.Errorf("user %+v", u)
		}
	}
	leaf := c.cert.Leaf
	for _, host := range []string{NATSName, PeerName, CoordinatorName, "nats.example.org", "192.0.2.7"} {
		if err := leaf.VerifyHostname(host); err != nil {
			t.Error(err)
		}
	}
	for _, host := range []string{NATSName, CoordinatorName, "nats.example.org"} {
		if w.cert.Leaf.VerifyHostname(host) == nil {
			t.Errorf("a worker passes for %s", host)
		}
	}
	if err := Make(dir, MakeOptions{}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("made over other credentials: %v", err)
	}
}

func TestMakeRefuses(t *testing.T) {
	for _, o := range []MakeOptions{{Run: "a.b"}, {Run: "../x"}, {Hosts: []string{"a b"}}, {Hosts: []string{"x\ny"}}} {
		dir := filepath.Join(t.TempDir(), "credentials")
		if err := Make(dir, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
		if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) > 0 {
			t.Errorf("%+v leaves %v, %v", o, entries, err)
		}
	}
}

// TestLoadRefuses damages a folder of credentials in every way that Load should name.
func TestLoadRefuses(t *testing.T) {
	other := made(t, MakeOptions{})
	foreign := func(role, name string) func(string) error {
		b, err := os.ReadFile(filepath.Join(other, role, name))
		if err != nil {
			t.Fatal(err)
		}
		return content(name, b)
	}
	for _, tc := range []struct {
		role, damage, want string
		do                 func(dir string) error
	}{
		{"worker", "is gone", "no folder of credentials", os.RemoveAll},
		{"worker", "has no seed", "user.nkey: cannot be read", remove(seedFile)},
		{"worker", "open key", "mode 0644", mode(keyFile, 0o644)},
		{"worker", "open seed", "user.nkey: can be read", mode(seedFile, 0o604)},
		{"worker", "group may write", "mode 0660", mode(seedFile, 0o660)},
		{"worker", "seed is rubbish", "no nkey seed", content(seedFile, []byte("SUAX"))},
		{"worker", "cert is rubbish", "no certificate for", content(certFile, []byte("x"))},
		{"worker", "ca is rubbish", "no certificate in PEM", content(caFile, nil)},
		{"worker", "ca of others", "not signed by ca.pem", foreign("worker", caFile)},
		{"worker", "cert of others", "no certificate for", foreign("worker", certFile)},
		{"coordinator", "user of others", "does not have the key of user.nkey", foreign("coordinator", seedFile)},
		{"coordinator", "users of others", "does not have the user", foreign("coordinator", usersFile)},
		{"coordinator", "users are rubbish", "no list of users", content(usersFile, []byte("me coordinator\n"))},
		{"server", "key is a folder", "is not a file", func(d string) error {
			return errors.Join(os.Remove(filepath.Join(d, keyFile)), os.Mkdir(filepath.Join(d, keyFile), 0o700))
		}},
		{"server", "too large", "more than", content(usersFile, make([]byte, maxFile+1))},
	} {
		t.Run(tc.role+" "+tc.damage, func(t *testing.T) {
			dir := filepath.Join(made(t, MakeOptions{}), tc.role)
			loaded(t, dir)
			if err := tc.do(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Load(dir)
			var fe *FileError
			if !errors.As(err, &fe) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%v, want it to say %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
		})
	}
}

func remove(name string) func(string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func mode(name string, m os.FileMode) func(string) error {
	return func(dir string) error { return os.Chmod(filepath.Join(dir, name), m) }
}

func content(name string, data []byte) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), data, 0o600) }
}

// TestMounted loads credentials as Kubernetes mounts them: symbolic links to files that a group may read.
func TestMounted(t *testing.T) {
	dir := filepath.Join(made(t, MakeOptions{}), "worker")
	data := filepath.Join(dir, "..data")
	if err := os.Mkdir(data, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{caFile, certFile, keyFile, seedFile} {
		path := filepath.Join(dir, name)
		err := errors.Join(
			os.Rename(path, filepath.Join(data, name)),
			os.Chmod(filepath.Join(data, name), 0o440),
			os.Symlink(filepath.Join("..data", name), path),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	loaded(t, dir)
}

func TestExpiryAndRenewal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "credentials")
	o := MakeOptions{Hosts: []string{"nats.example.org"}, Run: "r1", Valid: time.Hour}
	if err := makeAt(dir, o, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(filepath.Join(dir, "worker")); err == nil || !strings.Contains(err.Error(), "expired on") {
		t.Fatalf("expired credentials: %v", err)
	}
	if _, err := load(filepath.Join(dir, "worker"), time.Now().Add(-9*time.Hour)); err == nil ||
		!strings.Contains(err.Error(), "valid only from") {
		t.Fatalf("credentials of the future: %v", err)
	}
	if err := Renew(dir, 0); err != nil {
		t.Fatal(err)
	}
	c, w := loaded(t, dir, "coordinator"), loaded(t, dir, "worker")
	if w.Run != "r1" || len(c.Users) != 2 || c.cert.Leaf.VerifyHostname("nats.example.org") != nil {
		t.Errorf("%+v, %d users, %v", w.Identity, len(c.Users), c.cert.Leaf.DNSNames)
	}
}

// TestCertificatesWithoutKeys: certificates as earlier versions made them are refused with the way out, and renewed
// they have the key of the seed beside them, and the run as before.
func TestCertificatesWithoutKeys(t *testing.T) {
	for _, run := range []string{"", "r1"} {
		dir := made(t, MakeOptions{Run: run})
		a, err := loadAuthority(dir)
		if err != nil {
			t.Fatal(err)
		}
		before := loaded(t, dir, "worker")
		worker := filepath.Join(dir, "worker")
		if err := a.certify(worker, Identity{Role: Worker, Run: run}, names{}, time.Now(), time.Hour); err != nil {
			t.Fatal(err)
		}
		_, err = Load(worker)
		var fe *FileError
		if !errors.As(err, &fe) || !strings.Contains(fe.Problem, "does not have the key") ||
			!strings.Contains(fe.Hint, "--renew") {
			t.Errorf("run %q: %v", run, err)
		}
		if err := Renew(dir, 0); err != nil {
			t.Fatal(err)
		}
		if after := loaded(t, dir, "worker"); after.Identity != before.Identity {
			t.Errorf("%+v became %+v", before.Identity, after.Identity)
		}
	}
}

// TestFingerprint: a fingerprint is of the form that the names of workers have, and each key has its own.
func TestFingerprint(t *testing.T) {
	dir := made(t, MakeOptions{})
	c, w := Fingerprint(loaded(t, dir, "coordinator").Key), Fingerprint(loaded(t, dir, "worker").Key)
	if c == w || Fingerprint("") != "" || !regexp.MustCompile("^[a-z2-7]{12}$").MatchString(w) {
		t.Errorf("%q and %q", c, w)
	}
}

func TestAddWorker(t *testing.T) {
	dir := made(t, MakeOptions{Run: "r1"})
	if err := AddWorker(dir, "second", "r2", 0); err != nil {
		t.Fatal(err)
	}
	k := loaded(t, dir, "second")
	if k.Role != Worker || k.Run != "r2" {
		t.Errorf("%+v", k.Identity)
	}
	for _, role := range []string{"server", "coordinator"} {
		users := loaded(t, dir, role).Users
		if last := users[len(users)-1]; len(users) != 3 || last != k.Identity {
			t.Errorf("%s knows %+v", role, users)
		}
	}
	for name, run := range map[string]string{"ca": "", "../x": "", "second": "", "third": "a.b", "": ""} {
		if AddWorker(dir, name, run, 0) == nil {
			t.Errorf("added %q for run %q", name, run)
		}
	}
}

// meet connects two ends over TLS and returns the client's identity as the server sees it.
func meet(t *testing.T, server, client *tls.Config) (Identity, error) {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	type met struct {
		id  Identity
		err error
	}
	got := make(chan met, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			got <- met{err: err}
			return
		}
		tc := c.(*tls.Conn)
		err = tc.Handshake()
		var m met
		if err == nil {
			s := tc.ConnectionState()
			m.id, err = PeerOf(&s)
		}
		m.err = errors.Join(err, c.Close())
		got <- m
	}()
	d := tls.Dialer{NetDialer: &net.Dialer{Timeout: 5 * time.Second}, Config: client}
	c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
	if err == nil {
		_, err = c.Read(make([]byte, 1)) // TLS 1.3: the server's verdict comes with the first read
		if errors.Is(err, io.EOF) {
			err = nil
		}
		_ = c.Close()
	}
	m := <-got
	_ = l.Close()
	return m.id, errors.Join(err, m.err)
}

func TestTLS(t *testing.T) {
	dir, strangers := made(t, MakeOptions{Run: "r1"}), made(t, MakeOptions{Run: "r1"})
	c, w, s := loaded(t, dir, "coordinator"), loaded(t, dir, "worker"), loaded(t, dir, "server")
	x := loaded(t, strangers, "coordinator")
	for _, tc := range []struct {
		what           string
		server, client *tls.Config
		want           Identity
		refused        bool
	}{
		{what: "worker to NATS", server: s.ServerTLS(), client: w.ClientTLS(NATSName), want: w.Identity},
		{what: "worker to embedded NATS", server: c.ServerTLS(), client: w.ClientTLS(NATSName), want: w.Identity},
		{what: "worker to worker", server: w.ServerTLS(), client: w.ClientTLS(PeerName), want: w.Identity},
		{what: "coordinator to worker", server: w.ServerTLS(), client: c.ClientTLS(PeerName), want: c.Identity},
		{what: "a worker is no NATS server", server: w.ServerTLS(), client: c.ClientTLS(NATSName), refused: true},
		{what: "a worker is no coordinator", server: w.ServerTLS(), client: c.ClientTLS(CoordinatorName), refused: true},
		{what: "a stranger is not let in", server: w.ServerTLS(), client: x.ClientTLS(PeerName), refused: true},
		{what: "a stranger is not believed", server: x.ServerTLS(), client: w.ClientTLS(PeerName), refused: true},
		{what: "nobody", server: w.ServerTLS(), refused: true,
			client: &tls.Config{InsecureSkipVerify: true}}, //nolint:gosec // a client that trusts any server
		{what: "old TLS", server: w.ServerTLS(), refused: true, client: func() *tls.Config {
			o := w.ClientTLS(PeerName)
			o.MinVersion, o.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
			return o
		}()},
	} {
		id, err := meet(t, tc.server, tc.client)
		if (err != nil) != tc.refused || id != tc.want {
			t.Errorf("%s: %+v, %v", tc.what, id, err)
		}
	}
	if !c.MayUse("r2") || w.MayUse("r2") || !w.MayUse("r1") {
		t.Error("the bound worker may use the wrong runs")
	}
	if _, err := PeerOf(&tls.ConnectionState{}); err == nil {
		t.Error("nobody has an identity")
	}
}

func TestCheck(t *testing.T) {
	k := loaded(t, made(t, MakeOptions{}), "worker")
	for address, loopback := range map[string]bool{
		"127.0.0.1:4222": true, "127.8.9.1:0": true, "localhost:1": true, "[::1]:4222": true, "::1": true, "127.0.0.1": true,
		"[::ffff:127.0.0.1]:4": true, "": false, ":4222": false, "0.0.0.0:4222": false, "[::]:1": false, "10.0.0.1:1": false,
		"example.org:1": false, "localhost.example.org:1": false, "127.0.0.1.example.org:1": false,
	} {
		err := Check(address, nil, false)
		var exposed *ExposedError
		if loopback != (err == nil) || err != nil && !errors.As(err, &exposed) {
			t.Errorf("%q: %v", address, err)
		}
		if err := errors.Join(Check(address, k, false), Check(address, nil, true)); err != nil {
			t.Error(err)
		}
	}
}

func FuzzUsers(f *testing.F) {
	f.Add("UCDPVAFBFFZVTG4XQFXLQHMBB7KLZ2WBSO2TTDTP4MJ2LWFEAF4Q2D6F worker r1\n")
	f.Add("x coordinator\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		users, err := parseUsers(text)
		if err != nil {
			return
		}
		again, err := parseUsers(string(formatUsers(users)))
		if err != nil || len(again) != len(users) {
			t.Fatalf("%d users became %d: %v", len(users), len(again), err)
		}
		for i := range users {
			if users[i] != again[i] {
				t.Fatalf("%+v became %+v", users[i], again[i])
			}
		}
	})
}
