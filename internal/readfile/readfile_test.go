package readfile_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/readfile"
)

func TestLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	content := []byte("0123456789")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for limit := range int64(13) {
		read := map[string]func() ([]byte, error){
			"Read":    func() ([]byte, error) { return readfile.Read(t.Context(), path, limit) },
			"Bounded": func() ([]byte, error) { return readfile.Bounded(path, limit) },
			"Stream":  func() ([]byte, error) { return readfile.Stream(t.Context(), bytes.NewReader(content), limit) },
		}
		for name, fn := range read {
			b, err := fn()
			if limit < 10 && !errors.Is(err, readfile.ErrTooLarge) {
				t.Errorf("%s with limit %d: %q, %v", name, limit, b, err)
			}
			if limit >= 10 && (err != nil || !bytes.Equal(b, content)) {
				t.Errorf("%s with limit %d: %q, %v", name, limit, b, err)
			}
		}
	}
	if _, err := readfile.Read(t.Context(), path+"x", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestEndless reads endless files and streams: Bounded and Stream stop at the limit.
func TestEndless(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Logf("NOT RUN for /dev/zero: %v", err)
	} else if _, err := readfile.Bounded("/dev/zero", 1<<20); !errors.Is(err, readfile.ErrTooLarge) ||
		!strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("/dev/zero: %v", err)
	}
	if _, err := readfile.Stream(t.Context(), zeros{}, 1000); !errors.Is(err, readfile.ErrTooLarge) ||
		!strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("a stream of zeros: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A read that does not come back ends with the context, and with its cause.
func TestCancelled(t *testing.T) {
	in, out := io.Pipe()
	defer func() { _ = out.Close() }() // lets the reader go
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := readfile.Stream(ctx, in, 10); !errors.Is(err, stop) {
		t.Errorf("%v, want the cause of the context", err)
	}
}
