package reach

import (
	"context"
	"slices"

	"pagoda/internal/counting/reach/wordmap"
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
	mask   *stretchMeeting // nil where all positions count, not only those whose complements the far side has
	words  []uint64        // of the window
	tally  tally

	active []activePull
	block  block
}

// newKernel loads the parents of a window of vector v. The words of the window are zero; whole says that the vector has
// no others.
func (w *enumeration) newKernel(
	ctx context.Context, window puzzle.Window, in puzzle.Source, v partition.Vector, words []uint64, whole bool,
) (*kernel, error) {
	k, _ := w.kernels.Get().(*kernel)
	if k == nil {
		k = &kernel{}
	}
	at := w.spotOf(v)
	*k = kernel{scheme: w.scheme, window: window, shape: at.shape, heads: at.heads.list,
		words: words, from: k.from[:0], pulls: k.pulls[:0], active: k.active[:0], block: k.block}
	k.table = w.table(k.shape.weight[stretch], k.shape.weight[word])
	k.tally = w.newTally(v, w.sums)
	if w.far != nil {
		far, err := w.far.rows(ctx, in, w.complement(v), true)
		if far == nil || err != nil {
			return k, err
		}
		k.mask = newStretchMeeting(w.scheme, w.far.scheme, &k.shape, far)
	}
	for removed := range v {
		p, ok := w.parent(v, removed, window.Layer)
		if !ok {
			continue
		}
		from, err := w.holder(window.Layer-1).rows(ctx, in, p, whole)
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
	if k.mask != nil {
		k.mask.release()
		k.mask = nil
	}
	clear(k.from)
	clear(k.pulls)
	clear(k.active[:cap(k.active)])
	k.block.heads, k.block.words = nil, nil
	k.kernels.Put(k)
}

// An activePull is a pull that a prefix allows, and the rows with the prefix before.
type activePull struct {
	*pull
	slab  *slab
	first int // place of the slab that has the first mid pattern
}

// blockWords is how many words are computed together, one pull after the other: they and the maps of a pull stay in the
// first-level cache.
const blockWords = 1 << 11

// A block is stretches of one prefix that are computed together.
type block struct {
	heads []head
	words []uint64
	// Of the heads whose stretches may have positions:
	places []uint32 // where the stretch is
	mids   []uint32 // the mid pattern
	value  []uint32 // the value that prefix, mid and start leave

	edge []uint64      // the words of a block that lies in the window in part
	jobs []wordmap.Job // by stretch: its place, that of the one it pulls from, and its value
}

// compute computes the window. Its first and last stretch may lie in it in part.
func (k *kernel) compute(ctx context.Context) error {
	if len(k.pulls) == 0 {
		return nil
	}
	h := &k.shape
	first := int(k.window.First / 64)
	end := (first + len(k.words) + h.stretchWords - 1) / h.stretchWords
	most := max(1, blockWords/h.stretchWords)
	active := false // the pulls of the prefix are listed
	for at := first / h.stretchWords; at < end; at += len(k.block.heads) {
		l := k.heads[at].prefix
		if at*h.stretchWords <= first || k.heads[at-1].prefix != l {
			if err := puzzle.Progress(ctx); err != nil {
				return err
			}
			if k.mask != nil {
				if err := k.mask.open(ctx, l); err != nil {
					return err
				}
			}
			active = false
		}
		n := 1
		for n < most && at+n < end && k.heads[at+n].prefix == l {
			n++
		}
		k.open(k.heads[at:at+n], at*h.stretchWords-first)
		if len(k.block.places) > 0 {
			if !active {
				active = true
				if err := k.activate(ctx, l); err != nil {
					return err
				}
			}
			for i := range k.active {
				k.pull(&k.active[i])
			}
		}
		k.close(at*h.stretchWords - first)
	}
	return nil
}

// open begins a block of stretches whose words begin at word begin of the window, or before it.
func (k *kernel) open(heads []head, begin int) {
	b, n := &k.block, len(heads)*k.shape.stretchWords
	b.heads = heads
	if begin >= 0 && begin+n <= len(k.words) {
		b.words = k.words[begin : begin+n]
	} else {
		b.edge = slices.Grow(b.edge[:0], n)[:n]
		b.words = b.edge
		clear(b.words)
	}
	b.places, b.mids, b.value = b.places[:0], b.mids[:0], b.value[:0]
	patterns := k.class[mid].byWeight[k.shape.weight[mid]]
	value := k.base ^ k.class[prefix].inv[k.class[prefix].byWeight[k.shape.weight[prefix]][heads[0].prefix]]
	for i := range heads {
		if k.mask != nil && !k.mask.has(heads[i].mid) {
			continue
		}
		x := patterns[heads[i].mid]
		b.places = append(b.places, uint32(i*k.shape.stretchWords))
		b.mids, b.value = append(b.mids, x), append(b.value, value^k.class[mid].inv[x])
	}
}

// close counts the positions of a block, whose words begin at word begin of the window.
func (k *kernel) close(begin int) {
	b := &k.block
	n := k.shape.stretchWords
	if k.mask != nil {
		k.meet()
	}
	if from, to := max(0, -begin), min(len(b.words), len(k.words)-begin); to-from < len(b.words) {
		clear(b.words[:from])
		clear(b.words[to:])
		copy(k.words[begin+from:], b.words[from:to])
	}
	for i := range b.heads {
		k.tally.stretch(&b.heads[i], b.words[i*n:(i+1)*n])
	}
}

// meet leaves of a block the positions whose complements the far side has.
func (k *kernel) meet() {
	b := &k.block
	x := [roles]uint32{prefix: k.class[prefix].byWeight[k.shape.weight[prefix]][b.heads[0].prefix]}
	for i, place := range b.places {
		words := b.words[place:][:k.shape.stretchWords]
		if empty(words) {
			continue
		}
		x[mid] = b.mids[i]
		k.mask.meet(words, words, x, b.value[i])
	}
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
		s, first, err := p.from.slabOf(ctx, c.rank[x^p.prefix.flip])
		if err != nil {
			return err
		}
		k.active = append(k.active, activePull{p, s, first})
	}
	return nil
}

// pull pulls to the stretches of a block.
func (k *kernel) pull(p *activePull) {
	b, rank, places, src := &k.block, k.class[mid].rank, p.slab.at[p.first:], p.slab.words
	from := uint32(p.from.stretchWords)
	flip, want := p.mid.flip, p.mid.want
	jobs, element := b.jobs[:0], 0
	for i, x := range b.mids {
		if x&flip != want {
			continue
		}
		at := places[rank[x^flip]]
		if at == noRows {
			continue
		}
		if e := at.element(); e != element {
			if len(jobs) > 0 {
				k.table.of(p.work, element).pull(b.words, src, jobs, &k.shape, p.from.stretches)
			}
			jobs, element = jobs[:0], e
		}
		jobs = append(jobs, wordmap.Job{Dst: b.places[i], Src: uint32(at.stretch()) * from, Value: b.value[i]})
	}
	if len(jobs) > 0 {
		k.table.of(p.work, element).pull(b.words, src, jobs, &k.shape, p.from.stretches)
	}
	b.jobs = jobs[:0]
}
