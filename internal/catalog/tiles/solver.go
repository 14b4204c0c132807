package tiles

import (
	"context"
	"errors"

	"pagoda/internal/puzzle"
)

// A finalSolver finds the finals of one grid after another by the block method, cell by cell in row order.
//
// Level d holds the partial finals of the first d cells. In these every finished 2x2 block is one of its at most 24 (or
// 120) finals. Any two blocks with two cells in common agree on the order in which these are played. Level d depends on
// the first d cells of the grid only. So a grid costs no more than the levels past the prefix it shares with the one
// before: in rank order that is mostly the last row.
//
// At the last level the union of the blocks' orders is checked for cycles. The authors of the source conjectured that
// agreement in pairs is enough, so that there are none; the solver does not rely on it and counts the exceptions.
//
// The cells are taken column by column where that makes the frontier much shorter and costs little sharing.
//
// A level is cut short at levelCap partial finals and finished in several passes (it cannot be shared then), so that
// memory is bounded whatever the grid. Not safe for concurrent use.
type finalSolver struct {
	shape  Shape // the shape in which the solver works: turned when the grids are taken column by column
	turn   symmetry
	joins  *joinTables
	geo    *geometry
	aimed  bool // geo is set up for grid
	grid   cells
	levels [maxCells + 1]partials
	shared int // levels[0..shared] are whole and belong to the first cells of grid
	limit  int // levels are cut short past this; levelCap but in tests
	steps  uint64
	most   uint64 // steps after which a search in parts ends with errSteps; 0: no bound
	cyclic uint64
}

const levelCap = 1 << 14

// errSteps ends a search that has taken more steps than it may.
var errSteps = errors.New("the search takes too many steps")

// A partial final of the first d cells, in one word:
//
//	bits 0..26   final colours of the last Cols+1 cells, three bits each, the last cell lowest
//	bits 27..42  for the last Cols cells, two bits each, the last lowest: the order in the blocks above of the pair (left
//	             neighbour, cell): bit 0 "left one before", bit 1 "cell before"; 0 in the first column
//	bits 43..44  the order in the block to the left of the pair (upper neighbour, last cell), in the same way
type partial uint64

const (
	pairShift = 3 * (MaxSide + 1)
	leftShift = pairShift + 2*MaxSide
)

// partials is a level: a list of partial finals; row[i] is the index, in the level at the end of the row before, of the
// partial final that finals[i] continues.
type partials struct {
	finals []partial
	row    []uint32
}

func (l *partials) reset() { l.finals, l.row = l.finals[:0], l.row[:0] }

// newSolver returns a solver for grids of a shape, best when they come in rank order. The error wraps ErrShape.
func newSolver(s Shape) (*finalSolver, error) { return newTransposedSolver(s, s.Cols >= 2*s.Rows) }

// solver returns a solver for g alone.
func (g *Grid) solver() (*finalSolver, error) {
	return newTransposedSolver(g.shape, g.shape.Cols > g.shape.Rows)
}

// newTransposedSolver returns a solver that takes the cells column by column when turned.
func newTransposedSolver(s Shape, turned bool) (*finalSolver, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	sv := &finalSolver{shape: s, joins: joins[s.Colours](), shared: -1, limit: levelCap}
	if turned {
		sv.shape.Rows, sv.shape.Cols = s.Cols, s.Rows
		for i := range s.Cells() {
			sv.turn = append(sv.turn, uint8(i%s.Rows*s.Cols+i/s.Rows))
		}
	}
	sv.geo = newGeometry(sv.shape)
	return sv, nil
}

// solve passes every final of g to fn, in the solver's own order of cells (see unturn). A cyclic candidate,
// which refutes that agreement in pairs is enough, is counted in sv.cyclic and not passed.
func (sv *finalSolver) solve(ctx context.Context, g *cells, fn func(*planes)) error {
	own := *g
	for i, j := range sv.turn {
		own[i] = g[j]
	}
	common := 0
	if sv.shared >= 0 {
		for common < sv.shared && sv.grid[common] == own[common] {
			common++
		}
	} else {
		sv.levels[0].finals = append(sv.levels[0].finals[:0], 0)
		sv.levels[0].row = append(sv.levels[0].row[:0], 0)
	}
	sv.grid, sv.aimed = own, false
	sv.shared, sv.cyclic = common, 0
	return sv.run(ctx, common, true, fn)
}

// unturn returns a final as a grid of the shape the solver was made for.
func (sv *finalSolver) unturn(f *planes) cells {
	own := f.cells()
	if sv.turn == nil {
		return own
	}
	var g cells
	for i, j := range sv.turn {
		g[j] = own[i]
	}
	return g
}

