package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// Limits of tasks and reports.
const (
	MaxTaskBytes   = 128 << 10 // of an encoded Task
	MaxReportBytes = 8 << 20   // of an encoded Report
	MaxTaskWindows = 256       // windows of one Task
	maxRunLen      = 64
	maxNameLen     = 128
	MaxTextLen     = 4096
	maxErrorLen    = 1024
	maxAttemptLen  = 80
	// MaxEpoch bounds epochs: a run that changes its coordinator every second does not get there.
	MaxEpoch = 1 << 48
)

// A Task is the unit that a worker's slot takes from the queue: some windows whose parents are all committed.
type Task struct {
	Run string `json:"run"`
	// Epoch is that of the coordinator which made the task; workers pass over tasks of an epoch that has ended.
	Epoch uint64 `json:"epoch"`
	// To names the worker that the task is for; "" leaves it to the first free worker.
	To string `json:"to,omitempty"`
	// ID is unique in a run's life: a task that is submitted again carries another one. Queues that recognise
	// duplicates key on it.
	ID      string       `json:"id"`
	Windows []TaskWindow `json:"windows"`
	// Parents locates the parents of the windows as of the task's making, so that no worker has to ask: as many as fit.
	Parents []Located `json:"parents,omitempty"`
}

// A TaskWindow is one window of a Task.
type TaskWindow struct {
	puzzle.Window
	// Reads numbers all parents of the window's cell among Task.Parents, in the order of the plan; none: they have to be
	// asked for, see Locator.
	Reads []int `json:"reads,omitempty"`
	// Fresh says that a stored copy must not be used, because it is known to be bad.
	Fresh bool `json:"fresh,omitempty"`
	// Audit asks for a computation though the window is committed, and perhaps held: the two are compared.
	Audit bool `json:"audit,omitempty"`
	// Attempt is a mark that only the coordinator can write, and only a reader of the task can know: a report of the
	// window carries it back.
	Attempt string `json:"attempt,omitempty"`
	// Copy, when not nil, asks for a copy from one of the holders instead of a computation; the record has its tally.
	Copy *LocatedWindow `json:"copy,omitempty"`
}

// A Report gives the outcome of tasks. Windows that it does not name were not finished; their task goes back to the
// queue.
type Report struct {
	Run    string `json:"run"`
	Worker string `json:"worker"`
	// Incarnation and Epoch are those under which the worker has joined. A report of another epoch is not taken.
	Incarnation string `json:"incarnation,omitempty"`
	Epoch       uint64 `json:"epoch"`
	// Number tells the reports of an incarnation apart, from 1: one whose answer is lost arrives again, and its failures
	// count once. 0 says nothing.
	Number uint64 `json:"number,omitempty"`
	// WaitMillis is how long the task that was done first has waited for the worker's disk. The coordinator gives a worker
	// with a slow disk fewer windows.
	WaitMillis int64     `json:"wait_ms,omitempty"`
	Done       []Done    `json:"done,omitempty"`
	Failures   []Failure `json:"failures,omitempty"`
}

// Done reports a committed window.
type Done struct {
	Record kv.Record `json:"record"`
	Nanos  int64     `json:"nanos"`            // computing time
	Reused bool      `json:"reused,omitempty"` // it was on disk already, and its digest was checked
	Audit  bool      `json:"audit,omitempty"`  // it was computed a second time, as TaskWindow.Audit asks
	// Attempt is the task's, see TaskWindow.
	Attempt string `json:"attempt,omitempty"`
}

// Kinds of Failure.
const (
	FailMissing  = "missing"   // a parent could not be read
	FailForeign  = "foreign"   // the computation reads a cell that its plan does not name; trying again would not help
	FailOverflow = "overflow"  // a count left 128 bits; trying again would not help
	FailDiskFull = "disk-full" // the worker's disk is full; trying again would not help
	FailCopy     = "copy"      // a window could not be copied, see TaskWindow.Copy; that says nothing of computing it
	FailError    = "error"     // anything else, panics included
)

