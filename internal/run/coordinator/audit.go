package coordinator

import (
	"pagoda/internal/kv"
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

// resumeAudits requests the audits of windows in the layers from one on that another coordinator has left.
func (c *Coordinator) resumeAudits(from int) error {
	for _, id := range c.doubt.Resumed(c.plan, from) {
		cell, w, err := c.plan.Window(id)
		if err != nil {
			return err
		}
		if !w.Committed || w.Audit {
			continue // its record was forgotten: it is computed, and chosen, as if for the first time
		}
		if err := c.plan.RequestAudit(cell, id.Part); err != nil {
			return err
		}
	}
	return nil
}
