package sockets

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"testing"
	"time"
)

// from is a listener whose connections come from addresses of the test's choice.
type from struct {
	net.Listener
	next chan net.Conn
	shut chan struct{}
}

func (f *from) Accept() (net.Conn, error) {
	select {
	case c := <-f.next:
		return c, nil
	case <-f.shut:
		return nil, net.ErrClosed
	}
}

func (f *from) Close() error {
	close(f.shut)
	return nil
}

// end is one end of a pipe that says where it comes from.
type end struct {
	net.Conn
	address string
	idle    chan struct{} // told when a request is answered
}

// near is the client's end.
type near struct {
	net.Conn
	idle chan struct{}
}

func (e *end) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(e.address))
}

// dialler returns a server behind a listener, and how to connect to it from an address.
func dialler(t *testing.T, o Options, h http.Handler) func(address string) net.Conn {
	t.Helper()
	f := &from{next: make(chan net.Conn), shut: make(chan struct{})}
	srv := &http.Server{Handler: h, ConnContext: WithConn, ReadHeaderTimeout: time.Hour}
	srv.ConnState = func(c net.Conn, state http.ConnState) {
		State(c, state)
		if state == http.StateIdle {
			c.(*conn).Conn.(*end).idle <- struct{}{}
		}
	}
	l := Limit(f, o)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() {
		_ = srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return func(address string) net.Conn {
		one, other := net.Pipe()
		idle := make(chan struct{}, 100)
		f.next <- &end{other, address, idle}
		t.Cleanup(func() { _ = one.Close() })
		return &near{one, idle}
	}
}

// ask makes a request, reads the whole answer, and waits until the server knows that it is done.
func ask(c net.Conn) error {
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: w\r\n\r\n")); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if n, ok := c.(*near); ok && err == nil {
		<-n.idle
	}
	return errors.Join(err, resp.Body.Close())
}

func proper() http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { Proper(r) })
}

// endless answers until a client goes away.
func endless() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Proper(r)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

// begin makes a request and reads the header of the answer.
func begin(c net.Conn) error {
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: w\r\n\r\n")); err != nil {
		return err
	}
	_, err := http.ReadResponse(bufio.NewReader(c), nil) //nolint:bodyclose // it goes with the connection
	return err
}

// gone waits for a connection to be closed by the server.
func gone(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("a connection that was to be given up: %v", err)
	}
}

// TestSilentGiveWay takes all places with connections that say nothing: the oldest of them gives way, and one that has
// made a proper request never does.
func TestSilentGiveWay(t *testing.T) {
	dial := dialler(t, Options{Total: 4, PerAddress: 4}, proper())
	good := dial("192.0.2.1:1")
	if err := ask(good); err != nil {
		t.Fatal(err)
	}
	var strangers []net.Conn
	for range 9 {
		strangers = append(strangers, dial("192.0.2.2:1"))
	}
	for _, c := range strangers[:6] { // three places are left to them
		gone(t, c)
	}
	late := dial("192.0.2.3:1")
	for _, c := range []net.Conn{late, good} {
		if err := ask(c); err != nil {
			t.Error(err)
		}
	}
	gone(t, strangers[6])
}

// TestOneAddressTakesItsShare: an address opens as many connections as it likes, with proper requests on them. Others
// find places, and its own silent ones give way to its next.
func TestOneAddressTakesItsShare(t *testing.T) {
	dial := dialler(t, Options{Total: 8, PerAddress: 3}, endless())
	var first []net.Conn
	for range 5 {
		first = append(first, dial("192.0.2.1:1"))
	}
	gone(t, first[0])
	gone(t, first[1])
	for _, c := range first[2:] {
		if err := begin(c); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, dial("192.0.2.1:1")) // all of its places are in use
	if err := begin(dial("192.0.2.2:1")); err != nil {
		t.Error(err)
	}
	_ = first[2].Close() // its place is free again as soon as the server notices
	for {
		c := dial("192.0.2.1:1")
		if err := begin(c); err == nil {
			return
		}
	}
}

