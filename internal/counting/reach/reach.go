package reach

import (
	"context"
	"strconv"
	"strings"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// Params are the parameters of a run.
type Params struct {
	Board *peg.Board
	Start peg.Position
	// Goal, when HasGoal, is where games are to end: then the positions from which it can be reached are counted too.
	Goal    peg.Position
	HasGoal bool
	// Goals are in the place of Goal where games may end in any of several positions, which have as many pegs; nil
	// otherwise.
	Goals []peg.Position
	// GoalText is how these were stated.
	GoalText string
	// WindowAddresses is the largest number of addresses of a window, 64 or more; 0 means one window for each cell.
	WindowAddresses uint64
}

// Reach finds all positions that can be reached from a start. It implements puzzle.Revised and puzzle.Exporter.
type Reach struct {
	params Params
	merged int // words of a cell of several vectors, at most; 0 where every vector is a cell
	near   *enumeration
	join   *join  // nil without a goal, or when it is known beforehand that the goal cannot be reached
	reason string // why it cannot
}

const (
	// mergedWords bounds the words of a cell of several vectors: 2 million addresses. More take more memory, and no less
	// time.
	mergedWords = 1 << 15
	// Where a vector has more words than leastLarge, before symmetries, most are in cells that take long to compute, and
	// every vector is a cell.
	leastLarge = 1 << 21
)

// New prepares the run of p. The error wraps ErrTooLarge or ErrWindowAddresses.
func New(p Params) (*Reach, error) { return newMerged(p, mergedWords) }

// Earlier is the puzzle of programs in which every vector had a cell of its own.
func (r *Reach) Earlier() (puzzle.Puzzle, error) { return newMerged(r.params, 0) }

func newMerged(p Params, merged int) (*Reach, error) {
	s, err := newScheme(p.Board, []peg.Position{p.Start}, peg.Stabiliser(p.Board.Symmetries(), p.Start), nil)
	if err != nil {
		return nil, err
	}
	r := &Reach{params: p}
	if r.near, err = newEnumeration(s, p.WindowAddresses, "", allSums...); err != nil {
		return nil, err
	}
	if r.near.mostWords() <= leastLarge {
		r.merged = merged
		if p.WindowAddresses > 0 {
			r.merged = int(min(uint64(merged), p.WindowAddresses/64))
		}
	}
	r.near.bundles.words = r.merged
	if !p.hasGoals() {
		return r, nil
	}
	var ends []peg.Position
	if ends, r.reason = p.ends(); r.reason != "" {
		return r, nil
	}
	far := r.near
	if len(ends) > 1 || ends[0] != p.Start {
		t, err := newScheme(p.Board, ends, setStabiliser(p.Board.Symmetries(), ends), s)
		if err != nil {
			return nil, err
		}
		if far, err = newEnumeration(t, p.WindowAddresses, "back-", allSums...); err != nil {
			return nil, err
		}
		far.bundles.words = r.merged
	}
	r.join = newJoin(r.near, far, p.jumps(), keeping(p.goals()))
	return r, nil
}

// Identity names the parameters that decide the result.
func (r *Reach) Identity() puzzle.Identity {
	id := r.EarlierIdentity()
	if r.merged > 0 { // it divides the positions into cells
		id.Params = append(id.Params, puzzle.Param{Name: "merged_addresses", Value: strconv.Itoa(64 * r.merged)})
	}
	return id
}

// EarlierIdentity is Identity without merged cells.
func (r *Reach) EarlierIdentity() puzzle.Identity {
	b := r.params.Board
	id := puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "positions"},
		{Name: "lattice", Value: b.Pattern()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, r.params.Start)},
	}}
	if r.params.hasGoals() {
		id.Params = append(id.Params, puzzle.Param{Name: "goal", Value: r.params.goalText()})
	}
	id.Params = append(
		id.Params,
		puzzle.Param{Name: "window_addresses", Value: strconv.FormatUint(r.params.WindowAddresses, 10)},
	)
	return id
}

// Columns is empty: that an address has a row is all there is to know of it.
func (r *Reach) Columns() []string { return nil }

// Layer plans the positions after n jumps, from the start and, where a join needs them, from the complement of the
// goal; and last the join. All layers are known beforehand.
func (r *Reach) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if j := r.join; j != nil {
		if n == j.layer {
			return j.plan(), nil
		}
		var cells []puzzle.CellPlan
		if n < len(r.near.layers) {
			cells = append(cells, r.near.plan(n)...)
		}
		if j.far != r.near && n <= j.jumps && n < len(j.far.layers) {
			cells = append(cells, j.far.plan(n)...)
		}
		if n < j.layer {
			return cells, nil
		}
	} else if n < len(r.near.layers) {
		return r.near.plan(n), nil
	}
	return nil, puzzle.ErrNoLayer
}

// Compute computes one window.
func (r *Reach) Compute(ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	if j := r.join; j != nil {
		if w.Layer == j.layer {
			return j.compute(ctx, w.Cell, in)
		}
		if j.far != r.near && strings.HasPrefix(w.Key, j.far.name) {
			return j.far.compute(ctx, w, in, out)
		}
	}
	return r.near.compute(ctx, w, in, out)
}
