package natsqueue

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/run/protocol"
)

// A worker never speaks to JetStream. A client that may publish to a subject of JetStream may name any subject for the
// answer, and the server answers there with its own rights: to a malformed pull request with an error, to an
// acknowledgement with an empty message, which is all that a request to delete a stream consists of. Permissions cannot
// say what a client may name (nats-server#8274 is the same of push consumers, whose acknowledgements are answered too).
// So a worker sends its request to the coordinator, which checks it and sends its own to JetStream. Tasks still come
// from the server straight to the worker.

// pullRequest asks for tasks. They come to the subject that the message names for the answer.
type pullRequest struct {
	Worker    string `json:"worker,omitempty"` // "" for one without a name, in the coordinator's process
	Own       bool   `json:"own,omitempty"`    // asks for tasks directed to the worker, and not for those for everybody
	Batch     int    `json:"batch"`
	Expires   int64  `json:"expires"`   // nanoseconds
	Heartbeat int64  `json:"heartbeat"` // nanoseconds
}

// ackRequest is a worker's word on a task.
type ackRequest struct {
	Delivery string `json:"delivery"` // the subject for acknowledgements that came with the task
	Say      string `json:"say"`      // a key of acks
}

// A worker's words for the outcome of a task.
const (
	sayDone     = "done"
	sayProgress = "progress"
	sayNever    = "never" // no worker can do it
	sayBack     = "back"
)

// acks are the words of JetStream for it, see the NATS documentation of acknowledgements.
var acks = map[string][]byte{
	sayDone:     []byte("+ACK"),
	sayProgress: []byte("+WPI"),
	sayNever:    []byte("+TERM malformed task"),
	// A pause keeps a task that was given back from coming round at once.
	sayBack: fmt.Appendf(nil, `-NAK {"delay":%d}`, (20 * time.Millisecond).Nanoseconds()),
}

// Limits of a pull request and of an acknowledgement. Heartbeats must fit twice into the time that a request stands.
const (
	maxPullBytes               = 1 << 10
	maxBatch                   = 1 << 10
	minHeartbeat, maxHeartbeat = 50 * time.Millisecond, 30 * time.Second
	maxExpires                 = 2 * time.Minute
)

func decodePull(b []byte) (p pullRequest, err error) {
	if err := protocol.DecodeStrict(b, &p, maxPullBytes); err != nil {
		return p, err
	}
	if p.Worker != "" || p.Own {
		if err := checkWorker(p.Worker); err != nil {
			return p, fmt.Errorf("%w: %w", protocol.ErrMessage, err)
		}
	}
	beat, stands := time.Duration(p.Heartbeat), time.Duration(p.Expires)
	if p.Batch < 1 || p.Batch > maxBatch || beat < minHeartbeat || beat > maxHeartbeat || stands < 2*beat ||
		stands > maxExpires {
		return p, fmt.Errorf("%w: a request for %d tasks that stands for %s with heartbeats every %s",
			protocol.ErrMessage, p.Batch, stands, beat)
	}
	return p, nil
}

