package reach

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// ErrWindowAddresses is wrapped by New when windows of the wanted size cannot be cut.
var ErrWindowAddresses = errors.New("window_addresses is too small: a row of positions has 64 addresses")

// maxWords bounds the words of a full cell: unfolding has places in it in 32 bits.
const maxWords = math.MaxUint32

// An enumeration finds, layer by layer, the positions that can be reached from its starts. A run has one, or two that
// it joins.
type enumeration struct {
	*scheme
	name            string // begins the keys of its cells
	windowAddresses uint64
	layers          [][]partition.Vector
	cells           map[partition.Vector]int // layer
	sums            []string                 // that its windows report

	// Of one that goes on where another ends (see continued): before has the layers below first, and far the complements
	// of all positions, those after n jumps in layer jumps-n.
	before *enumeration
	first  int
	far    *enumeration
	jumps  int

	wholeWords  int // see the constants
	storedWords int
	sharedWords int
	claims      claims
	slabsMu     sync.Mutex
	slabsOf     map[slabsKey]int // see slabsRead

	bundles bundles

	planMu sync.Mutex
	plans  map[int][]puzzle.CellPlan
}

func newEnumeration(s *scheme, windowAddresses uint64, name string, sums ...string) (*enumeration, error) {
	if windowAddresses > 0 && windowAddresses < 64 {
		return nil, fmt.Errorf("%w: %d", ErrWindowAddresses, windowAddresses)
	}
	w := emptyEnumeration(s, windowAddresses, name, sums)
	w.walk()
	for v := range w.cells {
		if h := w.shape(v); h.words > maxWords {
			return nil, fmt.Errorf("%w: all positions of cell %s on %s take %d words, at most %d are possible", ErrTooLarge,
				w.name+v.Key(), w.board.Name, h.words, maxWords)
		}
	}
	return w, nil
}

// mostWords returns the words of the largest vector, before symmetries.
func (w *enumeration) mostWords() (most int) {
	for v := range w.cells {
		h := w.shape(v)
		most = max(most, h.words)
	}
	return most
}

func emptyEnumeration(s *scheme, windowAddresses uint64, name string, sums []string) *enumeration {
	return &enumeration{scheme: s, name: name, windowAddresses: windowAddresses, cells: map[partition.Vector]int{},
		sums: sums, plans: map[int][]puzzle.CellPlan{}, wholeWords: wholeWords, storedWords: storedWords,
		sharedWords: sharedWords, bundles: bundles{layers: map[int]*bound{}}, slabsOf: map[slabsKey]int{},
		claims: claims{making: map[puzzle.WindowID]*claim{}}}
}

// walk lists the vectors that jumps can lead to. A class loses a peg where the board has a jump over it by another
// class with a peg to jump and an empty hole to land in.
func (w *enumeration) walk() {
	var size partition.Vector
	for c, r := range w.role {
		size[c] = uint8(len(w.class[r].holes))
	}
	w.layers = [][]partition.Vector{nil}
	for _, p := range w.starts {
		var v partition.Vector
		for c, r := range w.role {
			v[c] = uint8((p & w.class[r].position(1<<size[c]-1)).Pegs())
		}
		v, _ = w.canonical(v)
		if _, known := w.cells[v]; !known {
			w.layers[0], w.cells[v] = append(w.layers[0], v), 0
		}
	}
	sortVectors(w.layers[0])
	var open [4][4]bool // by class that loses a peg and class that moves one
	for _, j := range w.board.Jumps {
		open[w.board.Class[j.Over]][w.board.Class[j.From]] = true
	}
	for n := 1; ; n++ {
		var next []partition.Vector
		for _, v := range w.layers[n-1] {
			for k := range v {
				can := false
				for mover, ok := range open[k] {
					can = can || ok && v[k] > 0 && v[mover] > 0 && v[mover] < size[mover]
				}
				if !can {
					continue
				}
				child := v
				child[k]--
				child, _ = w.canonical(child)
				if _, known := w.cells[child]; !known {
					w.cells[child] = n
					next = append(next, child)
				}
			}
		}
		if len(next) == 0 {
			return
		}
		sortVectors(next)
		w.layers = append(w.layers, next)
	}
}

func sortVectors(list []partition.Vector) {
	slices.SortFunc(list, func(a, b partition.Vector) int { return slices.Compare(b[:], a[:]) })
}

// parent returns the vector that positions of v, after n jumps, had before a jump that removed a peg of class k; ok is
// false when the lattice has none there. It need not be canonical.
func (w *enumeration) parent(v partition.Vector, k, n int) (p partition.Vector, ok bool) {
	p = v
	p[k]++
	if int(p[k]) > len(w.class[w.role[k]].holes) {
		return p, false
	}
	from := w.holder(n - 1)
	rep, _ := from.canonical(p)
	layer, ok := from.cells[rep]
	return p, ok && layer == n-1
}

// plan plans the positions after n jumps; n is below len(w.layers).
func (w *enumeration) plan(n int) []puzzle.CellPlan {
	w.planMu.Lock()
	defer w.planMu.Unlock()
	list, ok := w.plans[n]
	if !ok {
		for _, b := range w.bound(n).list {
			list = append(list, w.planCell(n, b))
		}
		w.plans[n] = list
	}
	return list
}

