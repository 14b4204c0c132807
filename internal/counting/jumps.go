package counting

import (
	"math/bits"
	"slices"

	"pagoda/internal/partition"
)

// A part is a jump's share in one field of ordered positions: the holes that it touches, and their state.
type part struct {
	mask    uint64
	forward uint64 // x&mask == forward: the part allows the jump
	reverse uint64 // x&mask == reverse: the part allows the jump to be undone
}

func (p part) reverseOK(x uint64) bool { return x&p.mask == p.reverse }

// A jump in the order of fields.
type jump struct {
	removed          int // the class whose peg it removes
	prefix, mid, low part
}

// A bundle is the jumps that have the same prefix and mid parts and remove the same class: undoing them takes a stretch
// to one and the same parent stretch, so they share one list of rank pairs. On the English board the four jumps over a
// hole of prefix or mid are such a bundle, which halves the number of lists to walk.
type bundle struct {
	removed int
	prefix  part
	mid     int // index of the mid part
	shape   int // index of the set of low parts
}

// jumpTable holds the jumps sorted by removed class, and the sets of jumps that the patterns of a field allow.
type jumpTable struct {
	jumps   []jump
	bundles [4][]bundle // by removed class
	most    [4]int      // jumps that remove a peg of the class
	mids    []part      // the distinct mid parts
	shapes  [][]part    // the distinct sets of low parts

	// A set of jumps has words words for each class of which they remove a peg, class by class.
	words      int
	prefixSets [][]uint64 // by byte of the prefix: pattern*4*words + word; the jumps that it allows
	midSets    [][]uint64 // by byte of the mid field, likewise
	lowSets    []lowSets  // by low type
}

// newJumpTable makes the table of all jumps; reversed swaps playing and undoing them, and leaves out the sets.
func newJumpTable(s *partition.Space, reversed bool) *jumpTable {
	t := &jumpTable{}
	for k := range 4 {
		for _, j := range s.Board.Jumps {
			if int(s.Board.Class[j.Over]) != k {
				continue
			}
			from, over, to := uint64(1)<<s.Bit(j.From), uint64(1)<<s.Bit(j.Over), uint64(1)<<s.Bit(j.To)
			in := func(f partition.Field) part {
				p := part{f.Of(from | over | to), f.Of(from | over), f.Of(to)}
				if reversed {
					p.forward, p.reverse = p.reverse, p.forward
				}
				return p
			}
			t.jumps = append(t.jumps, jump{removed: k, prefix: in(s.Prefix), mid: in(s.Mid), low: in(s.Low)})
			t.most[k]++
		}
	}
	t.bundle()
	if reversed {
		return t
	}
	t.words = max(1, (slices.Max(t.most[:])+63)/64)
	t.prefixSets = t.byteSets(s.Prefix.Bits, func(j *jump) part { return j.prefix })
	t.midSets = t.byteSets(s.Mid.Bits, func(j *jump) part { return j.mid })
	t.lowSets = t.typeSets(s, t.byteSets(s.Low.Bits, func(j *jump) part { return j.low }))
	return t
}

// lowSets are the sets of jumps that the low patterns of a type allow, plane by plane: a plane has one word of each.
// Where no class has more than 32 jumps the words are narrow: a tally reads a plane for each class beside one count.
type lowSets struct {
	patterns int
	narrow   []uint32 // word*patterns + rank; nil where words are wide
	wide     []uint64 // likewise
}

// newLowSets makes empty sets, with room for seven words behind the last plane: vectors of eight are read whole.
func newLowSets(patterns, planes int, narrow bool) lowSets {
	l := lowSets{patterns: patterns}
	if n := planes * patterns; narrow {
		l.narrow = make([]uint32, n, n+7)
	} else {
		l.wide = make([]uint64, n, n+7)
	}
	return l
}

