package fleet

import (
	"fmt"
	"regexp"
	"time"
)

const (
	consumerName = "workers"
	// defaultAckWait is how long a task may show no progress before somebody else gets it. It is a guess at how long a
	// computation may go without reading or writing a block, and costs time only when a worker dies.
	defaultAckWait = 30 * time.Second
	// maxPayload is the largest message that the embedded server takes; reports are the largest there are.
	maxPayload = 8 << 20
)

// runForm keeps a run ID from reaching into other subjects.
var runForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func checkRun(run string) error {
	if !runForm.MatchString(run) {
		return fmt.Errorf("%.70q cannot be the run ID of a queue", run)
	}
	return nil
}

func streamName(run string) string    { return "PAGODA-" + run }
func taskSubject(run string) string   { return "pagoda." + run + ".task" }
func reportSubject(run string) string { return "pagoda." + run + ".report" }
