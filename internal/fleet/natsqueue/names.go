package natsqueue

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/run/protocol"
)

const (
	// consumerAny is the consumer of the tasks that are for the first free worker.
	consumerAny = "workers"
	// defaultAckWait is how long a task may show no progress before another worker gets it. It is a guess at how long a
	// computation may go without reading or writing a block, and costs time only when a worker dies.
	defaultAckWait = 30 * time.Second
	// maxPayload is the largest message that our own servers take; reports are the largest there are.
	maxPayload = 8 << 20
	// minPayload is what any server must take: pages of presence and of parents are made for it. It is NATS's default.
	minPayload = 1 << 20
	// inboxes begins every subject that answers are sent to.
	inboxes = "_INBOX."
	// noKey stands for the key of a process without credentials, and anyKey for all keys.
	noKey, anyKey = "-", "*"
)

// keyOf returns the key of a connection's user: Dial and Server.Connect give each user inboxes of its own.
func keyOf(nc *nats.Conn) string {
	if key, ok := strings.CutPrefix(nc.Opts.InboxPrefix, inboxes); ok && key != "" {
		return key
	}
	return noKey
}

// senderOf returns the key of the user that has sent a message: the last part of the subject, which the server lets no
// other user publish to.
func senderOf(m *nats.Msg) string { return m.Subject[strings.LastIndexByte(m.Subject, '.')+1:] }

// speaksFor returns an error unless the user with a key may speak for a worker: its name has the key's fingerprint, or
// is that of the coordinator's own worker, and own is the coordinator's key.
func speaksFor(key, worker, own string) error {
	fingerprint := ""
	if key != noKey {
		fingerprint = keys.Fingerprint(key)
	}
	if worker == protocol.OwnWorker && key == own || protocol.Fingerprint(worker) == fingerprint {
		return nil
	}
	return fmt.Errorf("%w: worker %.150s is not of key %.12s", protocol.ErrMessage, worker, fingerprint)
}

func checkRun(run string) error {
	if !keys.ValidRun(run) {
		return fmt.Errorf("%.70q cannot be the run ID of a queue", run)
	}
	return nil
}

func checkWorker(worker string) error {
	if !protocol.ValidWorker(worker) {
		return fmt.Errorf("%.130q cannot be the name of a worker", worker)
	}
	return nil
}

// token makes one part of a subject of a worker's name, in which dots would make several. No name has an equals sign.
func token(worker string) string { return strings.ReplaceAll(worker, ".", "=") }

func streamName(run string) string        { return "PAGODA-" + run }
func consumerOf(worker string) string     { return "to-" + token(worker) }
func tasksSubject(run string) string      { return "pagoda." + run + ".task.>" }
func anySubject(run string) string        { return "pagoda." + run + ".task.any" }
func toSubject(run, worker string) string { return "pagoda." + run + ".task.to." + token(worker) }
func dropSubject(run string) string       { return "pagoda." + run + ".drop" }
func runSubject(run string) string        { return "pagoda.runs." + run }
func findSubject(run string) string       { return "pagoda.find." + run }
func pullSubject(stream, consumer string) string {
	return "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumer
}

// These subjects of messages from a worker end in its key: its credentials allow that and no other.
func reportSubject(run, key string) string    { return "pagoda." + run + ".report." + key }
func joinSubject(run, key string) string      { return "pagoda." + run + ".join." + key }
func heartbeatSubject(run, key string) string { return "pagoda." + run + ".heartbeat." + key }
func locateSubject(run, key string) string    { return "pagoda." + run + ".locate." + key }
func pullRequests(run, key string) string     { return "pagoda." + run + ".pull." + key }
func ackSubject(run, key string) string       { return "pagoda." + run + ".ack." + key }

// joinOfVersion1 is where workers of version 1 join. They hear there that they speak another version.
func joinOfVersion1(run string) string { return "pagoda." + run + ".join" }

// findAny asks for the coordinators of all runs.
const findAny = "pagoda.find"

// deadlineHeader tells a worker, in milliseconds, how long a task may show no progress.
const deadlineHeader = "Pagoda-Ack-Wait-Ms"
