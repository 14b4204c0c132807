package counting

import (
	"slices"

	"pagoda/internal/partition"
)

// A part is a jump's share in one field of ordered positions: the holes it touches and what they must hold.
type part struct {
	mask    uint64
	forward uint64 // x&mask == forward: the part allows the jump
	reverse uint64 // x&mask == reverse: the part allows the jump to be undone
}

func (p part) forwardOK(x uint64) bool { return x&p.mask == p.forward }
func (p part) reverseOK(x uint64) bool { return x&p.mask == p.reverse }

// A jump in the order of fields.
type jump struct {
	removed        int // the class whose peg it removes
	lead, mid, low part
}

// A bundle is the jumps that have the same lead and mid parts and remove the same class: undoing them takes a run to one
// and the same parent run, so they share one list of rank pairs. On the English board the four jumps over a hole of lead
// or mid are such a bundle, which halves the number of lists to walk.
type bundle struct {
	removed   int
	lead, mid part
	shape     int // index of the set of low parts
}

// jumpTable holds the jumps sorted by removed class, and what follows from them for patterns of a field.
type jumpTable struct {
	jumps   []jump
	bundles [4][]bundle // by removed class
	most    [4]int      // jumps that remove a peg of the class
	shapes  [][]part    // the distinct sets of low parts

	words     int         // words of a jump set
	classSets [4][]uint64 // the jumps that remove a peg of the class, as a set
	midSets   [][]uint64  // by byte of the mid field: pattern*words + word
	lowSets   [][]uint64  // by low type: rank*words + word; the jumps that the low pattern allows
}

func newJumpTable(s *partition.Space) *jumpTable {
	t := &jumpTable{}
	for k := range 4 {
		for _, j := range s.Board.Jumps {
			if int(s.Board.Class[j.Over]) != k {
				continue
			}
			from, over, to := uint64(1)<<s.Bit(j.From), uint64(1)<<s.Bit(j.Over), uint64(1)<<s.Bit(j.To)
			in := func(f partition.Field) part {
				return part{f.Of(from | over | to), f.Of(from | over), f.Of(to)}
			}
			t.jumps = append(t.jumps, jump{removed: k, lead: in(s.Lead), mid: in(s.Mid), low: in(s.Low)})
			t.most[k]++
		}
	}
	t.bundle()
	t.words = (len(t.jumps) + 63) / 64
	for k := range t.classSets {
		t.classSets[k] = make([]uint64, t.words)
	}
	for j := range t.jumps {
		t.classSets[t.jumps[j].removed][j/64] |= 1 << (j % 64)
	}
	t.midSets = midSets(t, s.Mid.Bits)
	t.lowSets = make([][]uint64, s.LowTypes())
	for ty := range t.lowSets {
		patterns := s.LowPatterns(int32(ty))
		set := make([]uint64, len(patterns)*t.words)
		for r, x := range patterns {
			for j := range t.jumps {
				if t.jumps[j].low.forwardOK(uint64(x)) {
					set[r*t.words+j/64] |= 1 << (j % 64)
				}
			}
		}
		t.lowSets[ty] = set
	}
	return t
}

// bundle groups the jumps.
func (t *jumpTable) bundle() {
	type key struct {
		removed   int
		lead, mid part
	}
	var order []key
	lows := map[key][]part{}
	for _, j := range t.jumps {
		k := key{j.removed, j.lead, j.mid}
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
		t.bundles[k.removed] = append(t.bundles[k.removed], bundle{k.removed, k.lead, k.mid, shape})
	}
}

// allowedByLead sets the jumps that a lead pattern allows.
func (t *jumpTable) allowedByLead(set []uint64, lead uint64) {
	clear(set)
	for j := range t.jumps {
		if t.jumps[j].lead.forwardOK(lead) {
			set[j/64] |= 1 << (j % 64)
		}
	}
}

// allowedByMid narrows the jumps that the lead allows to those that the mid pattern allows as well.
func (t *jumpTable) allowedByMid(set, byLead []uint64, mid uint64) {
	copy(set, byLead)
	for i := range t.midSets {
		by := t.midSets[i][int(mid&255)*t.words:]
		for w := range set {
			set[w] &= by[w]
		}
		mid >>= 8
	}
}

// midSets tabulates, for each byte of the mid field, the jumps that its patterns allow: legality is a condition on
// single holes, so it is the AND over the bytes.
func midSets(t *jumpTable, midBits int) [][]uint64 {
	tables := make([][]uint64, (midBits+7)/8)
	for i := range tables {
		tables[i] = make([]uint64, 256*t.words)
		for x := range uint64(256) {
			for j := range t.jumps {
				m := t.jumps[j].mid
				if x&(m.mask>>(8*i)&255) == m.forward>>(8*i)&255 {
					tables[i][int(x)*t.words+j/64] |= 1 << (j % 64)
				}
			}
		}
	}
	return tables
}