// run finishes all partial finals of level d. whole says that the level is whole.
func (sv *finalSolver) run(ctx context.Context, d int, whole bool, fn func(*planes)) error {
	if d == sv.shape.Cells() {
		sv.finish(fn)
		return nil
	}
	for from := 0; from < len(sv.levels[d].finals) || (whole && from == 0); {
		start := from
		from = sv.extend(d, from)
		whole = whole && start == 0 && from == len(sv.levels[d].finals)
		if whole {
			sv.shared = d + 1
		} else if err := puzzle.Progress(ctx); err != nil {
			return err
		} else if sv.most > 0 && sv.steps > sv.most {
			return errSteps
		}
		if err := sv.run(ctx, d+1, whole, fn); err != nil {
			return err
		}
		if from == len(sv.levels[d].finals) {
			break
		}
	}
	return nil
}

// extend fills level d+1 from the partial finals of level d, from the given one on, and returns where it stopped.
func (sv *finalSolver) extend(d, from int) int {
	in, out := &sv.levels[d], &sv.levels[d+1]
	out.reset()
	r, c := d/sv.shape.Cols, d%sv.shape.Cols
	to := min(len(in.finals), from+max(1, sv.limit/sv.fan(r, c)))
	sv.steps += uint64(to - from)
	switch {
	case r == 0 || c == 0:
		sv.extendEdge(d, in, out, from, to)
	default:
		n := sv.shape.Cols
		a := [4]uint8{sv.grid[d-n-1], sv.grid[d-n], sv.grid[d-1], sv.grid[d]}
		extendBlock(sv.joins[blockIndex(a)], n, in, out, from, to)
	}
	return to
}

// fan bounds the children of a partial final.
func (sv *finalSolver) fan(r, c int) int {
	if r > 0 && c > 0 {
		return sv.shape.Colours - 3
	}
	return sv.shape.Colours - 1
}

// extendEdge finishes a cell of the first row or column, where no block is complete. Only the direct contradictions
// with the neighbours are left out.
func (sv *finalSolver) extendEdge(d int, in, out *partials, from, to int) {
	n, c := sv.shape.Cols, d%sv.shape.Cols
	var back [2]int // how many cells ago the finished neighbours are
	nb := back[:0]
	if c > 0 {
		nb = append(nb, 1) // first row: only the left neighbour
	} else if d > 0 {
		nb = append(nb, n, n-1)
	}
	mask := partial(1)<<(3*(n+1)) - 1
	pairs := partial(1)<<(2*n) - 1
	for i := from; i < to; i++ {
		p := in.finals[i]
		row := in.row[i]
		if c == 0 {
			row = uint32(i)
		}
		kept := p<<3&mask | (p>>pairShift<<2&pairs)<<pairShift
		for v := range uint8(sv.shape.Colours) {
			ok := v != sv.grid[d]
			for _, b := range nb {
				f := uint8(p >> (3 * (b - 1)) & 7)
				ok = ok && v != f && (v != sv.grid[d-b] || f != sv.grid[d])
			}
			if ok {
				out.finals = append(out.finals, kept|partial(v))
				out.row = append(out.row, row)
			}
		}
	}
}

// extendBlock finishes the last cell of a block. This is the inner loop of a survey.
func extendBlock(join *joinTable, n int, in, out *partials, from, to int) {
	// Children are written past the end and kept by moving the end, so that the test costs no branch.
	need := 3*(to-from) + 1
	if cap(out.finals) < need {
		out.finals = make([]partial, need)
		out.row = make([]uint32, need)
	}
	finals, rows := out.finals[:need], out.row[:need]
	top := (3 * (n - 1)) & 63
	pair := (pairShift + 2*(n-1)) & 63
	mask := partial(1)<<(3*(n+1)) - 1
	pairs := (partial(1)<<(2*n) - 4) << pairShift
	end := 0
	for i, p := range in.finals[from:to] {
		said := uint64(p>>pair&3 | p>>leftShift&3<<2)
		kept := p<<3&mask | p<<2&pairs
		row := in.row[from+i]
		for e := join[p>>top&63|p&7<<6]; e != 0; e >>= 16 {
			child := partial(e)
			finals[end] = kept | child>>4&7 | (child>>7&3)<<pairShift | (child>>9&3)<<leftShift
			rows[end] = row
			if e&said&15 == 0 {
				end++
			}
		}
	}
	out.finals, out.row = finals[:end], rows[:end]
}

// finish checks the whole finals of the last level for cycles.
func (sv *finalSolver) finish(fn func(*planes)) {
	n, m := sv.shape.Cols, sv.shape.Rows
	last := &sv.levels[sv.shape.Cells()]
	if !sv.aimed && len(last.finals) > 0 { // most grids of a large shape have no final at all
		sv.geo.setInitial(&sv.grid)
		sv.aimed = true
	}
	sv.steps += uint64(len(last.finals))
	for i, p := range last.finals {
		var f planes
		row := last.row[i]
		f.setRow(p, m-1, n)
		for r := m - 2; r >= 0; r-- {
			l := &sv.levels[(r+1)*n]
			f.setRow(l.finals[row], r, n)
			row = l.row[row]
		}
		if sv.geo.acyclic(&f) {
			fn(&f)
		} else {
			sv.cyclic++
		}
	}
}
