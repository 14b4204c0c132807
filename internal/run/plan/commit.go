package plan

import (
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// CheckRecord returns the cell and window of a record, or an error when it is no record of this plan.
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

// ErrContradiction is wrapped when the numbers of a window cannot all be right. Verify forgets such a window.
var ErrContradiction = errors.New("its numbers contradict each other")

// CheckContent returns an error when a record of this plan cannot be right, without reading any rows: sizes that do not
// fit together, flows from and to cells that the plan does not name, numbers that contradict each other, as far as the
// puzzle knows. Errors name the window.
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
	return p.CheckTally(rec)
}

// CheckTally asks the puzzle whether the numbers of a record contradict each other. Errors wrap
// ErrContradiction and name
// the window.
func (p *Plan) CheckTally(rec *kv.Record) error {
	checker, ok := p.puzzle.(puzzle.TallyChecker)
	if !ok {
		return nil
	}
	if err := checker.CheckTally(rec.Window, rec.Rows, &rec.Tally); err != nil {
		return fmt.Errorf("window %s: %w: %w", rec.Window, ErrContradiction, err)
	}
	return nil
}

// A Batch is records that are added to a plan together. The zero value is empty.
type Batch struct {
	cells  map[*Cell]*puzzle.Tally
	layers map[int]*puzzle.Tally
}

// Fits reports whether the sums of a record can be added to those of its cell and layer, and of the batch, within 128
// bits. If so, it is one of the batch.
func (p *Plan) Fits(b *Batch, c *Cell, rec *kv.Record) bool {
	if b.cells == nil {
		b.cells, b.layers = make(map[*Cell]*puzzle.Tally), make(map[int]*puzzle.Tally)
	}
	cell, layer := b.cells[c], b.layers[c.Layer]
	if cell == nil {
		cell = &puzzle.Tally{}
		b.cells[c] = cell
	}
	if layer == nil {
		layer = &puzzle.Tally{}
		b.layers[c.Layer] = layer
	}
	fits := func(all ...uint128.Uint128) bool {
		var sum uint128.Uint128
		for _, n := range all {
			var ok bool
			if sum, ok = sum.Add(n); !ok {
				return false
			}
		}
		return true
	}
	whole := &p.PlannedLayers[c.Layer].tally
	for _, s := range rec.Tally.Sums {
		if !fits(c.tally.Sum(s.Name), cell.Sum(s.Name), s.Value) || !fits(whole.Sum(s.Name), layer.Sum(s.Name), s.Value) {
			return false
		}
	}
	for _, x := range [][3][]puzzle.Flow{
		{c.tally.In, cell.In, rec.Tally.In}, {c.tally.Out, cell.Out, rec.Tally.Out},
	} {
		for _, f := range x[2] {
			if !fits(amount(x[0], f.Cell), amount(x[1], f.Cell), f.Amount) {
				return false
			}
		}
	}
	totals := rec.Tally.Totals()
	return cell.Merge(&rec.Tally) == nil && layer.Merge(&totals) == nil
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
// completes it, and an error when a sum overflows: the window does not count as committed then.
func (p *Plan) Account(rec *kv.Record) (completed *Cell, err error) {
	id := rec.ID()
	c, w, err := p.Window(id)
	if err != nil || w.Committed {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := c.tally.Merge(&rec.Tally); err != nil {
		return nil, fmt.Errorf("window %s: %w", id, err)
	}
	l := p.PlannedLayers[id.Layer]
	totals := rec.Tally.Totals()
	if err := l.tally.Merge(&totals); err != nil {
		return nil, fmt.Errorf("window %s: sum over layer %d: %w", id, id.Layer, err)
	}
	w.Committed, w.Digest, w.Rows, w.Bytes, w.Blocks = true, rec.Digest, rec.Rows, rec.Bytes, rec.Blocks
	if w.State == WindowPlanned {
		if err := p.fire(c, id.Part, evCommit); err != nil {
			return nil, err
		}
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
