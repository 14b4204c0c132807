package coordinator

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// A refusal is one change of the ledger, and then the run begins again from there, as after a stop: sums, layers and
// flows follow from the ledger and from nothing else. Package doubt decides about the change.

// errRefused is wrapped by a RestartError.
var errRefused = errors.New("wrong results were reported")

// A RestartError ends a coordinator that has removed wrong results from its ledger: the run can begin again at once, in
// the next epoch. It names the workers that have reported them.
type RestartError struct {
	Refused []kv.Refusal
	// Forgotten counts windows that are computed again because they were wrong or follow from wrong ones. Audits counts
	// windows that are computed a second time because only those workers had computed them.
	Forgotten, Audits int
}

func (e *RestartError) Error() string {
	var names []string
	for _, r := range e.Refused {
		names = append(names, fmt.Sprintf("worker %s is refused: window %s: %s", r.Worker, r.Window, r.Reason))
	}
	if len(names) == 0 {
		names = []string{"it is not known who reported them"}
	}
	return fmt.Sprintf("%v; %s; %d windows are forgotten and %d compared", errRefused, strings.Join(names, ", "),
		e.Forgotten, e.Audits)
}

func (e *RestartError) Unwrap() error { return errRefused }

// refuse removes wrong windows from the ledger with all that follows from them, refuses the guilty workers, and ends
// this coordinator with a RestartError.
func (c *Coordinator) refuse(guilty []kv.Refusal, wrong []puzzle.WindowID) error {
	d := c.doubt.Refuse(c.plan, guilty, wrong)
	if err := c.ledger.Distrust(d); err != nil {
		return err
	}
	e := &RestartError{Refused: d.Refuse, Forgotten: len(d.Forget), Audits: len(d.Audit)}
	call(c.o.Events.Refused, Refused{Workers: d.Refuse, Forgotten: e.Forgotten, Audits: e.Audits})
	return e
}

// loadDoubt reads from the ledger what is not believed, and which audits are due.
func (c *Coordinator) loadDoubt() error {
	secret, err := c.ledger.Secret()
	if err != nil {
		return err
	}
	refused, err := c.ledger.Refused()
	if err != nil {
		return err
	}
	suspects, err := c.ledger.Suspects()
	if err != nil {
		return err
	}
	due, err := c.ledger.AuditsDue()
	c.doubt.Load(secret, refused, suspects, due...)
	return err
}

// nobodyLeft is how long a run goes on that has refused a worker and has no other.
const nobodyLeft = 20 * time.Second

// NobodyLeftError ends a run that has no worker any more but those that it refuses.
type NobodyLeftError struct{ Refused []kv.Refusal }

func (e *NobodyLeftError) Error() string {
	r := e.Refused[0]
	return fmt.Sprintf("nobody is left to compute: worker %s is refused for wrong results: window %s: %s",
		r.Worker, r.Window, r.Reason)
}

// Advice returns what to do, in one line.
func (e *NobodyLeftError) Advice() string {
	if protocol.Fingerprint(e.Refused[0].Worker) == "" {
		return "start workers on other machines; the same command resumes"
	}
	return "the key is refused as a whole: give other machines another, with coordinator certs DIR --worker NAME; " +
		"the same command resumes"
}

// checkSomebodyLeft returns an error when workers were refused and no other has come in their place.
func (c *Coordinator) checkSomebodyLeft(now time.Time) error {
	if len(c.o.Refused) == 0 || len(c.members.Working()) > 0 {
		c.times.worker = now
		return nil
	}
	if now.Sub(c.times.worker) < nobodyLeft {
		return nil
	}
	return &NobodyLeftError{c.o.Refused}
}
