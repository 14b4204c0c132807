package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/protocol"
)

// answer is a whole answer as it goes over the wire.
func answer(t *testing.T, rec kv.Record, address string) []byte {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	req := Request{Run: rec.Run, Window: rec.ID(), Digest: rec.Digest, From: rec.First}
	_, _ = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", req.URI())
	b, err := io.ReadAll(c)
	if err != nil || !bytes.Contains(b, []byte("200 OK")) {
		t.Fatalf("%.200q, %v", b, err)
	}
	return b
}

// step is the distance of the places where something is broken: the places are drawn, so that all get their turn.
func step(short, long int) int {
	if testing.Short() {
		return short
	}
	return long
}

// TestCutAnywhere breaks the connection all over the answer; the window comes all the same, and no block comes
// twice.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	r := rng(t)
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	w := newProxy(t, srv.Address())
	mine := openStore(t)
	for _, c := range []struct{ rows, stride int }{{2, step(23, 5)}, {20000, step(200003, 50021)}} {
		rec := fill(t, theirs, window(c.rows, 5), c.rows, r)
		want := truth(t, theirs, rec, rec.First, rec.Addresses)
		whole := answer(t, rec, srv.Address())
		for n := r.IntN(c.stride); n < len(whole); n += c.stride {
			w.set(cutOnce(int64(n)))
			f := fetcher(t, Options{Store: mine})
			got, err := read(f, located(rec, w.address()), rec.First, rec.Addresses)
			if err != nil || !equal(got, want) {
				t.Fatalf("cut after %d bytes of %d: %d blocks, %v", n, len(whole), len(got), err)
			}
			if f.Moved() != rec.Bytes {
				t.Fatalf("cut after %d bytes of %d: %d bytes moved, want %d", n, len(whole), f.Moved(), rec.Bytes)
			}
			f.Close()
		}
	}
}

// TestFlipAnywhere flips a bit of the answer, all over it. With one holder the window may be lost, but no row of it is
// ever wrong; with two it comes.
func TestFlipAnywhere(t *testing.T) {
	t.Parallel()
	r := rng(t)
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	w := newProxy(t, srv.Address())
	mine := openStore(t)
	rec := fill(t, theirs, window(0, 5), 3, r)
	want := truth(t, theirs, rec, rec.First, rec.Addresses)
	whole := answer(t, rec, srv.Address())
	came := 0
	for n := r.IntN(7); n < len(whole); n += step(23, 7) {
		for _, holders := range [][]string{{w.address()}, {w.address(), srv.Address()}} {
			w.set(flipOnce(int64(n), r.IntN(8)))
			f := fetcher(t, Options{Store: mine, StallTime: 300 * time.Millisecond})
			got, err := read(f, located(rec, holders...), rec.First, rec.Addresses)
			switch {
			case err == nil && !equal(got, want):
				t.Fatalf("byte %d: wrong rows", n)
			case err == nil:
				came++
			case len(got) > 0:
				t.Fatalf("byte %d: rows were used before %v", n, err)
			case len(holders) > 1 || !isOurs(err, rec):
				t.Fatalf("byte %d of %q: %v", n, whole, err)
			}
			f.Close()
		}
	}
	t.Logf("%d windows came, of %d answers with a wrong bit", came, 2*len(whole)/step(23, 7))
}

// isOurs reports whether err is an Error that names the window and its first holder.
func isOurs(err error, rec kv.Record) bool {
	var e *Error
	return errors.As(err, &e) && (lost(err) || errors.Is(err, protocol.ErrUnreachable)) &&
		strings.Contains(err.Error(), rec.Window.String()) && strings.Contains(err.Error(), "worker w1 at 127.0.0.1:")
}

// sourceFunc is a Source that tampers with another.
type sourceFunc func(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
	fn func(uint64, []byte) error) error

func (f sourceFunc) Coded(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
	fn func(uint64, []byte) error) error {
	return f(ctx, id, want, from, end, fn)
}

// damagedAt is s with a window that cannot be read beyond n blocks.
func damagedAt(s Source, n int) Source {
	return sourceFunc(func(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
		fn func(uint64, []byte) error) error {
		i := 0
		return s.Coded(ctx, id, want, from, end, func(at uint64, coded []byte) error {
			if i == n {
				return fmt.Errorf("%w: block %d: checksum", kv.ErrCorrupt, at)
			}
			i++
			return fn(at, coded)
		})
	})
}

