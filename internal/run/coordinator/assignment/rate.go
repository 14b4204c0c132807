package assignment

// A Rate is the time that a unit of predicted work takes. Predictions are rough, so it leans on the recent past: all
// time and all work, that of the last tenth of a second most.
type Rate struct {
	NsPerWork               float64
	timeSpent, workMeasured float64 // of late
}

// Learn adds a computation.
func (r *Rate) Learn(nanos int64, work float64) {
	const memory = 1e8
	left := 1 - min(float64(nanos)/memory, 0.5)
	r.timeSpent = r.timeSpent*left + float64(nanos)
	r.workMeasured = r.workMeasured*left + work
	r.NsPerWork = r.timeSpent / r.workMeasured
}

// ns is the time for a unit of work, or else that of all where nothing was learned.
func (r *Rate) ns(all *Rate) float64 {
	if r.workMeasured <= 0 {
		return all.NsPerWork
	}
	return r.NsPerWork
}
