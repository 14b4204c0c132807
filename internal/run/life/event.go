package life

import (
	"strings"
	"time"

	"pagoda/internal/puzzle"
)

// A Kind says what happened.
type Kind string

// Events about a window.
const (
	Assigned  Kind = "assigned"  // the coordinator has given it to Worker; "" is the first free one
	Taken     Kind = "taken"     // Worker has taken it from the queue
	Computed  Kind = "computed"  // Worker has computed it, and not yet reported it
	Reported  Kind = "reported"  // Worker has reported it, and has the coordinator's answer
	Committed Kind = "committed" // it is in the ledger; Worker has reported and holds it
	Audited   Kind = "audited"   // Worker has computed it a second time, with the same result
	Copied    Kind = "copied"    // Worker has copied it
	Dropped   Kind = "dropped"   // its rows were removed from all disks: nothing reads them any more
	Failed    Kind = "failed"    // Worker could not compute, commit or copy it
	Retried   Kind = "retried"   // the coordinator has it computed again after Failed
	SetAside  Kind = "set aside" // it failed too often; the run goes on without it
	Lost      Kind = "lost"      // its rows cannot be read from anywhere; Worker has found it out
	Refused   Kind = "refused"   // Worker has reported it wrongly: none of its results counts any more
)

// Events about a worker.
const (
	Joined   Kind = "joined"   // with the windows of its disk
	Left     Kind = "left"     // it has said that it ends
	Gone     Kind = "gone"     // the coordinator has taken it for lost
	Unserved Kind = "unserved" // it does not serve the windows that it holds
	Stalled  Kind = "stalled"  // its tasks were given to others
)

// Events about the run.
const (
	Began       Kind = "began"        // a coordinator has started
	Resent      Kind = "resent"       // the queue lost tasks
	Absent      Kind = "absent"       // holders on record have not come back in time
	ArchiveLost Kind = "archive lost" // the archive cannot be read
)

// An Event is one step in the life of a window.
type Event struct {
	Time   time.Time
	Kind   Kind
	Window puzzle.WindowID // the zero value where it is about a worker or the run
	Worker string
	Took   time.Duration // time of the computation: of Computed, Committed, Audited
	Audit  bool          // the computation is the second one of an audit
	Copy   bool          // the window is to be copied
	Reused bool          // the worker had it on its disk
	Held   int           // windows that Worker holds: of Joined, and of Audited 1 or 0
	Why    string        // "" where nothing is to be said
}

// Reason says why it happened, or more closely what; "" where nothing is to be said.
func (e *Event) Reason() string {
	var parts []string
	for _, p := range []struct {
		is   bool
		text string
	}{
		{e.Audit, "audit"}, {e.Copy, "copy"}, {e.Reused, "it was on its disk already"}, {e.Why != "", e.Why},
	} {
		if p.is {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}

// AboutWindow reports whether an event is about one window.
func (e *Event) AboutWindow() bool { return !e.Kind.aboutWorker() && !e.Kind.aboutRun() }

// aboutWorker reports whether an event is about a worker and not about one window.
func (k Kind) aboutWorker() bool {
	return k == Joined || k == Left || k == Gone || k == Unserved || k == Stalled
}

// aboutRun reports whether an event is about the run.
func (k Kind) aboutRun() bool { return k == Began || k == Resent || k == Absent || k == ArchiveLost }
