package reach

import (
	"context"
	"math"
	"slices"

	"pagoda/internal/counting/reach/wordmap"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// Values of the cache: a stored window under its own name; all windows of a cell as the last part below fullPart; an
// unfolded cell as part fullPart and the number of the element that unfolded it; an unfolder likewise; a slab by
// slabPart for each prefix up to its own.
const (
	fullPart     = 1 << 24
	unfolderPart = fullPart + fullPart/2
	slabPart     = 1 << 25
)

// A decoded is the words of a stored window, or those of all windows of a cell without the stretches that have no
// position.
type decoded struct {
	words []uint64
	begin []int    // of a cell, by vector: where its words begin
	at    []uint32 // of a cell, by stretch: its number among the stretches of its vector that are left, or absent
}

const absent = math.MaxUint32

// newDecoded puts the stretches of a cell that have a position into memory of their own, or, where the words need not
// stay as they are, to the beginning of these.
func (w *enumeration) newDecoded(words []uint64, b *bundle, own bool) *decoded {
	d := &decoded{begin: make([]int, 0, len(b.vectors)+1), at: make([]uint32, 0, b.heads)}
	left := 0
	for _, v := range b.vectors {
		d.begin = append(d.begin, left)
		at := w.spotOf(v)
		n, number := at.shape.stretchWords, uint32(0)
		for i := range at.heads.list {
			if empty(words[at.words+i*n:][:n]) {
				d.at = append(d.at, absent)
				continue
			}
			d.at = append(d.at, number)
			number++
		}
		left += int(number) * n
	}
	d.begin, d.words = append(d.begin, left), words[:0]
	if own {
		d.words = make([]uint64, 0, left)
	}
	for _, v := range b.vectors {
		at := w.spotOf(v)
		n := at.shape.stretchWords
		for i, number := range d.at[at.head:][:len(at.heads.list)] {
			if number != absent {
				d.words = append(d.words, words[at.words+i*n:][:n]...)
			}
		}
	}
	return d
}

// of is the share of a vector in a cell.
func (d *decoded) of(s *spot) decoded {
	return decoded{words: d.words[d.begin[s.index]:d.begin[s.index+1]], at: d.at[s.head:][:len(s.heads.list)]}
}

// stretch returns stretch i of a vector's share, of n words; nil when it has no position.
func (d *decoded) stretch(i, n int) []uint64 {
	if d.at[i] == absent {
		return nil
	}
	return d.words[int(d.at[i])*n:][:n]
}

func (d *decoded) size() uint64 { return uint64(8*(len(d.words)+len(d.begin)) + 4*len(d.at)) }

// stored returns all words of a representative.
func (w *enumeration) stored(ctx context.Context, in puzzle.Source, rep partition.Vector) (d decoded, err error) {
	at := w.spotOf(rep)
	all, err := w.storedBundle(ctx, in, at.bundle)
	if err != nil {
		return d, err
	}
	return all.of(at), nil
}

// storedBundle returns all windows of a cell.
func (w *enumeration) storedBundle(ctx context.Context, in puzzle.Source, b *bundle) (*decoded, error) {
	windows, err := in.Windows(b.cell)
	if err != nil {
		return nil, err
	}
	cell := storedCell{enumeration: w, at: &spot{bundle: b}, in: in, windows: windows}
	if len(windows) == 1 {
		return cell.window(ctx, windows[0])
	}
	id := windows[0].ID()
	id.Part = fullPart - 1
	v, err := w.claims.once(ctx, in.Cache(), id, func() (any, uint64, error) {
		list := make([]uint64, b.words)
		for _, window := range windows {
			words := list[window.First/64:]
			if v, ok := in.Cache().Get(window.ID()); ok {
				copy(words, v.(*decoded).words)
			} else if err := decode(ctx, in, window, words); err != nil {
				return nil, 0, err
			}
		}
		d := w.newDecoded(list, b, false)
		return d, d.size(), nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*decoded), nil
}

// isEmpty reports whether a cell has no position.
func isEmpty(in puzzle.Source, cell puzzle.Cell) (bool, error) {
	tally, err := in.Tally(cell)
	if err != nil {
		return false, err
	}
	sum := tally.Sum(sumPositions)
	return sum.IsZero(), nil
}

// An unfolding is one element that takes stored stretches to their images.
type unfolding struct {
	class    [roles]int // roles that prefix and mid become
	images   [2][]uint32
	targets  []wordmap.Target
	shuffles []wordmap.Shuffle
}

// unfold makes all rows of vector to from the stored stretches of from, which group element g maps to it. Words are
// zero and have room for them. It returns where the stretches are.
func (s *scheme) unfold(words []uint64, stored decoded, from partition.Vector, g int, to *shape) []place {
	h := s.shape(from)
	list := s.unfoldings(from, g, to)
	prefixes, mids := s.class[prefix].byWeight[h.weight[prefix]], s.class[mid].byWeight[h.weight[mid]]
	bases := make([]int, 0, len(list))
	for i, hd := range s.headsOf(from) {
		src := stored.stretch(i, h.stretchWords)
		if src == nil {
			continue
		}
		x, y := prefixes[hd.prefix], mids[hd.mid]
		value := s.base ^ s.class[prefix].inv[x] ^ s.class[mid].inv[y]
		bases = bases[:0]
		for i := range list {
			u := &list[i]
			base := int(u.images[prefix][hd.prefix] + u.images[mid][hd.mid])
			if slices.Contains(bases, base) {
				continue // another element has taken the stretch there: its rows are all computed
			}
			bases = append(bases, base)
			for k := range u.shuffles {
				sh := &u.shuffles[k]
				sh.Words(words[base+sh.To*to.stretches:], src[sh.From*h.stretches:(sh.From+1)*h.stretches], u.targets, value)
			}
		}
	}
	at := make([]place, len(words)/to.stretchWords)
	for i := range at {
		at[i] = placeOf(i, 0)
		if empty(words[i*to.stretchWords : (i+1)*to.stretchWords]) {
			at[i] = noRows
		}
	}
	return at
}

func (s *scheme) unfoldings(from partition.Vector, g int, to *shape) []unfolding {
	h := s.shape(from)
	var list []unfolding
	for _, k := range s.folding(from) {
		e := s.product[g][k]
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
		u.targets = make([]wordmap.Target, 0, h.stretches)
		for _, x := range s.class[stretch].byWeight[h.weight[stretch]] {
			u.targets = append(u.targets, wordmap.Target{Offset: offset(stretch, x), Value: s.class[stretch].inv[x]})
		}
		list = append(list, u)
	}
	return list
}

func empty(words []uint64) bool {
	for _, x := range words {
		if x != 0 {
			return false
		}
	}
	return true
}
