package reach

import (
	"context"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A pull is one jump undone on all rows of a cell: what it asks of their patterns, and where the rows before it are.
type pull struct {
	jump
	from     *rows
	list     []pair    // the rows of a stretch that take part; nil when all do, as they are
	segments []segment // what it does to the bits; nil when it does not touch the word class
}

// A kernel computes one window.
type kernel struct {
	*scheme
	window puzzle.Window
	shape  shape
	heads  []head
	from   []*rows // parents
	pulls  []pull
	words  []uint64 // of the window
	tally  tally
}

// newKernel loads the parents of a window of vector v after n jumps.
func (w *enumeration) newKernel(
	ctx context.Context, window puzzle.Window, in puzzle.Source, v partition.Vector,
) (*kernel, error) {
	k := &kernel{scheme: w.scheme, window: window, shape: w.shape(v), heads: w.headsOf(v)}
	k.words = make([]uint64, window.Addresses/64)
	k.pulls = make([]pull, 0, len(w.board.Jumps))
	k.tally = w.newTally(v)
	for removed := range v {
		p, ok := w.parent(v, removed, window.Layer)
		if !ok {
			continue
		}
		from, err := w.rows(ctx, in, window.Layer-1, p, false)
		if err != nil {
			return nil, err
		}
		if from == nil {
			continue
		}
		k.from = append(k.from, from)
		for _, j := range w.jumps[removed] {
			p := pull{jump: j, from: from}
			if j[word].flip != 0 {
				if p.segments = w.segments(j[word], k.shape.weight[word]); len(p.segments) == 0 {
					continue
				}
			}
			if j[stretch].flip != 0 || j[word].flip != 0 {
				if p.list = w.pairs(j[stretch], k.shape.weight[stretch]); len(p.list) == 0 {
					continue
				}
			}
			k.pulls = append(k.pulls, p)
		}
	}
	return k, nil
}

// An activePull is a pull that a prefix allows, and the rows with the prefix before.
type activePull struct {
	*pull
	slab
}

// compute computes the window. Its first and last stretch may lie in it in part.
func (k *kernel) compute(ctx context.Context) error {
	if len(k.pulls) == 0 {
		return nil
	}
	h := &k.shape
	first := int(k.window.First / 64)
	at := first / h.stretchWords
	buffer := make([]uint64, h.stretchWords)
	var active []activePull
	prefixNow := -1
	for ; at*h.stretchWords < first+len(k.words); at++ {
		hd := &k.heads[at]
		if int(hd.prefix) != prefixNow {
			if err := ctx.Err(); err != nil {
				return err
			}
			prefixNow = int(hd.prefix)
			var err error
			if active, err = k.activate(ctx, active, hd.prefix); err != nil {
				return err
			}
		}
		begin := at*h.stretchWords - first // in the window
		if begin >= 0 && begin+h.stretchWords <= len(k.words) {
			dst := k.words[begin : begin+h.stretchWords]
			k.pull(dst, hd, active)
			k.tally.stretch(hd, dst)
			continue
		}
		clear(buffer)
		k.pull(buffer, hd, active)
		from, to := max(0, -begin), min(h.stretchWords, len(k.words)-begin)
		clear(buffer[:from])
		clear(buffer[to:])
		copy(k.words[begin+from:], buffer[from:to])
		k.tally.stretch(hd, buffer)
	}
	return nil
}

// activate lists the pulls that a prefix allows, in place of list.
func (k *kernel) activate(ctx context.Context, list []activePull, l uint32) ([]activePull, error) {
	clear(list)
	list = list[:0]
	for _, r := range k.from {
		r.next()
	}
	c := &k.class[prefix]
	x := c.byWeight[k.shape.weight[prefix]][l]
	for i := range k.pulls {
		p := &k.pulls[i]
		if !p.jump[prefix].allows(x) {
			continue
		}
		s, err := p.from.slab(ctx, c.rank[x^p.jump[prefix].flip])
		if err != nil {
			return nil, err
		}
		list = append(list, activePull{p, s})
	}
	return list, nil
}

// pull computes a stretch.
func (k *kernel) pull(dst []uint64, hd *head, active []activePull) {
	h := &k.shape
	c := &k.class[mid]
	x := c.byWeight[h.weight[mid]][hd.mid]
	value := k.base ^ k.class[prefix].inv[k.class[prefix].byWeight[h.weight[prefix]][hd.prefix]] ^ c.inv[x]
	for i := range active {
		p := &active[i]
		if !p.jump[mid].allows(x) {
			continue
		}
		at := c.rank[x^p.jump[mid].flip]
		f := p.from
		if !p.live[at] {
			continue
		}
		src := p.words[int(at)*f.stretchWords:][:f.stretchWords]
		switch {
		case p.list == nil:
			orWords(dst, src)
		case p.segments == nil:
			for plane := range h.planes {
				orPairs(dst[plane*h.stretches:], src[plane*f.stretches:], p.list)
			}
		default:
			for s := range p.segments {
				seg := &p.segments[s]
				movePairs(dst[seg.to*h.stretches:], src[seg.from*f.stretches:], p.list, seg, value)
			}
		}
	}
}
