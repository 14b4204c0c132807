package pipeline

import (
	"errors"
	"fmt"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// A WindowError is a computation or a commit that failed, as its worker told it. errors.Is finds puzzle.ErrOverflow and
// kv.ErrDiskFull in it where they apply.
type WindowError struct {
	Window puzzle.WindowID
	Worker string
	Kind   string // FailError, FailForeign, FailOverflow, FailDiskFull
	Text   string
}

func (e *WindowError) Error() string {
	return fmt.Sprintf("window %s on worker %s: %s", e.Window, e.Worker, e.Text)
}

// Unwrap returns the sentinel that belongs to the kind of failure.
func (e *WindowError) Unwrap() error {
	switch e.Kind {
	case FailForeign:
		return puzzle.ErrForeign
	case FailOverflow:
		return puzzle.ErrOverflow
	case FailDiskFull:
		return kv.ErrDiskFull
	}
	return nil
}

// A QuarantineError stops a run because one window keeps failing. It wraps the last failure.
type QuarantineError struct {
	Window   puzzle.WindowID
	Attempts int
	Err      error
}

func (e *QuarantineError) Error() string {
	return fmt.Sprintf("window %s failed %d times, last: %v", e.Window, e.Attempts, e.Err)
}

func (e *QuarantineError) Unwrap() error { return e.Err }

// entries checks the records of letters and returns what they add to the ledger.
func (c *Coordinator) entries(letters []letter) ([]kv.Entry, error) {
	p := c.plan
	var entries []kv.Entry
	for _, l := range letters {
		if l.report.Run != c.run {
			return nil, fmt.Errorf("worker %s reports run %s", l.report.Worker, l.report.Run)
		}
		for i := range l.report.Done {
			rec := &l.report.Done[i].Record
			_, w, err := p.checkRecord(c.run, rec)
			if err != nil {
				return nil, fmt.Errorf("worker %s: %w", l.report.Worker, err)
			}
			names := p.holdersWith(w, l.report.Worker)
			entries = append(entries, kv.Entry{Record: *rec, Holders: names})
		}
	}
	return entries, nil
}

// write appends entries to the ledger, synced.
func (c *Coordinator) write(entries []kv.Entry, letters []letter) error {
	if len(entries) == 0 {
		return nil
	}
	err := c.ledger.Append(entries)
	if errors.Is(err, kv.ErrConflict) {
		return fmt.Errorf("last reported by worker %s: %w", letters[len(letters)-1].report.Worker, err)
	}
	return err
}

// notice brings the plan up to date with letters. It returns what to tell once the ledger is synced.
func (c *Coordinator) notice(letters []letter) (news []Committed, err error) {
	for _, l := range letters {
		for i := range l.report.Done {
			n, err := c.done(&l.report, &l.report.Done[i])
			if err != nil {
				return nil, err
			}
			if n != nil {
				news = append(news, *n)
			}
		}
		for i := range l.report.Failures {
			if err := c.failed(&l.report, &l.report.Failures[i]); err != nil {
				return nil, err
			}
		}
	}
	return news, nil
}

// done takes notice of a window that was committed. It returns nil for a second delivery.
func (c *Coordinator) done(r *Report, d *Done) (*Committed, error) {
	p := c.plan
	id := d.Record.ID()
	cell, w, err := p.window(id)
	if err != nil {
		return nil, err
	}
	again, wasHeld := w.done, w.holders != 0
	if err := p.settleRecord(&d.Record); err != nil {
		return nil, err
	}
	if err := p.hold(id, r.Worker); err != nil {
		return nil, err
	}
	c.flights.land(id)
	if again && wasHeld {
		return nil, nil
	}
	c.learnRate(d, cell.workPerWindow())
	if cell.pending == 0 && cell.done == len(cell.windows) {
		c.mayDrop(cell)
	}
	return &Committed{
		Window: d.Record.Window, Rows: d.Record.Rows, Bytes: d.Record.Bytes,
		Took: time.Duration(d.Nanos), Worker: r.Worker, Reused: d.Reused, Again: again,
		Done: p.nDone, Total: p.nWindows,
	}, nil
}

// failed takes notice of a window that could not be computed.
func (c *Coordinator) failed(r *Report, f *Failure) error {
	p := c.plan
	id := f.Window.ID()
	cell, w, err := p.window(id)
	if err != nil {
		return fmt.Errorf("worker %s: %w", r.Worker, err)
	}
	c.flights.land(id)
	if !w.pending {
		return nil // somebody else has computed it meanwhile
	}
	if f.Kind == FailMissing {
		if err := c.lost(r, f); err != nil {
			return err
		}
		p.relist(cell, id.Part)
		return nil
	}
	failure := &WindowError{Window: id, Worker: r.Worker, Kind: f.Kind, Text: f.Text}
	if f.Kind != FailError {
		return failure
	}
	w.attempts++
	if int(w.attempts) >= c.o.MaxAttempts {
		call(c.o.Events.Quarantined, Quarantined{Window: id, Attempts: int(w.attempts), Err: failure})
		return &QuarantineError{Window: id, Attempts: int(w.attempts), Err: failure}
	}
	call(c.o.Events.Retry, Retry{Window: id, Attempt: int(w.attempts), Worker: r.Worker, Err: failure})
	p.relist(cell, id.Part)
	return nil
}

// lost takes notice of a window that could not be read.
func (c *Coordinator) lost(r *Report, f *Failure) error {
	p := c.plan
	id := f.Missing.ID()
	_, w, err := p.window(id)
	if err != nil {
		return fmt.Errorf("worker %s: %w", r.Worker, err)
	}
	news, err := p.lose(id, f.Loss)
	if err != nil || !news {
		return err
	}
	call(c.o.Events.Lost, Lost{Window: id, Worker: r.Worker, Cause: f.Text})
	if err := c.ledger.Unhold(id); err != nil {
		return err
	}
	if int(w.losses) > maxLosses {
		return &DamagedError{Window: id, Losses: int(w.losses), Worker: r.Worker, Text: f.Text}
	}
	return nil
}

// learnRate measures how long a unit of predicted work takes. Predictions are rough, so it leans on the recent past.
func (c *Coordinator) learnRate(d *Done, work float64) {
	if d.Reused || d.Nanos <= 0 {
		return
	}
	// A window weighs as much as its work, up to the windows that carry a tenth of a second.
	const memory = 1e8
	share := min(float64(d.Nanos)/memory, 0.5)
	c.nsPerWrk += (float64(d.Nanos)/work - c.nsPerWrk) * share
}
