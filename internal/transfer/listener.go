package transfer

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// limited is a listener with a bounded number of open connections. When all places are taken, a new connection takes
// the place of the one that has waited longest without having made a proper request, so that idle sockets of strangers
// cannot keep workers out; where every connection has made one, the new one waits for a place.
type limited struct {
	net.Listener
	shut chan struct{}
	once sync.Once

	mu     sync.Mutex
	free   int
	silent *list.List    // of *limitedConn that have not made a proper request, oldest first
	freed  chan struct{} // capacity 1: a place may be free
}

func newLimited(l net.Listener, n int) *limited {
	return &limited{Listener: l, shut: make(chan struct{}), free: n, silent: list.New(), freed: make(chan struct{}, 1)}
}

func (l *limited) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &limitedConn{Conn: conn, from: l}
	if err := l.admit(c); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

// admit waits until there is a place for c.
func (l *limited) admit(c *limitedConn) error {
	for {
		l.mu.Lock()
		if l.free > 0 {
			l.free--
			c.place = l.silent.PushBack(c)
			l.mu.Unlock()
			return nil
		}
		var oldest *limitedConn
		if e := l.silent.Front(); e != nil {
			oldest = e.Value.(*limitedConn)
		}
		l.mu.Unlock()
		if oldest != nil {
			_ = oldest.Close() // frees its place
			continue
		}
		select {
		case <-l.freed:
		case <-l.shut:
			return net.ErrClosed
		}
	}
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.shut) })
	return l.Listener.Close()
}

// limitedConn is an accepted connection; place is nil once it has made a proper request. Both fields below Conn are
// guarded by the listener's mutex.
type limitedConn struct {
	net.Conn
	from   *limited
	place  *list.Element
	closed bool
}

// proper records that the connection has made a proper request.
func (c *limitedConn) proper() {
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	c.leaveSilent()
}

func (c *limitedConn) leaveSilent() {
	if c.place != nil {
		c.from.silent.Remove(c.place)
		c.place = nil
	}
}

func (c *limitedConn) Close() error {
	l := c.from
	l.mu.Lock()
	if !c.closed {
		c.closed = true
		c.leaveSilent()
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

// withConn is an http.Server's ConnContext: it lets a request find its connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// properRequest records that the connection of r has made a proper request.
func properRequest(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*limitedConn); ok {
		c.proper()
	}
}
