package plan

// Rest is the work left in a layer.
type Rest struct {
	Layer   int
	Windows int     // to be computed, in the hands of workers included
	Ready   int     // of these, in the hands of workers or with all parents held
	Effort  float64 // predicted, of these windows
	Whole   float64 // of all windows of the layer
	Longest float64 // of one of them, the longest
}

// stepsPerRead is the cost of reading an address of a parent, in steps. For games of peg solitaire the time of a step
// grows fivefold from the first layers to the last. The time by effort stays within a factor of about two.
const stepsPerRead = 8

// Effort predicts the cost of a window of the cell, in steps, as WorkPerWindow does; it also counts its reads.
func (c *Cell) Effort() float64 {
	var read uint64
	for _, parent := range c.ParentCells {
		read += parent.Addresses
	}
	return c.WorkPerWindow() + stepsPerRead*float64(read)
}

// ready counts the windows of the cell that workers compute, or could compute now.
func (c *Cell) ready() (n int) {
	held := c.ParentsHeld()
	for i := range c.Parts {
		if s := c.Parts[i].State; s == WindowAssigned || s == WindowQueued && held {
			n++
		}
	}
	return n
}

// Rest returns the work left in every layer. It is called by the goroutine that changes the plan.
func (p *Plan) Rest() []Rest {
	out := make([]Rest, len(p.PlannedLayers))
	for n, l := range p.PlannedLayers {
		r := &out[n]
		r.Layer = n
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			e := c.Effort()
			r.Whole += e * float64(len(c.Parts))
			if c.Pending > 0 {
				r.Windows += c.Pending
				r.Ready += c.ready()
				r.Effort += e * float64(c.Pending)
				r.Longest = max(r.Longest, e)
			}
		}
	}
	return out
}
