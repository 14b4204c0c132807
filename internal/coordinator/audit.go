package coordinator

import (
	"github.com/cespare/xxhash/v2"

	"pagoda/internal/puzzle"
)

// Audits catch a worker whose results are wrong: some windows are computed a second time, by another worker where there
// is one, and the ledger refuses a second result that differs. Which windows depends on the run alone.

// sampled reports whether a window is audited.
func (c *Coordinator) sampled(id puzzle.WindowID) bool {
	return c.o.AuditFraction > 0 && sample(c.run, id) < c.o.AuditFraction
}

// sample draws a number in [0, 1) for a window.
func sample(run string, id puzzle.WindowID) float64 {
	const bits = 53 // of a float64
	return float64(xxhash.Sum64String(run+"/"+id.String())>>(64-bits)) / (1 << bits)
}

// resumeAudits has the windows audited whose audits were due when another coordinator of the run ended. An audit is
// noted as due with the window's record, so none is forgotten, whatever share is audited now.
func (c *Coordinator) resumeAudits() error {
	p := c.plan
	later := c.due[:0]
	for _, id := range c.due {
		if id.Layer >= len(p.PlannedLayers) && !p.Decided {
			later = append(later, id)
			continue
		}
		cell, w, err := p.Window(id)
		if err != nil {
			return err
		}
		if !w.Committed || w.Audit {
			continue // its record was forgotten: it is computed, and chosen, as if for the first time
		}
		if err := p.RequestAudit(cell, id.Part); err != nil {
			return err
		}
	}
	c.due = later
	return nil
}
