package natsqueue

import (
	"fmt"
	"regexp"
	"strings"
	"time"

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
)

// runForm keeps a run ID from reaching into other subjects.
var runForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func checkRun(run string) error {
	if !runForm.MatchString(run) {
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
func reportSubject(run string) string     { return "pagoda." + run + ".report" }
func joinSubject(run string) string       { return "pagoda." + run + ".join" }
func heartbeatSubject(run string) string  { return "pagoda." + run + ".heartbeat" }
func locateSubject(run string) string     { return "pagoda." + run + ".locate" }
func dropSubject(run string) string       { return "pagoda." + run + ".drop" }
func runSubject(run string) string        { return "pagoda.runs." + run }
func findSubject(run string) string       { return "pagoda.find." + run }
func pullRequests(run string) string      { return "pagoda." + run + ".pull" }
func ackSubject(run string) string        { return "pagoda." + run + ".ack" }
func pullSubject(stream, consumer string) string {
	return "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumer
}

// findAny asks for the coordinators of all runs.
const findAny = "pagoda.find"

// deadlineHeader tells a worker, in milliseconds, how long a task may show no progress.
const deadlineHeader = "Pagoda-Ack-Wait-Ms"
