package mousetrap

import "math/bits"

// permanents computes permanents of matrices of zeros and ones, of up to 20 rows.
type permanents struct{ ways []uint64 }

// of counts the ways to give each of n rows a column of its own that is not forbidden: bit j of forbidden[i] forbids
// column j to row i. ways[set] counts them for the first rows and a set of as many columns.
func (p *permanents) of(forbidden []uint32) uint64 {
	n := len(forbidden)
	p.ways = resize(p.ways, 1<<n)
	clear(p.ways)
	p.ways[0] = 1
	last := len(p.ways) - 1
	for set, w := range p.ways[:last] {
		if w == 0 {
			continue
		}
		free := uint32(last) &^ uint32(set) &^ forbidden[bits.OnesCount(uint(set))]
		for ; free != 0; free &= free - 1 {
			p.ways[set|int(free&-free)] += w
		}
	}
	return p.ways[last]
}
