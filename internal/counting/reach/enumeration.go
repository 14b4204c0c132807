package reach

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// ErrWindowAddresses is wrapped by New when windows of the wanted size cannot be cut.
var ErrWindowAddresses = errors.New("window_addresses is too small: a row of positions has 64 addresses")

// maxWords bounds the words of a full cell: unfolding has places in it in 32 bits.
const maxWords = math.MaxUint32

// An enumeration finds, layer by layer, the positions that can be reached from one start. A run has one, or two that it
// joins.
type enumeration struct {
	*scheme
	name            string // begins the keys of its cells
	windowAddresses uint64
	layers          [][]partition.Vector
	cells           map[partition.Vector]int // layer

	wholeWords  int // see the constants
	storedWords int
	sharedWords int
	claims      claims
	slabsMu     sync.Mutex
	slabsOf     map[slabsKey]int // see slabsRead

	planMu sync.Mutex
	plans  map[int][]puzzle.CellPlan
}

func newEnumeration(s *scheme, windowAddresses uint64, name string) (*enumeration, error) {
	if windowAddresses > 0 && windowAddresses < 64 {
		return nil, fmt.Errorf("%w: %d", ErrWindowAddresses, windowAddresses)
	}
	w := &enumeration{scheme: s, name: name, windowAddresses: windowAddresses, cells: map[partition.Vector]int{},
		plans: map[int][]puzzle.CellPlan{}, wholeWords: wholeWords, storedWords: storedWords, sharedWords: sharedWords,
		slabsOf: map[slabsKey]int{},
		claims:  claims{making: map[puzzle.WindowID]*claim{}}}
	w.walk()
	for v := range w.cells {
		if h := w.shape(v); h.words > maxWords {
			return nil, fmt.Errorf("%w: all positions of cell %s on %s take %d words, at most %d are possible", ErrTooLarge,
				w.key(v), w.board.Name, h.words, maxWords)
		}
	}
	return w, nil
}

// walk lists the vectors that jumps can lead to. A class loses a peg where the board has a jump over it by another
// class with a peg to jump and an empty hole to land in.
func (w *enumeration) walk() {
	var size, start partition.Vector
	for c, r := range w.role {
		size[c] = uint8(len(w.class[r].holes))
		start[c] = uint8((w.start & w.class[r].position(1<<size[c]-1)).Pegs())
	}
	start, _ = w.canonical(start)
	w.layers, w.cells[start] = [][]partition.Vector{{start}}, 0
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
		slices.SortFunc(next, func(a, b partition.Vector) int { return slices.Compare(b[:], a[:]) })
		w.layers = append(w.layers, next)
	}
}

// key names the cell of a canonical vector; vector is the inverse.
func (w *enumeration) key(v partition.Vector) string { return w.name + v.Key() }

func (w *enumeration) vector(c puzzle.Cell) (partition.Vector, error) {
	rest, ok := strings.CutPrefix(c.Key, w.name)
	v, err := partition.ParseKey(rest)
	if n, known := w.cells[v]; err != nil || !ok || !known || n != c.Layer {
		return v, fmt.Errorf("cell %d/%s: no such cell in this run", c.Layer, c.Key)
	}
	return v, nil
}

// parent returns the vector that positions of v, after n jumps, had before a jump that removed a peg of class k; ok is
// false when the lattice has none there. It need not be canonical.
func (w *enumeration) parent(v partition.Vector, k, n int) (p partition.Vector, ok bool) {
	p = v
	p[k]++
	if int(p[k]) > len(w.class[w.role[k]].holes) {
		return p, false
	}
	rep, _ := w.canonical(p)
	layer, ok := w.cells[rep]
	return p, ok && layer == n-1
}

// plan plans the positions after n jumps; n is below len(w.layers).
func (w *enumeration) plan(n int) []puzzle.CellPlan {
	w.planMu.Lock()
	defer w.planMu.Unlock()
	list, ok := w.plans[n]
	if !ok {
		for _, v := range w.layers[n] {
			list = append(list, w.planCell(n, v))
		}
		w.plans[n] = list
	}
	return list
}

func (w *enumeration) planCell(n int, v partition.Vector) puzzle.CellPlan {
	h := w.shape(v)
	words := uint64(w.wordsStored(v))
	p := puzzle.CellPlan{
		Cell:      puzzle.Cell{Layer: n, Key: w.key(v)},
		Addresses: 64 * words,
		Work:      w.stepsPerWord(pegsOf(v)) * float64(words),
		RowBytes:  w.bytesPerWord(v, &h) * float64(words),
	}
	window := words
	if w.windowAddresses > 0 {
		window = min(window, w.windowAddresses/64)
	}
	for at := uint64(0); at < words; at += window {
		p.Cuts = append(p.Cuts, 64*at)
	}
	p.MemoryBytes = 8 * window
	for k := range v {
		parent, ok := w.parent(v, k, n)
		if !ok {
			continue
		}
		rep, _ := w.canonical(parent)
		memory, shared := w.rowsMemory(parent, w.slabsRead(k, h.weight[prefix]))
		p.MemoryBytes += memory
		p.SharedBytes += shared
		if c := (puzzle.Cell{Layer: n - 1, Key: w.key(rep)}); !slices.Contains(p.Parents, c) {
			p.Parents = append(p.Parents, c)
		}
	}
	return p
}

// compute computes one window.
func (w *enumeration) compute(
	ctx context.Context, window puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	v, err := w.vector(window.Cell)
	if err != nil {
		return puzzle.Tally{}, err
	}
	k, err := w.newKernel(ctx, window, in, v)
	if err != nil {
		return puzzle.Tally{}, err
	}
	defer k.release()
	if window.Layer == 0 {
		k.begin()
	} else if err := k.compute(ctx); err != nil {
		return puzzle.Tally{}, err
	}
	if err := k.write(out); err != nil {
		return puzzle.Tally{}, err
	}
	d := &decoded{k.words, k.live}
	in.Cache().Put(window.ID(), d, d.size())
	return k.tally.result()
}

// begin puts the start into the window, when it lies there.
func (k *kernel) begin() {
	x := k.patterns(k.start)
	l, m := k.class[prefix].rank[x[prefix]], k.class[mid].rank[x[mid]]
	for at := range k.heads {
		hd := &k.heads[at]
		if hd.prefix != l || hd.mid != m {
			continue
		}
		bit := k.wordBit(x[word])
		i := at*k.shape.stretchWords + int(
			bit/64,
		)*k.shape.stretches + int(
			k.class[stretch].rank[x[stretch]],
		) - int(
			k.window.First/64,
		)
		if i < 0 || i >= len(k.words) {
			return
		}
		k.words[i] |= 1 << (bit % 64)
		buffer := make([]uint64, k.shape.stretchWords)
		buffer[i+int(k.window.First/64)-at*k.shape.stretchWords] = 1 << (bit % 64)
		k.tally.stretch(hd, buffer)
		if k.live != nil {
			k.live[at] = true
		}
	}
}

// write passes the window to out, leaving out blocks without positions. The words are the occupancy of the addresses.
func (k *kernel) write(out puzzle.Sink) error {
	const blockWords = puzzle.BlockAddresses / 64
	for at := 0; at < len(k.words); at += blockWords {
		words := k.words[at:min(at+blockWords, len(k.words))]
		if empty(words) {
			continue
		}
		b := puzzle.Block{First: k.window.First + uint64(64*at), Addresses: 64 * len(words), Occupied: words}
		if err := out.Block(&b); err != nil {
			return err
		}
	}
	return nil
}
