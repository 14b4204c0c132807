package plan

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// A Plan holds the layers, cells and windows of a run, their states, and the merged tallies of committed windows. It
// implements puzzle.Results.
//
// It grows layer by layer, as far as the puzzle can tell its layers, and is never taken back. Memory is linear in
// windows (72 bytes each) and cells (their plans and merged tallies).
//
// One goroutine changes a plan; the methods of puzzle.Results and Locate may be called by others meanwhile.
type Plan struct {
	puzzle puzzle.Puzzle

	mu            sync.RWMutex
	PlannedLayers []*Layer
	Index         map[puzzle.Cell]*Cell
	// Decided: the puzzle has said that there is no further layer. undecided: it has said that it cannot tell yet.
	Decided, undecided bool
	// Expected is how many layers at the end are not told by the puzzle, but expected: see Forecast.
	Expected                     int
	CellCount, WindowCount       int
	CommittedCount, PendingCount int
	AwaitedCount                 int
	QuarantinedCount             int
	AddressCount                 uint64

	ReplicaSets ReplicaSets
	// Reporters keeps the sets of workers that computed windows.
	Reporters ReplicaSets
	// FlowErrors are the edges whose flows contradict each other in a ledger, see Suspect.
	FlowErrors []*FlowError
	// Suspect makes Load collect FlowErrors instead of failing with the first.
	Suspect bool
	// ready has the shares with windows that can be computed, by partition, see partitions.go.
	ready []shareHeap
	// readyWork is the predicted work of their windows, by partition.
	readyWork []float64
	// ReadyWork is the predicted work of all their windows.
	ReadyWork float64
	// readyShares counts the shares in ready.
	readyShares int
	// stash keeps ledger entries of layers that are not planned yet.
	stash map[int][]stashed
	// foreseen counts the layers that the puzzle has planned without any result.
	foreseen int
}

// stashed is a ledger entry of a layer that is not planned yet, and the function that takes it then.
type stashed struct {
	id   puzzle.WindowID
	take func() error
}

// A Layer holds the plans and sums of a planned layer.
type Layer struct {
	Plans         []puzzle.CellPlan
	tally         puzzle.Tally // sums and maxima only
	Windows, Done int
	Rows, Bytes   uint64
}

// A Cell is a planned cell with its windows. Windows and cells are numbered in plan order, over all layers.
type Cell struct {
	*puzzle.CellPlan
	order                   int     // place in the plan, over all layers
	shares                  []share // of its windows, by partition
	Base                    int     // number of the first window, over all layers
	Parts                   []Window
	ParentCells, ChildCells []*Cell
	tally                   puzzle.Tally
	Done                    int // windows in the ledger
	Held                    int // windows whose rows have a holder
	Pending                 int // windows to be computed, in a worker's hands included
}

// Window is the state of one window. A window stays committed for good; its rows may come and go.
type Window struct {
	Digest      blocks.Digest
	Rows, Bytes uint64
	Blocks      uint64
	Replicas    ReplicaSet
	By          ReplicaSet // workers that computed it, each by itself, see Plan.Reporters
	State       State      // changed by fire alone
	Committed   bool       // committed: in the ledger
	// listed: on the todo list of its cell, which it leaves when its turn comes, whatever its state is then
	listed bool
	Fresh  bool  // a stored copy is known to be bad
	Audit  bool  // to be computed a second time, to be compared
	Losses uint8 // times that its rows were lost
}

// New plans the layers of p that can be told before anything is computed. It returns an error when a layer's plan
// contradicts itself.
func New(p puzzle.Puzzle) (*Plan, error) { return NewPartitioned(p, 1) }

// NewPartitioned is New with layers cut into partitions.
func NewPartitioned(p puzzle.Puzzle, partitions int) (*Plan, error) {
	if s, ok := p.(puzzle.Sizer); ok {
		if err := puzzle.CheckSize(s.LeastWindows()); err != nil {
			return nil, err
		}
	}
	pl := &Plan{
		puzzle: p, Index: make(map[puzzle.Cell]*Cell), stash: make(map[int][]stashed),
		ready: make([]shareHeap, partitions), readyWork: make([]float64, partitions),
	}
	err := pl.Extend()
	pl.foreseen = len(pl.PlannedLayers)
	return pl, err
}

