package peg

import "math/bits"

// Orbits finds the canonical position of many symmetry classes under one group: [Canonical] a byte of a position at a
// time, without a loop over holes. It is safe for concurrent use.
type Orbits struct {
	bytes  int
	images [][]Position // but for the identity: the images of the 256 patterns of each byte of a position
}

// NewOrbits makes the tables of a group, of which the first element is the identity.
func NewOrbits(group []Perm) *Orbits {
	o := &Orbits{bytes: (len(group[0]) + 7) / 8}
	for _, g := range group[1:] {
		table := make([]Position, o.bytes<<8)
		for i := range table {
			if pattern := i & 0xff; pattern != 0 {
				table[i] = table[i&(i-1)]
				if hole := i>>8<<3 + bits.TrailingZeros(uint(pattern)); hole < len(g) {
					table[i] |= 1 << g[hole]
				}
			}
		}
		o.images = append(o.images, table)
	}
	return o
}

// image is the image of p, of so many bytes, by the element of a table.
func image(table []Position, bytes int, p Position) (q Position) {
	for i := range bytes {
		q |= table[i<<8|int(p>>(8*i)&0xff)]
	}
	return q
}

// Least returns the smallest image of p: the position that stands for its class.
func (o *Orbits) Least(p Position) Position {
	least := p
	for _, table := range o.images {
		least = min(least, image(table, o.bytes, p))
	}
	return least
}

// LeastBy is Least, with the place in the group of the first element that takes p there.
func (o *Orbits) LeastBy(p Position) (least Position, g int) {
	least = p
	for k, table := range o.images {
		if q := image(table, o.bytes, p); q < least {
			least, g = q, k+1
		}
	}
	return least, g
}

// Size is the number of positions of the class of p.
func (o *Orbits) Size(p Position) int {
	fixed := 1
	for _, table := range o.images {
		if image(table, o.bytes, p) == p {
			fixed++
		}
	}
	return (1 + len(o.images)) / fixed
}