// flipping is s with a bit flipped in every block after it has been read.
func flipping(s Source, r *rand.Rand) Source {
	return sourceFunc(func(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
		fn func(uint64, []byte) error) error {
		return s.Coded(ctx, id, want, from, end, func(at uint64, coded []byte) error {
			b := bytes.Clone(coded)
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			return fn(at, b)
		})
	})
}

// lying is s under another digest: it gives its own content, whatever is asked for.
func lying(s Source, own blocks.Digest) Source {
	return sourceFunc(func(ctx context.Context, id puzzle.WindowID, _ blocks.Digest, from, end uint64,
		fn func(uint64, []byte) error) error {
		return s.Coded(ctx, id, own, from, end, fn)
	})
}

// TestBadHolders asks holders that have or send something wrong, alone and beside a good one.
func TestBadHolders(t *testing.T) {
	t.Parallel()
	r := rng(t)
	theirs, others := openStore(t), openStore(t)
	rec := fill(t, theirs, window(0, 5), 400, r)
	want := truth(t, theirs, rec, rec.First, rec.Addresses)
	last := int(rec.Blocks) - 1
	other := fill(t, others, rec.Window, 400, r)
	good := serve(t, theirs, ServerOptions{})
	cutting := newProxy(t, serve(t, lying(others, other.Digest), ServerOptions{}).Address())
	for _, c := range []struct {
		name    string
		address string
		carry   func(int, net.Conn, net.Conn)
		kind    Kind
		wraps   error
	}{
		{"not held", serve(t, openStore(t), ServerOptions{}).Address(), nil, NotHeld, kv.ErrNotFound},
		{"another digest", serve(t, others, ServerOptions{}).Address(), nil, OtherDigest, kv.ErrCorrupt},
		{"damaged from the start", serve(t, damagedAt(theirs, 0), ServerOptions{}).Address(), nil, Damaged, kv.ErrCorrupt},
		{"damaged at the end", serve(t, damagedAt(theirs, last), ServerOptions{}).Address(), nil, Damaged, kv.ErrCorrupt},
		{"flips bits", serve(t, flipping(theirs, r), ServerOptions{}).Address(), nil, Corrupt, kv.ErrCorrupt},
		{"lies", serve(t, lying(others, other.Digest), ServerOptions{}).Address(), nil, Corrupt, kv.ErrCorrupt},
		{"lies and breaks off", cutting.address(), cutAlways(4000), Corrupt, kv.ErrCorrupt},
		{"nobody there", "127.0.0.1:1", nil, Unreachable, protocol.ErrUnreachable},
		{"not an address", "nowhere", nil, Unreachable, protocol.ErrUnreachable},
		{"a path", "127.0.0.1:1/x", nil, Malformed, kv.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			patience := time.Minute
			if c.kind == Unreachable {
				patience = 300 * time.Millisecond // no other error says that the window cannot be had
			}
			for range 4 { // the first holder to ask is drawn
				cutting.set(c.carry)
				if c.carry == nil {
					cutting.set(faithful)
				}
				f := fetcher(t, Options{Patience: patience})
				got, err := read(f, located(rec, c.address), rec.First, rec.Addresses)
				var e *Error
				if !errors.As(err, &e) || !errors.Is(err, c.wraps) || len(got) > 0 || e.Peers[0].Kind != c.kind ||
					!strings.Contains(err.Error(), rec.Window.String()) || !strings.Contains(err.Error(), "w1 at "+c.address) {
					t.Fatalf("alone: %d blocks, %v", len(got), err)
				}
				f = fetcher(t, Options{})
				if c.carry != nil {
					cutting.set(c.carry)
				}
				got, err = read(f, located(rec, c.address, good.Address()), rec.First, rec.Addresses)
				if err != nil || !equal(got, want) {
					t.Fatalf("beside a good one: %d blocks, %v", len(got), err)
				}
			}
		})
	}
}

