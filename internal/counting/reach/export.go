package reach

import (
	"math/bits"
	"strings"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

var rowColumns = []puzzle.Column{
	{Name: "position", Kind: puzzle.Text,
		Doc: "canonical position: the least of the class, x and as many hexadecimal digits as the board takes, bit i is " +
			"hole i in row-major order"},
	{Name: "jumps", Kind: puzzle.Number, Doc: "jumps from the start"},
	{Name: "orbit", Kind: puzzle.Number, Doc: "positions in the class"},
}

// jumpsColumn is the index of jumps in rowColumns.
const jumpsColumn = 1

// RowColumns describes the exported rows: one for each symmetry class.
func (r *Reach) RowColumns() []puzzle.Column { return rowColumns }

// ExportRows emits the symmetry classes of a block: canonical position, jumps, size of the class. Of the positions of a
// class that are stored the smallest gives the row. Positions found backwards from a goal are not emitted.
func (r *Reach) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	if j := r.join; j != nil && j.far != r.near && strings.HasPrefix(c.Key, j.far.name) {
		return nil
	}
	row := make([]puzzle.Value, len(rowColumns))
	return r.near.eachClass(c, b, func(p peg.Position, orbit int) error {
		row[0].S, row[jumpsColumn], row[2] = r.params.Board.Hex(r.near.orbits().Least(p)), number(c.Layer), number(orbit)
		return emit(row)
	})
}

// eachClass passes a position of each class of a block to fn, with the number of its positions.
func (w *enumeration) eachClass(c puzzle.Cell, b *puzzle.Block, fn func(p peg.Position, orbit int) error) error {
	cell, err := w.bundleOf(c)
	if err != nil {
		return err
	}
	first := int(b.First / 64)
	for _, v := range cell.vectors {
		at := w.spotOf(v)
		from, to := max(at.words, first), min(at.words+at.size, first+len(b.Occupied))
		if from >= to {
			continue
		}
		if err := w.eachClassOf(at, b.Occupied[from-first:to-first], from-at.words, fn); err != nil {
			return err
		}
	}
	return nil
}

// eachClassOf is eachClass for some words of a vector, from number first on.
func (w *enumeration) eachClassOf(
	at *spot, words []uint64, first int, fn func(p peg.Position, orbit int) error,
) error {
	h, heads := &at.shape, at.heads.list
	images := w.storedImages(at.vectors[at.index])
	for i, set := range words {
		hd := heads[(first+i)/h.stretchWords]
		plane, l := (first+i)%h.stretchWords/h.stretches, (first+i)%h.stretches
		x := [roles]uint32{
			prefix:  w.class[prefix].byWeight[h.weight[prefix]][hd.prefix],
			mid:     w.class[mid].byWeight[h.weight[mid]][hd.mid],
			stretch: w.class[stretch].byWeight[h.weight[stretch]][l],
		}
		value := w.base ^ w.class[prefix].inv[x[prefix]] ^ w.class[mid].inv[x[mid]] ^ w.class[stretch].inv[x[stretch]]
		list := w.wordList(h.weight[word], value)
		for ; set != 0; set &= set - 1 {
			x[word] = list[64*plane+bits.TrailingZeros64(set)]
			p := w.position(x)
			fixed, least := images.of(p, x)
			if !least {
				continue
			}
			if err := fn(p, len(w.group)/fixed); err != nil {
				return err
			}
		}
	}
	return nil
}

// position puts the patterns of the classes together.
func (s *scheme) position(x [roles]uint32) (p peg.Position) {
	for r := range s.class {
		p |= s.class[r].position(x[r])
	}
	return p
}

// storedImages knows which images of a cell's positions are stored, in this cell or another.
type storedImages struct {
	*scheme
	shape []shape // by element: of the vector that it maps the cell's to
	fold  [][]int // its folding; nil when it has no cell, another stands for it
}

func (w *enumeration) storedImages(v partition.Vector) *storedImages {
	s := &storedImages{scheme: w.scheme}
	for g := range w.group {
		u := w.image(g, v)
		s.shape = append(s.shape, w.shape(u))
		var fold []int
		if rep, _ := w.canonical(u); rep == u {
			fold = w.folding(u)
		}
		s.fold = append(s.fold, fold)
	}
	return s
}

// of returns how many elements map position p, whose patterns are x, to itself, and whether no stored image is smaller.
func (s *storedImages) of(p peg.Position, x [roles]uint32) (fixed int, least bool) {
	for g, fold := range s.fold {
		var y [roles]uint32
		for r, to := range s.toRole[g] {
			y[to] = s.class[r].image[g][x[r]]
		}
		if y == x {
			fixed++
			continue
		}
		if fold == nil || s.least(fold, &s.shape[g], s.class[prefix].rank[y[prefix]], s.class[mid].rank[y[mid]]) == 0 {
			continue
		}
		if s.position(y) < p {
			return 0, false
		}
	}
	return fixed, true
}
