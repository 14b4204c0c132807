package plan

// MaxGrid bounds the squares of a layer in a Grid.
const MaxGrid = 400

// stateMarks has the mark for a window of each state in a Grid.
var stateMarks = [numStates]byte{
	WindowPlanned: '.', WindowQueued: 'q', WindowAssigned: 'a', WindowQuarantined: 'x', WindowHeld: 'h',
	WindowAbsent: 'd', WindowAwaited: 'w', WindowAuditAwaited: 'w',
}

// gridOrder ranks the states; the first of several stands for all: attention needed, under way, still to come.
var gridOrder = [numStates]State{
	WindowQuarantined, WindowAssigned, WindowQueued, WindowAuditAwaited, WindowAwaited, WindowPlanned, WindowAbsent,
	WindowHeld,
}

// Grid returns the states of the windows of every planned layer, in plan order: for each layer a mark for each square,
// where a square stands for as many windows as it takes to have at most MaxGrid squares, ceil(windows/MaxGrid).
//
//	.  planned, not asked for       q  to be computed      a  in a task         x  quarantined
//	h  committed, rows are held     d  committed, no rows  w  holders are awaited
//
// It is called by the goroutine that changes the plan.
func (p *Plan) Grid() []string {
	rank := [numStates]int{}
	for i, s := range gridOrder {
		rank[s] = i
	}
	grid := make([]string, len(p.PlannedLayers))
	for n, l := range p.PlannedLayers {
		each := max(1, (l.Windows+MaxGrid-1)/MaxGrid)
		marks := make([]byte, 0, (l.Windows+each-1)/each)
		state, in := WindowHeld, 0
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			for j := range c.Parts {
				if s := c.Parts[j].State; in == 0 || rank[s] < rank[state] {
					state = s
				}
				if in++; in == each {
					marks, in = append(marks, stateMarks[state]), 0
				}
			}
		}
		if in > 0 {
			marks = append(marks, stateMarks[state])
		}
		grid[n] = string(marks)
	}
	return grid
}
