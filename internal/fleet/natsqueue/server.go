package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/run/address"
)

// ServerOptions describe a NATS server that rides in a coordinator.
type ServerOptions struct {
	// Address is HOST:PORT to listen on; port 0 takes a free one. "" listens nowhere: then only Connect reaches the
	// server.
	Address string
	// Dir is a folder of the server's own: a predecessor's files in it are removed, and Close removes it. Tasks are kept
	// in memory.
	Dir string
	// Keys, of a coordinator or a server, demand certificates and keys of the same fleet from all clients.
	Keys *keys.Credentials
	// Insecure allows an address that is not loopback without keys: every client that reaches it gets in.
	Insecure bool
	// Run is the one run of the workers; "" leaves that to each worker's keys.
	Run string
	// Warn gets the server's complaints: clients that were refused, limits that were hit. nil is silence.
	Warn func(text string)
}

// Server is a NATS server in this process.
type Server struct {
	server *server.Server
	o      ServerOptions

	mu    sync.Mutex
	conns []*nats.Conn
}

const (
	startTime      = 10 * time.Second
	maxConnections = 8192
	// maxSubscriptions bounds the subscriptions of one connection: a worker has six, a coordinator less than 20.
	maxSubscriptions = 64
	// maxPending bounds the bytes that wait for a connection that does not read; past it the connection is closed.
	maxPending = 2 * maxPayload
	// pingEvery and maxPings say when a connection without a heartbeat is given up: after three unanswered pings. It
	// is short, because a worker that is cut off should notice before the coordinator gives the worker up.
	pingEvery, maxPings = 3 * time.Second, 2
	tlsTime             = 5 * time.Second
)

// Listen starts a server. It is ready when Listen returns.
func Listen(ctx context.Context, o ServerOptions) (*Server, error) {
	so, err := o.server()
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	// Streams are rebuilt from the ledger; the files of a killed server could only be damaged.
	if err := errors.Join(os.RemoveAll(o.Dir), os.MkdirAll(o.Dir, 0o755)); err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	ns, err := server.NewServer(so)
	if err != nil {
		return nil, fmt.Errorf("queue: embedded server: %w", err)
	}
	s := &Server{server: ns, o: o}
	if o.Warn != nil {
		ns.SetLoggerV2(&warnings{o.Warn}, false, false, false)
	}
	ns.Start()
	for deadline := time.Now().Add(startTime); !ns.ReadyForConnections(50 * time.Millisecond); {
		switch {
		case ctx.Err() != nil:
			return nil, errors.Join(ctx.Err(), s.Close())
		case !ns.Running():
			return nil, errors.Join(fmt.Errorf("queue: the embedded server cannot listen on %s", o.Address), s.Close())
		case time.Now().After(deadline):
			return nil, errors.Join(fmt.Errorf("queue: the embedded server is not ready after %s", startTime), s.Close())
		}
	}
	return s, nil
}

// server translates options into those of NATS.
func (o *ServerOptions) server() (*server.Options, error) {
	so := &server.Options{
		ServerName:   "pagoda",
		JetStream:    true,
		StoreDir:     o.Dir,
		MaxPayload:   maxPayload,
		MaxConn:      maxConnections,
		MaxSubs:      maxSubscriptions,
		MaxPending:   maxPending,
		PingInterval: pingEvery,
		MaxPingsOut:  maxPings,
		// The server remembers closed connections for operators, but none can ask for them here.
		MaxClosedClients: 1,
		// Tasks are kept in memory. The server reserves the most that each stream may have, and uses as much as there is in
		// it. A change of a stream may need as much again.
		JetStreamMaxMemory: 2 * MaxQueues * maxTasksBytes,
		NoLog:              o.Warn == nil,
		NoSigs:             true,
	}
	if o.Run != "" {
		if err := checkRun(o.Run); err != nil {
			return nil, err
		}
		so.ServerName += "-" + o.Run
	}
	if o.Address == "" {
		so.DontListen = true
	} else {
		if err := keys.Check(o.Address, o.Keys, o.Insecure); err != nil {
			return nil, err
		}
		host, port, err := address.Listen(o.Address)
		if err != nil {
			return nil, err
		}
		so.Host, so.Port = host, int(port)
		if port == 0 {
			so.Port = server.RANDOM_PORT
		}
		if host == "" {
			so.Host = server.DEFAULT_HOST
		}
		if err := probe(o.Address); err != nil {
			return nil, err
		}
	}
	if o.Keys == nil {
		return so, nil
	}
	if o.Keys.Role == keys.Worker {
		return nil, fmt.Errorf("the keys in %s are a worker's, and a server needs a coordinator's", o.Keys.Dir)
	}
	so.TLSConfig, so.TLSVerify, so.TLSTimeout = o.Keys.ServerTLS(), true, tlsTime.Seconds()
	// Not a byte before the client's certificate is known to be the fleet's.
	so.TLSHandshakeFirst = true
	for _, u := range o.Keys.Users {
		if o.Run == "" || u.MayUse(o.Run) {
			so.Nkeys = append(so.Nkeys, &server.NkeyUser{Nkey: u.Key, Permissions: permissions(u, o.Run)})
		}
	}
	return so, nil
}

// probe finds out whether an address is free: the server itself only logs that it is not, and ends.
func probe(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	return l.Close()
}

// URL is where clients find the server, "" when it listens nowhere.
func (s *Server) URL() string {
	if s.o.Address == "" {
		return ""
	}
	return "nats://" + s.server.Addr().String()
}

// Connect connects within the process, as the holder of the server's keys. Close ends the connection.
func (s *Server) Connect(name string, e ConnEvents) (*nats.Conn, error) {
	opts := append(e.options(),
		nats.InProcessServer(s.server), nats.Name(name), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort())
	if k := s.o.Keys; k != nil {
		opts = append(opts, nats.Nkey(k.Key, k.Sign), nats.CustomInboxPrefix(inboxOf(k.Key)))
	}
	nc, err := nats.Connect("", opts...)
	if err != nil {
		return nil, fmt.Errorf("queue: connect to the embedded server: %w", err)
	}
	s.mu.Lock()
	s.conns = append(slices.DeleteFunc(s.conns, (*nats.Conn).IsClosed), nc)
	s.mu.Unlock()
	return nc, nil
}

// Close ends the connections and the server, and removes its files.
func (s *Server) Close() error {
	s.mu.Lock()
	for _, nc := range s.conns {
		nc.Close()
	}
	s.mu.Unlock()
	s.server.Shutdown()
	s.server.WaitForShutdown()
	return os.RemoveAll(s.o.Dir)
}

// warnings passes on a server's complaints, and no other line of its log.
type warnings struct{ warn func(string) }

func (w *warnings) Warnf(format string, v ...any) {
	// This warning is for operators with foreign clients: ours all begin with TLS.
	if text := fmt.Sprintf(format, v...); !strings.Contains(text, "TLS Handshake First") {
		w.warn(text)
	}
}
func (w *warnings) Errorf(format string, v ...any) { w.warn(fmt.Sprintf(format, v...)) }
func (w *warnings) Fatalf(format string, v ...any) { w.warn(fmt.Sprintf(format, v...)) }
func (w *warnings) Noticef(string, ...any)         {}
func (w *warnings) Debugf(string, ...any)          {}
func (w *warnings) Tracef(string, ...any)          {}
