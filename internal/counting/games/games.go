package games

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A Puzzle counts all games from a start: for every layer its symmetry classes, positions, paths into it, dead ends and
// the games that end there. It implements puzzle.Puzzle, puzzle.Exporter and puzzle.Reader.
type Puzzle struct {
	params counting.Params
	*counting.Enumeration
}

// MaxGoals is how many goals of drawings a run counts.
const MaxGoals = 1 << 16

// mergeAddresses is how many addresses small vectors have in one cell together. To compute them takes a few
// milliseconds, some ten times the fixed price of a window.
const mergeAddresses = 1 << 17

// ErrGoals is wrapped by the error of New when there are more.
var ErrGoals = errors.New("too many goals")

// New prepares the run of p: the address space, the lattice of cells and the tables of the kernel.
func New(p counting.Params) (*Puzzle, error) { return newPuzzle(p, mergeAddresses) }

// Earlier is the puzzle of programs in which every vector had a cell of its own.
func (g *Puzzle) Earlier() (puzzle.Puzzle, error) { return newPuzzle(g.params, 0) }

func newPuzzle(p counting.Params, merge uint64) (*Puzzle, error) {
	s, err := counting.NewCut(p.Board, p.Start, p.WindowAddresses, "")
	if err != nil {
		return nil, err
	}
	s.Merge(merge)
	g := &Puzzle{params: p, Enumeration: s}
	switch {
	case p.Goals != nil && !p.Goals.ByPegs():
		if n := p.Goals.Number(); n > MaxGoals {
			return nil, fmt.Errorf("%w: %s is %d goals, and at most %d are counted", ErrGoals, p.Goals, n, MaxGoals)
		}
		s.WatchAll(p.Goals.Below(p.Start))
	case p.HasGoal:
		s.Watch(p.Goal)
	}
	return g, nil
}

// Identity names the parameters that decide the result.
func (g *Puzzle) Identity() puzzle.Identity {
	id := g.EarlierIdentity()
	if n := g.MergedAddresses(); n > 0 { // it divides the positions into cells
		id.Params = append(id.Params, puzzle.Param{Name: "merged_addresses", Value: strconv.FormatUint(n, 10)})
	}
	return id
}

// EarlierIdentity is Identity without merged cells.
func (g *Puzzle) EarlierIdentity() puzzle.Identity {
	b := g.params.Board
	id := puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "games"},
		{Name: "lattice", Value: b.Pattern()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, g.params.Start)},
	}}
	if g.params.Goals != nil {
		id.Params = append(id.Params, puzzle.Param{Name: "goal", Value: g.params.Goals.String()})
	}
	if g.params.HasGoal {
		id.Params = append(id.Params, puzzle.Param{Name: "goal", Value: peg.FormatLine(b, g.params.Goal)})
	}
	id.Params = append(
		id.Params,
		puzzle.Param{Name: "window_addresses", Value: strconv.FormatUint(g.params.WindowAddresses, 10)},
	)
	if lead := g.Space.LeadHoles(); lead != "" { // it orders the addresses
		id.Params = append(id.Params, puzzle.Param{Name: "lead", Value: lead})
	}
	return id
}

// Columns names the stored columns: the number of paths to a position, in two words.
func (g *Puzzle) Columns() []string { return []string{"paths_lo", "paths_hi"} }

// Layer plans the positions after n jumps. All layers are known beforehand.
func (g *Puzzle) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n >= len(g.Layers) {
		return nil, puzzle.ErrNoLayer
	}
	return g.Plan(n), nil
}

// LeastWindows implements puzzle.Sizer.
func (g *Puzzle) LeastWindows() uint64 { return g.Enumeration.LeastWindows(len(g.Layers)) }

// Compute computes one window.
func (g *Puzzle) Compute(
	ctx context.Context,
	w puzzle.Window,
	in puzzle.Source,
	out puzzle.Sink,
) (puzzle.Tally, error) {
	return g.ComputeWindow(ctx, w, in, out)
}
