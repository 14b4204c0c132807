package counting

import (
	"context"
	"errors"
	"strconv"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// ErrWindowAddresses is wrapped by NewGames when windows of the wanted size cannot be cut.
var ErrWindowAddresses = errors.New("window_addresses is too small for this board")

// Params are the parameters of a peg solitaire run.
type Params struct {
	Board   *peg.Board
	Start   peg.Position
	Goal    peg.Position // counted when HasGoal
	HasGoal bool
	// WindowAddresses is the largest number of addresses of a window; 0 means one window for each cell.
	WindowAddresses uint64
}

// Games counts all games from a start: for every layer its symmetry classes, positions, paths into it, dead ends and
// the games that end there. It implements puzzle.Puzzle and puzzle.Exporter.
type Games struct {
	params Params
	*enumeration
}

// NewGames prepares the run of p: the address space, the lattice of cells and the tables of the kernel.
func NewGames(p Params) (*Games, error) {
	s, err := newEnumeration(p.Board, p.Start, p.WindowAddresses, "")
	if err != nil {
		return nil, err
	}
	g := &Games{params: p, enumeration: s}
	if p.HasGoal {
		s.watch(p.Goal)
	}
	return g, nil
}

// Identity names the parameters that decide the result.
func (g *Games) Identity() puzzle.Identity {
	b := g.params.Board
	id := puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "games"},
		{Name: "lattice", Value: b.Lattice.String()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, g.params.Start)},
	}}
	if g.params.HasGoal {
		id.Params = append(id.Params, puzzle.Param{Name: "goal", Value: peg.FormatLine(b, g.params.Goal)})
	}
	id.Params = append(
		id.Params,
		puzzle.Param{Name: "window_addresses", Value: strconv.FormatUint(g.params.WindowAddresses, 10)},
	)
	return id
}

// Columns names the stored columns: the number of paths to a position, in two words.
func (g *Games) Columns() []string { return []string{"paths_lo", "paths_hi"} }

// Layer plans the positions after n jumps. All layers are known beforehand.
func (g *Games) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n >= len(g.layers) {
		return nil, puzzle.ErrNoLayer
	}
	return g.plan(n), nil
}

// Compute computes one window.
func (g *Games) Compute(ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	return g.computeWindow(ctx, w, in, out)
}
