// Package puzzle is the one seam between puzzles and the pipeline.
//
// A puzzle describes its state space as layers of cells, and names the cells that a cell is computed from. It computes
// one window (an address range of a cell) at a time from the committed windows of those parents. The pipeline knows
// nothing else about it: it plans, schedules, stores, transfers, verifies and resumes windows of any puzzle alike. A
// new puzzle is one pure package that implements [Puzzle] and one config.
//
// The shapes that fit:
//   - layers known beforehand (peg solitaire): Layer answers at once for every n;
//   - layers found on the way (breadth-first search): Layer returns [ErrUndecided] until the layer before is committed;
//   - backwards after forwards (win/loss labelling): the backward sweep is simply more layers, whose parents are cells
//     of the forward layers and of the backward layer before;
//   - no parents at all (surveys): one layer, whose windows are ranges of ranks;
//   - joins: a layer whose windows read two sets of parents and store no rows, only a tally.
package puzzle

import (
	"context"
	"errors"
)

var (
	// ErrUndecided is returned by Puzzle.Layer when the layer depends on windows that are not committed yet. The
	// pipeline asks again once every window of the layers before it is committed.
	ErrUndecided = errors.New("the layer depends on results that are not known yet")

	// ErrNoLayer is returned by Puzzle.Layer for the first layer number past the last one.
	ErrNoLayer = errors.New("no such layer")

	// ErrMissing is wrapped by Source when a window that was committed cannot be read: lost, or its content does not
	// match its digest. Compute passes it on unchanged (errors.As to *MissingError tells which), and the pipeline
	// computes that window again.
	ErrMissing = errors.New("window is not available")

	// ErrForeign is wrapped by Source when Compute asks for a cell that the plan of its own cell does not name as a
	// parent: the pipeline has not kept it for this computation. The run stops and names both cells.
	ErrForeign = errors.New("its plan does not name that cell as a parent")

	// ErrNotAsked is wrapped by the answer to a question about a run that was made with other settings. Such a run may
	// lack the rows that a query needs. The message says which settings do.
	ErrNotAsked = errors.New("the run does not answer this question")

	// ErrIncomplete is wrapped by the answer to a question that needs a complete run.
	ErrIncomplete = errors.New("the run is not complete")

	// ErrOverflow is wrapped by Compute when a count does not fit in 128 bits. Computing again would not help: the run
	// stops and names the window.
	ErrOverflow = errors.New("count exceeds 128 bits")
)

// A Param is one parameter that decides the result of a run, such as {"board", "english"}. How a run is carried out
// (workers, memory, folders) is no parameter.
type Param struct{ Name, Value string }

// Identity identifies a run. Its hash, with the format version, is the run ID.
type Identity struct {
	Puzzle string  // "peg", "tiles", ...
	Params []Param // in a fixed order
}

// Puzzle is a state space, cut into windows. Implementations are safe for concurrent use, and deterministic: the same
// parents give the same rows and the same tally in every process, however often they are computed.
type Puzzle interface {
	// Identity names the puzzle and every parameter that can change a digit of its results.
	Identity() Identity

	// Columns names the columns of a stored row; none when that there is a row says it all.
	Columns() []string

	// Layer plans layer n. The pipeline calls it for n = 0, 1, 2, ... until it returns ErrNoLayer. Cells come in the
	// order in which they are to be scheduled and exported; a fleet gives neighbours to the same worker, so neighbours
	// should share parents. Parents lie in lower layers, or earlier in the same layer.
	Layer(n int, known Results) ([]CellPlan, error)

	// Compute computes window w. It reads the parents that its cell's plan names from in, and no others (ErrForeign), and
	// writes w's rows to out in address order.
	//
	// Work is cancelled through ctx. A long computation calls Progress with it every second or so of work, which says that
	// it is alive, as does every block read or written. A window that shows no progress for as long as the queue waits
	// (30 s) is given to another worker as well. Progress is never called from a timer: what hangs must not look alive.
	Compute(ctx context.Context, w Window, in Source, out Sink) (Tally, error)

	// Summarise makes the summary of a finished run, or of the layers finished so far, from the tallies.
	Summarise(known Results) (Summary, error)
}

// Results gives the tallies of committed windows, summed.
type Results interface {
	// Layers is the number of layers planned so far; Complete says whether all windows of all layers are committed.
	Layers() int
	Complete() bool
	// Cells returns the plan of a layer, in plan order.
	Cells(layer int) []CellPlan
	// Cell returns the merged tally of a cell; ok is false while one of its windows is not committed.
	Cell(c Cell) (t Tally, ok bool)
	// Layer returns the merged tally of a layer; ok is false while one of its windows is not committed.
	Layer(layer int) (t Tally, ok bool)
}

// A Regrouper is an Exporter whose rows belong to other layers, for people, than to those of the plan in which they are
// stored: passes backwards from a goal come after all others in a plan, and may serve two numbers of jumps at a time.
type Regrouper interface {
	Exporter
	// RowLayers is how many layers the exported rows have.
	RowLayers() int
	// RowLayer is the layer of the plan whose blocks give the rows of layer n, 0 <= n < RowLayers(). Of what ExportRows
	// emits of these, those rows belong to it that have n as RowLayerColumn.
	RowLayer(n int) int
	// RowLayerColumn is the index of the column that has the number of the layer.
	RowLayerColumn() int
}

// An Exporter is a Puzzle whose stored rows can be shown to people.
type Exporter interface {
	Puzzle
	// RowColumns describes the rows that ExportRows emits.
	RowColumns() []Column
	// ExportRows turns the stored rows of one block into rows for people and passes each to emit, in address order; the
	// slice is reused between calls. A stored row may give no row at all (a duplicate kept for the kernels).
	ExportRows(c Cell, b *Block, emit func(row []Value) error) error
}
