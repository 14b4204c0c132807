package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
)

// TestTurns: a stream that finds no place waits for QueueTime, or until its client has gone. Streams that are more than
// may wait are told at once.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{
			o: ServerOptions{QueueTime: 5 * time.Second}, streams: make(chan struct{}, 1), waiting: make(chan struct{}, 2),
		}
		turn := func(ctx context.Context) (ok bool, waited time.Duration) {
			begun := time.Now()
			ok = s.turn(ctx)
			return ok, time.Since(begun)
		}
		if ok, waited := turn(t.Context()); !ok || waited > 0 {
			t.Fatalf("the first: %t after %v", ok, waited)
		}
		if ok, waited := turn(t.Context()); ok || waited != 5*time.Second || len(s.waiting) != 1 {
			t.Errorf("the second: %t after %v; %d have places", ok, waited, len(s.waiting))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if ok, waited := turn(ctx); ok || waited != time.Second || len(s.waiting) != 1 {
			t.Errorf("a client that goes: %t after %v; %d have places", ok, waited, len(s.waiting))
		}
		s.waiting <- struct{}{}
		if ok, waited := turn(t.Context()); ok || waited > 0 {
			t.Errorf("one too many: %t after %v", ok, waited)
		}
		<-s.waiting
		time.AfterFunc(time.Second, s.leave)
		if ok, waited := turn(t.Context()); !ok || waited != time.Second {
			t.Errorf("one whose turn comes: %t after %v", ok, waited)
		}
		s.leave()
		if len(s.streams)+len(s.waiting) > 0 {
			t.Errorf("%d streams and %d places are left", len(s.streams), len(s.waiting))
		}
	})
}

// TestPausesAreWaits: the pauses between attempts count as time that readers have waited, for every holder alike.
func TestPausesAreWaits(t *testing.T) {
	rec := fill(t, openStore(t), window(0, 3), 100, rand.New(rand.NewPCG(1, 1)))
	synctest.Test(t, func(t *testing.T) {
		f := NewFetcher(Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("no route")}
		}})
		defer f.Close()
		lw := located(rec, "a:1", "b:1", "c:1")
		var e *Error
		if err := f.fetch(t.Context(), &lw, newInbound(&lw.Record, nowhere{})); !errors.As(err, &e) || len(e.Peers) != 3 {
			t.Fatal(err)
		}
		owes := f.peers.owes["a:1"].waited
		for _, p := range lw.Holders {
			if d := f.peers.owes[p.Address]; owes == 0 || d.waited != owes {
				t.Errorf("%s owes %v, another %v", p.Address, d.waited, owes)
			}
		}
	})
}

// TestPaceIsNoWait: the time that blocks may take does not count as a wait for their holder, and more does.
func TestPaceIsNoWait(t *testing.T) {
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 3), 400, rand.New(rand.NewPCG(1, 1)))
	stream := streamOf(t, theirs, rec)
	for took, waits := range map[time.Duration]bool{4 * time.Second: false, 6 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			var asked int
			f := NewFetcher(Options{Pace: rec.Bytes / 4, Dial: func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				asked++
				go func() {
					if _, err := http.ReadRequest(bufio.NewReader(server)); err != nil {
						t.Error(err)
					}
					time.Sleep(took)
					_, err := fmt.Fprintf(server, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
						len(stream), stream)
					if err = errors.Join(err, server.Close()); err != nil {
						t.Error(err)
					}
				}()
				return client, nil
			}})
			defer f.Close()
			lw := located(rec, "a:1")
			if err := f.fetch(t.Context(), &lw, newInbound(&lw.Record, nowhere{})); err != nil || asked != 1 {
				t.Fatalf("asked %d times: %v", asked, err)
			}
			if owes := f.peers.owes["a:1"].waited; (owes > 0) != waits {
				t.Errorf("a holder that takes %v for what may take 4 s owes %v", took, owes)
			}
		})
	}
}

// TestKindsOfTransport: an error of the dialler says that a holder is out of reach, and one of a connection that it
// broke off. Bytes that are not the window's are another matter.
func TestKindsOfTransport(t *testing.T) {
	for want, err := range map[Kind]error{
		Unreachable: &net.OpError{Op: "dial", Err: errors.New("no route")},
		Broken:      &net.OpError{Op: "read", Err: errors.New("reset")},
		Malformed:   fmt.Errorf("%w: so", errMalformed),
		Corrupt:     fmt.Errorf("%w: so", kv.ErrCorrupt),
		Refused:     http.ErrSchemeMismatch,
	} {
		if got := kindOf(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
	if got := kindOf(errors.New("other")); got != Broken {
		t.Errorf("another error is %s", got)
	}
}
