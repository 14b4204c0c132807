package natsqueue

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// LocalOptions describe a queue inside the process.
type LocalOptions struct {
	Run string
	// Dir is a folder for the server's own files, see ServerOptions.
	Dir string
	// AckWait as in TaskOptions, but 0 says 1 h: a worker in this process does not vanish without it.
	AckWait time.Duration
}

// Local is a NATS server without any listener, and both ends of a run's queue on it.
type Local struct {
	Tasks *Tasks
	Work  *Work

	server *Server
}

const localAckWait = time.Hour

// Start starts a server in this process. It is ready when Start returns.
func Start(ctx context.Context, o LocalOptions) (l *Local, err error) {
	if o.AckWait == 0 {
		o.AckWait = localAckWait
	}
	if err := checkRun(o.Run); err != nil {
		return nil, err
	}
	s, err := Listen(ctx, ServerOptions{Dir: o.Dir, Run: o.Run})
	if err != nil {
		return nil, err
	}
	l = &Local{server: s}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
			l = nil
		}
	}()
	// A connection each, as across processes: a worker's flood does not hold up the coordinator's replies.
	coord, err := s.Connect("coordinator", ConnEvents{})
	if err != nil {
		return l, err
	}
	l.Tasks, err = NewTasks(ctx, coord, o.Run, TaskOptions{AckWait: o.AckWait, Storage: jetstream.MemoryStorage})
	if err != nil {
		return l, err
	}
	worker, err := s.Connect("worker", ConnEvents{})
	if err != nil {
		return l, err
	}
	l.Work, err = NewWork(worker, o.Run, "", WorkOptions{})
	return l, err
}

// Close ends the queue, the connections and the server, and removes its files.
func (l *Local) Close() error {
	if l.Work != nil {
		l.Work.end() // the queue ends with it
	}
	return l.server.Close()
}

// Submitted counts the tasks that went into the queue since it was made.
func (l *Local) Submitted() uint64 {
	s, err := l.Tasks.js.Stream(context.Background(), streamName(l.Tasks.run))
	if err != nil {
		return 0
	}
	return s.CachedInfo().State.LastSeq
}
