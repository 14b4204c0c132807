package transfer

import (
	"net"
	"sync"
)

// limited is a listener with a bounded number of open connections.
type limited struct {
	net.Listener
	open chan struct{}
	shut chan struct{}
	once sync.Once
}

func newLimited(l net.Listener, n int) *limited {
	return &limited{Listener: l, open: make(chan struct{}, n), shut: make(chan struct{})}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.shut:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.open })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.shut) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