// TestUsedPlacesAreWaitedFor takes all places with connections that are being answered: the next waits for one of them.
func TestUsedPlacesAreWaitedFor(t *testing.T) {
	dial := dialler(t, Options{Total: 2, PerAddress: 2}, endless())
	a, b := dial("192.0.2.1:1"), dial("192.0.2.2:1")
	for _, c := range []net.Conn{a, b} {
		if err := begin(c); err != nil {
			t.Fatal(err)
		}
	}
	late := dial("192.0.2.3:1")
	asked := make(chan error, 1)
	go func() { asked <- begin(late) }()
	_ = a.Close()
	if err := <-asked; err != nil {
		t.Error(err)
	}
}

// TestAnsweredGiveWay takes all places with connections whose requests have been answered: the one that was answered
// first gives way to the next, and a connection that has never asked anything does so before it.
func TestAnsweredGiveWay(t *testing.T) {
	dial := dialler(t, Options{Total: 3, PerAddress: 3}, proper())
	a, b := dial("192.0.2.1:1"), dial("192.0.2.1:1")
	for _, c := range []net.Conn{b, a, a, b} { // the answer to the last leaves a the first of the two
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
	}
	silent, late := dial("192.0.2.1:1"), dial("192.0.2.1:1")
	gone(t, silent)
	if err := ask(late); err != nil {
		t.Error(err)
	}
	later := dial("192.0.2.1:1")
	gone(t, a)
	for _, c := range []net.Conn{b, late, later} {
		if err := ask(c); err != nil {
			t.Error(err)
		}
	}
}

// TestClosedListenerWaitsForNobody closes a listener while a connection waits for a place.
func TestClosedListenerWaitsForNobody(t *testing.T) {
	f := &from{next: make(chan net.Conn, 2), shut: make(chan struct{})}
	l := Limit(f, Options{Total: 1, PerAddress: 1})
	_, far := net.Pipe()
	f.next <- &end{Conn: far, address: "192.0.2.1:1"}
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(WithConn(t.Context(), first), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	Proper(r)
	_, far = net.Pipe()
	f.next <- &end{Conn: far, address: "192.0.2.2:1"}
	accepted := make(chan error, 1)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestAddressOf: a host with an IPv6 network of its own is one address, and an IPv4 address is one in either form.
func TestAddressOf(t *testing.T) {
	for _, pair := range [][2]string{
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:2"},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1]:2"},
		{"[fe80::1%eth0]:1", "[fe80::2%eth1]:1"},
	} {
		if a, b := addressOf(&end{address: pair[0]}), addressOf(&end{address: pair[1]}); a != b {
			t.Errorf("%s is %s, and %s is %s", pair[0], a, pair[1], b)
		}
	}
	if a, b := addressOf(&end{address: "192.0.2.1:1"}), addressOf(&end{address: "192.0.2.2:1"}); a == b {
		t.Errorf("two hosts are both %s", a)
	}
	if a, b := addressOf(&end{address: "[2001:db8::1]:1"}), addressOf(&end{address: "[2001:db8:0:1::1]:1"}); a == b {
		t.Errorf("two networks are both %s", a)
	}
}

// TestIdleSocketsOverTCP fills a server with real sockets that say nothing, 1,100 of them.
func TestIdleSocketsOverTCP(t *testing.T) {
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: proper(), ConnContext: WithConn, ReadHeaderTimeout: time.Hour}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(Limit(l, Options{})) }()
	t.Cleanup(func() {
		_ = srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	dial := func() (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(context.WithoutCancel(t.Context()), "tcp", l.Addr().String())
	}
	good, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = good.Close() }()
	if err := ask(good); err != nil {
		t.Fatal(err)
	}
	const idle = 1100
	for range idle {
		c, err := dial()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		if err == nil {
			defer func() { _ = c.Close() }()
		}
	}
	late, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = late.Close() }()
	for _, c := range []net.Conn{late, good} {
		if err := ask(c); err != nil {
			t.Error(err)
		}
	}
}
