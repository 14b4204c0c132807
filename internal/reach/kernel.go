package reach

import (
	"context"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A pull is a group of jumps undone, and the rows before them.
type pull struct {
	*group
	from *rows
}

// A kernel computes one window.
type kernel struct {
	*scheme
	window puzzle.Window
	shape  shape
	heads  []head
	from   []*rows // parents
	pulls  []pull
	table  *table
	words  []uint64 // of the window
	tally  tally

	active []activePull
	block  []childStretch
}

// newKernel loads the parents of a window of vector v after n jumps.
func (w *enumeration) newKernel(
	ctx context.Context, window puzzle.Window, in puzzle.Source, v partition.Vector,
) (*kernel, error) {
	k, _ := w.kernels.Get().(*kernel)
	if k == nil {
		k = &kernel{}
	}
	*k = kernel{scheme: w.scheme, window: window, shape: w.shape(v), heads: w.headsOf(v),
		from: k.from[:0], pulls: k.pulls[:0], active: k.active[:0], block: k.block[:0]}
	k.words = make([]uint64, window.Addresses/64)
	k.table = w.table(k.shape.weight[stretch], k.shape.weight[word])
	k.tally = w.newTally(v)
	once := len(k.words) == len(k.heads)*k.shape.stretchWords // the cell has no other window
	for removed := range v {
		p, ok := w.parent(v, removed, window.Layer)
		if !ok {
			continue
		}
		from, err := w.rows(ctx, in, window.Layer-1, p, once)
		if err != nil {
			return nil, err
		}
		if from == nil {
			continue
		}
		k.from = append(k.from, from)
		for i := range w.groups[removed] {
			k.pulls = append(k.pulls, pull{&w.groups[removed][i], from})
		}
	}
	return k, nil
}

// release gives back memory that the next window can use.
func (k *kernel) release() {
	for _, r := range k.from {
		r.release(k.scheme)
	}
	k.words, k.tally = nil, tally{} // and hold nothing
	clear(k.from)
	clear(k.pulls)
	clear(k.active[:cap(k.active)])
	clear(k.block[:cap(k.block)])
	k.kernels.Put(k)
}

// An activePull is a pull that a prefix allows, and the rows with the prefix before.
type activePull struct {
	mid          part
	work         int
	stretches    int // of the rows before: words of a plane
	stretchWords int
	slab
}

// blockWords is how many words are computed together, one pull after the other: they and the maps of a pull stay in the
// first-level cache.
const blockWords = 1 << 11

// A childStretch is a stretch that is computed.
type childStretch struct {
	*head
	words []uint64
	mid   uint32 // pattern
	value uint32 // what prefix, mid and start leave
}

// compute computes the window. Its first and last stretch may lie in it in part.
func (k *kernel) compute(ctx context.Context) error {
	if len(k.pulls) == 0 {
		return nil
	}
	h := &k.shape
	first := int(k.window.First / 64)
	end := (first + len(k.words) + h.stretchWords - 1) / h.stretchWords
	block := k.block
	prefixes, mids := k.class[prefix].byWeight[h.weight[prefix]], k.class[mid].byWeight[h.weight[mid]]
	for at := first / h.stretchWords; at < end; at += len(block) {
		l := k.heads[at].prefix
		if at*h.stretchWords <= first || k.heads[at-1].prefix != l {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := k.activate(ctx, l); err != nil {
				return err
			}
		}
		base := k.base ^ k.class[prefix].inv[prefixes[l]]
		block = block[:0]
		for i := at; i < end && k.heads[i].prefix == l && len(block)*h.stretchWords < blockWords; i++ {
			x := mids[k.heads[i].mid]
			block = append(block, childStretch{&k.heads[i], k.stretch(i*h.stretchWords - first), x, base ^ k.class[mid].inv[x]})
		}
		k.pull(block)
		for i := range block {
			t := &block[i]
			if begin := (at+i)*h.stretchWords - first; begin < 0 || begin+h.stretchWords > len(k.words) {
				from, to := max(0, -begin), min(h.stretchWords, len(k.words)-begin)
				clear(t.words[:from])
				clear(t.words[to:])
				copy(k.words[begin+from:], t.words[from:to])
			}
			k.tally.stretch(t.head, t.words)
		}
	}
	k.block = block
	return nil
}

// stretch is the words of the stretch that begins at word begin of the window, memory of its own where it lies there in
// part.
func (k *kernel) stretch(begin int) []uint64 {
	n := k.shape.stretchWords
	if begin < 0 || begin+n > len(k.words) {
		return make([]uint64, n)
	}
	return k.words[begin : begin+n]
}

// activate lists the pulls that a prefix allows.
func (k *kernel) activate(ctx context.Context, l uint32) error {
	k.active = k.active[:0]
	for _, r := range k.from {
		r.next()
	}
	c := &k.class[prefix]
	x := c.byWeight[k.shape.weight[prefix]][l]
	for i := range k.pulls {
		p := &k.pulls[i]
		if !p.prefix.allows(x) {
			continue
		}
		s, err := p.from.slabOf(ctx, c.rank[x^p.prefix.flip])
		if err != nil {
			return err
		}
		k.active = append(k.active, activePull{p.mid, p.work, p.from.stretches, p.from.stretchWords, s})
	}
	return nil
}

// pull computes the stretches of a block.
func (k *kernel) pull(block []childStretch) {
	h := &k.shape
	rank := k.class[mid].rank
	for i := range k.active {
		p := &k.active[i]
		element := -1
		var list *pulls
		for b := range block {
			t := &block[b]
			if !p.mid.allows(t.mid) {
				continue
			}
			at := p.at[rank[t.mid^p.mid.flip]]
			if at == noRows {
				continue
			}
			if e := at.element(); e != element {
				element, list = e, k.table.of(p.work, e)
			}
			list.pull(t.words, p.words[at.stretch()*p.stretchWords:][:p.stretchWords], h, p.stretches, t.value)
		}
	}
}
