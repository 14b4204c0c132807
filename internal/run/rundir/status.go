package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/readfile"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
	"pagoda/internal/run/trust"
)

// PlanStatus describes the plan of a run that no process carries out.
func PlanStatus(m *Meta, p *plan.Plan) status.Status {
	s := status.Status{Run: m.Run, Puzzle: m.Puzzle, State: status.StateStopped, Layers: p.Progress()}
	for _, l := range s.Layers {
		s.Windows += l.Windows
		s.Done += l.Done
		s.Rows += l.Rows
		s.Bytes += l.Bytes
	}
	s.Planned, s.Addresses = p.Size()
	if p.Complete() {
		s.State = status.StateComplete
	}
	return s
}

// ReadStatus says how far the run in dir is. For a live run it returns the status file, which is at most a second or so
// old. It never keeps another process from using the folder.
func ReadStatus(dir string, p puzzle.Puzzle) (status.Status, error) {
	l, err := LookAt(dir, p)
	return l.Status, err
}

// A Look is the state of a run as its folder tells it.
type Look struct {
	Status status.Status
	// Results has the committed windows, and none of their holders. nil: another process has the folder.
	Results *plan.Plan
	// Last is the status file that the last process left; nil for none.
	Last *status.Status
}

// LookAt is ReadStatus, with the plan and the status file behind it.
func LookAt(dir string, p puzzle.Puzzle) (Look, error) {
	m, err := ReadMeta(dir)
	if err != nil {
		return Look{}, err
	}
	// Another process may hold the folder for a moment only. While it begins to write, reading fails.
	const tries, pause = 5, 50 * time.Millisecond
	for n := 1; ; n++ {
		l, err := peek(dir, &m, p)
		switch {
		case err == nil:
			return l, nil
		case n < tries:
			time.Sleep(pause)
		case errors.Is(err, kv.ErrLocked):
			s, err := readStatusFile(dir, &m)
			return Look{Status: s}, err
		default:
			return Look{}, err
		}
	}
}

// peek looks at the ledger. It holds the folder only while it opens the ledger.
func peek(dir string, m *Meta, p puzzle.Puzzle) (Look, error) {
	ledger, err := kv.OpenLedger(filepath.Join(dir, ledgerName), m.Run, kv.Options{ReadOnly: true, Peek: true})
	if errors.Is(err, fs.ErrNotExist) {
		err = errNoLedger
	}
	if err != nil {
		return Look{}, fmt.Errorf("ledger: %w", err)
	}
	var words *trust.Words
	plan, err := plan.New(p)
	if err == nil {
		words, err = Words(ledger, func(count func(kv.Entry) error) error { return plan.Load(m.Run, ledger.Load, count) })
	}
	due, dueErr := ledger.AuditsDue()
	if err := errors.Join(err, dueErr, ledger.Close()); err != nil {
		return Look{}, err
	}
	s := PlanStatus(m, plan)
	s.Words = words
	s.Grid = plan.Grid()
	if s.AuditsDue = len(due); s.AuditsDue > 0 {
		s.State = status.StateStopped
	}
	last, err := readStatusFile(dir, m)
	if err != nil {
		return Look{Status: s, Results: plan}, nil //nolint:nilerr // it would have added why the run has stopped
	}
	if s.State == status.StateComplete && last.Unexported {
		s.State, s.Unexported = status.StateStopped, true
	}
	if s.State == status.StateStopped && last.State == status.StateFailed {
		s.State, s.Error, s.Quarantined = last.State, last.Error, last.Quarantined
	}
	return Look{Status: s, Results: plan, Last: &last}, nil
}

const maxStatusBytes = 64 << 20

func readStatusFile(dir string, m *Meta) (status.Status, error) {
	path := filepath.Join(dir, statusName)
	b, err := readfile.Own(path, maxStatusBytes)
	if errors.Is(err, fs.ErrNotExist) {
		// The process that has the folder has only just begun, or is no run (an export, a verification).
		return status.Status{Run: m.Run, Puzzle: m.Puzzle, State: status.StateRunning}, nil
	}
	if err != nil {
		return status.Status{}, err
	}
	var s status.Status
	if err := protocol.DecodeStrict(b, &s, maxStatusBytes); err != nil {
		return status.Status{}, fmt.Errorf("%s: %w", path, err)
	}
	if s.Run != m.Run {
		return status.Status{}, fmt.Errorf("%s: it speaks of run %.40q, the folder is of run %s", path, s.Run, m.Run)
	}
	return s, nil
}

// WriteStatus puts the status file of a live run in place.
func (f *Folder) WriteStatus(s *status.Status) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(f.Dir, statusName), append(b, '\n'), false)
}