// Extend asks the puzzle for further layers until it has no more or cannot tell.
func (p *Plan) Extend() error {
	for !p.Decided {
		if p.undecided && p.CommittedCount < p.WindowCount {
			return nil
		}
		n := len(p.PlannedLayers)
		// Without the lock: the puzzle looks at the results, and no other goroutine changes them.
		plans, err := p.puzzle.Layer(n, p)
		switch {
		case errors.Is(err, puzzle.ErrNoLayer):
			p.mu.Lock()
			p.Decided, p.undecided = true, false
			p.mu.Unlock()
			return nil
		case errors.Is(err, puzzle.ErrUndecided):
			if p.CommittedCount == p.WindowCount {
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
	l := &Layer{Plans: plans}
	for i := range plans {
		cp := &plans[i]
		if err := p.checkCell(n, cp); err != nil {
			return err
		}
		c := &Cell{CellPlan: cp, order: p.CellCount, Base: p.WindowCount, Parts: make([]Window, cp.Windows())}
		for _, id := range cp.Parents {
			c.ParentCells = append(c.ParentCells, p.Index[id])
			p.Index[id].ChildCells = append(p.Index[id].ChildCells, c)
		}
		p.Index[cp.Cell] = c
		p.CellCount++
		p.WindowCount += cp.Windows()
		p.AddressCount += cp.Addresses
		l.Windows += cp.Windows()
	}
	p.PlannedLayers = append(p.PlannedLayers, l)
	p.partition(l)
	return puzzle.CheckSize(uint64(p.WindowCount))
}

// checkCell returns an error when the plan of a cell of layer n is wrong.
func (p *Plan) checkCell(n int, cp *puzzle.CellPlan) error {
	switch {
	case cp.Layer != n || !puzzle.ValidKey(cp.Key):
		return fmt.Errorf("cell %d/%q does not belong there, or its key has another form", cp.Layer, cp.Key)
	case p.Index[cp.Cell] != nil:
		return fmt.Errorf("cell %d/%s is planned twice", n, cp.Key)
	case cp.Addresses == 0 || len(cp.Cuts) == 0 || cp.Cuts[0] != 0 || cp.Cuts[len(cp.Cuts)-1] >= cp.Addresses:
		return fmt.Errorf("cell %d/%s: cuts do not divide its %d slots", n, cp.Key, cp.Addresses)
	}
	if n := len(cp.WindowBytes); n > 0 && (n != len(cp.Cuts) || slices.Max(cp.WindowBytes) != cp.MemoryBytes) {
		return fmt.Errorf("cell %d/%s: the memory of its windows does not fit to the cell's", n, cp.Key)
	}
	for i := 1; i < len(cp.Cuts); i++ {
		if cp.Cuts[i] <= cp.Cuts[i-1] {
			return fmt.Errorf("cell %d/%s: cut %d at %d follows %d", n, cp.Key, i, cp.Cuts[i], cp.Cuts[i-1])
		}
	}
	for i, id := range cp.Parents {
		if p.Index[id] == nil {
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

// Window returns the state of a planned window.
func (p *Plan) Window(id puzzle.WindowID) (*Cell, *Window, error) {
	c := p.Index[id.Cell]
	if c == nil || id.Part < 0 || id.Part >= len(c.Parts) {
		return nil, nil, fmt.Errorf("window %s is not in the plan", id)
	}
	return c, &c.Parts[id.Part], nil
}

// Finished reports whether nothing is left to plan or compute.
func (p *Plan) Finished() bool { return p.Computed() && p.AwaitedCount == 0 }

// Computed reports whether nothing is left to plan or compute, unless holders of rows do not come back.
func (p *Plan) Computed() bool {
	return p.Decided && p.CommittedCount == p.WindowCount && p.PendingCount == 0
}

// Record rebuilds the commit record of a window, without its tally.
func (c *Cell) Record(run string, part int) kv.Record {
	w := &c.Parts[part]
	return kv.Record{
		Run: run, Window: c.Window(part), Rows: w.Rows, Blocks: w.Blocks, Bytes: w.Bytes, Digest: w.Digest,
	}
}

// WindowID of a window as the plan knows it.
func (c *Cell) WindowID(part int) puzzle.WindowID { return puzzle.WindowID{Cell: c.Cell, Part: part} }
