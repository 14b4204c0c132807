package simulate

import (
	"context"
	"errors"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/plan"
)

// shape is a puzzle reduced to its plan: its windows have no rows that count anything.
type shape struct {
	puzzle.Puzzle
	partial bool // a layer depends on results
}

// Layer implements puzzle.Puzzle. The run ends where a layer depends on results: a simulation has none.
func (s *shape) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	plans, err := s.Puzzle.Layer(n, known)
	plans = slices.Clone(plans)
	for i := range plans {
		plans[i].Flows = false // a simulation counts nothing
	}
	if errors.Is(err, puzzle.ErrUndecided) {
		s.partial = true
		return nil, puzzle.ErrNoLayer
	}
	return plans, err
}

// Reads implements puzzle.Reader.
func (s *shape) Reads(w puzzle.Window) ([]puzzle.Range, bool) { return puzzle.Reads(s.Puzzle, w) }

// Compute implements puzzle.Puzzle.
func (s *shape) Compute(context.Context, puzzle.Window, puzzle.Source, puzzle.Sink) (puzzle.Tally, error) {
	return puzzle.Tally{}, errors.New("a simulation computes nothing")
}

// noLedger is a ledger that stores nothing: the plan gives its entries, and a simulated coordinator is not resumed.
type noLedger struct{ r *run }

func (noLedger) Append([]kv.Entry, ...kv.Audit) error          { return nil }
func (noLedger) AuditsDue() ([]puzzle.WindowID, error)         { return nil, nil }
func (noLedger) SetHolders(puzzle.WindowID, []string) error    { return nil }
func (noLedger) Distrust(kv.Distrust) error                    { return errors.New("nobody lies in a simulation") }
func (noLedger) Secret() ([]byte, error)                       { return []byte("of a simulation"), nil }
func (noLedger) Refused() ([]kv.Refusal, error)                { return nil, nil }
func (noLedger) Suspects() (map[puzzle.WindowID]uint64, error) { return nil, nil }
func (noLedger) Unhold(...puzzle.WindowID) error               { return nil }

// Entry implements coordinator.Ledger: all workers compute the same.
func (l noLedger) Entry(id puzzle.WindowID) (kv.Entry, bool, error) {
	c, w, err := l.r.plan.Window(id)
	if err != nil || !w.Committed {
		return kv.Entry{}, false, err
	}
	return kv.Entry{Record: l.r.record(c.CellPlan, c.Window(id.Part))}, true, nil
}

// bytes is the size of a window, in bytes.
func (r *run) bytes(c *puzzle.CellPlan, w puzzle.Window) float64 {
	if r.fleet.Size != nil {
		return r.fleet.Size(c, w)
	}
	return bytesOf(c, w)
}

// record is that of a computed window.
func (r *run) record(c *puzzle.CellPlan, w puzzle.Window) kv.Record {
	return record(runID, w, r.bytes(c, w))
}

// record is that of a computed window of a size.
func record(run string, w puzzle.Window, bytes float64) kv.Record {
	rec := kv.Record{Run: run, Window: w}
	if bytes > 0 {
		rec.Blocks = (w.Addresses-1)/puzzle.BlockAddresses + 1
		rec.Rows, rec.Bytes = w.Addresses, min(max(uint64(bytes), 1), rec.Blocks*blocks.MaxBytes)
	}
	return rec
}

// bytesOf is the predicted size of a window of a cell.
func bytesOf(c *puzzle.CellPlan, w puzzle.Window) float64 {
	return c.RowBytes * float64(w.Addresses) / float64(c.Addresses)
}

// criticalPath is the length of the longest chain of windows that wait for each other, and the work of all.
func criticalPath(p *plan.Plan, cost Cost) (path, work float64) {
	end := make(map[*plan.Cell]float64, p.CellCount)
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			longest := 0.0
			for k := range c.Parts {
				t := cost(c.CellPlan, c.Window(k))
				work += t
				longest = max(longest, t)
			}
			for _, parent := range c.ParentCells {
				end[c] = max(end[c], end[parent])
			}
			end[c] += longest
			path = max(path, end[c])
		}
	}
	return path, work
}
