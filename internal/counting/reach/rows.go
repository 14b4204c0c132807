package reach

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A place is where the rows of a stretch are: which stretch of words they are, and the element that maps it to them.
// Where the element is not the identity the words are those of a stored image.
type place uint32

const (
	elementBits = 4
	maxElements = 1 << elementBits
	noRows      = place(math.MaxUint32) // there are none
	placeBytes  = 4
)

func placeOf(at, element int) place { return place(at<<elementBits | element) }
func (p place) stretch() int        { return int(p >> elementBits) }
func (p place) element() int        { return int(p % maxElements) }

// Rows gives the rows of a vector, prefix by prefix. It belongs to one computation.
type rows struct {
	shape
	all      slab   // prefix after prefix, or
	lazy     *slabs // unfolds them
	held     map[uint32]*slab
	borrowed *[]uint64 // memory of words
	places   []place   // memory of at
}

// maxStoredPlanes bounds the planes of rows that are read as they are stored: tables of maps grow with their square.
const maxStoredPlanes = 2

// rows returns the rows of vector v, nil when there are none. once says that no other window reads them,
// and this one each once.
func (w *enumeration) rows(
	ctx context.Context, in puzzle.Source, v partition.Vector, once bool,
) (*rows, error) {
	rep, g := w.canonical(v)
	at := w.spotOf(rep)
	if empty, err := isEmpty(in, at.cell); empty || err != nil {
		return nil, err
	}
	if w.bySlab(v) {
		return w.rowsBySlab(in, at, rep, g, v, once)
	}
	r := w.newRows(v)
	id := puzzle.WindowID{Cell: at.cell, Part: fullPart + at.part(g)}
	if f, ok := in.Cache().Get(id); ok {
		r.all = *f.(*slab)
		return r, nil
	}
	stored, err := w.stored(ctx, in, rep)
	if err != nil || len(stored.words) == 0 { // one of several vectors of a cell may have none
		r.release(w.scheme)
		return nil, err
	}
	if w.readsStored(rep, g) {
		r.places = w.appendPlaces(r.places, rep, g, &r.shape, stored.at)
		r.all = slab{stored.words, r.places}
		return r, nil
	}
	if once && w.readsStored(rep, 0) { // other windows read the stored cell
		r.borrowed = w.borrow(r.shape.words)
		r.all.words = *r.borrowed
		r.all.at = w.unfold(r.all.words, stored, rep, g, &r.shape)
		return r, nil
	}
	r.all.words = make([]uint64, r.shape.words)
	r.all.at = w.unfold(r.all.words, stored, rep, g, &r.shape)
	all := &slab{r.all.words, r.all.at}
	in.Cache().Put(id, all, all.size())
	return r, nil
}

func (w *enumeration) rowsBySlab(
	in puzzle.Source, at *spot, rep partition.Vector, g int, v partition.Vector, once bool,
) (*rows, error) {
	windows, err := in.Windows(at.cell)
	if err != nil {
		return nil, err
	}
	id := puzzle.WindowID{Cell: at.cell, Part: unfolderPart + at.part(g)}
	u, ok := in.Cache().Get(id)
	if !ok {
		u = w.newUnfolder(at, rep, g, v)
		in.Cache().Put(id, u, u.(*unfolder).size())
	}
	s := &slabs{enumeration: w, unfolder: u.(*unfolder), in: in, once: once}
	s.stored = storedCell{enumeration: w, in: in, windows: windows, stretchWords: s.from.stretchWords,
		at: at, shared: at.size <= w.sharedWords}
	return &rows{shape: s.to, lazy: s, held: map[uint32]*slab{}}, nil
}

// newRows returns rows with memory that another computation has given back.
func (s *scheme) newRows(v partition.Vector) *rows {
	r, _ := s.spare.Get().(*rows)
	if r == nil {
		r = &rows{}
	}
	r.shape = s.shape(v)
	return r
}

// release gives back memory that the next computation can use.
func (r *rows) release(s *scheme) {
	if r.borrowed != nil {
		s.scratch.Put(r.borrowed)
	}
	*r = rows{places: r.places[:0]}
	s.spare.Put(r)
}

// readsStored reports whether windows read the rows of a vector, which element g maps rep's to, as they are stored:
// stretches are stretches of the vector, and this machine maps their bits as fast as those of unfolded ones.
func (s *scheme) readsStored(rep partition.Vector, g int) bool {
	return s.permutes && s.readable(rep, g)
}

// readable is readsStored for a machine that permutes words.
func (s *scheme) readable(rep partition.Vector, g int) bool {
	return s.toRole[g][stretch] == stretch && len(s.group) <= maxElements && s.shape(rep).planes <= maxStoredPlanes
}

// next forgets the slabs that were read, before those of another prefix are.
func (r *rows) next() { clear(r.held) }

// slabOf returns the rows with the prefix of rank l: the slab that has them, and where its places of them begin.
func (r *rows) slabOf(ctx context.Context, l uint32) (s *slab, first int, err error) {
	if r.lazy == nil {
		return &r.all, int(l) * r.mids, nil
	}
	if s, ok := r.held[l]; ok {
		return s, 0, nil
	}
	s, err = r.lazy.slab(ctx, l)
	if err == nil {
		r.held[l] = s
	}
	return s, 0, err
}

type originKey struct {
	headKey
	element int
}

// appendPlaces appends where the stretches of a vector, of shape h, are among the stored ones of its representative,
// which element g maps to it; stored is the places of these, see decoded.
func (s *scheme) appendPlaces(list []place, rep partition.Vector, g int, h *shape, stored []uint32) []place {
	origins := s.originsOf(rep, g, h)
	list = slices.Grow(list, len(origins))[:len(origins)]
	for i, p := range origins {
		list[i] = noRows
		if at := stored[p.stretch()]; at != absent {
			list[i] = placeOf(int(at), p.element())
		}
	}
	return list
}

// originsOf is, by prefix and mid of a vector, the stored stretch that is an image of the stretch there.
func (s *scheme) originsOf(rep partition.Vector, g int, h *shape) []place {
	fold, from := s.folding(rep), s.shape(rep)
	key := originKey{s.headKey(fold, &from), g}
	s.mu.Lock()
	list, ok := s.origins[key]
	s.mu.Unlock()
	if ok {
		return list
	}
	list = make([]place, h.words/h.stretchWords)
	for i := range list {
		list[i] = noRows
	}
	heads := s.headsUnder(fold, &from).list
	for _, k := range fold {
		e := s.product[g][k]
		for i, hd := range heads {
			l, m := s.headImage(e, &from, hd.prefix, hd.mid)
			if at := int(l)*h.mids + int(m); list[at] == noRows {
				list[at] = placeOf(i, e)
			}
		}
	}
	s.mu.Lock()
	s.origins[key] = list
	s.mu.Unlock()
	return list
}

// borrow returns zeroed memory of one computation. It has room up to a power of two, so that it will do for others too.
func (s *scheme) borrow(words int) *[]uint64 {
	p, _ := s.scratch.Get().(*[]uint64)
	if p == nil || cap(*p) < words {
		list := make([]uint64, words, 1<<bits.Len(uint(words)))
		return &list
	}
	*p = (*p)[:words]
	clear(*p)
	return p
}
