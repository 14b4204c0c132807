package reach

import (
	"slices"
	"sync/atomic"

	"pagoda/internal/counting/reach/wordmap"
)

type tableKey struct{ stretch, word int }

// A table holds the effects of groups of jumps on rows of one stretch and word weight. Each is made when it is needed.
type table struct {
	*scheme
	tableKey
	lists []atomic.Pointer[pulls] // by work and element
}

// pulls is the effect of a work on the rows of a stretch, taken from one that is stored as an image of it.
type pulls struct {
	whole   bool // rows and bits are as they are
	plain   bool // bits are as they are
	batches []batch
}

// A batch is the rows that take bits of one plane to another.
type batch struct {
	from, to int
	maps     *wordmap.Maps
	base     int // number of the first map
	list     []wordmap.Pair
	// Where the maps of most values are empty, list has only the pairs that count, sorted by the value that prefix, mid
	// and start leave. starts says where those of a value begin; one more ends the last.
	starts []uint32
}

func (s *scheme) table(stretch, word int) *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := tableKey{stretch, word}
	t, ok := s.tables[key]
	if !ok {
		t = &table{scheme: s, tableKey: key, lists: make([]atomic.Pointer[pulls], len(s.works)*len(s.group))}
		s.tables[key] = t
	}
	return t
}

// of returns the pulls of a work, from stretches that are stored as images under the inverse of element e.
func (t *table) of(work, e int) *pulls {
	at := &t.lists[work*len(t.group)+e]
	if p := at.Load(); p != nil {
		return p
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.make(&t.works[work], e)
	at.Store(p)
	return p
}

func (t *table) make(w *work, e int) *pulls {
	p := &pulls{}
	moved := slices.ContainsFunc(w.steps, func(s step) bool { return s.change != unmoved })
	if e == 0 && !moved {
		p.plain, p.whole = true, len(w.steps) == 1 && w.steps[0].stretch.flip == 0
		p.batches = []batch{{list: t.rowPairs(w, e)}}
		return p
	}
	maps := t.wordMaps(e, t.word)
	for _, step := range w.steps {
		for _, g := range maps.Segments[step.change] {
			if !slices.ContainsFunc(p.batches, func(b batch) bool { return b.from == g.From && b.to == g.To }) {
				p.batches = append(p.batches, t.batch(w, e, maps, g.From, g.To))
			}
		}
	}
	p.batches = slices.DeleteFunc(p.batches, func(b batch) bool { return len(b.list) == 0 })
	return p
}

// batch lists the pairs of a work that take bits of one plane to another.
func (t *table) batch(w *work, e int, maps *wordmap.Maps, from, to int) batch {
	b := batch{from: from, to: to, maps: maps}
	segments, active := 0, 0
	each := func(f func(st step, g *wordmap.Segment)) {
		for _, st := range w.steps {
			for i := range maps.Segments[st.change] {
				if g := &maps.Segments[st.change][i]; g.From == from && g.To == to {
					f(st, g)
				}
			}
		}
	}
	each(func(_ step, g *wordmap.Segment) { segments, active = segments+1, active+len(g.Active) })
	starts, list := t.class[stretch].starts[t.tableKey.stretch], t.pairList[:0]
	switch {
	case active == 0:
	case active > segments*t.values/4 && from == 0 && to == 0:
		b.list, b.base = t.rowPairs(w, e), w.base*t.values
		return b
	case active > segments*t.values/4:
		each(func(st step, g *wordmap.Segment) { t.pairs(&list, st, e, g.First, 0, int(starts[t.values])) })
	default:
		b.starts = make([]uint32, t.values+1)
		for value := range t.values {
			each(func(st step, g *wordmap.Segment) {
				for _, v := range g.Active {
					v ^= uint32(value) // the share of the stretch pattern
					t.pairs(&list, st, e, g.First, int(starts[v]), int(starts[v+1]))
				}
			})
			b.starts[value+1] = uint32(len(list))
		}
	}
	t.pairList, b.list = list, slices.Clone(list)
	return b
}

type rowKey struct{ work, element, stretch int }

// rowPairs lists the pairs of a work from plane 0 to plane 0, whatever the weight of the word class.
func (t *table) rowPairs(w *work, e int) []wordmap.Pair {
	key := rowKey{w.rows, e, t.tableKey.stretch}
	list, ok := t.rowLists[key]
	if !ok {
		list = t.pairList[:0]
		for _, st := range w.steps {
			t.pairs(&list, st, e, (st.change-w.base)*t.values, 0, len(t.class[stretch].byWeight[key.stretch]))
		}
		t.pairList, list = list, slices.Clone(list)
		t.rowLists[key] = list
	}
	return list
}

// pairs appends the rows of the ranks [from, end) that allow a step.
func (t *table) pairs(to *[]wordmap.Pair, st step, e, first, from, end int) {
	c := &t.class[stretch]
	back := c.image[t.inverse[e]]
	list := c.byWeight[t.tableKey.stretch]
	for l := from; l < end; l++ {
		if x := list[l]; st.stretch.allows(x) {
			*to = append(*to, wordmap.Pair{To: uint16(l), From: uint16(c.rank[back[x^st.stretch.flip]]),
				At: (uint32(first) + c.inv[x]) * wordmap.Step})
		}
	}
}

// pull adds rows of stretches in src, of the given number of rows a plane, to stretches in dst.
func (p *pulls) pull(dst, src []uint64, jobs []wordmap.Job, h *shape, stretches int) {
	if p.plain {
		for _, j := range jobs {
			to, from := dst[j.Dst:][:h.stretchWords], src[j.Src:]
			if p.whole {
				wordmap.OrWords(to, from)
				continue
			}
			for plane := range h.planes {
				wordmap.OrPairs(to[plane*h.stretches:], from[plane*stretches:], p.batches[0].list)
			}
		}
		return
	}
	for i := range p.batches {
		b := &p.batches[i]
		to, from := dst[b.to*h.stretches:], src[b.from*stretches:]
		if b.starts == nil {
			b.maps.Pull(to, from, jobs, b.list, b.base)
			continue
		}
		for k, j := range jobs {
			b.maps.Pull(to, from, jobs[k:k+1], b.list[b.starts[j.Value]:b.starts[j.Value+1]], b.base)
		}
	}
}

// A stretchImage turns stretches that are stored as images into those of the vector.
type stretchImage struct {
	table  *table
	shape  *shape
	buffer []uint64
}

func (s *scheme) newStretchImage(h *shape) *stretchImage {
	return &stretchImage{s.table(h.weight[stretch], h.weight[word]), h, make([]uint64, h.stretchWords)}
}

// of returns the rows of the stretch at a place; value is the one that prefix, mid and start leave. They are valid
// until the next call.
func (i *stretchImage) of(words []uint64, p place, value uint32) []uint64 {
	src := words[p.stretch()*i.shape.stretchWords:][:i.shape.stretchWords]
	if p.element() == 0 {
		return src
	}
	clear(i.buffer)
	i.table.of(unmoved, p.element()).pull(i.buffer, src, []wordmap.Job{{Value: value}}, i.shape, i.shape.stretches)
	return i.buffer
}
