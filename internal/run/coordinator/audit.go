package coordinator

import (
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/trust"
)

// Audits catch a worker whose results are wrong: some windows are computed a second time, by another worker or by the
// coordinator, and the two results are compared. Which windows these are follows from a secret of the coordinator, so
// that no worker can know, and the first windows of a party are always among them. The coordinator believes results of
// its own process.

const (
	// selfShare is the share of the audits that the coordinator computes itself, in case all workers are one person's.
	selfShare = 0.25
	// leastOfLayer is how many windows of a layer are audited on average, at least: no layer of few windows is left out,
	// such as the first and the last layers.
	leastOfLayer = 2
	// largeTimes is how many times the mean of its layer the sums of a window are that is audited more often than others:
	// by as many times as its sums exceed that.
	largeTimes = 64
)

// Audits are the shares of the windows of workers that are audited, those apart that are drawn more often.
func (o *Options) Audits() trust.Shares {
	s := trust.Shares{All: o.AuditFraction, Own: o.AuditFraction}
	if !o.AuditAlone {
		s.Own *= selfShare
	}
	return s
}

// sampled reports whether a window is audited that a worker has reported for the first time. It is drawn with
// AuditFraction, or more where its layer has few windows, or its sums are much larger than the mean of its layer.
func (c *Coordinator) sampled(rec *kv.Record, worker string) bool {
	if c.o.AuditFraction == 0 {
		return false
	}
	id := rec.ID()
	if !c.owns(worker) && c.members.Get(worker) != nil && c.members.Costs.First(worker) {
		return true
	}
	share := max(c.o.AuditFraction*max(1, c.plan.TimesMean(rec)/largeTimes),
		leastOfLayer/float64(c.plan.PlannedLayers[id.Layer].Windows))
	return (c.fleet.Closed || !c.owns(worker)) && c.marker.Sample("audit", id) < share
}

// resumeAudits requests the audits that were due when another coordinator of the run ended. An audit is noted as due
// with the window's record, so none is forgotten, whatever share is audited now. Of the layers from one on, which are
// new in the plan, those are audited too that rest on refused workers alone: versions of the program before this one
// have not noted all of them.
func (c *Coordinator) resumeAudits(from int) error {
	p := c.plan
	due := append(c.auditsDue, c.soleWord(from)...)
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
