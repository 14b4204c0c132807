package transfer

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// kept is windows of another worker, and their content.
type kept struct {
	windows []protocol.LocatedWindow
	truth   [][]*puzzle.Block
	bytes   uint64
}

func keep(t *testing.T, r *rand.Rand, n int) (k kept) {
	t.Helper()
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	for part := range n {
		rec := fill(t, theirs, window(part, 1+r.IntN(4)), 100+r.IntN(400), r)
		k.windows = append(k.windows, located(rec, srv.Address()))
		k.truth = append(k.truth, truth(t, theirs, rec, rec.First, rec.Addresses))
		k.bytes += rec.Bytes
	}
	return k
}

// read reads window i and compares it.
func (k *kept) read(t *testing.T, f *Fetcher, i int) {
	t.Helper()
	rec := &k.windows[i].Record
	got, err := read(f, k.windows[i], rec.First, rec.Addresses)
	if err != nil || !equal(got, k.truth[i]) {
		t.Errorf("window %s: %d blocks, %v", rec.Window, len(got), err)
	}
}

// TestShelf: with disk enough, nothing is fetched twice, however little memory there is, and no file has a name.
func TestShelf(t *testing.T) {
	r := rng(t)
	k := keep(t, r, 20)
	for _, memory := range []uint64{1, 8 << 10} {
		dir := t.TempDir()
		f := fetcher(t, Options{MemoryBytes: memory, DiskBytes: 1 << 40, SpillDir: dir})
		for range 3 {
			for _, i := range r.Perm(len(k.windows)) {
				k.read(t, f, i)
			}
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
			t.Errorf("%v lies about, %v", names, err)
		}
		if f.Moved() != k.bytes || f.OnDisk() == 0 || f.cached.used > memory {
			t.Errorf("%d bytes moved of %d, %d on disk, %d of %d in memory", f.Moved(), k.bytes, f.OnDisk(), f.cached.used,
				memory)
		}
		ids := make([]puzzle.WindowID, len(k.windows))
		for i := range ids {
			ids[i] = k.windows[i].Record.ID()
		}
		f.Forget(ids)
		if f.cached.used > 0 || len(f.cached.entries) > 0 {
			t.Errorf("%d bytes, %d windows after all were forgotten", f.cached.used, len(f.cached.entries))
		}
		f.Close()
		if n := openFiles(t, dir); f.OnDisk() > 0 || n > 0 {
			t.Errorf("%d bytes in %d files after the end", f.OnDisk(), n)
		}
	}
}

// TestSmallShelf: files never take more than they may, or than they leave free. Windows without room are fetched again.
func TestSmallShelf(t *testing.T) {
	r := rng(t)
	k := keep(t, r, 20)
	for range 20 {
		disk := k.bytes/8 + r.Uint64N(k.bytes) // of the whole disk
		others := uint64(0)                    // of it, used by other programs
		limit := disk / 4 << r.IntN(3)
		var f *Fetcher
		f = fetcher(t, Options{
			MemoryBytes: 1 + r.Uint64N(k.bytes/4), DiskBytes: limit,
			FreeDisk: func() (uint64, error) { return disk - others - f.cached.shelf.used, nil },
		})
		for range 3 {
			for _, i := range r.Perm(len(k.windows)) {
				k.read(t, f, i)
				if n := f.OnDisk(); n > limit || n > (disk-others)/2 {
					t.Fatalf("%d bytes on disk, with a limit of %d and %d free", n, limit, disk-others)
				}
			}
			others += (disk - others - f.OnDisk()) / 2
		}
		if f.Moved() <= k.bytes {
			t.Errorf("%d bytes moved of %d, with %d on disk", f.Moved(), k.bytes, disk)
		}
	}
}

// TestShelfInUse has many readers at a time, while windows are forgotten.
func TestShelfInUse(t *testing.T) {
	r := rng(t)
	k := keep(t, r, 12)
	for _, disk := range []uint64{k.bytes / 3, 2 * k.bytes} {
		dir := t.TempDir()
		f := fetcher(t, Options{MemoryBytes: k.bytes / 5, DiskBytes: disk, SpillDir: dir})
		var all sync.WaitGroup
		for range 8 {
			seed := r.Uint64()
			all.Go(func() {
				r := rand.New(rand.NewPCG(seed, 1))
				for range 60 {
					i := r.IntN(len(k.windows))
					if r.IntN(8) == 0 {
						f.Forget([]puzzle.WindowID{k.windows[i].Record.ID()})
						continue
					}
					k.read(t, f, i)
				}
			})
		}
		all.Wait()
		held := uint64(0)
		for _, e := range f.cached.entries {
			if e.users > 0 || !e.whole || e.spoilt || !e.held() && e.shelved == nil {
				t.Errorf("window %v is in use, or nowhere", e.id)
			}
			held += e.room
		}
		if held != f.cached.used || held > k.bytes/5 || f.OnDisk() > disk {
			t.Errorf("%d bytes in memory, %d by account, %d on disk", held, f.cached.used, f.OnDisk())
		}
		f.Close()
		if n := openFiles(t, dir); f.OnDisk() > 0 || f.cached.used > 0 || n > 0 {
			t.Errorf("%d bytes in memory, %d in %d files after the end", f.cached.used, f.OnDisk(), n)
		}
	}
}

