// Package sockets bounds the open connections of a server, in all and for each address, so that silent sockets keep no
// client out.
//
//	l = sockets.Limit(l, sockets.Options{})
//	srv := &http.Server{ConnContext: sockets.WithConn, ConnState: sockets.State, ...}
//
// and, in a handler, when a request has turned out to be a proper one:
//
//	sockets.Proper(r)
package sockets

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// Options are the limits of a listener.
type Options struct {
	Total      int // open connections, 0 for 1024
	PerAddress int // those of one address, or of one IPv6 network of 64 bits, 0 for half of Total
}

// A Listener has a bounded number of open connections.
//
// When all places are taken, or all of its address, a new connection takes the place of another (of its address). It is
// the one that has waited longest without a proper request, or else the one whose last request was answered first.
// Where every connection has a request under way, a new connection waits for a place, and one whose address has too
// many is closed.
type Listener struct {
	net.Listener
	o    Options
	shut chan struct{}
	once sync.Once

	mu    sync.Mutex
	free  int
	waits waiting
	peers map[netip.Addr]*peer
	freed chan struct{} // capacity 1: a place may be free
}

// peer is an address with open connections.
type peer struct {
	open  int
	waits waiting
}

// waiting are the connections without a request under way, oldest first: first those that have not made a proper one,
// then those whose last one is answered.
type waiting [2]list.List

func (w *waiting) oldest() *conn {
	for i := range w {
		if e := w[i].Front(); e != nil {
			return e.Value.(*conn)
		}
	}
	return nil
}

// Limit bounds the connections that l accepts.
func Limit(l net.Listener, o Options) *Listener {
	if o.Total == 0 {
		o.Total = 1024
	}
	if o.PerAddress == 0 {
		o.PerAddress = max(1, o.Total/2)
	}
	return &Listener{
		Listener: l, o: o, shut: make(chan struct{}), free: o.Total, peers: make(map[netip.Addr]*peer),
		freed: make(chan struct{}, 1),
	}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: accepted, from: l, address: addressOf(accepted)}
		ok, err := l.admit(c)
		if ok {
			return c, nil
		}
		_ = accepted.Close()
		if err != nil {
			return nil, err
		}
	}
}

// addressOf is what counts as one address: of IPv6 the network, since hosts have as many addresses in it as they like.
func addressOf(c net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	a := at.Addr().Unmap()
	if a.Is4() {
		return a
	}
	const network = 64
	p, err := a.WithZone("").Prefix(network)
	if err != nil {
		return a
	}
	return p.Addr()
}

// admit waits until there is a place for c. It returns false when its address has all its places.
func (l *Listener) admit(c *conn) (bool, error) {
	for {
		l.mu.Lock()
		p := l.peers[c.address]
		crowded := p != nil && p.open >= l.o.PerAddress
		if l.free > 0 && !crowded {
			if p == nil {
				p = new(peer)
				l.peers[c.address] = p
			}
			l.free--
			p.open++
			c.peer = p
			c.wait(0)
			l.mu.Unlock()
			return true, nil
		}
		oldest := l.waits.oldest()
		if crowded {
			oldest = p.waits.oldest()
		}
		l.mu.Unlock()
		switch {
		case oldest != nil:
			_ = oldest.Close() // frees its place
			continue
		case crowded:
			return false, nil
		}
		select {
		case <-l.freed:
		case <-l.shut:
			return false, net.ErrClosed
		}
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.shut) })
	return l.Listener.Close()
}

// conn is an accepted connection. Its places in the lists are nil while a proper request is under way. The listener's
// mutex guards the fields below address.
type conn struct {
	net.Conn
	from    *Listener
	address netip.Addr

	peer          *peer
	kind          int // of waiting
	inAll, ofPeer *list.Element
	closed        bool
}

func (c *conn) wait(kind int) {
	c.kind, c.inAll, c.ofPeer = kind, c.from.waits[kind].PushBack(c), c.peer.waits[kind].PushBack(c)
}

func (c *conn) work() {
	if c.inAll != nil {
		c.from.waits[c.kind].Remove(c.inAll)
		c.peer.waits[c.kind].Remove(c.ofPeer)
		c.inAll, c.ofPeer = nil, nil
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	l := c.from
	l.mu.Lock()
	if !c.closed {
		c.closed = true
		c.work()
		if c.peer.open--; c.peer.open == 0 {
			delete(l.peers, c.address)
		}
		l.free++
		select {
		case l.freed <- struct{}{}:
		default:
		}
	}
	l.mu.Unlock()
	return c.Conn.Close()
}

type connKey struct{}

// WithConn is an http.Server's ConnContext: it lets a request find its connection.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, plain(c))
}

func plain(c net.Conn) net.Conn {
	if t, ok := c.(*tls.Conn); ok {
		return t.NetConn()
	}
	return c
}

// State is an http.Server's ConnState: a connection whose request is answered may give way to a new one again. A client
// that uses it after all connects anew.
func State(accepted net.Conn, state http.ConnState) {
	c, ok := plain(accepted).(*conn)
	if !ok || state != http.StateIdle {
		return
	}
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	if !c.closed && c.inAll == nil {
		c.wait(1)
	}
}

// Proper records that the connection of r has made a proper request, which is being answered.
func Proper(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok {
		c.from.mu.Lock()
		defer c.from.mu.Unlock()
		c.work()
	}
}