// set writes the set of a plane and a pattern.
func (l *lowSets) set(plane, rank int, jumps uint64) {
	if at := plane*l.patterns + rank; l.narrow != nil {
		l.narrow[at] = uint32(jumps)
	} else {
		l.wide[at] = jumps
	}
}

// count returns, by class removed, the number of legal jumps of the row of the given rank, where prefix and mid allow
// those of high.
func (l *lowSets) count(high []uint64, rank int) (n [4]uint64) {
	if l.narrow != nil {
		for k := range n {
			n[k] = uint64(bits.OnesCount32(uint32(high[k]) & l.narrow[k*l.patterns+rank]))
		}
		return n
	}
	words := len(high) / 4
	for w, h := range high {
		n[w/words] += uint64(bits.OnesCount64(h & l.wide[w*l.patterns+rank]))
	}
	return n
}

// typeSets tabulates the jumps that low patterns allow.
func (t *jumpTable) typeSets(s *partition.Space, bytes [][]uint64) []lowSets {
	words := 4 * t.words
	all, set := slices.Repeat([]uint64{^uint64(0)}, words), make([]uint64, words)
	narrow := slices.Max(t.most[:]) <= 32
	sets := make([]lowSets, s.LowTypes())
	for ty := range sets {
		patterns := s.LowPatterns(int32(ty))
		sets[ty] = newLowSets(len(patterns), words, narrow)
		for r, x := range patterns {
			allowed(set, all, bytes, uint64(x))
			for w, jumps := range set {
				sets[ty].set(w, r, jumps)
			}
		}
	}
	return sets
}

// eachJump calls fn for every jump with its place in a set. Jumps are sorted by class.
func (t *jumpTable) eachJump(fn func(j *jump, word int, bit uint64)) {
	first := 0
	for k, n := range t.most {
		for i := range n {
			fn(&t.jumps[first+i], k*t.words+i/64, 1<<(i%64))
		}
		first += n
	}
}

// bundle groups the jumps.
func (t *jumpTable) bundle() {
	type key struct {
		removed     int
		prefix, mid part
	}
	var order []key
	lows := map[key][]part{}
	for _, j := range t.jumps {
		k := key{j.removed, j.prefix, j.mid}
		if lows[k] == nil {
			order = append(order, k)
		}
		lows[k] = append(lows[k], j.low)
	}
	for _, k := range order {
		shape := slices.IndexFunc(t.shapes, func(s []part) bool { return slices.Equal(s, lows[k]) })
		if shape < 0 {
			shape = len(t.shapes)
			t.shapes = append(t.shapes, lows[k])
		}
		mid := slices.Index(t.mids, k.mid)
		if mid < 0 {
			mid = len(t.mids)
			t.mids = append(t.mids, k.mid)
		}
		t.bundles[k.removed] = append(t.bundles[k.removed], bundle{k.removed, k.prefix, mid, shape})
	}
}

// allowed narrows a set of jumps to those that a pattern allows, given the tables of its field.
func allowed(set, all []uint64, tables [][]uint64, pattern uint64) {
	copy(set, all)
	for _, table := range tables {
		by := table[int(pattern&255)*len(set):][:len(set)]
		for w := range set {
			set[w] &= by[w]
		}
		pattern >>= 8
	}
}

// byteSets tabulates, for each byte of a field, the jumps that its patterns allow. Legality is a condition on single
// holes. So the jumps that a whole pattern allows are the AND over its bytes.
func (t *jumpTable) byteSets(fieldBits int, in func(*jump) part) [][]uint64 {
	tables := make([][]uint64, (fieldBits+7)/8)
	for i := range tables {
		tables[i] = make([]uint64, 256*4*t.words)
		t.eachJump(func(j *jump, word int, bit uint64) {
			p := in(j)
			mask, forward := p.mask>>(8*i)&255, p.forward>>(8*i)&255
			for x := range uint64(256) {
				if x&mask == forward {
					tables[i][int(x)*4*t.words+word] |= bit
				}
			}
		})
	}
	return tables
}
