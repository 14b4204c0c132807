package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/semaphore"

	"pagoda/internal/run/pause"
)

// Limits of a process for unasked messages. Past these limits a message is lost: its sender, if it means well, sends it
// again.
const (
	// handlers bounds the messages of a subject that are being answered at a time; more of them wait.
	handlers = 256
	// pendingMessages and pendingBytes bound the messages that wait on a subject.
	pendingMessages, pendingBytes = 1 << 13, maxPayload
)

// service answers the messages of a subject. key is that of the sender.
type service struct {
	subject string
	bytes   int // of messages that wait, and again of those that are being answered
	answer  func(ctx context.Context, key string, b []byte) ([]byte, error)
}

// serve answers until ctx is done, when it returns nil after the last answer.
func serve(ctx context.Context, nc *nats.Conn, services []service) error {
	var busy sync.WaitGroup
	defer busy.Wait()
	var ends []func()
	defer func() {
		for _, end := range ends {
			end()
		}
	}()
	for _, s := range services {
		room := make(chan struct{}, handlers)
		memory := semaphore.NewWeighted(int64(s.bytes))
		end, err := subscribe(nc, s.subject, s.bytes, func(m *nats.Msg) {
			room <- struct{}{}
			bytes := min(int64(len(m.Data)), int64(s.bytes))
			_ = memory.Acquire(context.Background(), bytes) // answers end, and free what they take
			busy.Go(func() {
				defer func() {
					memory.Release(bytes)
					<-room
				}()
				if b, err := s.answer(ctx, senderOf(m), m.Data); err == nil {
					respond(m, b)
				}
			})
		})
		if err != nil {
			return err
		}
		ends = append(ends, end)
	}
	<-ctx.Done()
	return nil
}

// respond answers a message, if its sender waits on an inbox. A client can name any subject for the answer, also one
// that only we may publish on: a worker must not make the coordinator purge the stream with its answer.
func respond(m *nats.Msg, b []byte) {
	if inboxForm().MatchString(m.Reply) {
		_ = m.Respond(b) // a sender without an answer asks again
	}
}

// subscribe passes messages to fn, one at a time, until end is called; fn is not running any more when end returns. Of
// messages that wait it keeps so many bytes.
func subscribe(nc *nats.Conn, subject string, bytes int, fn func(*nats.Msg)) (end func(), err error) {
	sub, err := nc.Subscribe(subject, fn)
	if err == nil {
		err = sub.SetPendingLimits(pendingMessages, bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	closed := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(closed) })
	return func() {
		if err := sub.Unsubscribe(); err == nil {
			<-closed
		}
	}, nil
}

// ask sends a question until it is answered, or ctx is done. try bounds the wait for the first answer, after which the
// question is sent again.
func ask(ctx context.Context, nc *nats.Conn, subject string, question []byte, try time.Duration) ([]byte, error) {
	return insist(ctx, try, func(ctx context.Context, try time.Duration) (*nats.Msg, error) {
		return request(ctx, nc, subject, question, try)
	})
}

// insist sends a question until it is answered, or ctx is done. An answerer that is only slow gets more time for each
// next answer. Without a listener, which is said at once, the time begins anew: the next answerer need not be slow,
// and an answer that it loses as it begins should not hold the asker up for longer.
func insist(
	ctx context.Context, first time.Duration, send func(ctx context.Context, try time.Duration) (*nats.Msg, error),
) ([]byte, error) {
	for try, pause := first, retryFirst; ; {
		m, err := send(ctx, try)
		switch {
		case err == nil:
			return m.Data, nil
		case ctx.Err() != nil, errors.Is(err, nats.ErrConnectionClosed):
			return nil, err
		case errors.Is(err, nats.ErrNoResponders):
			try = first
		case errors.Is(err, context.DeadlineExceeded):
			try = max(try, min(2*try, tryMost))
		}
		if err := sleep(ctx, &pause); err != nil {
			return nil, err
		}
	}
}

// tryMost bounds the wait for one answer, however often the question has been sent.
const tryMost = 30 * time.Second

// request sends a question once. It gives up with the connection: a message under way is then lost, as a rule.
func request(
	ctx context.Context, nc *nats.Conn, subject string, question []byte, try time.Duration,
) (*nats.Msg, error) {
	lost := nc.StatusChanged(nats.RECONNECTING, nats.DISCONNECTED)
	defer nc.RemoveStatusListener(lost)
	if !nc.IsConnected() && !nc.IsClosed() {
		return nil, nats.ErrDisconnected // rather than fill the buffer for the reconnect
	}
	ctx, cancel := context.WithTimeout(ctx, try)
	defer cancel()
	answered := make(chan struct{})
	defer close(answered)
	go func() {
		select {
		case <-lost:
			cancel()
		case <-answered:
		}
	}()
	return nc.RequestWithContext(ctx, subject, question)
}

// retryFirst and retryMost bound the pause before something is tried again.
const retryFirst, retryMost = 50 * time.Millisecond, time.Second

// sleep waits for a pause that grows from call to call.
func sleep(ctx context.Context, next *time.Duration) error {
	d := *next
	*next = min(2*d, retryMost)
	return pause.For(ctx, d)
}
