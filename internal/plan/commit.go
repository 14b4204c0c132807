package plan

import (
	"fmt"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
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

// CheckContent says what shows without reading any rows that a record of this plan cannot be right: sizes that do not
// fit together, flows from and to cells that the plan does not name.
func (p *Plan) CheckContent(c *Cell, rec *kv.Record) error {
	if err := rec.Check(); err != nil {
		return fmt.Errorf("window %s: %w", rec.Window, err)
	}
	for _, f := range rec.Tally.In {
		if !slices.ContainsFunc(c.Parents, func(id puzzle.Cell) bool { return id == f.Cell }) && c.Flows {
			return fmt.Errorf("window %s: it takes from cell %d/%s, which its plan does not name", rec.Window, f.Layer, f.Key)
		}
	}
	for _, f := range rec.Tally.Out {
		if child := p.Index[f.Cell]; child != nil && child.Flows && !slices.Contains(child.ParentCells, c) {
			return fmt.Errorf("window %s: it passes to cell %d/%s, which does not read it", rec.Window, f.Layer, f.Key)
		}
	}
	return nil
}

// Fits reports whether the sums of a record can be added to those of its cell and layer within 128 bits.
func (p *Plan) Fits(c *Cell, rec *kv.Record) bool {
	for _, s := range rec.Tally.Sums {
		for _, t := range []*puzzle.Tally{&c.tally, &p.PlannedLayers[c.Layer].tally} {
			if _, ok := t.Sum(s.Name).Add(s.Value); !ok {
				return false
			}
		}
	}
	for _, pair := range [][2][]puzzle.Flow{{c.tally.In, rec.Tally.In}, {c.tally.Out, rec.Tally.Out}} {
		for _, f := range pair[1] {
			if _, ok := amount(pair[0], f.Cell).Add(f.Amount); !ok {
				return false
			}
		}
	}
	return true
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
