package simulate

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Connections between processes, for the transfer of rows. As with TCP, bytes arrive in order or not at all. A cut link
// delays them, and breaks the connection after giveUp.

const (
	retransmit = 200 * time.Millisecond
	giveUp     = 20 * time.Second
)

// addr is the address of a process.
type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }

// listener accepts the connections to a process.
type listener struct {
	p     *process
	queue chan net.Conn
	shut  chan struct{}
	once  sync.Once
}

// listen has a process accept connections.
func (p *process) listen() *listener {
	l := &listener{p: p, queue: make(chan net.Conn, 64), shut: make(chan struct{})}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.listeners[p.name] = l
	return l
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.shut:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.shut) })
	return nil
}

func (l *listener) Addr() net.Addr { return addr(l.p.name + ":1") }

// dial connects a process to another.
func (p *process) dial(ctx context.Context, network, address string) (net.Conn, error) {
	to, _, _ := strings.Cut(address, ":")
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: addr(address), Err: err}
	}
	answer := make(chan net.Conn, 1)
	for ctx.Err() == nil {
		p.w.send(p, to, 64, func() {
			p.w.mu.Lock()
			l, server := p.w.listeners[to], p.w.procs[to]
			p.w.mu.Unlock()
			if server == nil {
				return
			}
			if l == nil {
				p.w.send(server, p.name, 64, func() {
					select {
					case answer <- nil:
					default:
					}
				})
				return
			}
			p.w.send(server, p.name, 64, func() {
				near, far := p.w.connect(p, server)
				select {
				case answer <- near:
				default:
					near.sever()
					return
				}
				select {
				case l.queue <- far:
				case <-l.shut:
					far.sever()
				default:
					far.sever()
				}
			})
		})
		again := time.NewTimer(time.Second)
		select {
		case c := <-answer:
			again.Stop()
			if c == nil {
				return fail(syscall.ECONNREFUSED)
			}
			return c, nil
		case <-p.gone:
			again.Stop()
			return fail(net.ErrClosed)
		case <-ctx.Done():
			again.Stop()
		case <-again.C:
		}
	}
	return fail(ctx.Err())
}

// conn is one end of a connection.
type conn struct {
	p      *process
	peer   *conn
	serial int

	mu       sync.Mutex
	in       []byte
	wake     chan struct{} // holds a token when something has changed
	err      error         // what a read finds when nothing is left to read
	closed   bool
	deadline time.Time // of reads
	last     time.Time // when the last byte that was sent arrives
	out      []func()  // what was sent and has not arrived, oldest first
}

// connect makes both ends of a connection.
func (w *world) connect(a, b *process) (near, far *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.draws["connections"] += 2
	n := int(w.draws["connections"])
	near = &conn{p: a, serial: n, wake: make(chan struct{}, 1)}
	far = &conn{p: b, serial: n + 1, wake: make(chan struct{}, 1)}
	near.peer, far.peer = far, near
	if a.dead || b.dead {
		near.err, far.err = syscall.ECONNRESET, syscall.ECONNRESET
	}
	a.conns[near], b.conns[far] = true, true
	return near, far
}

func (c *conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// fail has reads and writes of this end fail.
func (c *conn) fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.signal()
}

// sever breaks a connection at both ends.
func (c *conn) sever() {
	c.fail(syscall.ECONNRESET)
	c.peer.fail(syscall.ECONNRESET)
}

func (c *conn) Read(b []byte) (int, error) {
	for {
		c.mu.Lock()
		var left time.Duration
		if !c.deadline.IsZero() {
			left = time.Until(c.deadline)
		}
		switch {
		case c.closed:
			c.mu.Unlock()
			return 0, net.ErrClosed
		case !c.deadline.IsZero() && left <= 0:
			c.mu.Unlock()
			return 0, os.ErrDeadlineExceeded
		case len(c.in) > 0:
			n := copy(b, c.in)
			c.in = c.in[n:]
			c.mu.Unlock()
			return n, nil
		case c.err != nil:
			err := c.err
			c.mu.Unlock()
			return 0, err
		}
		c.mu.Unlock()
		if left <= 0 {
			<-c.wake
			continue
		}
		t := time.NewTimer(left)
		select {
		case <-c.wake:
		case <-t.C:
		}
		t.Stop()
	}
}

func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return 0, net.ErrClosed
	case c.err != nil && !errors.Is(c.err, io.EOF):
		return 0, c.err
	}
	data := append([]byte(nil), b...)
	c.post(len(b), func() {
		o := c.peer
		o.mu.Lock()
		if !o.closed {
			o.in = append(o.in, data...)
		}
		o.mu.Unlock()
		o.signal()
	})
	return len(b), nil
}

// post sends something to the other end, behind all that was sent before. c.mu is held.
func (c *conn) post(size int, deliver func()) {
	arrives, _, _ := c.p.w.transit(c.p, c.peer.p.name, size)
	at := time.Now().Add(arrives)
	if !at.After(c.last) {
		at = c.last.Add(time.Nanosecond)
	}
	c.last = at
	c.out = append(c.out, deliver)
	c.carry(time.Until(at), time.Now().Add(giveUp))
}

// carry makes the oldest delivery of c.out after a while. It waits longer while the link is cut or the receiver is
// frozen, and breaks the connection when until has passed.
func (c *conn) carry(after time.Duration, until time.Time) {
	w, to := c.p.w, c.peer.p
	time.AfterFunc(after, func() {
		if to.isDead() || c.p.isDead() {
			c.sever()
			return
		}
		wait := to.thaws()
		if w.isBlocked(c.p.name, to.name) {
			wait = max(wait, retransmit)
		}
		switch {
		case wait <= 0:
			c.mu.Lock()
			deliver := c.out[0]
			c.out = c.out[1:]
			c.mu.Unlock()
			deliver()
		case time.Now().After(until):
			c.sever()
		default:
			c.carry(wait, until)
		}
	})
}

func (c *conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	if c.err == nil {
		o := c.peer
		c.post(1, func() { o.fail(io.EOF) })
	}
	c.mu.Unlock()
	c.signal()
	c.p.w.mu.Lock()
	delete(c.p.conns, c)
	c.p.w.mu.Unlock()
	return nil
}

func (c *conn) LocalAddr() net.Addr  { return addr(c.p.name + ":1") }
func (c *conn) RemoteAddr() net.Addr { return addr(c.peer.p.name + ":1") }

func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = t
	c.mu.Unlock()
	c.signal()
	return nil
}

func (c *conn) SetWriteDeadline(time.Time) error { return nil }
