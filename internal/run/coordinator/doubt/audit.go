package doubt

import (
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// Audits catch a worker whose results are wrong: some windows are computed a second time, by another worker or by the
// coordinator, and the two results are compared. Which windows these are follows from a secret of the coordinator, so
// that no worker can know.

const (
	// SelfShare is the share of the audits that the coordinator computes itself, in case all workers are one person's.
	SelfShare = 0.25
	// leastOfLayer is how many windows of a layer are audited on average, at least: no layer of few windows is left out,
	// such as the first and the last layers.
	leastOfLayer = 2
	// largeTimes is how many times the mean of its layer the sums of a window are that is audited more often than others:
	// by as many times as its sums exceed that.
	largeTimes = 64
)

// Drawn reports whether a window is audited. It is drawn with the given share, or with more where its layer has few
// windows, or its sums are much larger than the mean of its layer.
func (d *Doubt) Drawn(p *plan.Plan, rec *kv.Record, fraction float64) bool {
	share := max(fraction*max(1, p.TimesMean(rec)/largeTimes),
		leastOfLayer/float64(p.PlannedLayers[rec.Layer].Windows))
	return d.Marker.Sample("audit", rec.ID()) < share
}

// Resumed lists the audits that were due when another coordinator of the run ended, once their layers are planned. An
// audit is noted as due with the window's record, so none is forgotten, whatever share is audited now. Of the layers
// from one on, which are new in the plan, those are audited too that rest on refused workers alone: versions of the
// program before this one have not noted all of them.
func (d *Doubt) Resumed(p *plan.Plan, from int) (ids []puzzle.WindowID) {
	all := d.due
	d.due = nil
	for _, id := range all {
		if id.Layer >= len(p.PlannedLayers) && !p.Decided {
			d.due = append(d.due, id)
		} else {
			ids = append(ids, id)
		}
	}
	return append(ids, d.SoleWord(p, from)...)
}

// DrawnForSelf reports whether the coordinator computes the audit of a window itself.
func (d *Doubt) DrawnForSelf(id puzzle.WindowID) bool { return d.Marker.Sample("self", id) < SelfShare }