// inboxForm is a subject that an answer may go to: an inbox, and one place. Long repetitions such as these take
// milliseconds of the start of a program, so expressions that have them are compiled when they are first needed.
var inboxForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^_INBOX(\.[A-Za-z0-9_-]{1,80}){1,6}$`)
})

// deliveryForm is where JetStream takes acknowledgements: stream, consumer, and numbers; with domain and account before
// them, and a random end after them, as servers are going to have it.
var deliveryForm = regexp.MustCompile(
	`^\$JS\.ACK(?:\.[A-Za-z0-9_]{1,80}\.[A-Za-z0-9_]{1,80})?\.([A-Za-z0-9_-]{1,80})\.([A-Za-z0-9_=~-]{1,140})` +
		`((?:\.[0-9]{1,20}){5})(?:\.[A-Za-z0-9]{1,40})?$`)

// decodeAck returns the subject of an acknowledgement, which belongs to a task of the run, the worker that the task is
// directed to, or "", and JetStream's word for it.
func decodeAck(b []byte, run string) (subject, worker string, say []byte, err error) {
	var a ackRequest
	if err := protocol.DecodeStrict(b, &a, maxPullBytes); err != nil {
		return "", "", nil, err
	}
	m := deliveryForm.FindStringSubmatch(a.Delivery)
	say = acks[a.Say]
	if m == nil || m[1] != streamName(run) || say == nil {
		return "", "", nil, fmt.Errorf("%w: %.20q of %.200q", protocol.ErrMessage, a.Say, a.Delivery)
	}
	if m[2] == consumerAny {
		return a.Delivery, "", say, nil
	}
	own, ok := strings.CutPrefix(m[2], consumerOf(""))
	if !ok || own == "" {
		return "", "", nil, fmt.Errorf("%w: %.200q is of no worker", protocol.ErrMessage, a.Delivery)
	}
	return a.Delivery, strings.ReplaceAll(own, "=", "."), say, nil // see token
}

// sendAck sends a worker's word on a task to the coordinator.
func sendAck(nc *nats.Conn, run, delivery, say string) error {
	b, err := json.Marshal(ackRequest{delivery, say})
	if err != nil {
		return err
	}
	return nc.Publish(ackSubject(run, keyOf(nc)), b)
}

// statusAway answers a request for tasks that cannot be passed on, as NATS answers where no client listens.
const statusAway = "503"

// pull passes a request for tasks on to JetStream. A worker that asks for tasks directed to it must have joined, and
// the tasks go to inboxes of its own user.
func (t *Tasks) pull(m *nats.Msg) {
	key := senderOf(m)
	if !inboxForm().MatchString(m.Reply) || key != noKey && !strings.HasPrefix(m.Reply, inboxOf(key)+".") {
		return
	}
	p, err := decodePull(m.Data)
	if err != nil || p.Worker != "" && t.speaksFor(key, p.Worker) != nil {
		return // its sender hears no heartbeat
	}
	if !t.note(&p, m.Reply) {
		t.turnDown(m.Reply)
		return
	}
	name := consumerAny
	if p.Own {
		name = consumerOf(p.Worker)
	}
	request := fmt.Appendf(nil, `{"batch":%d,"expires":%d,"idle_heartbeat":%d}`, p.Batch, p.Expires, p.Heartbeat)
	_ = t.nc.PublishRequest(pullSubject(streamName(t.run), name), m.Reply, request) // a lost request is sent again
}

// ack passes an acknowledgement on to JetStream, and no message that would be answered. Of tasks that are directed to a
// worker, its own user's counts alone.
func (t *Tasks) ack(m *nats.Msg) {
	subject, worker, say, err := decodeAck(m.Data, t.run)
	if err == nil && (worker == "" || t.speaksFor(senderOf(m), worker) == nil) {
		_ = t.nc.Publish(subject, say)
	}
}

// turnDown tells a worker that the requested tasks will not come, and that it may ask again.
func (t *Tasks) turnDown(inbox string) {
	_ = t.nc.PublishMsg(&nats.Msg{Subject: inbox, Header: nats.Header{"Status": {statusAway}}})
}

// puller holds the inboxes where a worker waits for tasks.
type puller struct{ own, any string }

// note remembers the asking worker, and reports whether it may ask.
func (t *Tasks) note(p *pullRequest, inbox string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.Own && !t.workers[p.Worker] {
		return false // it has not joined: a request before its consumer exists would get no answer
	}
	q := t.pullers[p.Worker]
	if q == nil {
		if len(t.pullers) >= maxWorkers {
			return true // it may ask; should the queue be rebuilt, it notices later
		}
		q = new(puller)
		t.pullers[p.Worker] = q
	}
	if p.Own {
		q.own = inbox
	} else {
		q.any = inbox
	}
	return true
}

// askAgain makes the workers ask again: the server has lost their requests, and no consumer heard a request that came
// while there was none.
func (t *Tasks) askAgain() {
	t.mu.Lock()
	var inboxes []string
	for _, q := range t.pullers {
		for _, inbox := range []string{q.own, q.any} {
			if inbox != "" {
				inboxes = append(inboxes, inbox)
			}
		}
	}
	t.mu.Unlock()
	for _, inbox := range inboxes {
		t.turnDown(inbox)
	}
}
