package tiles

import "math/bits"

// planes holds a colouring in bit-sliced form: bit i of planes[b] is bit b of the colour of cell i.
type planes [3]uint64

func slice(g *cells) (p planes) {
	for i, v := range g {
		for b := range p {
			p[b] |= uint64(v>>b&1) << i
		}
	}
	return p
}

// cells returns the colouring in plain form.
func (p *planes) cells() (g cells) {
	for i := range g {
		g[i] = p.at(i)
	}
	return g
}

func (p *planes) at(i int) uint8 {
	return uint8(p[0]>>i&1 | p[1]>>i&1<<1 | p[2]>>i&1<<2)
}

// of returns the set of the cells with colour v; bits past the grid are arbitrary for colour 0.
func (p *planes) of(v uint8) uint64 {
	set := ^uint64(0)
	for b := range p {
		set &= p[b] ^ (uint64(v>>b&1) - 1)
	}
	return set
}

// setRow sets row r, which is clear, to the colours of the last n cells of q.
func (p *planes) setRow(q partial, r, n int) {
	i := r*n + n - 1
	for range n {
		p[0] |= uint64(q&1) << (i & 63)
		p[1] |= uint64(q>>1&1) << (i & 63)
		p[2] |= uint64(q>>2&1) << (i & 63)
		q >>= 3
		i--
	}
}

// A tileCount is how many tiles of each colour there are, a byte for each colour, colour 0 lowest. No colour can have
// more than 16 cells.
type tileCount uint64

func (t tileCount) of(v int) int { return int(t >> (8 * v) & 255) }

// count counts the cells of each colour.
func (g *geometry) count(f *planes, colours int) (t tileCount) {
	for v := range colours {
		t |= tileCount(bits.OnesCount64(f.of(uint8(v))&g.grid)) << (8 * v)
	}
	return t
}

// permutes reports whether f is the initial grid with its colours permuted.
func (g *geometry) permutes(f *planes) bool {
	var images uint8
	for _, set := range g.initial {
		if set == 0 {
			continue
		}
		v := f.at(bits.TrailingZeros64(set))
		if f.of(v)&set != set || images>>v&1 == 1 {
			return false
		}
		images |= 1 << v
	}
	return true
}

// A geometry tests for cycles the relation between the cells of one initial grid a: d is before its neighbour c when
// f(c) = a(d). All cells at once: shifting a plane of the initial grid by a direction brings the colour of each cell's
// neighbour in that direction to the cell.
type geometry struct {
	grid    uint64             // all cells
	initial [MaxColours]uint64 // the cells of each colour of the initial grid
	dirs    [8]direction
}

type direction struct {
	turn  int    // how far to rotate a word to the left so that the neighbour's bit comes to the cell
	valid uint64 // cells that have this neighbour
	a     planes // the initial colour of that neighbour; arbitrary where there is none
}

func newGeometry(s Shape) *geometry {
	g := &geometry{grid: ^uint64(0) >> (maxCells - s.Cells())}
	k := 0
	for dr := -1; dr <= 1; dr++ {
		for dc := -1; dc <= 1; dc++ {
			if dr == 0 && dc == 0 {
				continue
			}
			d := &g.dirs[k]
			k++
			d.turn = -(dr*s.Cols + dc)
			for i := range s.Cells() {
				if s.at(i/s.Cols+dr, i%s.Cols+dc) >= 0 {
					d.valid |= 1 << i
				}
			}
		}
	}
	return g
}

// bring moves the bit of each cell's neighbour in the direction to the cell. Bits that come round the end, or from
// another row, reach only cells without that neighbour.
func (d *direction) bring(w uint64) uint64 { return bits.RotateLeft64(w, d.turn) }

func (g *geometry) setInitial(a *cells) {
	p := slice(a)
	for v := range g.initial {
		g.initial[v] = p.of(uint8(v)) & g.grid
	}
	for k := range g.dirs {
		d := &g.dirs[k]
		for b := range p {
			d.a[b] = d.bring(p[b])
		}
	}
}

// acyclic reports whether the relation of f has no cycle: whether peeling off the cells that wait for no other leaves
// none.
func (g *geometry) acyclic(f *planes) bool {
	var waits [8]uint64 // cells that must wait for their neighbour in this direction
	for k := range g.dirs {
		d := &g.dirs[k]
		waits[k] = ^((f[0] ^ d.a[0]) | (f[1] ^ d.a[1]) | (f[2] ^ d.a[2])) & d.valid
	}
	rest := g.grid
	for rest != 0 {
		var waiting uint64
		for k := range g.dirs {
			waiting |= waits[k] & g.dirs[k].bring(rest)
		}
		if rest&waiting == rest {
			return false
		}
		rest &= waiting
	}
	return true
}
