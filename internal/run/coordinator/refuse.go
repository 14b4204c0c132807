package coordinator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/protocol"
)

// A worker that has reported a wrong result is refused for good, with its party: all workers of the same key, under
// whatever names, see protocol.Party. A window counts as known by the word of the workers that have computed it, each
// by itself, and the word of a refused worker counts for nothing. So with every refusal all windows that rest on the
// word of refused workers alone are computed a second time, whenever these were refused: a window that one liar has
// reported and another confirmed rests on nothing once both are found. Windows computed from wrong ones are forgotten,
// with the order not to use copies of them. Should another window of a refused worker turn out wrong, all that rests on
// refused workers is forgotten, with all that follows from it. All that is one change of the ledger, and then the run
// begins again from there, as after a stop: sums, layers and flows follow from the ledger and from nothing else.
// docs/security.md has the proof that no lie of a refused worker is left in the end.

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
	var fresh []kv.Refusal
	strict := false
	for _, g := range guilty {
		party := protocol.Party(g.Worker)
		if _, known := c.refused[party]; known {
			strict = strict || !slices.Contains(fresh, c.refused[party])
			continue
		}
		c.refused[party] = g
		fresh = append(fresh, g)
	}
	sole := c.soleWord(0)
	if strict {
		for _, id := range sole {
			if !slices.Contains(wrong, id) {
				wrong = append(wrong, id)
			}
		}
	}
	d := kv.Distrust{Epoch: c.o.Epoch, Refuse: fresh}
	suspect := make(map[puzzle.WindowID]bool)
	for _, id := range append(slices.Clone(wrong), c.plan.Descendants(wrong)...) {
		if suspect[id] {
			continue
		}
		suspect[id] = true
		d.Suspect = append(d.Suspect, id)
		if _, w, err := c.plan.Window(id); err == nil && w.Committed {
			d.Forget = append(d.Forget, id)
		}
	}
	for _, id := range sole {
		if !suspect[id] {
			d.Audit = append(d.Audit, id)
		}
	}
	if err := c.ledger.Distrust(d); err != nil {
		return err
	}
	e := &RestartError{Refused: fresh, Forgotten: len(d.Forget), Audits: len(d.Audit)}
	call(c.o.Events.Refused, Refused{Workers: fresh, Forgotten: e.Forgotten, Audits: e.Audits})
	return e
}

// soleWord lists the windows of the layers from one on that rest on the word of refused workers alone.
func (c *Coordinator) soleWord(from int) []puzzle.WindowID {
	if len(c.refused) == 0 {
		return nil
	}
	return c.plan.SoleWord(slices.Collect(maps.Keys(c.refused)), from) // whose keys are parties
}

// loadTrust reads the secret, the refused workers and the suspect windows from the ledger.
func (c *Coordinator) loadTrust() error {
	secret, err := c.ledger.Secret()
	if err != nil {
		return err
	}
	c.marker = attempt.NewMarker(secret)
	refused, err := c.ledger.Refused()
	if err != nil {
		return err
	}
	for _, r := range refused {
		c.refused[protocol.Party(r.Worker)] = r
	}
	c.suspects, err = c.ledger.Suspects()
	return err
}

// refusal says why a worker is refused, "" when it is not.
func (c *Coordinator) refusal(worker string) string {
	r, ok := c.refused[protocol.Party(worker)]
	switch {
	case !ok:
		return ""
	case r.Worker != worker:
		return fmt.Sprintf("worker %s is refused in this run with all of its key: window %s of worker %s: %s", worker,
			r.Window, r.Worker, r.Reason)
	}
	return fmt.Sprintf("worker %s is refused in this run: window %s: %s", worker, r.Window, r.Reason)
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
		c.lastWorker = now
		return nil
	}
	if now.Sub(c.lastWorker) < nobodyLeft {
		return nil
	}
	return &NobodyLeftError{c.o.Refused}
}
