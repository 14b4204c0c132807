package transfer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/transfer/sockets"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// A Source has the windows that a server gives away. *kv.Store is one.
type Source interface {
	Coded(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
		fn func(first uint64, coded []byte) error) error
}

// ServerOptions say how a worker gives its windows away.
type ServerOptions struct {
	Listen string // host:port; port 0 takes a free one
	// Listener accepts the connections, and belongs to the server from then on; nil listens on Listen.
	Listener net.Listener
	// Keys make it mutual TLS, for workers and coordinators of the fleet, each for the runs that its keys are good for.
	// Without them every client that reaches the address is served, in the clear; keys.Check says where that will do.
	Keys *keys.Credentials
	// Insecure allows an address that is not loopback without keys.
	Insecure bool
	// MaxStreams bounds the windows that are being sent at a time, 0 for 16; as many again wait for their turn, up to
	// four times, and the rest is told to come back. Each holds at most one block and 64 KiB of memory.
	MaxStreams int
	// MaxConnections bounds open connections, 0 for 1024, half of them for one address. The next one takes the place of
	// the oldest that has not made a proper request, see package sockets.
	MaxConnections int
	// SendTime is how long a client may take to accept the next 64 KiB or block before it is given up, 0 for 15 s.
	SendTime time.Duration
	// QueueTime is how long a stream waits for its turn, 0 for 5 s.
	QueueTime time.Duration
	// OnServed is called after every request that names a window properly; nil is not. Safe for concurrent use.
	OnServed func(Served)
}

// Served is a request that was answered.
type Served struct {
	Run    string
	Window puzzle.WindowID
	Client string // address
	Bytes  uint64 // of blocks, coded
	Took   time.Duration
	Kind   Kind  // "" when the stream came to its end
	Err    error // of Kind, where there is more to say
}

// Server gives committed windows away. Safe for concurrent use.
type Server struct {
	o       ServerOptions
	http    *http.Server
	address string
	streams chan struct{} // one token for each stream
	waiting chan struct{} // one for each stream, and those that wait

	mu   sync.Mutex
	runs map[string]*serving
	shut bool
	done chan struct{}
}

// serving is a run that is being served.
type serving struct {
	source Source
	ctx    context.Context
	cancel context.CancelFunc
	live   map[*stream]struct{}
	wait   sync.WaitGroup
}

const queuePerStream = 4

// NewServer listens, and answers 404 until Serve is called.
func NewServer(o ServerOptions) (*Server, error) {
	setDefault(&o.MaxStreams, 16)
	setDefault(&o.MaxConnections, 1024)
	setDefault(&o.SendTime, 15*time.Second)
	setDefault(&o.QueueTime, 5*time.Second)
	if o.OnServed == nil {
		o.OnServed = func(Served) {}
	}
	if err := keys.Check(o.Listen, o.Keys, o.Insecure); err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	l := o.Listener
	if l == nil {
		var err error
		if l, err = net.Listen("tcp", o.Listen); err != nil {
			return nil, fmt.Errorf("transfer: listen on %s: %w", o.Listen, err)
		}
	}
	s := &Server{
		o: o, address: l.Addr().String(), runs: make(map[string]*serving), done: make(chan struct{}),
		streams: make(chan struct{}, o.MaxStreams), waiting: make(chan struct{}, (1+queuePerStream)*o.MaxStreams),
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      o.SendTime + o.QueueTime, // streams set their own deadlines, for each write
		IdleTimeout:       2 * idleTime,
		MaxHeaderBytes:    4 << 10,
		ConnContext:       sockets.WithConn,
		ConnState:         sockets.State,
		TLSNextProto:      map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1 only
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	l = sockets.Limit(l, sockets.Options{Total: o.MaxConnections})
	if o.Keys != nil {
		l = tls.NewListener(l, o.Keys.ServerTLS())
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// Address is where the server listens, host:port.
func (s *Server) Address() string { return s.address }

// Serve begins to serve the windows of a run. After stop has returned nothing of source is used any more; streams under
// way are broken off.
func (s *Server) Serve(run string, source Source) (stop func(), err error) {
	if !validRun(run) {
		return nil, fmt.Errorf("transfer: invalid run ID %q", run)
	}
	v := &serving{source: source, live: make(map[*stream]struct{})}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || s.runs[run] != nil {
		v.cancel()
		if s.shut {
			return nil, errors.New("transfer: the server is closed")
		}
		return nil, fmt.Errorf("transfer: run %s is being served already", run)
	}
	s.runs[run] = v
	return sync.OnceFunc(func() { s.stop(run, v) }), nil
}

func (s *Server) stop(run string, v *serving) {
	v.cancel()
	s.mu.Lock()
	if s.runs[run] == v {
		delete(s.runs, run)
	}
	for st := range v.live {
		st.breakOff()
	}
	s.mu.Unlock()
	v.wait.Wait()
}

// Close stops serving; it waits for what uses a source.
func (s *Server) Close() error {
	s.mu.Lock()
	s.shut = true
	runs := s.runs
	s.runs = map[string]*serving{}
	s.mu.Unlock()
	for run, v := range runs {
		s.stop(run, v)
	}
	err := s.http.Close()
	<-s.done
	return err
}

// enter begins a stream of a run that is served.
func (s *Server) enter(run string, st *stream) *serving {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.runs[run]
	if v != nil {
		v.live[st] = struct{}{}
		v.wait.Add(1)
	}
	return v
}

func (s *Server) exit(v *serving, st *stream) {
	s.mu.Lock()
	delete(v.live, st)
	s.mu.Unlock()
	v.wait.Done()
}

func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}
