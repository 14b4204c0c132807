package archive_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/fleet/objects/objectstest"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/protocol"
)

const run = "0123456789ab"

var place = objects.Location{Bucket: "bucket", Key: "deep"}

// window is window number i of a run.
func window(i int) protocol.Archived {
	w := protocol.Archived{Window: puzzle.WindowID{Cell: puzzle.Cell{Layer: i / 10, Key: "4.4.0-x"}, Part: i % 10}}
	w.Digest[0], w.Digest[31] = byte(i), 7
	return w
}

// source has every window but some.
type source struct{ lacks map[puzzle.WindowID]error }

func (s source) Coded(_ context.Context, id puzzle.WindowID, _ blocks.Digest, _, _ uint64,
	fn func(first uint64, coded []byte) error) error {
	if err := s.lacks[id]; err != nil {
		return err
	}
	return fn(0, []byte("block of "+id.String()))
}

func listed(t *testing.T, a *archive.Archive) (all []protocol.Archived) {
	t.Helper()
	if err := a.List(t.Context(), func(page []protocol.Archived) { all = append(all, page...) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNames puts windows, lists them among other objects, and opens them.
func TestNames(t *testing.T) {
	var m objectstest.Memory
	a, other := archive.New(&m, place, run), archive.New(&m, place, "ffffffffffff")
	for _, key := range []string{
		"deep", "deep/", "deep/" + run, "deep/" + run + "/x", "deep/" + run + "/0/4.4.0-x/1",
		"deep/" + run + "/0/4.4.0/01-00",
		"else/" + run + "/x",
	} {
		m.Set(key, []byte("x"))
	}
	const n = 1100 // more than are listed at a time
	for i := range n {
		w := window(i)
		rec := kv.Record{Window: puzzle.Window{Cell: w.Window.Cell, Part: w.Window.Part}, Digest: w.Digest}
		size, err := a.Put(t.Context(), source{}, &rec, t.TempDir())
		if err != nil || size == 0 {
			t.Fatal(size, err)
		}
	}
	all := listed(t, a)
	for i := range n {
		if !slices.Contains(all, window(i)) {
			t.Fatalf("%+v is not listed", window(i))
		}
	}
	if len(all) != n || len(listed(t, other)) != 0 {
		t.Errorf("%d windows are listed, %d of another run", len(all), len(listed(t, other)))
	}
	w := window(77)
	rec := kv.Record{Window: puzzle.Window{Cell: w.Window.Cell, Part: w.Window.Part}, Digest: w.Digest}
	var want bytes.Buffer
	if err := transfer.WriteStream(t.Context(), source{}, &rec, &want); err != nil {
		t.Fatal(err)
	}
	body, err := a.Open(t.Context(), &rec)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("read %q, %v", got, err)
	}
	rec.Digest[1] = 9
	if _, err := a.Open(t.Context(), &rec); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
	m.Fail(func(op, _ string) error { return &objects.Error{URL: op, Kind: objects.ErrDenied} })
	if _, err := a.Open(t.Context(), &rec); !errors.Is(err, transfer.ErrRefused) {
		t.Errorf("refused: %v", err)
	}
}

// TestUploads: added windows are uploaded, after failures too. Windows that the source has lost are forgotten.
func TestUploads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m objectstest.Memory
		a := archive.New(&m, place, run)
		begun := time.Now()
		m.Fail(func(op, _ string) error {
			if op == "put" && time.Since(begun) < time.Minute {
				return &objects.Error{URL: op, Kind: objects.ErrAway}
			}
			return nil
		})
		gone := map[puzzle.WindowID]error{
			window(3).Window: kv.ErrNotFound, window(5).Window: &kv.OtherDigestError{}, window(8).Window: kv.ErrCorrupt,
		}
		var mu sync.Mutex
		var told []archive.Uploaded
		u := archive.NewUploader(a, archive.UploaderOptions{
			Source: source{gone}, Dir: t.TempDir(), OnUploaded: func(e archive.Uploaded) {
				mu.Lock()
				told = append(told, e)
				mu.Unlock()
			},
		})
		toldOf := func() []archive.Uploaded {
			synctest.Wait() // the last is told after nothing is left
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(told)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			u.Run(ctx)
		}()
		for i := range 20 {
			u.Add(window(i))
		}
		if left := u.Drain(t.Context()); left == 0 {
			t.Error("nothing is left while the server is away")
		}
		time.Sleep(2 * time.Minute) // virtual
		if left := u.Drain(t.Context()); left != 0 {
			t.Errorf("%d windows are left", left)
		}
		if all := listed(t, a); len(all) != 20-len(gone) {
			t.Errorf("%d windows are there", len(all))
		}
		turns := 0
		for _, e := range toldOf() {
			if e.First {
				turns++
			}
		}
		if turns != 2 {
			t.Errorf("it turned %d times between failing and not", turns)
		}
		// A worker that comes back uploads the missing windows, or all of them when the archive cannot be listed.
		m.Fail(nil)
		u.AddMissing(t.Context(), []protocol.Archived{window(0), window(1), window(30), window(31)})
		u.Drain(t.Context())
		before := len(toldOf())
		if all := listed(t, a); len(all) != 22-len(gone) {
			t.Errorf("%d windows are there", len(all))
		}
		m.Fail(func(op, _ string) error {
			if op == "list" {
				return &objects.Error{URL: op, Kind: objects.ErrAway}
			}
			return nil
		})
		u.AddMissing(t.Context(), []protocol.Archived{window(0), window(1)})
		u.Drain(t.Context())
		if n := len(toldOf()) - before; n != 2 {
			t.Errorf("%d windows were uploaded", n)
		}
		cancel()
		<-ended
	})
}

