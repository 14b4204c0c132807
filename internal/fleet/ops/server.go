package ops

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"pagoda/internal/fleet/transfer/sockets"
)

// Bounds for the clients of a server.
const (
	headerTime  = 5 * time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 16 << 10
	maxClients  = 256
	closeTime   = 3 * time.Second
)

// A Server answers over HTTP until it is closed.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan struct{}
}

// Listen starts a server on host:port, where port 0 chooses a free one; with TLS unless t is nil. It is ready when
// Listen returns. Handlers bound their own time.
func Listen(ctx context.Context, address string, t *tls.Config, h http.Handler) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	bare := l
	l = sockets.Limit(l, sockets.Options{Total: maxClients})
	if t != nil {
		l = tls.NewListener(l, t)
	}
	s := &Server{
		listener: bare, done: make(chan struct{}),
		http: &http.Server{
			// No ReadTimeout: it would end requests that are answered for longer. Requests here have no body.
			Handler: proper(h), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
			MaxHeaderBytes: headerBytes,
			ConnContext:    sockets.WithConn,
			ConnState:      sockets.State,
			ErrorLog:       log.New(io.Discard, "", 0), // errors of clients are not logged
		},
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // it ends when it is closed
	}()
	return s, nil
}

// proper keeps the connections of clients that are being answered from giving way to new ones.
func proper(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sockets.Proper(r)
		h.ServeHTTP(w, r)
	})
}

// Address is host:port that the server listens on.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close lets requests end for a moment, and then ends them.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.done
	return err
}
