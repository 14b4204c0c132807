package coordinator

import (
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// Events are callbacks that report the progress of a run; any may be nil. They are called one at a time, from the
// coordinator, and hold it up: they must return quickly. This package never logs.
type Events struct {
	Resumed     func(Resumed)     // after the ledger is loaded and before anything is computed; again after damage
	Planned     func(Planned)     // whenever layers were added to the plan
	Assigned    func(Assigned)    // windows were given to a worker
	Committed   func(Committed)   // a window is in the ledger
	Audited     func(Audited)     // a window was computed a second time, with the same result
	Copied      func(Copied)      // a further worker has copied a window
	LayerDone   func(LayerDone)   // all windows of a layer are in the ledger
	Retry       func(Retry)       // a window failed and will be tried again
	Lost        func(Lost)        // a committed window has no holder and will be computed again
	Dropped     func(Dropped)     // the retention policy removed rows that nothing needs any more
	Quarantined func(Quarantined) // a window failed too often; the run goes on without it, as far as it can
	Resubmitted func(Resubmitted) // the queue lost tasks, and they were sent again

	ReportRefused func(ReportRefused) // a part of a report was passed over
	Refused       func(Refused)       // workers have reported wrong results and are refused from now on
	Stalled       func(Stalled)       // a worker does not report its tasks
	SetAside      func(SetAside)      // a worker has held up the run for too long

	QueueDown      func(QueueDown)      // the queue cannot be used, or can again
	WorkerJoined   func(WorkerJoined)   // a worker is there, for the first time or again
	Unfit          func(Unfit)          // a worker cannot take part, for a reason that is news
	WorkerDrains   func(WorkerDrains)   // a worker takes no more tasks, and ends
	WorkerLost     func(WorkerLost)     // a worker has left, was silent for too long, or does not serve its windows
	ArchiveListed  func(ArchiveListed)  // the archive has been listed
	ArchiveLost    func(ArchiveLost)    // the archive cannot be read
	Disks          func(status.Disks)   // the run may not fit on the disks of the workers, or may again
	RejoinTimedOut func(RejoinTimedOut) // after the start, holders on record have not come back in time
}

// Resumed describes the windows that a run found in its folder.
type Resumed struct {
	Run     string
	Windows int    // committed before, not computed again
	Rows    uint64 // in those windows
	Bytes   uint64 // coded size of those windows
	// Absent counts committed windows without a holder (dropped by the retention policy, or lost); Again counts those of
	// them whose rows are needed and which are therefore computed a second time.
	Absent, Again int
	// Damage says why the rows in the folder had to be given up, all of them or those that could not be read; "" when they
	// had not.
	Damage string
	// Left counts the planned windows that remain to be computed, Again included.
	Left int
}

// Planned gives the size of the plan so far.
type Planned struct {
	Layers, Cells, Windows int
	Addresses              uint64
	Complete               bool // no layer will be added
}

// Assigned describes the windows of a task. Those that the coordinator computes itself are given to protocol.OwnWorker.
type Assigned struct {
	Windows []protocol.TaskWindow
	Worker  string // "" when the first free worker takes them
}

// Audited describes an audit that has confirmed a window.
type Audited struct {
	Window puzzle.WindowID
	Worker string
	Took   time.Duration
	Holds  bool // the worker holds the rows too; a coordinator that computes for itself keeps none
}

// Copied describes a copy.
type Copied struct {
	Window puzzle.WindowID
	Worker string
}

// Committed describes a window that was committed.
type Committed struct {
	Window      puzzle.Window
	Rows, Bytes uint64
	Effort      float64       // predicted, see plan.Cell.Effort
	Took        time.Duration // the worker's time to compute it
	Worker      string
	Reused      bool // the worker had it on disk from before a crash, and its digest was checked
	Again       bool // the window was in the ledger before; its rows were needed again
	// Moved is the size of the parents' windows that the worker did not hold: it had to fetch no more.
	Moved       uint64
	Done, Total int // windows in the ledger, windows planned so far
}

// LayerDone describes a layer whose windows are all committed.
type LayerDone struct {
	Layer       int
	Windows     int
	Rows, Bytes uint64
}

// Retry describes a failed attempt.
type Retry struct {
	Window  puzzle.WindowID
	Attempt int // the attempt that failed, from 1; 0 when it does not count because the worker's disk is full
	Worker  string
	Err     error
}

// Lost describes a window that has to be computed again.
type Lost struct {
	Window puzzle.WindowID
	Worker string // the worker that could not read it
	Cause  string
}

// Dropped describes rows removed by the retention policy.
type Dropped struct {
	Windows []puzzle.WindowID
	Bytes   uint64
}

// Resubmitted counts tasks that the queue lost.
type Resubmitted struct{ Tasks int }

// ReportRefused describes windows of a report that are not due, or that cannot be right.
type ReportRefused struct {
	Worker  string
	Windows int
	Reason  string // of the first
}

// Unfit describes a worker that cannot take part: because its messages are of another version, it cannot read the
// config, or it has not the memory.
type Unfit struct {
	Worker  string
	Program string // its version, "" where it does not say
	Reason  string
}

// Refused describes the consequences of wrong results.
type Refused struct {
	Workers []kv.Refusal
	// Forgotten counts windows that are computed again, Audits those that are computed a second time.
	Forgotten, Audits int
}

// Stalled describes a worker whose tasks go to others.
type Stalled struct {
	Worker string
	Tasks  int
}

// SetAside describes a worker that is given only windows that others leave, see membership.Costs. Err is the last
// failure, nil when the worker was late.
type SetAside struct {
	Worker string
	Err    error
}

// QueueDown says whether the queue can be used.
type QueueDown struct {
	Down bool
	Err  error // while it is away
}

// WorkerJoined describes a worker whose inventory is complete.
type WorkerJoined struct {
	Worker, Address string
	Program         string // its version, "" where it does not say
	Concurrency     int
	Held            int // windows that it holds
	// Missing counts windows that it was thought to hold and that have no holder now; Again those that are computed again.
	Missing, Again int
	// Cancelled counts windows that were to be computed again before it came, and need not be.
	Cancelled int
}

// WorkerDrains describes a worker that is about to end.
type WorkerDrains struct {
	Worker  string
	ToCopy  int  // windows that others are to copy before
	Alone   bool // no other worker is there to copy any
	Archive bool // the worker uploads them instead
}

// WorkerLost describes a worker that is taken for gone, until it joins again.
type WorkerLost struct {
	Worker string
	Silent time.Duration
	// Left says that it announced its end, and ended: it does not count as lost.
	Left bool
	// Unserved says that it was heard, and did not serve the windows that it holds: it has to wait until it may join.
	Unserved bool
	Windows  int // that only it held
	Again    int // that are computed again
}

// RejoinTimedOut counts windows whose holders have not come back.
type RejoinTimedOut struct {
	Windows int
	Again   int // that are computed again
}
