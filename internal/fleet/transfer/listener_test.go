package transfer

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// oneWindow is a source that is one window without blocks.
type oneWindow struct{}

func (oneWindow) Coded(
	context.Context, puzzle.WindowID, blocks.Digest, uint64, uint64, func(uint64, []byte) error,
) error {
	return nil
}

// TestIdleSocketsKeepNobodyOut fills a server with connections that say nothing. A worker is served all the same, and
// only silent connections pay for it.
func TestIdleSocketsKeepNobodyOut(t *testing.T) {
	const places = 8
	s, err := NewServer(ServerOptions{Listen: "127.0.0.1:0", MaxConnections: places})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	stop, err := s.Serve("0123456789ab", oneWindow{})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()

	worker, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = worker.Close() }()
	askWindow(t, worker)
	for range 4 * places { // strangers, several times as many as there are places
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
	}
	late, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = late.Close() }()
	askWindow(t, late)
	askWindow(t, worker) // its connection has not been given up
}

// askWindow makes a proper request and reads the whole answer.
func askWindow(t *testing.T, c net.Conn) {
	t.Helper()
	req := Request{Run: "0123456789ab", Window: puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "a"}}}
	if _, err := c.Write([]byte("GET " + req.URI() + " HTTP/1.1\r\nHost: w\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", resp.Status, err)
	}
}