// TestOwnCopyDamaged reads a copy of one's own that is damaged after some blocks.
func TestOwnCopyDamaged(t *testing.T) {
	r := rng(t)
	theirs, others := openStore(t), openStore(t)
	rec := fill(t, theirs, window(0, 6), 50, r)
	want := truth(t, theirs, rec, rec.First, rec.Addresses)
	other := fill(t, others, rec.Window, 50, r)
	srv := serve(t, theirs, ServerOptions{})
	for n := range int(rec.Blocks) {
		f := fetcher(t, Options{})
		f.here = damagedAt(theirs, n)
		got, err := read(f, located(rec, srv.Address()), rec.First, rec.Addresses)
		if err != nil || !equal(got, want) {
			t.Fatalf("damaged at block %d: %d blocks, %v", n, len(got), err)
		}
		if _, err = read(f, located(rec), rec.First, rec.Addresses); !errors.Is(err, kv.ErrCorrupt) {
			t.Fatalf("damaged at block %d, nobody else has it: %v", n, err)
		}
		// The blocks passed on came from the wrong copy: to go on with the right one would mix the two.
		if n == 0 || n >= int(other.Blocks) {
			continue
		}
		f.here = damagedAt(lying(others, other.Digest), n)
		if got, err = read(f, located(rec, srv.Address()), rec.First, rec.Addresses); !errors.Is(err, kv.ErrCorrupt) {
			t.Fatalf("another content, damaged at block %d: %d blocks, %v", n, len(got), err)
		}
	}
}

// TestStalls asks a holder that lets n bytes pass and then nothing.
func TestStalls(t *testing.T) {
	t.Parallel()
	r := rng(t)
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 3), 100, r)
	srv := serve(t, theirs, ServerOptions{})
	w := newProxy(t, srv.Address())
	for _, n := range []int64{0, 50, 300} {
		var kinds []Kind
		var got []*puzzle.Block
		var err error
		for again := true; again; again = len(kinds) > 0 && kinds[0] == Unreachable { // a machine that stood still
			w.set(stallOnce(n))
			f := fetcher(t, Options{StallTime: 1400 * time.Millisecond}) // and a seventh, the second time
			kinds = nil
			f.o.OnFetched = func(d Fetched) {
				for _, e := range d.Errors {
					kinds = append(kinds, e.Kind)
				}
			}
			got, err = read(f, located(rec, w.address()), rec.First, rec.Addresses)
		}
		if err != nil || !equal(got, truth(t, theirs, rec, rec.First, rec.Addresses)) {
			t.Errorf("after %d bytes: %v", n, err)
		}
		if len(kinds) == 0 || kinds[0] != Stalled {
			t.Errorf("after %d bytes: %v", n, kinds)
		}
	}
}

// talker answers every connection with talk, byte for byte.
func talker(t *testing.T, talk func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer func() { _ = c.Close() }()
				buf := make([]byte, 4096)
				_, _ = c.Read(buf)
				talk(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wait.Wait()
	})
	return l.Addr().String()
}

// TestHostileHolders asks holders that send without end, or nothing that makes sense, or byte by byte.
func TestHostileHolders(t *testing.T) {
	t.Parallel()
	r := rng(t)
	rec := fill(t, openStore(t), window(0, 3), 100, r)
	block := blocks.Encode(nil, &puzzle.Block{
		First: rec.First, Addresses: puzzle.BlockAddresses, Occupied: append(make([]uint64, puzzle.BlockAddresses/64-1), 1),
	})
	const ok = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	forever := func(c net.Conn, b []byte) {
		for {
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	}
	chunk := func(b []byte) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(b), b) }
	redirected := make(chan struct{}, 100)
	target := talker(t, func(net.Conn) { redirected <- struct{}{} })
	for name, talk := range map[string]func(net.Conn){
		"zeros": func(c net.Conn) { forever(c, make([]byte, 1<<16)) },
		"endless header": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			forever(c, []byte("X-A: b\r\n"))
		},
		"endless continues": func(c net.Conn) { forever(c, []byte("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n")) },
		"endless blocks": func(c net.Conn) {
			_, _ = io.WriteString(c, ok)
			forever(c, chunk(appendFrame(nil, block)))
		},
		"endless end": func(c net.Conn) {
			_, _ = io.WriteString(c, ok)
			_, _ = c.Write(chunk(appendEnd(nil, statusWhole, 0)))
			forever(c, chunk(make([]byte, 1000)))
		},
		"huge frame": func(c net.Conn) {
			_, _ = io.WriteString(c, ok)
			forever(c, chunk([]byte{255, 255, 255, 255}))
		},
		"huge error": func(c net.Conn) {
			_, _ = io.WriteString(c, strings.Replace(ok, "200 OK", "500 No", 1))
			forever(c, chunk(make([]byte, 1000)))
		},
		"large frame that never comes": func(c net.Conn) {
			_, _ = io.WriteString(c, ok)
			_, _ = c.Write(chunk([]byte{0, 0, 64, 0}))
			_, _ = io.Copy(io.Discard, c)
		},
		"byte by byte": func(c net.Conn) {
			_, _ = io.WriteString(c, ok)
			for _, b := range appendFrame(nil, block) {
				if _, err := c.Write(chunk([]byte{b})); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond) // between two bytes: often enough not to stall, if that alone counted
			}
		},
		"redirect": func(c net.Conn) {
			_, _ = fmt.Fprintf(c, "HTTP/1.1 302 Found\r\nLocation: http://%s/x\r\nContent-Length: 0\r\n\r\n", target)
		},
		"compressed": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")
		},
		"not HTTP": func(c net.Conn) { _, _ = io.WriteString(c, "220 mail.example.org ESMTP\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			f := fetcher(t, Options{StallTime: 300 * time.Millisecond, Patience: 300 * time.Millisecond, MemoryBytes: 1 << 20})
			got, err := read(f, located(rec, talker(t, talk)), rec.First, rec.Addresses)
			if !isOurs(err, rec) || len(got) > 0 {
				t.Errorf("%d blocks, %v", len(got), err)
			}
			if n := f.Moved(); n > 16<<20 {
				t.Errorf("%d bytes were taken", n)
			}
			if f.cached.used != 0 {
				t.Errorf("%d bytes are still in use", f.cached.used)
			}
			f.Close()
		})
	}
	if len(redirected) > 0 {
		t.Error("a redirect was followed")
	}
}

