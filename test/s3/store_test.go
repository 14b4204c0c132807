package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pagoda/internal/fleet/objects"
)

func put(t *testing.T, s objects.Store, key, content string, how objects.How) error {
	t.Helper()
	return s.Put(t.Context(), key, strings.NewReader(content), int64(len(content)), how)
}

func get(ctx context.Context, s objects.Store, key string) (string, error) {
	r, err := s.Get(ctx, key)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(r)
	return string(b), errors.Join(err, r.Close())
}

func list(t *testing.T, s objects.Store, prefix string) (all []string) {
	t.Helper()
	if err := s.List(t.Context(), prefix, func(o objects.Object) error {
		all = append(all, o.Key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestObjects makes, reads, replaces and lists objects.
func TestObjects(t *testing.T) {
	s := Start(t, t.TempDir()).Open(t, 0)
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a/1", "a/2", "a/22", "b", "a/3.x-y_{z}"} {
		if err := put(t, s, key, "content of "+key, objects.New); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := list(t, s, "a/"), []string{"a/1", "a/2", "a/22", "a/3.x-y_{z}"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if got := list(t, s, "a/2"); !slices.Equal(got, []string{"a/2", "a/22"}) {
		t.Errorf("listed %q", got)
	}
	if err := put(t, s, "a/2", "other", objects.New); !errors.Is(err, objects.ErrExists) {
		t.Errorf("an object was replaced: %v", err)
	}
	if got, err := get(t.Context(), s, "a/2"); err != nil || got != "content of a/2" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := put(t, s, "a/2", "other", objects.Replace); err != nil {
		t.Error(err)
	}
	if got, err := get(t.Context(), s, "a/2"); err != nil || got != "other" {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := get(t.Context(), s, "c"); !errors.Is(err, objects.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
	for key, want := range map[string]error{"a/2": objects.ErrExists, "a/": nil, "a/20": nil, "c": nil} {
		if err := objects.Free(t.Context(), s, objects.Location{Bucket: bucket, Key: key}); !errors.Is(err, want) {
			t.Errorf("free %q: %v, want %v", key, err, want)
		}
	}
}

// TestOutput puts an object that comes in parts, and nothing of one that is given up.
func TestOutput(t *testing.T) {
	s := Start(t, t.TempDir()).Open(t, 0)
	content := make([]byte, 20<<20)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(content); i += 97 {
		content[i] = byte(r.Uint32())
	}
	for _, key := range []string{"given-up", "large"} {
		o, err := objects.Create(s, objects.Location{Bucket: bucket, Key: key}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Write(content); err != nil {
			t.Fatal(err)
		}
		if key == "given-up" {
			o.Abort()
			continue
		}
		if err := o.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := get(t.Context(), s, "large"); err != nil || !bytes.Equal([]byte(got), content) {
		t.Fatalf("%d bytes came, %d were put; %v", len(got), len(content), err)
	}
	if all := list(t, s, ""); !slices.Equal(all, []string{"large"}) {
		t.Errorf("there are %q", all)
	}
}

// TestDenied tries wrong keys, and a bucket that is not there.
func TestDenied(t *testing.T) {
	storage := Start(t, t.TempDir())
	for name, set := range map[string][2]string{
		"unknown key":  {"AWS_ACCESS_KEY_ID", "somebody"},
		"wrong secret": {"AWS_SECRET_ACCESS_KEY", "guessed"},
	} {
		t.Run(name, func(t *testing.T) {
			storage.Environment(t)
			t.Setenv(set[0], set[1])
			s, err := objects.Open(objects.Location{Bucket: bucket})
			if err != nil {
				t.Fatal(err)
			}
			denied(t, s.Check(t.Context()))
			denied(t, put(t, s, "x", "y", objects.New))
			_, err = get(t.Context(), s, "x")
			denied(t, err)
		})
	}
	t.Run("no bucket", func(t *testing.T) {
		storage.Environment(t)
		s, err := objects.Open(objects.Location{Bucket: "nowhere"})
		if err != nil {
			t.Fatal(err)
		}
		denied(t, s.Check(t.Context()))
		denied(t, put(t, s, "x", "y", objects.New))
	})
}

func denied(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, objects.ErrDenied) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want that it is refused", err)
	}
}

// TestFull fills a bucket whose disk has no room left.
func TestFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("NOT RUN: a small file system is mounted, which takes root")
		t.SkipNow()
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Logf("NOT RUN: a small file system cannot be mounted: %v: %s", err, out)
		t.SkipNow()
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	s := Start(t, dir).Open(t, 0)
	if err := put(t, s, "small", strings.Repeat("x", 1<<18), objects.New); err != nil {
		t.Fatal(err)
	}
	err := put(t, s, "large", strings.Repeat("x", 1<<20), objects.New)
	if !errors.Is(err, objects.ErrFull) {
		t.Errorf("got %v", err)
	}
	if all := list(t, s, ""); !slices.Equal(all, []string{"small"}) {
		t.Errorf("there are %q", all)
	}
}

// TestQuota has a server say that the bucket is full.
func TestQuota(t *testing.T) {
	storage := Start(t, t.TempDir())
	s := storage.Open(t, 0)
	storage.Fault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `<Error><Code>QuotaExceeded</Code><Message>The quota set has been exceeded.</Message></Error>`)
		return true
	})
	if err := put(t, s, "x", "y", objects.New); !errors.Is(err, objects.ErrFull) {
		t.Errorf("got %v", err)
	}
}

// TestFailing has the server fail for a while, and for good.
func TestFailing(t *testing.T) {
	storage := Start(t, t.TempDir())
	s := storage.Open(t, 0)
	var failed atomic.Int64
	failing := func(times int64) fault {
		failed.Store(0)
		return func(w http.ResponseWriter, r *http.Request) bool {
			if failed.Add(1) > times {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	}
	storage.Fault(failing(2))
	if err := put(t, s, "x", "content", objects.New); err != nil {
		t.Fatal(err)
	}
	storage.Fault(failing(2))
	if got, err := get(t.Context(), s, "x"); err != nil || got != "content" {
		t.Fatalf("read %q, %v", got, err)
	}
	storage.Fault(failing(1 << 40))
	if err := put(t, s, "y", "content", objects.New); !errors.Is(err, objects.ErrAway) {
		t.Errorf("got %v", err)
	}
	storage.Fault(nil)
	if all := list(t, s, ""); !slices.Equal(all, []string{"x"}) {
		t.Errorf("there are %q", all)
	}
}

// TestStalled has the server take a request and say nothing.
func TestStalled(t *testing.T) {
	storage := Start(t, t.TempDir())
	release := make(chan struct{})
	storage.Fault(func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return true
	})
	defer close(release)
	if _, err := get(t.Context(), storage.Open(t, 10*time.Millisecond), "x"); !errors.Is(err, objects.ErrAway) {
		t.Errorf("got %v", err)
	}
	// The end of the context ends a wait, with its cause.
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	s := storage.Open(t, time.Hour)
	before := storage.asked.Load()
	done := make(chan error, 1)
	go func() {
		_, err := get(ctx, s, "x")
		done <- err
	}()
	for storage.asked.Load() == before {
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
	}
	cancel(enough)
	if err := <-done; !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
}

// TestCutOff breaks a download off.
func TestCutOff(t *testing.T) {
	storage := Start(t, t.TempDir())
	s := storage.Open(t, 0)
	if err := put(t, s, "x", strings.Repeat("x", 1<<20), objects.New); err != nil {
		t.Fatal(err)
	}
	storage.Fault(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", "1048576")
		w.Header().Set("ETag", `"0"`)
		w.Header().Set("Last-Modified", "Mon, 23 Nov 2026 08:00:00 GMT")
		_, _ = io.WriteString(w, strings.Repeat("x", 1000))
		return true
	})
	if got, err := get(t.Context(), s, "x"); !errors.Is(err, objects.ErrAway) {
		t.Errorf("%d bytes came, %v", len(got), err)
	}
}

// TestUnreachable asks a server that is not there.
func TestUnreachable(t *testing.T) {
	storage := Start(t, t.TempDir())
	storage.Environment(t)
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	s, err := objects.Open(objects.Location{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, objects.ErrAway) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// TestOneWins has several clients put one object at a time, if there is none: one of them does, and its content stays.
func TestOneWins(t *testing.T) {
	s := Start(t, t.TempDir()).Open(t, 0)
	for n := range 20 {
		key := fmt.Sprintf("one/%d", n)
		var wg sync.WaitGroup
		won := make(chan string, 8)
		for i := range cap(won) {
			wg.Go(func() {
				content := fmt.Sprintf("client %d of object %d", i, n)
				err := s.Put(t.Context(), key, strings.NewReader(content), int64(len(content)), objects.New)
				if err == nil {
					won <- content
				} else if !errors.Is(err, objects.ErrExists) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		close(won)
		first := <-won
		if got, err := get(t.Context(), s, key); err != nil || got != first || len(won) > 0 {
			t.Errorf("%s has %q, %v; it was put by %q and %d more", key, got, err, first, len(won))
		}
	}
}
