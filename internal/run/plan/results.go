package plan

import (
	"pagoda/internal/puzzle"
)

// Layers is the number of layers planned so far.
func (p *Plan) Layers() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.PlannedLayers)
}

// Size says whether all layers are planned, and how many addresses those that are have.
func (p *Plan) Size() (decided bool, addresses uint64) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.Decided, p.AddressCount
}

// Complete reports whether all windows of all layers are committed.
func (p *Plan) Complete() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.Decided && p.CommittedCount == p.WindowCount
}

// Cells returns the plan of a layer, in plan order; nil for a layer that is not planned. It must not be modified.
func (p *Plan) Cells(n int) []puzzle.CellPlan {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if n < 0 || n >= len(p.PlannedLayers) {
		return nil
	}
	return p.PlannedLayers[n].Plans
}

// Cell returns the merged tally of a cell; ok is false while one of its windows is not committed. The tally's slices
// must not be modified.
func (p *Plan) Cell(id puzzle.Cell) (t puzzle.Tally, ok bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.Index[id]
	if c == nil || c.Done < len(c.Parts) {
		return puzzle.Tally{}, false
	}
	return c.tally, true
}

// Layer returns the merged sums and maxima of a layer; ok is false while one of its windows is not committed. Flows run
// between cells, so a layer's tally has none. The tally's slices must not be modified.
func (p *Plan) Layer(n int) (t puzzle.Tally, ok bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if n < 0 || n >= len(p.PlannedLayers) || p.PlannedLayers[n].Done < p.PlannedLayers[n].Windows {
		return puzzle.Tally{}, false
	}
	return p.PlannedLayers[n].tally, true
}

// Progress is how far a layer has come.
type Progress struct {
	Layer   int    `json:"layer"`
	Windows int    `json:"windows"` // planned
	Done    int    `json:"done"`    // committed
	Rows    uint64 `json:"rows"`    // in the committed windows
	Bytes   uint64 `json:"bytes"`   // coded size of the committed windows
}

// Progress returns the progress of every planned layer.
func (p *Plan) Progress() []Progress {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]Progress, len(p.PlannedLayers))
	for n, l := range p.PlannedLayers {
		out[n] = Progress{Layer: n, Windows: l.Windows, Done: l.Done, Rows: l.Rows, Bytes: l.Bytes}
	}
	return out
}