// silent is a store that begins a list and says no more.
type silent struct{ objectstest.Memory }

func (s *silent) List(ctx context.Context, _ string, _ func(objects.Object) error) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestSilent: a list that stands still comes to an end.
func TestSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := archive.New(&silent{}, place, run)
		err := a.List(t.Context(), func([]protocol.Archived) {})
		if !errors.Is(err, objects.ErrAway) {
			t.Errorf("got %v", err)
		}
	})
}

// TestRead reads windows of a real store back through a fetcher, whole and damaged.
func TestRead(t *testing.T) { synctest.Test(t, testRead) }

func testRead(t *testing.T) {
	var m objectstest.Memory
	a := archive.New(&m, place, run)
	store, err := kv.Open(filepath.Join(t.TempDir(), "store"), run, kv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	win := puzzle.Window{Cell: puzzle.Cell{Layer: 3, Key: "a"}, Part: 2, First: 1 << 20, Addresses: 1 << 18}
	w := store.Begin(win)
	rows := 0
	for i := range uint64(4) {
		b := &puzzle.Block{
			First: win.First + i*puzzle.BlockAddresses, Addresses: puzzle.BlockAddresses,
			Occupied: make([]uint64, puzzle.BlockAddresses/64), Columns: make([][]uint64, 1),
		}
		for k := range 500 {
			b.Occupied[k] |= 1 << 7
			b.Columns[0] = append(b.Columns[0], uint64(rows*rows))
			rows++
		}
		if err := w.Block(b); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := w.Commit(puzzle.Tally{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Put(t.Context(), store, &rec, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	key := m.Keys()[0]
	whole, _ := m.Content(key)
	empty, err := kv.Open(filepath.Join(t.TempDir(), "empty"), run, kv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = empty.Close() }()
	fetch := func() (n int, err error) {
		f := transfer.NewFetcher(transfer.Options{Store: empty, Name: "w", Archive: a, Patience: time.Nanosecond})
		defer f.Close()
		lw := protocol.LocatedWindow{Record: rec, Holders: []protocol.Peer{{Name: protocol.ArchiveName}}}
		err = f.Blocks(t.Context(), lw, rec.First, rec.Addresses, func(b *puzzle.Block) error {
			n += b.Rows()
			return nil
		})
		return n, err
	}
	if n, err := fetch(); err != nil || n != rows {
		t.Fatalf("%d rows of %d came: %v", n, rows, err)
	}
	for at := range whole {
		if at%331 != 0 && at < len(whole)-20 {
			continue
		}
		bad := bytes.Clone(whole)
		bad[at] ^= 0x10
		m.Set(key, bad)
		if n, err := fetch(); n != 0 || !errors.Is(err, kv.ErrCorrupt) {
			t.Fatalf("byte %d of %d differs: %d rows came, %v", at, len(whole), n, err)
		}
	}
	for _, bad := range [][]byte{nil, whole[:len(whole)-1], whole[:len(whole)/2], append(bytes.Clone(whole), 0)} {
		m.Set(key, bad)
		if n, err := fetch(); n != 0 || !errors.Is(err, kv.ErrCorrupt) {
			t.Fatalf("%d of %d bytes: %d rows came, %v", len(bad), len(whole), n, err)
		}
	}
	m.Remove(key)
	if _, err := fetch(); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("nothing is there: %v", err)
	}
	m.Fail(func(op, _ string) error { return &objects.Error{URL: op, Kind: objects.ErrAway} })
	if _, err := fetch(); !errors.Is(err, protocol.ErrUnreachable) {
		t.Errorf("the server is away: %v", err)
	}
}
