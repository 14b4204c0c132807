package pipeline

import (
	"errors"
	"fmt"
	"sync"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// A Plan is what a run consists of and how far it has come: layers, cells, windows, and the merged tallies of what is
// committed. It implements puzzle.Results.
//
// It grows layer by layer, as far as the puzzle can tell its layers, and is never taken back. Memory is linear in
// windows (72 bytes each) and cells (their plans and merged tallies).
//
// One goroutine changes a plan; the methods of puzzle.Results and Locate may be called by others meanwhile.
type Plan struct {
	puzzle puzzle.Puzzle

	mu     sync.RWMutex
	layers []*layer
	cells  map[puzzle.Cell]*cell
	// decided: the puzzle has said that there is no further layer. undecided: it has said that it cannot tell yet.
	decided, undecided bool
	nCells, nWindows   int
	nDone, nPending    int
	nAwaited           int
	nQuarantined       int
	slots              uint64

	holders holderSets
	// ready has the cells with windows that can be computed, by strip, see strips.go.
	ready []cellHeap
	// readyWork is the predicted work of all their windows.
	readyWork float64
	// stash keeps what to do about ledger entries of layers that are not planned yet.
	stash map[int][]func() error
}

type layer struct {
	plans         []puzzle.CellPlan
	tally         puzzle.Tally // sums and maxima only
	windows, done int
	rows, bytes   uint64
}

type cell struct {
	*puzzle.CellPlan
	order             int // place in the plan, over all layers
	strip             int // place in its layer
	base              int // number of the first window, over all layers
	windows           []window
	parents, children []*cell
	tally             puzzle.Tally
	done              int     // windows in the ledger
	held              int     // windows whose rows somebody holds
	pending           int     // windows to be computed, in a worker's hands included
	todo              []int32 // windows to be computed that nobody has, last first
	queued            bool    // in the ready heap of its strip
}

// window is what is known of one window. That it is committed is for good; its rows may come and go.
type window struct {
	digest      kv.Digest
	rows, bytes uint64
	blocks      uint64
	holders     holderSet
	state       State // changed by fire alone
	done        bool  // committed: in the ledger
	listed      bool  // on the todo list of its cell; it leaves the list when its turn comes, whatever its state is then
	fresh       bool  // a stored copy is known to be bad
	audit       bool  // to be computed a second time, to be compared
	losses      uint8 // times that its rows were lost
}

// NewPlan plans the layers of p that can be told before anything is computed. It returns an error when a layer's plan
// contradicts itself.
func NewPlan(p puzzle.Puzzle) (*Plan, error) { return newPlan(p, 1) }

// newPlan is NewPlan with layers cut into strips.
func newPlan(p puzzle.Puzzle, strips int) (*Plan, error) {
	pl := &Plan{
		puzzle: p, cells: make(map[puzzle.Cell]*cell), stash: make(map[int][]func() error), ready: make([]cellHeap, strips),
	}
	return pl, pl.extend()
}

// extend asks the puzzle for further layers until it has no more or cannot tell.
func (p *Plan) extend() error {
	for !p.decided {
		if p.undecided && p.nDone < p.nWindows {
			return nil
		}
		n := len(p.layers)
		// Without the lock: the puzzle looks at the results, and nobody else changes them.
		plans, err := p.puzzle.Layer(n, p)
		switch {
		case errors.Is(err, puzzle.ErrNoLayer):
			p.mu.Lock()
			p.decided, p.undecided = true, false
			p.mu.Unlock()
			return nil
		case errors.Is(err, puzzle.ErrUndecided):
			if p.nDone == p.nWindows {
				return fmt.Errorf("layer %d: still undecided when every layer before it is committed", n)
			}
			p.undecided = true
			return nil
		case err != nil:
			return fmt.Errorf("plan of layer %d: %w", n, err)
		}
		if err := p.add(n, plans); err != nil {
			return fmt.Errorf("plan of layer %d: %w", n, err)
		}
		p.undecided = false
		if err := p.unstash(n); err != nil {
			return err
		}
	}
	return nil
}

// add appends layer n.
func (p *Plan) add(n int, plans []puzzle.CellPlan) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &layer{plans: plans}
	for i := range plans {
		cp := &plans[i]
		if err := p.checkCell(n, cp); err != nil {
			return err
		}
		c := &cell{CellPlan: cp, order: p.nCells, base: p.nWindows, windows: make([]window, cp.Windows())}
		for _, id := range cp.Parents {
			c.parents = append(c.parents, p.cells[id])
			p.cells[id].children = append(p.cells[id].children, c)
		}
		p.cells[cp.Cell] = c
		p.nCells++
		p.nWindows += cp.Windows()
		p.slots += cp.Addresses
		l.windows += cp.Windows()
	}
	p.layers = append(p.layers, l)
	p.cut(l)
	return nil
}

// checkCell says what is wrong with the plan of a cell of layer n.
func (p *Plan) checkCell(n int, cp *puzzle.CellPlan) error {
	switch {
	case cp.Layer != n || !puzzle.ValidKey(cp.Key):
		return fmt.Errorf("cell %d/%q does not belong there, or its key has another form", cp.Layer, cp.Key)
	case p.cells[cp.Cell] != nil:
		return fmt.Errorf("cell %d/%s is planned twice", n, cp.Key)
	case cp.Addresses == 0 || len(cp.Cuts) == 0 || cp.Cuts[0] != 0 || cp.Cuts[len(cp.Cuts)-1] >= cp.Addresses:
		return fmt.Errorf("cell %d/%s: cuts do not divide its %d slots", n, cp.Key, cp.Addresses)
	}
	for i := 1; i < len(cp.Cuts); i++ {
		if cp.Cuts[i] <= cp.Cuts[i-1] {
			return fmt.Errorf("cell %d/%s: cut %d at %d follows %d", n, cp.Key, i, cp.Cuts[i], cp.Cuts[i-1])
		}
	}
	for i, id := range cp.Parents {
		if p.cells[id] == nil {
			return fmt.Errorf("cell %d/%s: parent %d/%s is not planned before it", n, cp.Key, id.Layer, id.Key)
		}
		for _, other := range cp.Parents[:i] {
			if other == id {
				return fmt.Errorf("cell %d/%s: parent %d/%s is named twice", n, cp.Key, id.Layer, id.Key)
			}
		}
	}
	return nil
}

// window returns the state of a planned window.
func (p *Plan) window(id puzzle.WindowID) (*cell, *window, error) {
	c := p.cells[id.Cell]
	if c == nil || id.Part < 0 || id.Part >= len(c.windows) {
		return nil, nil, fmt.Errorf("window %s is not in the plan", id)
	}
	return c, &c.windows[id.Part], nil
}

// finished reports whether nothing is left to plan or compute.
func (p *Plan) finished() bool {
	return p.decided && p.nDone == p.nWindows && p.nPending == 0 && p.nAwaited == 0
}

// record rebuilds the commit record of a window, without its tally.
func (c *cell) record(run string, part int) kv.Record {
	w := &c.windows[part]
	return kv.Record{
		Run: run, Window: c.Window(part), Rows: w.rows, Blocks: w.blocks, Bytes: w.bytes, Digest: w.digest,
	}
}

// ID of a window as the plan knows it.
func (c *cell) id(part int) puzzle.WindowID { return puzzle.WindowID{Cell: c.Cell, Part: part} }