// A Failure reports a window that could not be computed or committed.
type Failure struct {
	Window puzzle.Window `json:"window"`
	Kind   string        `json:"kind"`
	Text   string        `json:"text"`
	// Missing names the window that could not be read, and Loss how often it had been lost before, as the coordinator
	// said when it was looked up: so a reader that comes late does not make it lost twice. It is -1 when the window was
	// not lost but dropped.
	Missing *puzzle.Window `json:"missing,omitempty"`
	Loss    int            `json:"loss,omitempty"`
	// Holders are the workers that did not serve it, all that the coordinator had named. Unreachable says that none of
	// them has said that it does not have it.
	Holders     []string `json:"holders,omitempty"`
	Unreachable bool     `json:"unreachable,omitempty"`
	Attempt     string   `json:"attempt,omitempty"` // that of the task, see TaskWindow
}

// A Reply answers a Report. Unless it carries an error, everything in the report is in the ledger, synced.
type Reply struct {
	Error string `json:"error,omitempty"`
	Stop  bool   `json:"stop,omitempty"` // the run is over for this worker: take no more tasks
	// Rejoin says that nothing of the report was taken: the worker is unknown, or joined in another epoch. It should join
	// and report again.
	Rejoin bool `json:"rejoin,omitempty"`
	// Refused says why a part of the report was passed over, which is no error of the worker's session: that part is not
	// due any more. The rest was taken.
	Refused string `json:"refused,omitempty"`
}

// ErrMessage is wrapped by the decoders of this package when a message is malformed.
var ErrMessage = errors.New("malformed message")

// Encode writes t as JSON.
func (t *Task) Encode() ([]byte, error) { return encode(t, t.form) }

// DecodeTask reads what Encode wrote. Errors wrap ErrMessage.
func DecodeTask(b []byte) (Task, error) {
	t, err := decodeMessage(b, MaxTaskBytes, (*Task).form)
	if err != nil {
		return Task{}, err
	}
	return t, t.check()
}

func (t *Task) check() error {
	switch {
	case !ValidRun(t.Run):
		return fmt.Errorf("%w: %q is no run ID", ErrMessage, t.Run)
	case t.To != "" && !ValidWorker(t.To):
		return fmt.Errorf("%w: %.40q is no worker name", ErrMessage, t.To)
	case t.ID == "" || len(t.ID) > maxNameLen:
		return fmt.Errorf("%w: task ID of %d bytes", ErrMessage, len(t.ID))
	case t.Epoch > MaxEpoch:
		return checkEpoch(t.Epoch)
	case len(t.Windows) == 0 || len(t.Windows) > MaxTaskWindows:
		return fmt.Errorf("%w: task %s has %d windows, want 1 to %d", ErrMessage, t.ID, len(t.Windows), MaxTaskWindows)
	}
	if err := checkParents(t.Run, t.Parents); err != nil {
		return err
	}
	seen := make(map[puzzle.WindowID]bool, len(t.Windows))
	for _, w := range t.Windows {
		if err := checkWindow(w.Window); err != nil {
			return err
		}
		for _, i := range w.Reads {
			if i < 0 || i >= len(t.Parents) {
				return fmt.Errorf("%w: window %s reads parent %d of %d", ErrMessage, w.Window, i, len(t.Parents))
			}
		}
		if w.Copy != nil {
			if err := w.Copy.check(t.Run); err != nil {
				return err
			}
			if w.Copy.Record.Window != w.Window {
				return fmt.Errorf("%w: window %s is to be a copy of window %s", ErrMessage, w.Window, w.Copy.Record.Window)
			}
		}
		if seen[w.ID()] {
			return fmt.Errorf("%w: task %s names window %s twice", ErrMessage, t.ID, w)
		}
		seen[w.ID()] = true
	}
	return nil
}

// Encode writes r as JSON.
func (r *Report) Encode() ([]byte, error) {
	if len(r.Failures) > 0 {
		return json.Marshal(r)
	}
	return encode(r, r.form)
}

// DecodeReport reads what Encode wrote. Errors wrap ErrMessage.
func DecodeReport(b []byte) (Report, error) {
	r, err := decodeMessage(b, MaxReportBytes, (*Report).form)
	if err != nil {
		return Report{}, err
	}
	return r, r.check()
}

