//go:build linux

package testbed

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Proxy stands before a server. It passes bytes on, until it is told to be slow or unfaithful.
type Proxy struct {
	Flips   atomic.Int64 // bits still to be flipped in the server's data
	Flipped atomic.Int64 // bits that were flipped
	Stall   atomic.Bool  // the server's data waits
	Bytes   atomic.Int64 // sent by the server

	delay    time.Duration
	listener net.Listener
	target   string
	mu       sync.Mutex
	conns    map[net.Conn]bool
}

// NewProxy listens, and passes on to target what comes; bytes take delay each way.
func NewProxy(listen, target string, delay time.Duration) (*Proxy, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target, delay: delay, conns: map[net.Conn]bool{}}
	go p.accept()
	return p, nil
}

// Address is where the proxy listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(c)
	}
}

func (p *Proxy) serve(down net.Conn) {
	defer p.track(down)()
	up, err := net.DialTimeout("tcp", p.target, 2*time.Second)
	if err != nil {
		return
	}
	defer p.track(up)()
	done := make(chan struct{}, 2)
	go func() { p.pass(up, down, func([]byte) {}); done <- struct{}{} }()
	go func() { p.pass(down, up, p.spoil); done <- struct{}{} }()
	<-done
}

// track keeps a connection where BreakAll finds it, until the function that it returns is called.
func (p *Proxy) track(c net.Conn) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
		_ = c.Close()
	}
}

// chunk holds the bytes of one read. They may be passed on from due.
type chunk struct {
	bytes []byte
	due   time.Time
}

// pass copies from from to to. It holds each chunk for the delay, and then lets do change it.
func (p *Proxy) pass(to io.Writer, from io.Reader, do func([]byte)) {
	queue, stop := make(chan chunk, 1024), make(chan struct{})
	defer close(stop)
	go func() {
		defer close(queue)
		for {
			buf := make([]byte, 32<<10)
			n, err := from.Read(buf)
			if n > 0 {
				select {
				case queue <- chunk{buf[:n], time.Now().Add(p.delay)}:
				case <-stop:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	for c := range queue {
		time.Sleep(time.Until(c.due))
		do(c.bytes)
		if _, err := to.Write(c.bytes); err != nil {
			return
		}
	}
}

// spoil holds the server's data back during a stall, counts its bytes, and flips a bit of it if one is to be flipped.
func (p *Proxy) spoil(b []byte) {
	for p.Stall.Load() {
		time.Sleep(50 * time.Millisecond)
	}
	p.Bytes.Add(int64(len(b)))
	// Not in the first bytes, which are mostly a header: a flip there is noticed by every protocol.
	if len(b) > 512 && p.Flips.Load() > 0 && p.Flips.Add(-1) >= 0 {
		b[256+rand.IntN(len(b)-256)] ^= 1 << rand.IntN(8)
		p.Flipped.Add(1)
	}
}

// BreakAll ends all connections in the middle of whatever they carry.
func (p *Proxy) BreakAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.BreakAll()
}