// TestShelfDamaged flips a bit of every file: windows are fetched once more, and no row is wrong.
func TestShelfDamaged(t *testing.T) {
	r := rng(t)
	k := keep(t, r, 8)
	f := fetcher(t, Options{MemoryBytes: 1, DiskBytes: 1 << 40})
	for i := range k.windows {
		k.read(t, f, i)
	}
	for e := f.cached.shelf.volumes.Front(); e != nil; e = e.Next() {
		v := e.Value.(*volume)
		at := int64(r.Uint64N(v.size))
		var b [1]byte
		_, err := v.file.ReadAt(b[:], at)
		b[0] ^= 1 << r.IntN(8)
		if _, err2 := v.file.WriteAt(b[:], at); err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
	}
	for range 2 {
		for i := range k.windows {
			k.read(t, f, i)
		}
	}
	if f.Moved() != 2*k.bytes {
		t.Errorf("%d bytes moved, want %d twice", f.Moved(), k.bytes)
	}
}

// TestNoShelf: a disk that cannot be written to costs nothing but transfers, and is told of once.
func TestNoShelf(t *testing.T) {
	r := rng(t)
	k := keep(t, r, 6)
	dir := filepath.Join(t.TempDir(), "missing")
	var events []string
	largest := uint64(0)
	for i := range k.windows {
		largest = max(largest, roomFor(&k.windows[i].Record))
	}
	f := fetcher(t, Options{
		MemoryBytes: largest, DiskBytes: 1 << 40, SpillDir: dir, Event: func(text string) { events = append(events, text) },
	})
	for range 2 {
		for i := range k.windows {
			k.read(t, f, i)
		}
	}
	if len(events) != 1 || !strings.Contains(events[0], "no longer") || f.OnDisk() > 0 {
		t.Errorf("%q, %d bytes on disk", events, f.OnDisk())
	}
	unknown := fetcher(t, Options{
		MemoryBytes: largest, DiskBytes: 1 << 40, FreeDisk: func() (uint64, error) { return 0, errors.New("no such disk") },
	})
	for i := range k.windows {
		k.read(t, unknown, i)
	}
	if unknown.OnDisk() > 0 {
		t.Errorf("%d bytes on a disk of which nothing is known", unknown.OnDisk())
	}
}

// FuzzInFile reads bytes that can have been written, and others.
func FuzzInFile(f *testing.F) {
	f.Add(appendInFile(appendInFile(nil, 7, []byte("a block")), 9, nil), uint64(0))
	f.Add([]byte("no block at all"), uint64(3))
	f.Fuzz(func(t *testing.T, b []byte, at uint64) {
		at = min(at, uint64(len(b)))
		var again []byte
		err := eachInFile(strings.NewReader(string(b)), at, uint64(len(b))-at, func(first uint64, coded []byte) error {
			again = appendInFile(again, first, coded)
			return nil
		})
		if err != nil && !errors.Is(err, kv.ErrCorrupt) {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(b[at:]), string(again)) || err == nil && len(again) != len(b)-int(at) {
			t.Fatalf("%d bytes of %d were read, %v", len(again), len(b)-int(at), err)
		}
		if err := eachInFile(strings.NewReader(string(b)), at, uint64(len(b))+1, func(uint64, []byte) error {
			return context.Canceled
		}); err == nil {
			t.Fatal("more was read than there is")
		}
	})
}

// TestInFileDamaged flips every bit of two blocks in a file: a block that is passed on is as long and at the same place
// as when it was written, or none is passed on. A reader of a part of a window skips blocks by their first address,
// without looking into them.
func TestInFileDamaged(t *testing.T) {
	firsts, blocks := []uint64{7 << 12, 8 << 12}, [][]byte{[]byte("a block"), []byte("another block")}
	var file []byte
	for i := range blocks {
		file = appendInFile(file, firsts[i], blocks[i])
	}
	for bit := range 8 * len(file) {
		damaged := slices.Clone(file)
		damaged[bit/8] ^= 1 << (bit % 8)
		n := 0
		err := eachInFile(bytes.NewReader(damaged), 0, uint64(len(damaged)), func(first uint64, coded []byte) error {
			if first != firsts[n] || len(coded) != len(blocks[n]) {
				t.Errorf("bit %d is flipped: block %d has address %d and %d bytes", bit, n, first, len(coded))
			}
			n++
			return nil
		})
		if err == nil && n != len(blocks) || err != nil && !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("bit %d is flipped: %d blocks, %v", bit, n, err)
		}
	}
}
