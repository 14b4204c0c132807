package status

import (
	"time"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/trust"
)

// States of a run.
const (
	StateRunning   = "running"   // a process has the folder
	StateExporting = "exporting" // it does, and all windows are committed: the export is being written
	StateStopped   = "stopped"   // no process has the folder: windows, audits or the export are left
	StateComplete  = "complete"  // all windows of all layers are committed, and exported where that was asked for
	StateFailed    = "failed"    // stopped by an error, which Status.Error shows
)

// Status is a snapshot of a run, for people and as JSON.
type Status struct {
	Run     string          `json:"run"`
	Puzzle  string          `json:"puzzle"`
	State   string          `json:"state"`
	Error   string          `json:"error,omitempty"`
	Planned bool            `json:"planned"` // no layer will be added to the plan
	Windows int             `json:"windows"` // planned so far
	Done    int             `json:"done"`    // committed
	Rows    uint64          `json:"rows"`    // in the committed windows
	Bytes   uint64          `json:"bytes"`   // coded size of the committed windows
	Layers  []plan.Progress `json:"layers"`
	// AuditsDue counts the windows that a run which has stopped was to compute a second time, and has not.
	AuditsDue int `json:"audits_due,omitempty"`
	// Unexported says that all windows are committed, and the export is not written yet.
	Unexported bool `json:"unexported,omitempty"`
	// Addresses counts those of the windows, as far as planned. Windows differ in size.
	Addresses uint64 `json:"addresses"`
	// The rest is known of a live run only.
	Concurrency int       `json:"concurrency,omitempty"`
	Started     time.Time `json:"started,omitzero"`
	Updated     time.Time `json:"updated,omitzero"`
	Committed   int       `json:"committed,omitempty"` // windows since the start
	NewRows     uint64    `json:"new_rows,omitempty"`  // rows since the start
	// NewAddresses counts those of the windows that were committed since the start.
	NewAddresses uint64 `json:"new_addresses,omitempty"`
	Left         *Left  `json:"left,omitempty"` // time; nil: it is not known
	// Used is nil where it is not known, or other runs go on in the coordinator's process.
	Used    *Used `json:"used,omitempty"`
	Retries int   `json:"retries,omitempty"` // failed attempts since the start
	Lost    int   `json:"lost,omitempty"`    // windows lost since the start
	FleetStatus
}

// Used is what the coordinator's process has used, workers in other processes not included.
type Used struct {
	Machine   string `json:"machine"`    // such as linux/amd64, 2 processors
	CPUMillis int64  `json:"cpu_millis"` // processor time since the start
	PeakBytes uint64 `json:"peak_bytes"` // the most memory; 0: not known
}

// Ending reports whether all windows of a live run are committed, and only its results are left to be made.
func (s *Status) Ending() bool {
	return s.Left == nil && s.Planned && s.Windows > 0 && s.Done == s.Windows && s.Again == 0
}

// WorkerStatus is the state of a worker, as its coordinator knows it.
type WorkerStatus struct {
	Name        string    `json:"name"`
	Program     string    `json:"program,omitempty"` // its version
	Address     string    `json:"address,omitempty"`
	State       string    `json:"state"`
	Concurrency int       `json:"concurrency"`
	Busy        int       `json:"busy"`            // slots that compute
	Doing       []Doing   `json:"doing,omitempty"` // their windows, as of its last heartbeat: at most 16, oldest first
	Tasks       int       `json:"tasks"`           // in flight to it because it holds their parents
	Held        int       `json:"held"`            // windows
	Moved       uint64    `json:"moved,omitempty"` // bytes that it fetched from others
	Runs        int       `json:"runs,omitempty"`  // that its process serves, among which it shares its processors
	Seen        time.Time `json:"seen"`            // its last heartbeat
	// Speed is how fast it computes, as a multiple of all workers' mean of late; 0: not known.
	Speed float64 `json:"speed,omitempty"`
	// WaitMillis is how long its computed tasks wait for its disk and for the coordinator's answer, on average of late.
	WaitMillis int64 `json:"wait_millis,omitempty"`
	// ToCopy counts the windows that others are to copy before it ends.
	ToCopy int `json:"to_copy,omitempty"`
	// Disk is nil where it is not known.
	Disk *Disk `json:"disk,omitempty"`
}

