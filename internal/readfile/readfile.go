// Package readfile reads files that a user names: no more of them than a limit, and no longer than a context lasts. A
// user may name a device without an end, a pipe without a writer, or a file on a disk that hangs.
package readfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrTooLarge is wrapped when there is more to read than the limit.
var ErrTooLarge = errors.New("too large")

// Read returns the content of a file of at most limit bytes. When ctx ends first, the error is its cause, and the read
// is left behind, to end with the process. Errors of the file are *fs.PathError, or wrap ErrTooLarge.
func Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	return wait(ctx, func() ([]byte, error) { return Bounded(path, limit) })
}

// Stream is Read of an open stream, such as stdin.
func Stream(ctx context.Context, in io.Reader, limit int64) ([]byte, error) {
	return wait(ctx, func() ([]byte, error) { return all(in, limit) })
}

// Bounded is Read without a context, for files that programs themselves keep in folders.
func Bounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := all(f, limit)
	_ = f.Close() // it was only read
	return b, err
}

func all(in io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("%w: it holds more than %s", ErrTooLarge, size(limit))
	}
	return b, err
}

func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

func wait(ctx context.Context, fn func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		b, err := fn()
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