func (w *enumeration) planCell(n int, b *bundle) puzzle.CellPlan {
	words := uint64(b.words)
	p := puzzle.CellPlan{Cell: b.cell, Addresses: 64 * words}
	window := words
	if w.windowAddresses > 0 {
		window = min(window, w.windowAddresses/64)
	}
	for at := uint64(0); at < words; at += window {
		p.Cuts = append(p.Cuts, 64*at)
	}
	for _, v := range b.vectors {
		memory, shared := w.planVector(n, v, &p)
		p.MemoryBytes, p.SharedBytes = max(p.MemoryBytes, memory), max(p.SharedBytes, shared)
	}
	p.MemoryBytes += 2 * 8 * window // its words, and the copy that is kept or that of a parent's while it is decoded
	return p
}

// planVector adds a vector of a cell to its plan. It returns the memory that reading the parents takes, and the part of
// it that should be kept.
func (w *enumeration) planVector(n int, v partition.Vector, p *puzzle.CellPlan) (memory, shared uint64) {
	at := w.spotOf(v)
	p.Work += w.stepsPerWord(pegsOf(v)) * float64(at.size)
	p.RowBytes += w.bytesPerWord(v, &at.shape) * float64(at.size)
	read := func(from *enumeration, u partition.Vector, slabs int) {
		m, s := from.rowsMemory(u, slabs)
		memory, shared = memory+m, shared+s
		rep, _ := from.canonical(u)
		if c := from.spotOf(rep).cell; !slices.Contains(p.Parents, c) {
			p.Parents = append(p.Parents, c)
		}
	}
	for k := range v {
		parent, ok := w.parent(v, k, n)
		if !ok {
			continue
		}
		read(w.holder(n-1), parent, w.slabsRead(k, at.shape.weight[prefix]))
	}
	if w.far != nil {
		read(w.far, w.complement(v), 1)
	}
	return memory, shared
}

// compute computes one window.
func (w *enumeration) compute(
	ctx context.Context, window puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	b, err := w.bundleOf(window.Cell)
	if err != nil {
		return puzzle.Tally{}, err
	}
	all := w.borrow(int(window.Addresses / 64))
	defer w.scratch.Put(all)
	words := *all
	whole := len(words) == b.words // the cell has no other window
	var sum puzzle.Tally
	first := int(window.First / 64)
	for _, v := range b.vectors {
		at := w.spotOf(v)
		from, to := max(first, at.words), min(first+len(words), at.words+at.size)
		if from >= to {
			continue
		}
		part := window
		part.First, part.Addresses = uint64(64*(from-at.words)), uint64(64*(to-from))
		t, err := w.computeVector(ctx, part, in, v, words[from-first:to-first], whole)
		if err != nil {
			return sum, err
		}
		if err := sum.Merge(&t); err != nil {
			return sum, err
		}
	}
	if err := write(words, window.First, out); err != nil {
		return sum, err
	}
	var d *decoded
	if whole {
		d = w.newDecoded(words, b, true)
	} else {
		d = &decoded{words: slices.Clone(words)}
	}
	in.Cache().Put(window.ID(), d, d.size())
	return sum, nil
}

// computeVector computes the share of a vector in a window; whole says that it is all of the vector.
func (w *enumeration) computeVector(
	ctx context.Context, window puzzle.Window, in puzzle.Source, v partition.Vector, words []uint64, whole bool,
) (puzzle.Tally, error) {
	k, err := w.newKernel(ctx, window, in, v, words, whole)
	if err != nil {
		return puzzle.Tally{}, err
	}
	defer k.release()
	if window.Layer == 0 {
		k.begin()
	} else if err := k.compute(ctx); err != nil {
		return puzzle.Tally{}, err
	}
	return k.tally.result()
}

// begin puts the starts into the window that lie there. The image of a start that lies elsewhere is a start, too.
func (k *kernel) begin() {
	for at := range k.heads {
		hd := &k.heads[at]
		var stretch []uint64
		for _, p := range k.starts {
			i, bit, ok := k.place(p, hd)
			if !ok {
				continue
			}
			first := at*k.shape.stretchWords - int(k.window.First/64)
			if first+i < 0 || first+i >= len(k.words) {
				continue
			}
			if stretch == nil {
				stretch = make([]uint64, k.shape.stretchWords)
			}
			k.words[first+i] |= 1 << bit
			stretch[i] |= 1 << bit
		}
		if stretch == nil {
			continue
		}
		k.tally.stretch(hd, stretch)
	}
}

// place is the word and the bit of a position in a stretch of the window's vector; ok is false when it lies elsewhere.
func (k *kernel) place(p peg.Position, hd *head) (i int, bit uint32, ok bool) {
	x := k.patterns(p)
	for r, pattern := range x {
		if bits.OnesCount32(pattern) != k.shape.weight[r] {
			return 0, 0, false
		}
	}
	if k.class[prefix].rank[x[prefix]] != hd.prefix || k.class[mid].rank[x[mid]] != hd.mid {
		return 0, 0, false
	}
	bit = k.wordBit(x[word])
	return int(bit/64)*k.shape.stretches + int(k.class[stretch].rank[x[stretch]]), bit % 64, true
}

// write passes the words of a window, whose addresses begin at first, to out, leaving out blocks without positions. The
// words are the occupancy of the addresses.
func write(words []uint64, first uint64, out puzzle.Sink) error {
	const blockWords = puzzle.BlockAddresses / 64
	for at := 0; at < len(words); at += blockWords {
		part := words[at:min(at+blockWords, len(words))]
		if empty(part) {
			continue
		}
		b := puzzle.Block{First: first + uint64(64*at), Addresses: 64 * len(part), Occupied: part}
		if err := out.Block(&b); err != nil {
			return err
		}
	}
	return nil
}