// UnfitWorker is a worker that cannot take part in the run, and says so.
type UnfitWorker struct {
	Name    string    `json:"name"`
	Program string    `json:"program,omitempty"` // its version
	Reason  string    `json:"reason"`
	Seen    time.Time `json:"seen"` // when it said so
}

// Doing is a window that a worker works on.
type Doing struct {
	Window string    `json:"window"`         // layer, cell and part, such as 7/12.8.8.4/0
	Copy   bool      `json:"copy,omitempty"` // it is brought from another worker, and not computed
	Since  time.Time `json:"since"`          // by the coordinator's clock
}

// States of a worker.
const (
	WorkerActive  = "active"
	WorkerJoining = "joining" // its inventory is not complete
	WorkerLeaving = "leaving" // it takes no more tasks, and ends
	WorkerFull    = "full"    // its disk is full, and it ends
)

// Who computes windows a second time, as the setting audit_by says it.
const (
	AuditByWorkers     = "workers"
	AuditByCoordinator = "coordinator"
)

// Waiting is a coordinator's reason to wait.
type Waiting struct {
	For   string    `json:"for"` // such as "a worker"
	Since time.Time `json:"since"`
}

// QuarantinedWindow is a window that is quarantined, for people.
type QuarantinedWindow struct {
	Window   string `json:"window"`
	Attempts int    `json:"attempts"`
	Error    string `json:"error"`
}

// FleetStatus is the state of a live run besides its plan.
type FleetStatus struct {
	Epoch       uint64              `json:"epoch,omitempty"`   // of its coordinator
	Program     string              `json:"program,omitempty"` // version of the coordinator's program
	Workers     []WorkerStatus      `json:"workers,omitempty"`
	Unfit       []UnfitWorker       `json:"unfit,omitempty"`        // workers that cannot take part
	WorkersLost int                 `json:"workers_lost,omitempty"` // since the start, unannounced
	QueueDown   string              `json:"queue_down,omitempty"`   // why the queue cannot be used; "" when it can
	Awaited     int                 `json:"awaited,omitempty"`      // windows whose holders on record are not back
	Pending     int                 `json:"pending,omitempty"`      // windows to be computed, audits included
	Quarantined []QuarantinedWindow `json:"quarantined,omitempty"`
	// Ready counts the windows of Pending that workers compute, or could compute at this moment.
	Ready int `json:"ready,omitempty"`
	// Again counts the windows that are committed and are computed again, because others need their rows, which are lost:
	// while that lasts, Done hardly grows.
	Again int `json:"again,omitempty"`
	// MovedBytes is the size of the parents that workers had to fetch because they did not hold them, as the coordinator
	// predicts it; WorkerStatus.Moved is measured.
	MovedBytes uint64 `json:"moved_bytes,omitempty"`
	Audited    int    `json:"audited,omitempty"` // windows computed a second time and compared
	// AuditFraction and AuditBy are the settings of a coordinator that workers may join. AuditBy is empty without one.
	AuditFraction float64 `json:"audit_fraction,omitempty"`
	AuditBy       string  `json:"audit_by,omitempty"`
	// Words counts the committed windows by the parties that computed them; nil: not known.
	Words *trust.Words `json:"words,omitempty"`
	// Recomputed counts those of them that the coordinator has computed itself. Refused names the workers that have
	// reported wrong results in the life of the run.
	Recomputed int      `json:"recomputed,omitempty"`
	Refused    []string `json:"refused,omitempty"`
	Copied     int      `json:"copied,omitempty"` // windows copied for the sake of replicas
	// Waiting is the coordinator's reason to wait, nil when it waits for nothing but the next window.
	Waiting *Waiting `json:"waiting,omitempty"`
	// Disks is nil where it is not known whether the rows fit.
	Disks *Disks `json:"disks,omitempty"`
	// Rest is the work left of the plan.
	Rest []plan.Rest `json:"-"`
	// Grid has the states of the windows, layer by layer, as [plan.Plan.Grid] writes them.
	Grid []string `json:"grid,omitempty"`
}