func (r *Report) check() error {
	if !ValidRun(r.Run) {
		return fmt.Errorf("%w: %q is no run ID", ErrMessage, r.Run)
	}
	if !ValidWorker(r.Worker) {
		return fmt.Errorf("%w: %.40q is no worker name", ErrMessage, r.Worker)
	}
	if err := checkEpoch(r.Epoch); err != nil {
		return err
	}
	if r.Incarnation != "" && !validName(r.Incarnation, maxNameLen) {
		return fmt.Errorf("%w: %.40q is no incarnation of worker %s", ErrMessage, r.Incarnation, r.Worker)
	}
	if r.WaitMillis < 0 {
		return fmt.Errorf("%w: a report that has waited for %d ms", ErrMessage, r.WaitMillis)
	}
	for i := range r.Done {
		rec := &r.Done[i].Record
		if rec.Run != r.Run {
			return fmt.Errorf("%w: window %s of run %.40q in a report of run %s", ErrMessage, rec.Window, rec.Run, r.Run)
		}
		if err := rec.Check(); err != nil {
			return fmt.Errorf("%w: record: %w", ErrMessage, err)
		}
		if r.Done[i].Nanos < 0 || len(r.Done[i].Attempt) > maxAttemptLen {
			return fmt.Errorf("%w: window %s took %d ns, attempt of %d bytes",
				ErrMessage, rec.Window, r.Done[i].Nanos, len(r.Done[i].Attempt))
		}
	}
	for i := range r.Failures {
		f := &r.Failures[i]
		if err := checkWindow(f.Window); err != nil {
			return err
		}
		switch f.Kind {
		case FailMissing:
			if f.Missing == nil || f.Loss < -1 {
				return fmt.Errorf("%w: window %s does not say which window it misses", ErrMessage, f.Window)
			}
			if err := checkWindow(*f.Missing); err != nil {
				return err
			}
			if len(f.Holders) > kv.MaxHolders || slices.ContainsFunc(f.Holders, func(s string) bool { return !ValidWorker(s) }) {
				return fmt.Errorf("%w: window %s names %d holders", ErrMessage, f.Window, len(f.Holders))
			}
		case FailForeign, FailOverflow, FailDiskFull, FailCopy, FailError:
		default:
			return fmt.Errorf("%w: window %s failed in an unknown way %.40q", ErrMessage, f.Window, f.Kind)
		}
		if len(f.Text) > MaxTextLen || len(f.Attempt) > maxAttemptLen {
			return fmt.Errorf("%w: window %s failed with a text of %d bytes", ErrMessage, f.Window, len(f.Text))
		}
	}
	return nil
}

// Encode writes r as JSON.
func (r *Reply) Encode() ([]byte, error) { return json.Marshal(r) }

// DecodeReply reads what Encode wrote. Errors wrap ErrMessage.
func DecodeReply(b []byte) (Reply, error) {
	var r Reply
	if err := decode(b, &r, MaxTextLen+maxErrorLen); err != nil {
		return Reply{}, err
	}
	return r, nil
}

// OwnWorker names the worker inside a coordinator's process, whose store is that of the run's folder. No other worker
// can have the name: entries of the ledger about it are known to be about that folder.
const OwnWorker = "coordinator"

// ValidRun reports whether s can be the ID of a run.
func ValidRun(s string) bool { return validName(s, maxRunLen) }

func validName(s string, limit int) bool {
	if s == "" || len(s) > limit {
		return false
	}
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return true
}

func checkEpoch(epoch uint64) error {
	if epoch > MaxEpoch {
		return fmt.Errorf("%w: epoch %d, at most %d is possible", ErrMessage, epoch, uint64(MaxEpoch))
	}
	return nil
}

func checkWindow(w puzzle.Window) error {
	if w.Layer < 0 || w.Part < 0 || w.Addresses == 0 || w.First+w.Addresses < w.First || !puzzle.ValidKey(w.Key) {
		return fmt.Errorf("%w: window of layer %d, cell %.70q, part %d, %d addresses from %d",
			ErrMessage, w.Layer, w.Key, w.Part, w.Addresses, w.First)
	}
	return nil
}

// DecodeStrict reads exactly one JSON document of at most limit bytes into v and refuses fields that v does not have.
// Errors wrap ErrMessage.
func DecodeStrict(b []byte, v any, limit int) error {
	return decodeOne(b, limit, v, (*json.Decoder).DisallowUnknownFields)
}

// decode is DecodeStrict for a message, which may have fields of a later program, see Version.
func decode(b []byte, v any, limit int) error { return decodeOne(b, limit, v, func(*json.Decoder) {}) }

func decodeOne(b []byte, limit int, v any, set func(*json.Decoder)) error {
	if len(b) > limit {
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrMessage, len(b), limit)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	set(d)
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: something follows the document", ErrMessage)
	}
	return nil
}

// Clip shortens the text of an error to the room in a message.
func Clip(s string) string { return s[:min(len(s), maxErrorLen)] }
