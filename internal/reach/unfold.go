package reach

import (
	"context"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A full cell is the rows of a vector, all of them.
type full struct {
	shape
	words []uint64
	live  []bool // by stretch: it has a position
}

// Values of the cache: a stored window under its own name; a full cell under the name of the first window, its part
// moved up by fullPart and the element that unfolded it; an unfolder likewise; a slab by slabPart for each prefix up to
// its own.
const (
	fullPart     = 1 << 24
	unfolderPart = fullPart + fullPart/2
	slabPart     = 1 << 25
)

// stored returns the stored words of a cell, all windows.
func (w *enumeration) stored(ctx context.Context, in puzzle.Source, c puzzle.Cell, words int) ([]uint64, error) {
	windows, err := in.Windows(c)
	if err != nil {
		return nil, err
	}
	if len(windows) == 1 {
		if v, ok := in.Cache().Get(windows[0].ID()); ok {
			return v.([]uint64), nil
		}
	}
	list := make([]uint64, words)
	for _, window := range windows {
		if v, ok := in.Cache().Get(window.ID()); ok {
			copy(list[window.First/64:], v.([]uint64))
			continue
		}
		err := in.Blocks(ctx, window, window.First, window.Addresses, func(b *puzzle.Block) error {
			copy(list[b.First/64:], b.Occupied)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// noRows reports whether a cell has no position.
func noRows(in puzzle.Source, cell puzzle.Cell) (bool, error) {
	tally, err := in.Tally(cell)
	if err != nil {
		return false, err
	}
	sum := tally.Sum(sumPositions)
	return sum.IsZero(), nil
}

// full returns all rows of vector v after n jumps, unfolded from the cell that stands for it. It returns nil when there
// are none.
func (w *enumeration) full(ctx context.Context, in puzzle.Source, n int, v partition.Vector) (*full, error) {
	rep, g := w.canonical(v)
	cell := puzzle.Cell{Layer: n, Key: w.key(rep)}
	if empty, err := noRows(in, cell); empty || err != nil {
		return nil, err
	}
	id := puzzle.WindowID{Cell: cell, Part: fullPart + g}
	if f, ok := in.Cache().Get(id); ok {
		return f.(*full), nil
	}
	heads := w.headsOf(rep)
	from := w.shape(rep)
	stored, err := w.stored(ctx, in, cell, len(heads)*from.stretchWords)
	if err != nil {
		return nil, err
	}
	f := w.unfold(stored, rep, g, v)
	in.Cache().Put(id, f, uint64(8*len(f.words)+len(f.live)))
	return f, nil
}

// An unfolding is one element that takes stored stretches to their images.
type unfolding struct {
	class    [roles]int // roles that prefix and mid become
	images   [2][]uint32
	targets  []target
	shuffles []shuffle
}

// unfold makes the full cell of to from the stored stretches of from, which group element g maps to it.
func (s *scheme) unfold(stored []uint64, from partition.Vector, g int, to partition.Vector) *full {
	h, f := s.shape(from), &full{shape: s.shape(to)}
	f.words = make([]uint64, f.shape.words)
	f.live = make([]bool, f.shape.words/f.stretchWords)
	list := s.unfoldings(from, g, &f.shape)
	prefixes, mids := s.class[prefix].byWeight[h.weight[prefix]], s.class[mid].byWeight[h.weight[mid]]
	toStretch := true // stretches go to stretches
	for i := range list {
		toStretch = toStretch && list[i].class[stretch] == stretch
	}
	bases := make([]int, 0, len(list))
	for _, hd := range s.headsOf(from) {
		src := stored[:h.stretchWords]
		stored = stored[h.stretchWords:]
		if empty(src) {
			continue
		}
		x, y := prefixes[hd.prefix], mids[hd.mid]
		value := s.base ^ s.class[prefix].inv[x] ^ s.class[mid].inv[y]
		bases = bases[:0]
		for i := range list {
			u := &list[i]
			base := int(u.images[prefix][hd.prefix] + u.images[mid][hd.mid])
			if contains(bases, base) {
				continue // another element has taken the stretch there: its rows are all computed
			}
			bases = append(bases, base)
			for k := range u.shuffles {
				sh := &u.shuffles[k]
				shuffleStretch(
					f.words[base+sh.to*f.stretches:],
					src[sh.from*h.stretches:(sh.from+1)*h.stretches],
					u.targets,
					sh,
					value,
				)
			}
			if toStretch {
				f.live[base/f.stretchWords] = true
			}
		}
	}
	if !toStretch {
		for i := range f.live {
			f.live[i] = !empty(f.words[i*f.stretchWords : (i+1)*f.stretchWords])
		}
	}
	return f
}

func (s *scheme) unfoldings(from partition.Vector, g int, to *shape) []unfolding {
	h := s.shape(from)
	var list []unfolding
	for _, k := range s.folding(from) {
		e := s.compose(g, k)
		u := unfolding{class: s.toRole[e], shuffles: s.shuffles(e, h.weight[word])}
		offset := func(r int, x uint32) uint32 {
			c := u.class[r]
			return s.class[c].rank[s.class[r].image[e][x]] * uint32(to.stride(c))
		}
		for r := range u.images {
			u.images[r] = make([]uint32, 0, len(s.class[r].byWeight[h.weight[r]]))
			for _, x := range s.class[r].byWeight[h.weight[r]] {
				u.images[r] = append(u.images[r], offset(r, x))
			}
		}
		u.targets = make([]target, 0, h.stretches)
		for _, x := range s.class[stretch].byWeight[h.weight[stretch]] {
			u.targets = append(u.targets, target{offset(stretch, x), s.class[stretch].inv[x]})
		}
		list = append(list, u)
	}
	return list
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

func empty(words []uint64) bool {
	var or uint64
	for _, x := range words {
		or |= x
	}
	return or == 0
}