// TestDripping asks a holder that sends the right blocks, each in time, and all far too slowly. Alone it is given up;
// beside one that serves, the window comes.
func TestDripping(t *testing.T) {
	t.Parallel()
	r := rng(t)
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 60), 20000, r)
	srv := serve(t, theirs, ServerOptions{})
	drip := serve(t, sourceFunc(func(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
		fn func(uint64, []byte) error) error {
		return theirs.Coded(ctx, id, want, from, end, func(at uint64, coded []byte) error {
			if err := pause.For(ctx, 50*time.Millisecond); err != nil {
				return err
			}
			// The buffer of a stream has no room for two such blocks, so that each goes out.
			return fn(at, coded)
		})
	}), ServerOptions{})
	o := Options{StallTime: 200 * time.Millisecond, Patience: 200 * time.Millisecond, Pace: 1 << 30}
	f := fetcher(t, o)
	var kinds []Kind
	f.o.OnFetched = func(d Fetched) {
		for _, e := range d.Errors {
			kinds = append(kinds, e.Kind)
		}
	}
	got, err := read(f, located(rec, drip.Address()), rec.First, rec.Addresses)
	if !isOurs(err, rec) || !errors.Is(err, protocol.ErrUnreachable) || len(got) > 0 || len(kinds) == 0 {
		t.Errorf("%d blocks, %v, %v", len(got), kinds, err)
	}
	o.Patience, o.Pace = 0, 0
	f = fetcher(t, o)
	want := truth(t, theirs, rec, rec.First, rec.Addresses)
	got, err = read(f, located(rec, drip.Address(), srv.Address()), rec.First, rec.Addresses)
	if err != nil || !equal(got, want) {
		t.Errorf("beside a holder that serves: %d blocks, %v", len(got), err)
	}
}

// TestRestingLonger: a peer that fails again after its pause rests twice as long, up to a bound, and one that served
// a window begins anew.
func TestRestingLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := peers{pause: time.Second}
		fail := func() (rests time.Duration) {
			p.rest(&holder{Peer: protocol.Peer{Address: "x"}, last: &PeerError{Kind: Stalled}})
			for ; p.resting(&holder{Peer: protocol.Peer{Address: "x"}}); rests += time.Second {
				time.Sleep(time.Second + 1)
			}
			return rests
		}
		var rests []time.Duration
		for range 6 {
			rests = append(rests, fail()/time.Second)
		}
		p.served("x")
		rests = append(rests, fail()/time.Second)
		if want := []time.Duration{1, 2, 4, 8, 8, 8, 1}; !slices.Equal(rests, want) {
			t.Errorf("it rests for %d s, want %d", rests, want)
		}
	})
}

