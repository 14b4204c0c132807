package chance

import (
	"context"
	"strconv"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// places is the number of decimal places of a chance.
const places = 38

// one is the chance 1: 10^places units.
var one = func() uint128.Uint128 {
	n := uint128.From(1)
	for range places {
		n, _ = n.Mul64(10)
	}
	return n
}()

// A Puzzle computes, for every position that games from a start meet, the chance that a game of random jumps meets it.
// It implements puzzle.Puzzle, puzzle.Exporter and puzzle.Reader.
type Puzzle struct {
	*counting.Enumeration
	params counting.Params
	goalAt int    // layer of the goal; -1 for none
	goal   uint64 // its parts: its jumps, or 1 when it has none
}

// New prepares the run of p.
func New(p counting.Params) (*Puzzle, error) {
	e, err := counting.NewCut(p.Board, p.Start, p.WindowAddresses, "")
	if err != nil {
		return nil, err
	}
	e.Split(one)
	c := &Puzzle{Enumeration: e, params: p, goalAt: -1}
	if p.HasGoal {
		e.Watch(p.Goal)
		c.goalAt, c.goal = p.Start.Pegs()-p.Goal.Pegs(), uint64(max(1, legal(p.Board, p.Goal)))
	}
	return c, nil
}

// Params are the parameters of the run.
func (c *Puzzle) Params() counting.Params { return c.params }

// Size returns the addresses of all layers, which a run in memory looks at, and bounds the bytes that it takes: those
// of two layers.
func (c *Puzzle) Size() (addresses, bytes uint64) {
	totals := c.AddressTotals(len(c.Layers))
	for n, total := range totals {
		before := uint64(0)
		if n > 1 {
			before = totals[n-2]
		}
		bytes = max(bytes, total-before)
	}
	return totals[len(totals)-1], 16 * bytes
}

// Identity names the parameters that decide the result.
func (c *Puzzle) Identity() puzzle.Identity {
	b := c.params.Board
	id := puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "chances"},
		{Name: "lattice", Value: b.Pattern()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, c.params.Start)},
	}}
	if c.params.HasGoal {
		id.Params = append(id.Params, puzzle.Param{Name: "goal", Value: peg.FormatLine(b, c.params.Goal)})
	}
	id.Params = append(id.Params,
		puzzle.Param{Name: "window_addresses", Value: strconv.FormatUint(c.params.WindowAddresses, 10)})
	if lead := c.Space.LeadHoles(); lead != "" { // it orders the addresses
		id.Params = append(id.Params, puzzle.Param{Name: "lead", Value: lead})
	}
	return id
}

// Columns names the stored columns: the part of a position's chance for each of its jumps, in two words.
func (c *Puzzle) Columns() []string { return []string{"part_lo", "part_hi"} }

// Layer plans the positions after n jumps. All layers are known beforehand.
func (c *Puzzle) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n >= len(c.Layers) {
		return nil, puzzle.ErrNoLayer
	}
	return c.Plan(n), nil
}

// LeastWindows implements puzzle.Sizer.
func (c *Puzzle) LeastWindows() uint64 { return c.Enumeration.LeastWindows(len(c.Layers)) }

// Compute computes one window.
func (c *Puzzle) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	return c.ComputeWindow(ctx, w, in, out)
}

// RowColumns describes the exported rows: one for each symmetry class.
func (c *Puzzle) RowColumns() []puzzle.Column {
	return []puzzle.Column{counting.ColumnPosition, counting.ColumnJumps, counting.ColumnOrbit,
		{Name: "met", Kind: puzzle.Text, Doc: "chance that a game meets the canonical position; the rounding errors of " +
			"all positions of a layer together are at most what the layers before lost and gained"}}
}

// ExportRows emits the symmetry classes of a block: position, jumps, orbit size, chance.
func (c *Puzzle) ExportRows(cell puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	row := make([]puzzle.Value, 4)
	return c.EachClass(cell, b, func(x counting.Class) error {
		met, ok := x.Paths.Mul64(uint64(max(1, legal(c.params.Board, x.Position))))
		if !ok {
			return puzzle.ErrOverflow
		}
		row[0].S = c.params.Board.Hex(c.Canonical(x.Position))
		row[1], row[2] = counting.Number(x.Jumps), counting.Number(x.Orbit)
		row[3].S = decimal(met)
		return emit(row)
	})
}
