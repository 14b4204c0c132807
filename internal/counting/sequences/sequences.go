package sequences

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/counting/join"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// Puzzle counts all jump sequences of a board. It implements puzzle.Puzzle, puzzle.Exporter and puzzle.Recounter.
type Puzzle struct {
	board           *peg.Board
	windowAddresses uint64

	all *counting.Enumeration // of all positions, by pegs missing
	// middle joins the positions with middle.Jumps pegs missing, as far as a jump leads to them, with the complements of
	// those with middle.FarJumps missing: as many, or one less.
	middle *join.Join
	// stored is the last layer of positions: that of the middle's far side, or, where sequences are wanted by pegs at the
	// end, the empty board.
	stored int
}

// middleName begins the keys of the cells of the middle, and names the scalar that its windows report.
const middleName = "middle"

// mostHoles is the size of the largest board that is taken on.
const mostHoles = 48

// New prepares counting the sequences of p.Board, and with byPegs those that end with each number of pegs, below the
// middle too, which takes twice the time. Start and Goal of p are not used.
func New(p counting.Params, byPegs bool) (*Puzzle, error) {
	holes := p.Board.Size()
	if holes > mostHoles {
		return nil, fmt.Errorf("%d holes have 2^%d positions, at most 2^%d are possible: %w", holes, holes, mostHoles,
			partition.ErrTooLarge)
	}
	all, err := counting.NewEverywhere(p.Board, p.WindowAddresses, "")
	if err != nil {
		return nil, err
	}
	s := &Puzzle{board: p.Board, windowAddresses: p.WindowAddresses, all: all}
	identity := all.Space.Group[0]
	if s.middle, err = join.New(all, all, identity, (holes+1)/2, holes); err != nil {
		return nil, err
	}
	if s.stored = s.middle.FarJumps; byPegs {
		s.stored = holes
	}
	return s, nil
}

// byPegs says that sequences are counted below the middle too.
func (s *Puzzle) byPegs() bool { return s.stored > s.middle.FarJumps }

// Identity names the parameters that decide the result.
func (s *Puzzle) Identity() puzzle.Identity {
	count := "sequences"
	if s.byPegs() {
		count = "sequences_by_pegs"
	}
	return puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: count},
		{Name: "lattice", Value: s.board.Pattern()},
		{Name: "board", Value: peg.FormatLine(s.board, s.board.Full())},
		{Name: "window_addresses", Value: strconv.FormatUint(s.windowAddresses, 10)},
	}}
}

// Columns names the stored columns: the sequences of none or more jumps that end at a position, in two words.
func (s *Puzzle) Columns() []string { return []string{"sequences_lo", "sequences_hi"} }

// Layer plans the positions with n pegs missing, and after the last of them the middle and the closure.
func (s *Puzzle) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	switch {
	case n <= s.stored:
		return s.all.Plan(n), nil
	case n == s.stored+1:
		return append(s.planMiddle(n), s.planClosure(n)...), nil
	}
	return nil, puzzle.ErrNoLayer
}

// LeastWindows implements puzzle.Sizer.
func (s *Puzzle) LeastWindows() uint64 { return s.all.LeastWindows(s.stored + 1) }

// middleWork is the time of a window of the middle, by that of the window of its layer: no row of it is coded, and only
// addresses that a jump leads to count. Of halves it is half of that.
const middleWork = 0.5

// planMiddle plans the middle: a cell for each cell of its layer. Nothing of it is stored.
func (s *Puzzle) planMiddle(n int) []puzzle.CellPlan {
	var cells []puzzle.CellPlan
	for i, p := range s.all.Plan(s.middle.Jumps) {
		v := s.all.Layers[s.middle.Jumps][i]
		parents := append([]puzzle.Cell{}, p.Parents...)
		var far uint64
		for _, u := range s.middle.FarVectors(v) {
			parents = counting.AppendCell(parents, puzzle.Cell{Layer: s.middle.FarJumps, Key: s.all.Key(u)})
			far += s.all.Space.Addresses(u)
		}
		p.WindowBytes = nil
		p.Parents, p.MemoryBytes, p.LeastBytes, p.RowBytes = parents, p.MemoryBytes+16*far, 0, 0
		p.Work *= middleWork
		if s.middle.Reversible() {
			p.Work /= 2
		}
		p.Cell = puzzle.Cell{Layer: n, Key: middleName + "-" + v.Key()}
		cells = append(cells, p)
	}
	return cells
}

// Compute computes one window.
func (s *Puzzle) Compute(
	ctx context.Context,
	w puzzle.Window,
	in puzzle.Source,
	out puzzle.Sink,
) (puzzle.Tally, error) {
	if w.Layer <= s.stored {
		return s.all.ComputeWindow(ctx, w, in, out)
	}
	if w.Key == closureKey {
		return s.closureWindow(ctx, w)
	}
	w, err := s.middleWindow(w)
	if err != nil {
		return puzzle.Tally{}, err
	}
	share := s.middle.ByJumps
	if s.middle.Reversible() {
		share = s.middle.Halves
	}
	n, err := share(ctx, w, in)
	if err != nil {
		return puzzle.Tally{}, err
	}
	var t puzzle.Tally
	return t, t.AddSum(middleName, n)
}

// middleWindow returns the window of the enumeration that a window of the middle is made of.
func (s *Puzzle) middleWindow(w puzzle.Window) (puzzle.Window, error) {
	key, ok := strings.CutPrefix(w.Key, middleName+"-")
	v, err := partition.ParseKey(key)
	if err != nil || !ok || w.Layer != s.stored+1 {
		return w, fmt.Errorf("window %s: no such cell in this run", w)
	}
	w.Cell = puzzle.Cell{Layer: s.middle.Jumps, Key: s.all.Key(v)}
	return w, nil
}

var rowColumns = []puzzle.Column{
	counting.ColumnPosition,
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs of the position"},
	counting.ColumnOrbit,
	{Name: "sequences", Kind: puzzle.Count,
		Doc: "jump sequences of none or more jumps that end at the canonical position"},
}

// RowColumns describes the exported rows: one for each symmetry class.
func (s *Puzzle) RowColumns() []puzzle.Column { return rowColumns }

// ExportRows emits the symmetry classes of a block: position, pegs, orbit size, sequences.
func (s *Puzzle) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	row := make([]puzzle.Value, len(rowColumns))
	return s.all.EachClass(c, b, func(x counting.Class) error {
		row[0].S = s.board.Hex(s.all.Canonical(x.Position))
		row[1], row[2], row[3].N = counting.Number(x.Position.Pegs()), counting.Number(x.Orbit), x.Paths
		return emit(row)
	})
}

// CheckTally implements puzzle.TallyChecker for the windows of positions.
func (s *Puzzle) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	if w.Layer <= s.stored {
		return s.all.CheckTally(w, rows, t)
	}
	return nil // the middle, which stores no rows and reports one number
}