// TestLate: a holder answers each time just before it would be given up, or fails each time. Readers wait for it, all
// together, for a bounded time; after a while it has the time of any other again.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stall = 7 * time.Second
		p := peers{pause: time.Second, stall: stall}
		var waited time.Duration
		for n := 0; n < 1000; n++ {
			d := min(p.stallTime("x"), stall-time.Second/2)
			time.Sleep(d)
			p.waited("x", d)
			if waited += d; n > 2 && !p.late("x") {
				t.Fatalf("after %d answers and %v it is not late", n, waited)
			}
		}
		if got := p.stallTime("y"); got != stall {
			t.Errorf("another peer has %v", got)
		}
		time.Sleep(forgiven * 2 * stall)
		if got := p.stallTime("x"); got != stall || p.late("x") {
			t.Errorf("after a while it has %v", got)
		}
		p.waited("x", stall)
		for range 100 {
			p.waited("x", stall/30) // as a network needs it
		}
		p.waited("y", stall/30)
		if len(p.owes) != 1 || p.owes["x"].waited >= stall {
			t.Errorf("what is usual in a network counts: %v", p.owes)
		}
	})
}

// TestLateHolder has a holder answer each time just before it would be given up, for twenty windows one after the
// other: readers soon give it one short attempt.
func TestLateHolder(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	const stall = 700 * time.Millisecond
	var attempts atomic.Int64
	late := serve(t, sourceFunc(func(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
		fn func(uint64, []byte) error) error {
		attempts.Add(1)
		if err := pause.For(ctx, stall*9/10); err != nil {
			return err
		}
		return theirs.Coded(ctx, id, want, from, end, fn)
	}), ServerOptions{})
	f := fetcher(t, Options{StallTime: stall, Patience: stall / 10})
	var failed int
	for i := range 20 {
		rec := fill(t, theirs, window(i, 3), 100, r)
		if _, err := read(f, located(rec, late.Address()), rec.First, rec.Addresses); err == nil {
			continue
		} else if !errors.Is(err, protocol.ErrUnreachable) {
			t.Errorf("window %d: %v", i, err)
		}
		failed++
	}
	if failed < 15 {
		t.Errorf("%d of 20 windows were given up", failed)
	}
	f = fetcher(t, Options{StallTime: stall})
	f.peers.waited(late.Address(), stall)
	attempts.Store(0)
	rec := fill(t, theirs, window(20, 3), 100, r)
	_, err := read(f, located(rec, late.Address()), rec.First, rec.Addresses)
	if !errors.Is(err, protocol.ErrUnreachable) || attempts.Load() != 1 {
		t.Errorf("asked %d times for a window: %v", attempts.Load(), err)
	}
}

