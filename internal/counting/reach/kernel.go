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
	words  []uint64 // of the window
	live   []bool   // by head, of a window that is a whole cell: its stretch has a position
	tally  tally

	active []activePull
	block  block
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
		from: k.from[:0], pulls: k.pulls[:0], active: k.active[:0], block: k.block}
	k.words = make([]uint64, window.Addresses/64)
	k.table = w.table(k.shape.weight[stretch], k.shape.weight[word])
	k.tally = w.newTally(v)
	once := len(k.words) == len(k.heads)*k.shape.stretchWords // the cell has no other window
	if once {
		k.live = make([]bool, len(k.heads))
	}
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
	k.words, k.live, k.tally = nil, nil, tally{} // and hold nothing
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
	mids  []uint32      // by head: the mid pattern
	value []uint32      // by head: the value that prefix, mid and start leave
	edge  []uint64      // the words of a block that lies in the window in part
	jobs  []wordmap.Job // by stretch: its place, that of the one it pulls from, and its value
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
	for at := first / h.stretchWords; at < end; at += len(k.block.heads) {
		l := k.heads[at].prefix
		if at*h.stretchWords <= first || k.heads[at-1].prefix != l {
			if err := puzzle.Progress(ctx); err != nil {
				return err
			}
			if err := k.activate(ctx, l); err != nil {
				return err
			}
		}
		n := 1
		for n < most && at+n < end && k.heads[at+n].prefix == l {
			n++
		}
		k.open(k.heads[at:at+n], at*h.stretchWords-first)
		for i := range k.active {
			k.pull(&k.active[i])
		}
		k.close(at, at*h.stretchWords-first)
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
	b.mids, b.value = b.mids[:0], b.value[:0]
	patterns := k.class[mid].byWeight[k.shape.weight[mid]]
	value := k.base ^ k.class[prefix].inv[k.class[prefix].byWeight[k.shape.weight[prefix]][heads[0].prefix]]
	for i := range heads {
		x := patterns[heads[i].mid]
		b.mids, b.value = append(b.mids, x), append(b.value, value^k.class[mid].inv[x])
	}
}

// close counts the positions of a block, of the heads from number at on, in the window.
func (k *kernel) close(at, begin int) {
	b := &k.block
	if from, to := max(0, -begin), min(len(b.words), len(k.words)-begin); to-from < len(b.words) {
		clear(b.words[:from])
		clear(b.words[to:])
		copy(k.words[begin+from:], b.words[from:to])
	}
	n := k.shape.stretchWords
	for i := range b.heads {
		live := k.tally.stretch(&b.heads[i], b.words[i*n:(i+1)*n])
		if k.live != nil {
			k.live[at+i] = live
		}
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
	words, from := uint32(k.shape.stretchWords), uint32(p.from.stretchWords)
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
		jobs = append(jobs, wordmap.Job{Dst: uint32(i) * words, Src: uint32(at.stretch()) * from, Value: b.value[i]})
	}
	if len(jobs) > 0 {
		k.table.of(p.work, element).pull(b.words, src, jobs, &k.shape, p.from.stretches)
	}
	b.jobs = jobs[:0]
}
