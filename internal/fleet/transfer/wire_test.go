package transfer

import (
	"io"
	"net"
	"sync"
	"testing"
)

// wire is a TCP proxy in front of a server, which carries the server's answers as it is told to.
type wire struct {
	net.Listener
	target string
	mu     sync.Mutex
	carry  func(conn int, client, server net.Conn) // of connection 0, 1, ... since it was set
	conns  int
	open   map[net.Conn]struct{}
	wait   sync.WaitGroup
}

func newProxy(t testing.TB, target string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, target: target, open: make(map[net.Conn]struct{})}
	w.set(faithful)
	w.wait.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.wait.Go(func() { w.connect(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		w.mu.Lock()
		for c := range w.open {
			_ = c.Close()
		}
		w.open = nil
		w.mu.Unlock()
		w.wait.Wait()
	})
	return w
}

func (w *wire) address() string { return w.Addr().String() }

func (w *wire) set(carry func(conn int, client, server net.Conn)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.carry, w.conns = carry, 0
}

func (w *wire) connect(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", w.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	w.mu.Lock()
	if w.open == nil {
		w.mu.Unlock()
		return
	}
	w.open[client], w.open[server] = struct{}{}, struct{}{}
	n, carry := w.conns, w.carry
	w.conns++
	w.mu.Unlock()
	w.wait.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	carry(n, client, server)
	w.mu.Lock()
	delete(w.open, client)
	delete(w.open, server)
	w.mu.Unlock()
}

func faithful(_ int, client, server net.Conn) { _, _ = io.Copy(client, server) }

// cutOnce breaks the first connection off after n bytes.
func cutOnce(n int64) func(int, net.Conn, net.Conn) {
	return func(conn int, client, server net.Conn) {
		if conn > 0 {
			faithful(conn, client, server)
			return
		}
		_, _ = io.CopyN(client, server, n)
	}
}

// cutAlways breaks every connection off after n bytes.
func cutAlways(n int64) func(int, net.Conn, net.Conn) {
	return func(_ int, client, server net.Conn) { _, _ = io.CopyN(client, server, n) }
}

// flipOnce flips a bit of byte n of the first connection.
func flipOnce(n int64, bit int) func(int, net.Conn, net.Conn) {
	return func(conn int, client, server net.Conn) {
		if conn == 0 {
			_, _ = io.CopyN(client, server, n)
			var b [1]byte
			if _, err := io.ReadFull(server, b[:]); err != nil {
				return
			}
			b[0] ^= 1 << bit
			_, _ = client.Write(b[:])
		}
		faithful(conn, client, server)
	}
}

// stallOnce lets n bytes of the first connection pass and then nothing, for ever.
func stallOnce(n int64) func(int, net.Conn, net.Conn) {
	return func(conn int, client, server net.Conn) {
		if conn == 0 {
			_, _ = io.CopyN(client, server, n)
			_, _ = io.Copy(io.Discard, server)
			return
		}
		faithful(conn, client, server)
	}
}