// TestBusyForEver: a peer says again and again that it is busy. One for which readers have waited is asked less often.
func TestBusyForEver(t *testing.T) {
	r := rng(t)
	rec := fill(t, openStore(t), window(0, 3), 100, r)
	var asked atomic.Int64
	busy := talker(t, func(c net.Conn) {
		asked.Add(1)
		_, _ = io.WriteString(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	f := fetcher(t, Options{})
	f.peers.waited(busy, f.o.StallTime)
	_, err := read(f, located(rec, busy), rec.First, rec.Addresses)
	if !errors.Is(err, protocol.ErrUnreachable) || asked.Load() != lateBusy {
		t.Errorf("asked %d times, want %d: %v", asked.Load(), lateBusy, err)
	}
	debt := f.peers.owes[busy].waited
	if f.peers.waited(busy, time.Second); f.peers.owes[busy].waited <= debt {
		t.Errorf("it owes %v, and no more later", debt)
	}
}

// TestReaderGivesUp cancels the reader that fetches a window for two, half-way: the other goes on where it was.
func TestReaderGivesUp(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 8), 9000, r)
	srv := serve(t, theirs, ServerOptions{})
	w := newProxy(t, srv.Address())
	w.set(stallOnce(int64(rec.Bytes / 2)))
	f := fetcher(t, Options{StallTime: time.Hour, Patience: time.Hour})
	lw := located(rec, w.address())
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() {
		err := f.Blocks(ctx, lw, rec.First, rec.Addresses, func(*puzzle.Block) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	e := f.cached.take(content{rec.ID(), rec.Digest})
	pausetest.Until(t, "no block came", func() bool { return e.blocks.Load() > 0 })
	wait.Go(func() {
		got, err := read(f, lw, rec.First, rec.Addresses)
		if err != nil || !equal(got, truth(t, theirs, rec, rec.First, rec.Addresses)) {
			t.Error(err)
		}
	})
	cancel()
	wait.Wait()
	f.cached.release(e)
	if f.Moved() != rec.Bytes {
		t.Errorf("%d bytes moved, want %d", f.Moved(), rec.Bytes)
	}
}

// TestRunStops stops a run whose windows are being sent to clients that do not read.
func TestRunStops(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 120), 20000, r) // more than the kernel buffers
	for _, sendTime := range []time.Duration{100 * time.Millisecond, time.Hour} {
		served := make(chan Served, 10)
		srv, err := NewServer(ServerOptions{
			Listen: "127.0.0.1:0", SendTime: sendTime, OnServed: func(s Served) { served <- s },
		})
		if err != nil {
			t.Fatal(err)
		}
		begun := make(chan struct{})
		once := sync.OnceFunc(func() { close(begun) })
		stop, err := srv.Serve(testRun, sourceFunc(func(ctx context.Context, id puzzle.WindowID, want blocks.Digest,
			from, end uint64, fn func(uint64, []byte) error) error {
			return theirs.Coded(ctx, id, want, from, end, func(at uint64, coded []byte) error {
				once()
				return fn(at, coded)
			})
		}))
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", srv.Address())
		if err != nil {
			t.Fatal(err)
		}
		req := Request{Run: rec.Run, Window: rec.ID(), Digest: rec.Digest}
		_, _ = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", req.URI())
		<-begun
		if sendTime < time.Hour {
			// On a machine that stands still this may be before the first byte.
			if s := <-served; s.Kind != Broken {
				t.Errorf("%+v", s)
			}
		}
		stop() // hangs if a stream goes on
		if _, err := srv.Serve(testRun, theirs); err != nil {
			t.Error("not to be served again:", err)
		}
		_ = c.Close()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestServerLeaves stops the sender in the middle of a window; another holder goes on.
func TestServerLeaves(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 9), 500, r)
	good := serve(t, theirs, ServerOptions{})
	srv, err := NewServer(ServerOptions{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	var stop func()
	stopping := make(chan struct{})
	stop, err = srv.Serve(testRun, sourceFunc(func(ctx context.Context, id puzzle.WindowID, want blocks.Digest,
		from, end uint64, fn func(uint64, []byte) error) error {
		i := 0
		return theirs.Coded(ctx, id, want, from, end, func(at uint64, coded []byte) error {
			if i++; i == 4 {
				go func() { stop(); close(stopping) }()
				<-ctx.Done()
				return ctx.Err()
			}
			return fn(at, coded)
		})
	}))
	if err != nil {
		t.Fatal(err)
	}
	f := fetcher(t, Options{})
	lw := located(rec, srv.Address())
	got, err := read(fetcher(t, Options{Patience: time.Minute}), lw, rec.First, rec.Addresses)
	if !isOurs(err, rec) || len(got) > 0 {
		t.Error(err)
	}
	<-stopping
	got, err = read(f, located(rec, srv.Address(), good.Address()), rec.First, rec.Addresses)
	if err != nil || !equal(got, truth(t, theirs, rec, rec.First, rec.Addresses)) {
		t.Error(err)
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
}

// TestBusy has more readers than the server has streams and places to wait.
func TestBusy(t *testing.T) {
	t.Parallel()
	r := rng(t)
	theirs := openStore(t)
	gate := make(chan struct{})
	var once sync.Once
	var mu sync.Mutex
	kinds := map[Kind]int{}
	srv := serve(t, sourceFunc(func(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
		fn func(uint64, []byte) error) error {
		<-gate
		return theirs.Coded(ctx, id, want, from, end, fn)
	}), ServerOptions{MaxStreams: 1, QueueTime: time.Hour, OnServed: func(s Served) {
		mu.Lock()
		defer mu.Unlock()
		kinds[s.Kind]++
		if s.Kind == Busy {
			once.Do(func() { close(gate) })
		}
	}})
	var wait sync.WaitGroup
	for part := range 12 {
		rec := fill(t, theirs, window(part, 2), 100, r)
		wait.Go(func() {
			f := fetcher(t, Options{})
			if _, err := read(f, located(rec, srv.Address()), rec.First, rec.Addresses); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	// The server counts an answer a moment after its reader has it.
	pausetest.Until(t, "not all were served and counted", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return kinds[""] >= 12 && kinds[Busy] > 0
	})
	mu.Lock()
	defer mu.Unlock()
	if kinds[""] != 12 {
		t.Error(kinds)
	}
}

// TestBadRequests sends requests that are none; the store is never asked.
func TestBadRequests(t *testing.T) {
	srv := serve(t, sourceFunc(func(context.Context, puzzle.WindowID, blocks.Digest, uint64, uint64,
		func(uint64, []byte) error) error {
		t.Error("the store was asked")
		return nil
	}), ServerOptions{})
	good := (&Request{Run: testRun, Window: puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "a"}}}).URI()
	send := func(text string) string {
		c, err := net.Dial("tcp", srv.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, text)
		b, _ := io.ReadAll(c)
		line, _, _ := strings.Cut(string(b), "\r\n")
		return line
	}
	for _, uri := range []string{
		"/", "/v1/runs/", "/v1/runs/../../etc/passwd", "//v1" + good, good + "0x", good + "&x=1", good + "#x",
		strings.Replace(good, testRun, "..", 1), strings.Replace(good, testRun, "", 1),
		strings.Replace(good, testRun, "%2e%2e", 1), strings.Replace(good, testRun, strings.Repeat("a", 65), 1),
		strings.Replace(good, "/1/a/0", "/1/../0", 1), strings.Replace(good, "/1/a/0", "/1/a%2f..%2f/0", 1),
		strings.Replace(good, "/1/a/0", "/-1/a/0", 1), strings.Replace(good, "/1/a/0", "/01/a/0", 1),
		strings.Replace(good, "/1/a/0", "/99999999999/a/0", 1), strings.Replace(good, "/1/a/0", "/1/a/0/", 1),
		strings.Replace(good, "/1/a/0", "/1/"+strings.Repeat("a", 64)+"/0", 1),
		strings.Replace(good, "from=0", "from=18446744073709551616", 1), strings.Replace(good, "from=0", "from=+0", 1),
		strings.Replace(good, "digest=0", "digest=g", 1), strings.Replace(good, "digest=0", "digest=", 1),
		strings.Replace(good, "?", "?a=b&", 1), strings.Replace(good, "/windows/", "/windows//", 1),
		"/v1/runs/" + strings.Repeat("a", 2000), "http://elsewhere" + good,
	} {
		if got := send("GET " + uri + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); !strings.Contains(got, " 400 ") {
			t.Errorf("%s: %s", uri, got)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "PRI"} {
		got := send(method + " " + good + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if !strings.Contains(got, " 405 ") {
			t.Errorf("%s: %s", method, got)
		}
	}
	for _, text := range []string{
		"GET " + good + " HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
		"GET " + good + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" +
			"3\r\nabc\r\n0\r\n\r\n",
		"GET " + good + " HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("y", 20<<10) + "\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	} {
		if got := send(text); !strings.Contains(got, " 400 ") && !strings.Contains(got, " 431 ") {
			t.Errorf("%.80q: %s", text, got)
		}
	}
	other := strings.Replace(good, testRun, "another", 1)
	if got := send("GET " + other + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); !strings.Contains(got, " 404 ") {
		t.Error(got)
	}
}

// TestLargeWindows fetches windows that do not fit into memory.
func TestLargeWindows(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	dir := t.TempDir()
	f := fetcher(t, Options{MemoryBytes: 100 << 10, SpillDir: dir})
	rec := fill(t, theirs, window(0, 6), 60000, r)
	if rec.Bytes <= 100<<10 {
		t.Fatalf("%d bytes are not large", rec.Bytes)
	}
	fds := openFiles(t, "socket:", dir)
	calls := 0
	err := f.Blocks(
		context.Background(),
		located(rec, srv.Address()),
		rec.First,
		rec.Addresses,
		func(*puzzle.Block) error {
			calls++
			if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
				t.Errorf("%v lies about, %v", names, err)
			}
			if f.cached.used > 100<<10 {
				t.Errorf("%d bytes in memory", f.cached.used)
			}
			return nil
		},
	)
	if err != nil || calls != int(rec.Blocks) {
		t.Errorf("%d blocks, %v", calls, err)
	}
	f.http.CloseIdleConnections()
	// The server's end of a connection is closed a moment after the client's.
	pausetest.Until(t, fmt.Sprintf("more than %d files are open", fds), func() bool {
		return openFiles(t, "socket:", dir) <= fds
	})
	bad := fetcher(t, Options{MemoryBytes: 1, SpillDir: dir + "/missing"})
	if _, err := read(bad, located(rec, srv.Address()), rec.First, rec.Addresses); err == nil || lost(err) ||
		errors.Is(err, protocol.ErrUnreachable) {
		t.Errorf("no place for files: %v", err)
	}
}

// openFiles counts open files, with a name or without, that begin with one of some prefixes.
func openFiles(t *testing.T, prefixes ...string) (n int) {
	t.Helper()
	const fds = "/proc/self/fd"
	names, err := os.ReadDir(fds)
	if err != nil {
		t.Skip("NOT RUN: open files can only be counted where /proc is:", err)
	}
	for _, name := range names {
		target, err := os.Readlink(fds + "/" + name.Name())
		if err == nil && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(target, p) }) {
			n++
		}
	}
	return n
}

func TestCopy(t *testing.T) {
	r := rng(t)
	theirs, mine := openStore(t), openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	w := newProxy(t, srv.Address())
	f := fetcher(t, Options{Store: mine})
	for part := range 4 {
		rec := fill(t, theirs, window(part, 4), 300, r)
		lw := located(rec, w.address())
		lw.Record = rec
		w.set(cutOnce(int64(300 + 400*part)))
		for range 2 { // the second time it is there
			if err := f.Copy(context.Background(), lw); err != nil {
				t.Fatal(err)
			}
		}
		f.http.CloseIdleConnections()
		got, found, err := mine.Record(rec.ID())
		if err != nil || !found || !got.SameContent(&rec) {
			t.Errorf("%+v, %v", got, err)
		}
		if err := mine.Verify(context.Background(), rec); err != nil {
			t.Error(err)
		}
		if copied, err := mine.Copied(rec.ID()); !copied || err != nil {
			t.Errorf("the store does not know that it has a copy: %v", err)
		}
	}
	// A copy with other content is replaced.
	other := fill(t, theirs, window(5, 4), 300, r)
	if own := fill(t, mine, other.Window, 300, r); own.Digest == other.Digest {
		t.Fatal("both have the same rows")
	}
	if err := f.Copy(t.Context(), located(other, srv.Address())); err != nil {
		t.Fatal(err)
	}
	if got, found, err := mine.Record(other.ID()); err != nil || !found || got.Digest != other.Digest {
		t.Errorf("a copy with other content stays: %+v, %t, %v", got, found, err)
	}
	missing := fill(t, openStore(t), window(9, 2), 10, r)
	if err := f.Copy(context.Background(), located(missing, srv.Address())); !errors.Is(err, kv.ErrNotFound) {
		t.Error(err)
	}
	if _, found, _ := mine.Record(missing.ID()); found {
		t.Error("a window that did not come is there")
	}
}

// TestCopyFromAHolderAtRest: a holder that could not be reached of late is left alone by readers, and asked once for a
// copy: it may be there again.
func TestCopyFromAHolderAtRest(t *testing.T) {
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 3), 20, rng(t))
	srv := serve(t, theirs, ServerOptions{})
	for _, c := range []struct {
		address string
		asked   int // in vain
	}{{srv.Address(), 0}, {"127.0.0.1:1", 1}} {
		var done Fetched
		f := fetcher(t, Options{Patience: time.Hour, OnFetched: func(e Fetched) { done = e }})
		lw, last := located(rec, c.address), &PeerError{Kind: Unreachable, Err: errStalled}
		f.peers.rest(&holder{Peer: lw.Holders[0], last: last})
		if _, err := read(f, lw, rec.First, rec.Addresses); err == nil || len(done.Errors) > 0 {
			t.Errorf("a reader asks %s: %v", c.address, err)
		}
		if err := f.Copy(t.Context(), lw); (err == nil) != (c.asked == 0) || len(done.Errors) != c.asked {
			t.Errorf("%s is asked for a copy %d times in vain, want %d: %v", c.address, len(done.Errors), c.asked, err)
		}
	}
}

// TestRefusedBesideAHolderAtRest: a window that one holder does not have is asked for at those that were left alone,
// once, before it is taken for lost at all of them.
func TestRefusedBesideAHolderAtRest(t *testing.T) {
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 3), 20, rng(t))
	without, with := serve(t, openStore(t), ServerOptions{}), serve(t, theirs, ServerOptions{})
	for address, there := range map[string]bool{with.Address(): true, "127.0.0.1:1": false} {
		var done Fetched
		f := fetcher(t, Options{Patience: time.Hour, OnFetched: func(e Fetched) { done = e }})
		lw := located(rec, without.Address(), address)
		f.peers.rest(&holder{Peer: lw.Holders[1], last: &PeerError{Kind: Unreachable, Err: errStalled}})
		_, err := read(f, lw, rec.First, rec.Addresses)
		asked := 1 // in vain
		if !there {
			asked = 2
		}
		if (err == nil) != there || len(done.Errors) != asked {
			t.Errorf("%s has it %t: %v, asked in vain %v", address, there, err, done.Errors)
		}
	}
}
