package transfer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks/blockstest"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/protocol"
)

const testRun = "0123456789abcdef"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(t.TempDir(), testRun, kv.Options{MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// window is a window of n blocks, the last one short.
func window(part, n int) puzzle.Window {
	return puzzle.Window{Cell: puzzle.Cell{Layer: 3, Key: "1.2"}, Part: part, First: uint64(part) << 32,
		Addresses: uint64(n)*puzzle.BlockAddresses - 1000}
}

// fill writes a window with about rows random rows a block; a tenth of the blocks but the first have none.
func fill(t testing.TB, s *kv.Store, w puzzle.Window, rows int, rng *rand.Rand) kv.Record {
	t.Helper()
	wr := s.Begin(w)
	defer wr.Abort()
	for at := uint64(0); at < w.Addresses; at += puzzle.BlockAddresses {
		if at > 0 && rng.IntN(10) == 0 {
			continue
		}
		b := &puzzle.Block{First: w.First + at, Addresses: int(min(puzzle.BlockAddresses, w.Addresses-at))}
		b.Occupied = make([]uint64, (b.Addresses+63)/64)
		for range max(1, rows) {
			i := rng.IntN(b.Addresses)
			b.Occupied[i/64] |= 1 << (i % 64)
		}
		col := make([]uint64, b.Rows())
		for i := range col {
			col[i] = rng.Uint64() >> (20 + rng.IntN(20))
		}
		b.Columns = [][]uint64{col}
		if err := wr.Block(b); err != nil {
			t.Fatal(err)
		}
	}
	var tally puzzle.Tally
	_ = tally.AddSum("paths", uint128.From(uint64(rows)))
	rec, err := wr.Commit(tally)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func serve(t testing.TB, source Source, o ServerOptions) *Server {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	srv, err := NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := srv.Serve(testRun, source); err != nil {
		t.Fatal(err)
	}
	return srv
}

func fetcher(t testing.TB, o Options) *Fetcher {
	t.Helper()
	if o.Store == nil {
		o.Store = openStore(t)
	}
	o.Name = "me"
	if o.SpillDir == "" {
		o.SpillDir = t.TempDir()
	}
	f := NewFetcher(o)
	t.Cleanup(f.Close)
	return f
}

// located is a window as a coordinator tells of it.
func located(rec kv.Record, addresses ...string) protocol.LocatedWindow {
	rec.Tally = puzzle.Tally{}
	lw := protocol.LocatedWindow{Record: rec}
	for i, a := range addresses {
		lw.Holders = append(lw.Holders, protocol.Peer{Name: "w" + string(rune('1'+i)), Address: a})
	}
	return lw
}

func equal(a, b []*puzzle.Block) bool { return slices.EqualFunc(a, b, blockstest.Same) }

// read reads a range through a fetcher.
func read(f *Fetcher, lw protocol.LocatedWindow, first, addresses uint64) (got []*puzzle.Block, err error) {
	err = f.Blocks(context.Background(), lw, first, addresses, func(b *puzzle.Block) error {
		got = append(got, b.Clone())
		return nil
	})
	return got, err
}

// truth reads the same range from the store that has it.
func truth(t testing.TB, s *kv.Store, rec kv.Record, first, addresses uint64) (want []*puzzle.Block) {
	t.Helper()
	err := s.Blocks(context.Background(), rec, first, addresses, func(b *puzzle.Block) error {
		want = append(want, b.Clone())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func rng(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func TestRandomRanges(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	for _, memory := range []uint64{1, 20 << 10, 1 << 30} {
		f := fetcher(t, Options{MemoryBytes: memory})
		var recs []kv.Record
		for part := range 12 {
			recs = append(recs, fill(t, theirs, window(part, 1+r.IntN(5)), r.IntN(500), r))
		}
		for range 200 {
			rec := recs[r.IntN(len(recs))]
			first, addresses := rec.First, rec.Addresses
			if r.IntN(3) > 0 {
				first += r.Uint64N(rec.Addresses)
				addresses = r.Uint64N(rec.Addresses + 1000)
			}
			got, err := read(f, located(rec, srv.Address()), first, addresses)
			if err != nil {
				t.Fatal(err)
			}
			if addresses > 0 && !equal(got, truth(t, theirs, rec, first, addresses)) {
				t.Fatalf("window %s, %d addresses from %d differ", rec.Window, addresses, first)
			}
			if f.cached.used > memory {
				t.Fatalf("%d bytes in use, at most %d are allowed", f.cached.used, memory)
			}
		}
	}
}

func TestOwnCopyComesFirst(t *testing.T) {
	r := rng(t)
	mine := openStore(t)
	rec := fill(t, mine, window(0, 3), 100, r)
	f := fetcher(t, Options{Store: mine})
	got, err := read(f, located(rec, "127.0.0.1:1"), rec.First, rec.Addresses)
	if err != nil || !equal(got, truth(t, mine, rec, rec.First, rec.Addresses)) {
		t.Fatal("the own copy was not read", err)
	}
	if f.Moved() != 0 {
		t.Error("something was fetched")
	}
}

func TestManyReadersOneTransfer(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	served := make(chan Served, 50)
	srv := serve(t, theirs, ServerOptions{OnServed: func(s Served) { served <- s }})
	rec := fill(t, theirs, window(0, 6), 2000, r)
	want := truth(t, theirs, rec, rec.First, rec.Addresses)
	f := fetcher(t, Options{})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			got, err := read(f, located(rec, srv.Address()), rec.First, rec.Addresses)
			if err != nil || !equal(got, want) {
				t.Error("wrong rows", err)
			}
		})
	}
	wg.Wait()
	<-served // the server says so a moment after the readers have their rows
	if len(served) > 0 || f.Moved() != rec.Bytes {
		t.Errorf("%d transfers of %d bytes, want one of %d", 1+len(served), f.Moved(), rec.Bytes)
	}
}

func TestErrorOfTheReader(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	rec := fill(t, theirs, window(0, 3), 100, r)
	f := fetcher(t, Options{})
	mine := errors.New("enough")
	calls := 0
	err := f.Blocks(
		context.Background(),
		located(rec, srv.Address()),
		rec.First,
		rec.Addresses,
		func(*puzzle.Block) error {
			calls++
			return mine
		},
	)
	if !errors.Is(err, mine) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
