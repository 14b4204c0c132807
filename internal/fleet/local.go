package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// LocalOptions describe a queue inside the process.
type LocalOptions struct {
	Run string
	// Dir is a folder for the server's own files, made when it is absent and removed by Close. Tasks are kept in memory.
	Dir string
	// AckWait as in TaskOptions, but 0 says 1 h: a worker in this process does not vanish without it.
	AckWait time.Duration
}

// Local is a NATS server without any listener, and both ends of a run's queue on it.
type Local struct {
	Tasks *Tasks
	Work  *Work

	dir    string
	server *server.Server
	conns  []*nats.Conn
}

const (
	startTime    = 10 * time.Second
	localAckWait = time.Hour
)

// Start starts a server in this process. It is ready when Start returns.
func Start(ctx context.Context, o LocalOptions) (l *Local, err error) {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	if o.AckWait == 0 {
		o.AckWait = localAckWait
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "pagoda-" + o.Run,
		DontListen: true,
		JetStream:  true,
		StoreDir:   o.Dir,
		MaxPayload: maxPayload,
		NoLog:      true,
		NoSigs:     true,
	})
	if err != nil {
		return nil, fmt.Errorf("queue: embedded server: %w", err)
	}
	l = &Local{server: s, dir: o.Dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
			l = nil
		}
	}()
	s.Start()
	if !s.ReadyForConnections(startTime) {
		return l, fmt.Errorf("queue: the embedded server is not ready after %s", startTime)
	}
	// A connection each, as across processes: a worker's flood does not hold up the coordinator's replies.
	coord, err := l.connect("coordinator")
	if err != nil {
		return l, err
	}
	l.Tasks, err = NewTasks(ctx, coord, o.Run, TaskOptions{AckWait: o.AckWait, Storage: jetstream.MemoryStorage})
	if err != nil {
		return l, err
	}
	worker, err := l.connect("worker")
	if err != nil {
		return l, err
	}
	l.Work, err = NewWork(ctx, worker, o.Run)
	return l, err
}

func (l *Local) connect(name string) (*nats.Conn, error) {
	nc, err := nats.Connect("", nats.InProcessServer(l.server), nats.Name(name), nats.MaxReconnects(-1))
	if err != nil {
		return nil, fmt.Errorf("queue: connect to the embedded server: %w", err)
	}
	l.conns = append(l.conns, nc)
	return nc, nil
}

// Close ends the connections and the server, and removes its files.
func (l *Local) Close() error {
	for _, nc := range l.conns {
		nc.Close()
	}
	l.server.Shutdown()
	l.server.WaitForShutdown()
	return os.RemoveAll(l.dir)
}

// Submitted counts the tasks that went into the queue since it was made.
func (l *Local) Submitted() uint64 {
	s, err := l.Tasks.js.Stream(context.Background(), streamName(l.Tasks.run))
	if err != nil {
		return 0
	}
	return s.CachedInfo().State.LastSeq
}
