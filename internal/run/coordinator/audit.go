package coordinator

import (
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/doubt"
	"pagoda/internal/run/trust"
)

// Audits are the shares of the windows of workers that are audited, those apart that are drawn more often.
func (o *Options) Audits() trust.Shares {
	s := trust.Shares{All: o.AuditFraction, Own: o.AuditFraction}
	if !o.AuditAlone {
		s.Own *= doubt.SelfShare
	}
	return s
}

// audits reports whether a window is audited that a worker has reported for the first time. The first windows of every
// party are. The coordinator believes results of its own process.
func (c *Coordinator) audits(rec *kv.Record, worker string) bool {
	if c.o.AuditFraction == 0 {
		return false
	}
	if !c.owns(worker) && c.members.Get(worker) != nil && c.members.Costs.First(worker) {
		return true
	}
	return (c.fleet.Closed || !c.owns(worker)) && c.doubt.Drawn(c.plan, rec, c.o.AuditFraction)
}

// resumeAudits requests the audits that were due when another coordinator of the run ended. An audit is noted as due
// with the window's record, so none is forgotten, whatever share is audited now. Of the layers from one on, which are
// new in the plan, those are audited too that rest on refused workers alone: versions of the program before this one
// have not noted all of them.
func (c *Coordinator) resumeAudits(from int) error {
	p := c.plan
	due := append(c.auditsDue, c.doubt.SoleWord(p, from)...)
	var later []puzzle.WindowID
	for _, id := range due {
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
	c.auditsDue = later
	return nil
}
