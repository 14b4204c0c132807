package reach

import (
	"context"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// wholeWords is the size in words up to which a full cell is unfolded as a whole, and kept. Of a larger one, windows
// unfold the slabs that they read: 16 MiB are less than the rest of the memory of such a window. Where windows read
// stretches as they are stored (readsStored) nothing is unfolded of a cell that takes storedWords at most, stored.
const wholeWords, storedWords = 1 << 21, 1 << 23

// sharedWords bounds the stored cell whose windows are kept decoded while slabs are unfolded from them; of a larger one
// every slab reads the blocks that it needs.
const sharedWords = 1 << 27

// A slab is the rows of a vector with one prefix.
type slab struct {
	words []uint64
	at    []place // by mid pattern
}

func (s *slab) size() uint64 { return uint64(8*len(s.words) + placeBytes*len(s.at)) }

// slabs unfolds the stored cell of a representative, slab by slab.
type slabs struct {
	*enumeration
	*unfolder
	in     puzzle.Source
	stored storedCell
	once   bool // every slab is read once: none is kept
}

// bySlab reports whether windows read the slabs of a vector.
func (w *enumeration) bySlab(v partition.Vector) bool {
	rep, g := w.canonical(v)
	return w.inSlabs(v) && (!w.permutes || !w.wholeStored(rep, g))
}

// inSlabs reports whether a vector is unfolded slab by slab: it is large, and symmetries leave stretches in their slab
// or take all of them to another.
func (w *enumeration) inSlabs(v partition.Vector) bool {
	if h := w.shape(v); h.words <= w.wholeWords {
		return false
	}
	for _, g := range w.keep {
		if w.toRole[g][stretch] != stretch {
			return false
		}
	}
	return true
}

// wholeStored reports whether windows hold a stored cell as it is, on a machine that permutes words.
func (w *enumeration) wholeStored(rep partition.Vector, g int) bool {
	return w.readable(rep, g) && w.wordsStored(rep) <= w.storedWords
}

// wordsStored is the size of a stored vector.
func (w *enumeration) wordsStored(rep partition.Vector) int { return w.spotOf(rep).size }

// slab returns a slab from the cache or unfolds it, once where two computations want it at the same time.
func (s *slabs) slab(ctx context.Context, l uint32) (*slab, error) {
	if s.once {
		return s.unfold(ctx, l)
	}
	id := puzzle.WindowID{Cell: s.at.cell, Part: slabPart*(int(l)+1) + s.at.part(s.element)}
	v, err := s.claims.once(ctx, s.in.Cache(), id, func() (any, uint64, error) {
		v, err := s.unfold(ctx, l)
		if err != nil {
			return nil, 0, err
		}
		return v, v.size(), nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*slab), nil
}

// An unfolder knows how the stored stretches of a cell become the rows of one of its images.
type unfolder struct {
	at       *spot // of the cell's representative
	element  int   // takes the representative to the image
	from, to shape
	heads    heads
	elements []slabUnfolding
}

// A slabUnfolding is one element that takes stored stretches to their images.
type slabUnfolding struct {
	unfolding
	// source is, by prefix of the image, the pattern that becomes it: a prefix, or where the element exchanges prefix and
	// mid class a mid pattern.
	source []uint32
}

func (w *enumeration) newUnfolder(at *spot, rep partition.Vector, g int, v partition.Vector) *unfolder {
	u := &unfolder{at: at, element: g,
		from: at.shape, to: w.shape(v), heads: at.heads}
	stride := uint32(u.to.stride(prefix))
	for _, e := range w.unfoldings(rep, g, &u.to) {
		s := slabUnfolding{unfolding: e, source: make([]uint32, u.to.words/int(stride))}
		for x, offset := range e.images[s.prefixRole()] {
			s.source[offset/stride] = uint32(x)
		}
		u.elements = append(u.elements, s)
	}
	return u
}

// prefixRole is the role whose patterns become prefixes.
func (s *slabUnfolding) prefixRole() int {
	if s.class[prefix] == prefix {
		return prefix
	}
	return mid
}

func (u *unfolder) size() (bytes uint64) {
	for i := range u.elements {
		e := &u.elements[i]
		bytes += uint64(4*(len(e.images[prefix])+len(e.images[mid])+len(e.source)) + 8*len(e.targets))
	}
	return bytes
}

// unfold makes the slab of the prefix of rank l.
func (s *slabs) unfold(ctx context.Context, l uint32) (*slab, error) {
	if err := puzzle.Progress(ctx); err != nil {
		return nil, err
	}
	out := &slab{make([]uint64, s.to.mids*s.to.stretchWords), make([]place, s.to.mids)}
	for m := range out.at {
		out.at[m] = noRows
	}
	starts := s.heads.starts
	for i := range s.elements {
		e := &s.elements[i]
		x := e.source[l]
		if e.class[prefix] == prefix {
			if err := s.stored.ahead(ctx, int(starts[x]), int(starts[x+1])); err != nil {
				return out, err
			}
			for at := starts[x]; at < starts[x+1]; at++ {
				if err := s.image(ctx, out, e, int(at), e.images[mid][s.heads.list[at].mid]); err != nil {
					return out, err
				}
			}
			continue
		}
		for p := range len(starts) - 1 {
			list := s.heads.list[starts[p]:starts[p+1]]
			at, ok := slices.BinarySearchFunc(list, x, func(h head, m uint32) int { return int(h.mid) - int(m) })
			if !ok {
				continue
			}
			if err := s.image(ctx, out, e, int(starts[p])+at, e.images[prefix][p]); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// image adds the image of stored stretch at to a slab, from word base on.
func (s *slabs) image(ctx context.Context, out *slab, e *slabUnfolding, at int, base uint32) error {
	src, err := s.stored.stretch(ctx, at)
	if err != nil || empty(src) {
		return err
	}
	hd := &s.heads.list[at]
	value := s.base ^ s.class[prefix].inv[s.class[prefix].byWeight[s.from.weight[prefix]][hd.prefix]] ^
		s.class[mid].inv[s.class[mid].byWeight[s.from.weight[mid]][hd.mid]]
	for k := range e.shuffles {
		sh := &e.shuffles[k]
		sh.Words(out.words[int(base)+sh.To*s.to.stretches:], src[sh.From*s.from.stretches:][:s.from.stretches],
			e.targets, value)
	}
	m := int(base) / s.to.stretchWords
	out.at[m] = placeOf(m, 0)
	return nil
}

// rowsMemory returns the memory of rows of vector v, with so many slabs held at a time. shared is the part that other
// windows read too and that should be kept: the stored windows and the slabs. Both are the most on any machine, whether
// it permutes words or not: a run may be planned and computed on different machines.
func (w *enumeration) rowsMemory(v partition.Vector, slabs int) (bytes, shared uint64) {
	rep, g := w.canonical(v)
	bytes, shared = w.unfoldedMemory(v, rep, slabs)
	if h := w.shape(v); w.inSlabs(v) && w.wholeStored(rep, g) {
		stretches := uint64(h.words / h.stretchWords)
		bytes = max(bytes, 8*uint64(w.wordsStored(rep))+2*placeBytes*stretches) // places, and where they come from
	}
	return bytes, shared
}

// unfoldedMemory is rowsMemory where rows are unfolded.
func (w *enumeration) unfoldedMemory(v, rep partition.Vector, slabs int) (bytes, shared uint64) {
	h, from, stored := w.shape(v), w.shape(rep), w.wordsStored(rep)
	if !w.inSlabs(v) {
		return 8 * uint64(h.words+stored), 0 // full, and stored while it is unfolded
	}
	bytes = 8 * uint64(slabs*h.stride(prefix))
	if stored > w.sharedWords {
		return bytes + 8*uint64(from.stride(prefix)), 8 * uint64(h.words)
	}
	window := uint64(stored)
	if w.windowAddresses > 0 {
		window = min(window, w.windowAddresses/64)
	}
	return bytes + 8*window, 8 * uint64(h.words+stored)
}

// slabsRead is how many prefixes before a jump that removes a peg of class removed there are at most for one prefix of
// the given weight after it.
func (w *enumeration) slabsRead(removed, weight int) (most int) {
	w.slabsMu.Lock()
	defer w.slabsMu.Unlock()
	key := slabsKey{removed, weight}
	if n, ok := w.slabsOf[key]; ok {
		return n
	}
	parts := map[part]bool{}
	for _, g := range w.groups[removed] {
		parts[g.prefix] = true
	}
	for _, x := range w.class[prefix].byWeight[weight] {
		flips := map[uint32]bool{}
		for p := range parts {
			if p.allows(x) {
				flips[p.flip] = true
			}
		}
		most = max(most, len(flips))
	}
	w.slabsOf[key] = most
	return most
}

type slabsKey struct{ removed, weight int }
