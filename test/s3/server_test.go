package s3

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pagoda/internal/fleet/objects"
	"pagoda/internal/run/pause/pausetest"
)

const (
	accessKey, secretKey = "operator", "a-secret-of-the-test"
	bucket               = "windows"
)

// module is the server's.
const module = "github.com/versity/versitygw"

// server is the path of versitygw in the version that go.mod pins. It is built where it is not there yet.
var server = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs("../../.bin/versitygw")
	if err != nil {
		return "", err
	}
	want, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("which version of %s: %w", module, err)
	}
	if have, err := buildinfo.ReadFile(path); err == nil && have.Main.Version == strings.TrimSpace(string(want)) {
		return path, nil
	}
	if out, err := exec.Command("go", "build", "-trimpath", "-o", path, module+"/cmd/versitygw").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", module, err, out)
	}
	return path, nil
})

// A fault answers a request instead of the server, or does something to it first. It reports whether it has answered.
type fault func(w http.ResponseWriter, r *http.Request) bool

// Storage is a running server with one bucket.
type Storage struct {
	URL    string // of the proxy
	Folder string // of the bucket
	fault  atomic.Pointer[fault]
	asked  atomic.Int64
	puts   atomic.Int64 // but those of ledgers
}

// Start starts a server whose buckets are below folder, for the time of the test.
func Start(t *testing.T, folder string) *Storage {
	t.Helper()
	program, err := server()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "s3") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	s := &Storage{Folder: filepath.Join(folder, bucket)}
	if err := errors.Join(os.MkdirAll(s.Folder, 0o755), os.Mkdir(filepath.Join(dir, "meta"), 0o755)); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", socket, "--access", accessKey, "--secret", secretKey, "--quiet",
		"posix", "--sidecar", filepath.Join(dir, "meta"), folder)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the server said:\n%s", text)
		}
		_ = log.Close()
	})
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "server"})
			r.Out.Host = r.In.Host // it is signed
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if r.Method == http.MethodPut && !strings.Contains(r.URL.Path, "/ledger/") {
			s.puts.Add(1)
		}
		if f := s.fault.Load(); f != nil && (*f)(w, r) {
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	s.URL = front.URL
	pausetest.Until(t, "the server listens", func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return s
}

// Fault has every request go through f; nil ends that.
func (s *Storage) Fault(f fault) {
	if f == nil {
		s.fault.Store(nil)
		return
	}
	s.fault.Store(&f)
}

// Environment sets the variables that programs read.
func (s *Storage) Environment(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"AWS_ENDPOINT_URL_S3", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_PROFILE", "http_proxy", "HTTP_PROXY",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
}

// Open opens the bucket, for a client that waits no longer than stall.
func (s *Storage) Open(t *testing.T, stall time.Duration) objects.Store {
	t.Helper()
	s.Environment(t)
	e, err := objects.ReadEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	e.Stall = stall
	store, err := e.Open(objects.Location{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	return store
}
