package natsqueue

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// consumer holds a worker's requests to one consumer, and the tasks from it. It is guarded by its Work's mutex.
//
// The pull requests are our own, on one subscription that lives as long as the worker. The library subscribes anew for
// every single message, or fetches ahead with its standing iterators. Then tasks wait at a busy worker while others are
// idle.
type consumer struct {
	pull  string // subject of requests
	who   string // name of the worker
	own   bool   // the consumer is the worker's own
	inbox string // where tasks come
	asked int    // tasks that were asked for and have not come
	heard time.Time
	// After a refusal no request is sent before again.
	again time.Time
	pause time.Duration
	held  []held // tasks that no slot has taken yet, oldest first
}

// held is a task that came when no slot waited for it any more.
type held struct {
	d     *delivery
	since time.Time
}

// Answers to a pull request that are no task.
const (
	statusHeartbeat = "100"
	statusExpired   = "408"
)

func newConsumer(nc *nats.Conn, run, worker string, own bool) *consumer {
	return &consumer{pull: pullRequests(run, keyOf(nc)), who: worker, own: own, inbox: nc.NewInbox()}
}

// ask requests the tasks that are wanted and not yet requested.
func (l *consumer) ask(nc *nats.Conn, wanted int, o *WorkOptions) {
	now := time.Now()
	n := min(wanted-l.asked, maxBatch)
	if n <= 0 || now.Before(l.again) || !nc.IsConnected() {
		return
	}
	request, err := json.Marshal(pullRequest{
		Worker: l.who, Own: l.own, Batch: n, Expires: o.Expires.Nanoseconds(), Heartbeat: o.Heartbeat.Nanoseconds(),
	})
	if err == nil {
		err = nc.PublishRequest(l.pull, l.inbox, request)
	}
	if err != nil {
		l.refuse(now)
		return
	}
	if l.asked == 0 {
		l.heard = now
	}
	l.asked += n
}

// refuse notes that no requested task will come, and when to ask again.
func (l *consumer) refuse(now time.Time) {
	l.asked = 0
	l.pause = min(max(2*l.pause, retryFirst), retryMost)
	l.again = now.Add(l.pause)
}

// status takes an answer that is no task.
func (l *consumer) status(m *nats.Msg, code string) {
	now := time.Now()
	l.heard = now
	switch code {
	case statusHeartbeat:
	case statusExpired:
		// The server says how many of the tasks it has still owed.
		n, err := strconv.Atoi(m.Header.Get("Nats-Pending-Messages"))
		if err != nil || n < 0 || n > l.asked {
			n = l.asked
		}
		l.asked -= n
	default:
		// The coordinator or the consumer is missing, or gone. If some of the requests still stand, a few tasks too many come
		// and are given back.
		l.refuse(now)
	}
}

// reset forgets the requests: the connection was lost, or the server has fallen silent.
func (l *consumer) reset() {
	l.asked, l.pause, l.again = 0, 0, time.Time{}
}

// stalled reports whether a server that owes tasks has been silent for too long. Consumers have been known to stall
// after a reconnect (nats.go#1729, nats-server#4736).
func (l *consumer) stalled(now time.Time, o *WorkOptions) bool {
	return l.asked > 0 && now.Sub(l.heard) > 2*o.Heartbeat+o.Heartbeat/2
}

// isDelivery reports whether m is a task from a stream, and not a message that any client could have sent.
func isDelivery(m *nats.Msg) bool { return strings.HasPrefix(m.Reply, "$JS.ACK.") }
