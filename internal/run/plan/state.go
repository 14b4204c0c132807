package plan

import (
	"fmt"

	"pagoda/internal/puzzle"
)

// State is where a window is in its life:
//
//	planned --want--> queued --assign--> assigned --hold--> held --lose--> absent
//	   |                ^ ^                 |                |               |
//	   |                | +-----requeue-----+                |               |
//	   |                +--audit-----------------------------+               |
//	   |                +--want, audit---------------------------------------+
//	   |
//	   +--commit--> absent --await--> awaited --hold--> held
//	                                     |   +--give up--> absent
//	                                   audit
//	                                     v
//	                               audit awaited --hold, give up--> queued
//
//	queued, assigned --quarantine--> quarantined       queued --cancel--> absent
//	queued, quarantined, absent --hold--> held         queued, assigned --confirm--> absent
//
// A commit in the ledger is a fact and no state: it is for good, while rows come and go. A window in any state but
// planned, queued, assigned and quarantined is committed; in the last three it may be, when its rows were lost or it is
// audited.
type State uint8

// The states.
const (
	WindowPlanned      State = iota // nothing is known of it, and it is not asked for
	WindowQueued                    // to be computed, on its cell's todo list
	WindowAssigned                  // in a task, or waiting for another attempt
	WindowQuarantined               // failed too often: no worker computes it
	WindowHeld                      // committed, with a holder
	WindowAbsent                    // committed, without a holder
	WindowAwaited                   // committed, and holders on record may come back
	WindowAuditAwaited              // awaited, and to be audited once its holders are known
	numStates
)

var stateNames = [numStates]string{
	"planned", "queued", "assigned", "quarantined", "held", "absent", "awaited", "audit awaited",
}

func (s State) String() string { return stateNames[s] }

// toCompute reports whether the window is to be computed.
func (s State) toCompute() bool {
	return s == WindowQueued || s == WindowAssigned || s == WindowQuarantined || s == WindowAuditAwaited
}

// awaited reports whether holders on record may come back.
func (s State) awaited() bool { return s == WindowAwaited || s == WindowAuditAwaited }

// event is a change in the life of a window.
type event uint8

const (
	evCommit     event = iota // the ledger has it, at the start of a coordinator
	evWant                    // its rows are needed
	evAssign                  // it goes into a task
	evRequeue                 // its task is lost, has failed, or has waited long enough
	evQuarantine              // it has failed too often
	evHold                    // a worker holds its rows
	evLose                    // its last holder is gone
	evCancel                  // its rows are not needed after all
	evAudit                   // it is to be computed a second time
	evAwait                   // its holders on record may come back
	evGiveUp                  // they have not
	evConfirm                 // it was computed a second time by a worker that keeps no rows, and has no holder
	numEvents
)

var eventNames = [numEvents]string{
	"commit", "want", "assign", "requeue", "quarantine", "hold", "lose", "cancel", "audit", "await", "give up", "confirm",
}

// transitions has the next state by state and event. An event that a state does not have is illegal.
var transitions = map[State]map[event]State{
	WindowPlanned: {evCommit: WindowAbsent, evWant: WindowQueued},
	WindowQueued: {
		evAssign:     WindowAssigned,
		evQuarantine: WindowQuarantined,
		evHold:       WindowHeld,
		evCancel:     WindowAbsent,
		evConfirm:    WindowAbsent,
	},
	WindowAssigned: {
		evRequeue:    WindowQueued,
		evQuarantine: WindowQuarantined,
		evHold:       WindowHeld,
		evConfirm:    WindowAbsent,
	},
	WindowQuarantined:  {evHold: WindowHeld},
	WindowHeld:         {evLose: WindowAbsent, evAudit: WindowQueued},
	WindowAbsent:       {evWant: WindowQueued, evHold: WindowHeld, evAudit: WindowQueued, evAwait: WindowAwaited},
	WindowAwaited:      {evHold: WindowHeld, evAudit: WindowAuditAwaited, evGiveUp: WindowAbsent},
	WindowAuditAwaited: {evHold: WindowQueued, evGiveUp: WindowQueued},
}

// successors is transitions as an array, for speed; numStates stands for none.
var successors = func() (t [numStates][numEvents]State) {
	for s := range t {
		for e := range t[s] {
			t[s][e] = numStates
			if to, ok := transitions[State(s)][event(e)]; ok {
				t[s][e] = to
			}
		}
	}
	return t
}()

// A TransitionError says that something cannot happen to a window in its state.
type TransitionError struct {
	Window puzzle.WindowID
	State  State
	Event  string
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("window %s is %s: it cannot %s", e.Window, e.State, e.Event)
}

// fire changes the state of window i of c, and with it the counters and the todo list. The error is a *TransitionError.
func (p *Plan) fire(c *Cell, i int, e event) error {
	w := &c.Parts[i]
	from := w.State
	to := successors[from][e]
	if to == numStates {
		return &TransitionError{Window: c.WindowID(i), State: from, Event: eventNames[e]}
	}
	w.State = to
	p.count(c, from, -1)
	p.count(c, to, 1)
	if to == WindowQueued {
		p.list(c, i)
	}
	return nil
}

// mustFire is fire after a look at the state; it panics on an illegal event.
func (p *Plan) mustFire(c *Cell, i int, e event) {
	if err := p.fire(c, i, e); err != nil {
		panic(err)
	}
}

// count adds to the windows that are counted by state.
func (p *Plan) count(c *Cell, s State, n int) {
	if s.toCompute() {
		c.Pending += n
		p.PendingCount += n
	}
	if s == WindowQuarantined {
		p.QuarantinedCount += n
	}
	if s.awaited() {
		p.AwaitedCount += n
	}
}
