package plan

import (
	"fmt"

	"pagoda/internal/kv"
)

// CheckRecord says what is wrong with a record as a record of this plan.
func (p *Plan) CheckRecord(run string, rec *kv.Record) (*Cell, *Window, error) {
	if rec.Run != run {
		return nil, nil, fmt.Errorf("window %s: its record is of run %.40q, not %s", rec.Window, rec.Run, run)
	}
	c, w, err := p.Window(rec.Window.ID())
	if err != nil {
		return nil, nil, err
	}
	if want := c.Window(rec.Window.Part); rec.Window != want {
		return nil, nil, fmt.Errorf("window %s: its record covers %d slots from %d, the plan says %d from %d",
			rec.Window, rec.Window.Addresses, rec.Window.First, want.Addresses, want.First)
	}
	return c, w, nil
}

// CommitRecord adds a record that is in the ledger to the tallies and checks the flows that it completes. An error
// means that the run cannot go on.
func (p *Plan) CommitRecord(rec *kv.Record) error {
	completed, err := p.Account(rec)
	if err != nil || completed == nil {
		return err
	}
	return p.checkFlows(completed)
}

// Account adds a record to the tallies, unless its window is done already. It returns the cell when the record
// completes it, and an error when a sum overflows.
func (p *Plan) Account(rec *kv.Record) (completed *Cell, err error) {
	id := rec.ID()
	c, w, err := p.Window(id)
	if err != nil || w.Committed {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Committed, w.Digest, w.Rows, w.Bytes, w.Blocks = true, rec.Digest, rec.Rows, rec.Bytes, rec.Blocks
	if w.State == WindowPlanned {
		if err := p.fire(c, id.Part, evCommit); err != nil {
			return nil, err
		}
	}
	if err := c.tally.Merge(&rec.Tally); err != nil {
		return nil, fmt.Errorf("window %s: %w", id, err)
	}
	l := p.PlannedLayers[id.Layer]
	totals := rec.Tally.Totals()
	if err := l.tally.Merge(&totals); err != nil {
		return nil, fmt.Errorf("window %s: sum over layer %d: %w", id, id.Layer, err)
	}
	c.Done++
	l.Done++
	l.Rows += rec.Rows
	l.Bytes += rec.Bytes
	p.CommittedCount++
	if c.Done == len(c.Parts) {
		return c, nil
	}
	return nil, nil
}
