package transfer

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
)

// counted is a context that counts how often it was asked for its error.
type counted struct {
	context.Context
	asked atomic.Int64
}

func (c *counted) Err() error {
	c.asked.Add(1)
	return c.Context.Err()
}

// TestWaitForAnother: a reader that waits for another's fetch shows progress while blocks arrive, and gets its error.
// The reader takes over when the other was told to stop.
func TestWaitForAnother(t *testing.T) {
	for _, c := range []struct{ theirs, want error }{
		{nil, nil}, {kv.ErrNotFound, kv.ErrNotFound}, {context.Canceled, errTheirs}, {context.DeadlineExceeded, errTheirs},
	} {
		synctest.Test(t, func(t *testing.T) {
			e, turn, ctx := &entry{}, &turn{done: make(chan struct{})}, &counted{Context: t.Context()}
			got := make(chan error)
			go func() { got <- e.wait(ctx, turn) }()
			synctest.Wait()
			for _, arrives := range []bool{false, true, false, true} {
				before := ctx.asked.Load()
				if arrives {
					e.blocks.Add(1)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if progress := ctx.asked.Load() > before; progress != arrives {
					t.Errorf("progress is %t when a block arrives: %t", progress, arrives)
				}
			}
			turn.err = c.theirs
			close(turn.done)
			if err := <-got; !errors.Is(err, c.want) {
				t.Errorf("after %v: %v, want %v", c.theirs, err, c.want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if err := (&entry{}).wait(ctx, &turn{done: make(chan struct{})}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// TestPrefetch: a prefetched window is not fetched again when it is read. Where there is no holder nothing happens.
func TestPrefetch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	rec := fill(t, theirs, window(0, 3), 100, r)
	var fetched int
	f := fetcher(t, Options{OnFetched: func(Fetched) { fetched++ }})
	f.Prefetch(t.Context(), located(rec))
	if fetched > 0 || f.Moved() > 0 {
		t.Error("a window without a holder was fetched")
	}
	for range 2 {
		f.Prefetch(t.Context(), located(rec, srv.Address()))
	}
	if fetched != 1 || f.Moved() != rec.Bytes {
		t.Errorf("%d windows and %d bytes were fetched, want one of %d", fetched, f.Moved(), rec.Bytes)
	}
	got, err := read(f, located(rec, srv.Address()), rec.First, rec.Addresses)
	if err != nil || !equal(got, truth(t, theirs, rec, rec.First, rec.Addresses)) || fetched != 1 {
		t.Errorf("%d blocks, %v, %d fetched", len(got), err, fetched)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.Prefetch(ctx, located(fill(t, theirs, window(1, 3), 100, r), srv.Address()))
	if len(f.cached.entries) != 1 {
		t.Errorf("%d windows are kept after a prefetch that was cancelled", len(f.cached.entries))
	}
}

// TestNothingToRead: a window without rows, and a range without addresses, are not fetched.
func TestNothingToRead(t *testing.T) {
	rec := fill(t, openStore(t), window(0, 3), 100, rand.New(rand.NewPCG(1, 1)))
	f := fetcher(t, Options{Patience: 1})
	lw := located(rec, "127.0.0.1:1")
	if _, err := read(f, lw, rec.First, 0); err != nil {
		t.Errorf("no addresses: %v", err)
	}
	lw.Record.Rows = 0
	if _, err := read(f, lw, rec.First, rec.Addresses); err != nil {
		t.Errorf("no rows: %v", err)
	}
	if err := f.Check(t.Context(), lw); err != nil {
		t.Errorf("a check: %v", err)
	}
}

// TestCopyIntoClosedStore: when the own store takes no blocks, no holder is to blame.
func TestCopyIntoClosedStore(t *testing.T) {
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	rec := fill(t, theirs, window(0, 3), 100, rand.New(rand.NewPCG(1, 1)))
	mine, err := kv.Open(t.TempDir(), testRun, kv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := fetcher(t, Options{Store: mine})
	var done Fetched
	f.o.OnFetched = func(d Fetched) { done = d }
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Copy(t.Context(), located(rec, srv.Address())); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("copy: %v", err)
	}
	into := &storing{store: mine, w: rec.Window}
	defer into.reset()
	lw := located(rec, srv.Address())
	err = f.fetch(t.Context(), &lw, newInbound(&rec, into))
	var local *localError
	if !errors.As(err, &local) || !errors.Is(err, kv.ErrClosed) || len(done.Errors) > 0 {
		t.Errorf("fetch: %v, and of holders %v", err, done.Errors)
	}
	if _, err := read(f, lw, rec.First, rec.Addresses); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("read: %v", err)
	}
}

// TestSpoolOnFullDisk: a file that does not take a block gives an error that names its folder.
func TestSpoolOnFullDisk(t *testing.T) {
	h := spool{dir: t.TempDir()}
	if err := h.openFile(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.add(7, []byte("a block")), h.file.Close()); err != nil {
		t.Fatal(err)
	}
	size := h.size
	if err := h.add(9, []byte("a block")); !errors.Is(err, os.ErrClosed) || h.size != size {
		t.Errorf("%v, %d bytes after %d", err, h.size, size)
	}
}

// TestShelfOnFullDisk: when a window cannot be written to the shelf, the shelf is given up and told of, and the window
// is forgotten and not read from there.
func TestShelfOnFullDisk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	k := keep(t, r, 3)
	largest := uint64(0)
	for i := range k.windows {
		largest = max(largest, roomFor(&k.windows[i].Record))
	}
	told := 0
	f := fetcher(t, Options{MemoryBytes: largest, DiskBytes: 1 << 40, Event: func(string) { told++ }})
	k.read(t, f, 0)
	file, err := tempFile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f.cached.shelf.open = f.cached.shelf.put(file, 0)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range k.windows {
		k.read(t, f, (i+1)%3)
	}
	if told != 1 || f.OnDisk() != 0 || f.Moved() <= k.bytes {
		t.Errorf("told %d times, %d bytes on disk, %d moved of %d", told, f.OnDisk(), f.Moved(), k.bytes)
	}
}
