package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// PlanStatus describes the plan of a run that nobody carries out.
func PlanStatus(m *Meta, p *Plan) Status {
	s := Status{Run: m.Run, Puzzle: m.Puzzle, State: StateStopped, Layers: p.Progress()}
	for _, l := range s.Layers {
		s.Windows += l.Windows
		s.Done += l.Done
		s.Rows += l.Rows
		s.Bytes += l.Bytes
	}
	p.mu.RLock()
	s.Planned, s.Addresses = p.decided, p.slots
	p.mu.RUnlock()
	if p.Complete() {
		s.State = StateComplete
	}
	return s
}

// ReadStatus says how far the run in dir is. Of a live run it tells what that wrote down within the last second or so.
// It never keeps anybody from using the folder.
func ReadStatus(dir string, p puzzle.Puzzle) (Status, error) {
	m, err := ReadMeta(dir)
	if err != nil {
		return Status{}, err
	}
	// The folder may be somebody's for a moment only, and whoever begins to write it makes a look at it fail.
	const tries, pause = 5, 50 * time.Millisecond
	for n := 1; ; n++ {
		s, err := peekStatus(dir, &m, p)
		switch {
		case err == nil:
			return s, nil
		case n < tries:
			time.Sleep(pause)
		case errors.Is(err, kv.ErrLocked):
			return readStatusFile(dir, &m)
		default:
			return Status{}, err
		}
	}
}

// peekStatus says what the ledger holds. It has the folder only while it opens the ledger.
func peekStatus(dir string, m *Meta, p puzzle.Puzzle) (Status, error) {
	ledger, err := kv.OpenLedger(filepath.Join(dir, ledgerName), m.Run, kv.Options{ReadOnly: true, Peek: true})
	if err != nil {
		return Status{}, fmt.Errorf("ledger: %w", err)
	}
	plan, err := NewPlan(p)
	if err == nil {
		err = plan.loadEach(m.Run, ledger.Load, func(kv.Entry) error { return nil })
	}
	due, dueErr := ledger.AuditsDue()
	if err := errors.Join(err, dueErr, ledger.Close()); err != nil {
		return Status{}, err
	}
	s := PlanStatus(m, plan)
	if s.AuditsDue = len(due); s.AuditsDue > 0 {
		s.State = StateStopped
	}
	if last, err := readStatusFile(dir, m); err == nil && s.State == StateStopped && last.State == StateFailed {
		s.State, s.Error, s.Quarantined = last.State, last.Error, last.Quarantined
	}
	return s, nil
}

const maxStatusBytes = 64 << 20

func readStatusFile(dir string, m *Meta) (Status, error) {
	path := filepath.Join(dir, statusName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		// The process that has the folder has only just begun, or is no run (an export, a verification).
		return Status{Run: m.Run, Puzzle: m.Puzzle, State: StateRunning}, nil
	}
	if err != nil {
		return Status{}, err
	}
	var s Status
	if err := decodeStrict(b, &s, maxStatusBytes); err != nil {
		return Status{}, fmt.Errorf("%s: %w", path, err)
	}
	if s.Run != m.Run {
		return Status{}, fmt.Errorf("%s: it speaks of run %.40q, the folder is of run %s", path, s.Run, m.Run)
	}
	return s, nil
}

// WriteStatus puts the status file of a live run in place.
func (f *Folder) WriteStatus(s *Status) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(f.Dir, statusName), append(b, '\n'), false)
}
