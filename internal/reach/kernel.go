package reach

import (
	"context"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A pull is one jump undone on all rows of a cell: what it asks of their patterns, and where the rows before it are.
type pull struct {
	jump
	from     *full
	list     []pair    // the rows of a run that take part; nil when all do, as they are
	segments []segment // what it does to the bits; nil when it does not touch the word class
}

// A kernel computes one window.
type kernel struct {
	*scheme
	window puzzle.Window
	shape  shape
	heads  []head
	pulls  []pull
	words  []uint64 // of the window
	tally  tally
}

// newKernel loads the parents of a window of vector v after n jumps.
func (w *sweep) newKernel(
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
		from, err := w.full(ctx, in, window.Layer-1, p)
		if err != nil {
			return nil, err
		}
		if from == nil {
			continue
		}
		for _, j := range w.jumps[removed] {
			p := pull{jump: j, from: from}
			if j[word].flip != 0 {
				if p.segments = w.segments(j[word], k.shape.weight[word]); len(p.segments) == 0 {
					continue
				}
			}
			if j[run].flip != 0 || j[word].flip != 0 {
				if p.list = w.pairs(j[run], k.shape.weight[run]); len(p.list) == 0 {
					continue
				}
			}
			k.pulls = append(k.pulls, p)
		}
	}
	return k, nil
}

// An activePull is a pull that a lead pattern allows.
type activePull struct {
	*pull
	base uint32 // rank of the lead pattern before, times mid patterns
}

// run computes the window. Its first and last run may lie in it in part.
func (k *kernel) run(ctx context.Context) error {
	if len(k.pulls) == 0 {
		return nil
	}
	h := &k.shape
	first := int(k.window.First / 64)
	at := first / h.runWords
	buffer := make([]uint64, h.runWords)
	var active []activePull
	leadNow := -1
	for ; at*h.runWords < first+len(k.words); at++ {
		hd := &k.heads[at]
		if int(hd.lead) != leadNow {
			if err := ctx.Err(); err != nil {
				return err
			}
			leadNow = int(hd.lead)
			active = k.activate(active[:0], hd.lead)
		}
		begin := at*h.runWords - first // in the window
		if begin >= 0 && begin+h.runWords <= len(k.words) {
			dst := k.words[begin : begin+h.runWords]
			k.pull(dst, hd, active)
			k.tally.run(hd, dst)
			continue
		}
		clear(buffer)
		k.pull(buffer, hd, active)
		from, to := max(0, -begin), min(h.runWords, len(k.words)-begin)
		clear(buffer[:from])
		clear(buffer[to:])
		copy(k.words[begin+from:], buffer[from:to])
		k.tally.run(hd, buffer)
	}
	return nil
}

// activate lists the pulls that a lead pattern allows.
func (k *kernel) activate(list []activePull, l uint32) []activePull {
	c := &k.class[lead]
	x := c.byWeight[k.shape.weight[lead]][l]
	for i := range k.pulls {
		p := &k.pulls[i]
		if p.jump[lead].allows(x) {
			list = append(list, activePull{p, c.rank[x^p.jump[lead].flip] * uint32(p.from.mids)})
		}
	}
	return list
}

// pull computes a run.
func (k *kernel) pull(dst []uint64, hd *head, active []activePull) {
	h := &k.shape
	c := &k.class[mid]
	x := c.byWeight[h.weight[mid]][hd.mid]
	value := k.base ^ k.class[lead].inv[k.class[lead].byWeight[h.weight[lead]][hd.lead]] ^ c.inv[x]
	for i := range active {
		p := &active[i]
		if !p.jump[mid].allows(x) {
			continue
		}
		at := p.base + c.rank[x^p.jump[mid].flip]
		f := p.from
		if !f.live[at] {
			continue
		}
		src := f.words[int(at)*f.runWords:][:f.runWords]
		switch {
		case p.list == nil:
			orWords(dst, src)
		case p.segments == nil:
			for plane := range h.planes {
				orPairs(dst[plane*h.runs:], src[plane*f.runs:], p.list)
			}
		default:
			for s := range p.segments {
				seg := &p.segments[s]
				movePairs(dst[seg.to*h.runs:], src[seg.from*f.runs:], p.list, seg, value)
			}
		}
	}
}
