package reach

import (
	"context"
	"math/bits"

	"pagoda/internal/counting/reach/wordmap"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A crossing meets stretches of near with the complements of a vector of far whose rows a symmetry takes from different
// stretches of its representative. It reads them row by row, as they are stored: they are few, and each is read once.
type crossing struct {
	*scheme     // of far
	element int // takes the representative to the vector
	near    shape
	from    shape // of the representative
	stored  decoded
	places  []place // of the representative
	folding []int

	to    [roles]int // by role of the vector: its role in the representative
	base  []uint32   // by stretch pattern of near: its complement's share in the number of the place
	value []uint32   // likewise: its share in the number of a map

	found []uint64 // the words of a stretch as they are stored, row by row
	words []uint64 // the same as near has them
	lists [maxElements][]wordmap.Pair
}

// newCrossing returns the crossing of stretches of near's shape with the complements in vector u of w. It returns nil
// where rows of u are read otherwise, or there are none.
func (w *enumeration) newCrossing(
	ctx context.Context, in puzzle.Source, u partition.Vector, near shape,
) (*crossing, error) {
	rep, g := w.canonical(u)
	if w.bySlab(u) || !w.readsStored(rep, 0) || w.toRole[g][stretch] == stretch {
		return nil, nil
	}
	stored, err := w.stored(ctx, in, rep)
	if err != nil || len(stored.words) == 0 {
		return nil, err
	}
	c := &crossing{scheme: w.scheme, element: g, near: near, from: w.shape(rep), stored: stored, folding: w.folding(rep)}
	c.places = w.appendPlaces(nil, rep, 0, &c.from, stored.at)
	c.found, c.words = make([]uint64, near.stretchWords), make([]uint64, near.stretchWords)
	back := c.inverse[g]
	c.to = c.toRole[back]
	for _, x := range c.class[stretch].byWeight[near.weight[stretch]] {
		y := c.class[stretch].image[back][c.class[stretch].complement(x)]
		base := c.class[c.to[stretch]].rank[y]
		if c.to[stretch] == prefix {
			base *= uint32(c.from.mids)
		}
		c.base, c.value = append(c.base, base), append(c.value, c.class[stretch].inv[x]*wordmap.Step)
	}
	return c, nil
}

func (c *crossing) open(context.Context, uint32) error { return nil }

func (c *crossing) release() {}

// meet puts into both the positions that stretch a of near, with prefix and mid pattern x, shares with the complements,
// and returns their number. value is the one that prefix, mid and start leave.
func (c *crossing) meet(both, a []uint64, x [roles]uint32, value uint32) (n int) {
	back := c.inverse[c.element]
	first := uint32(0) // place of the prefix or mid pattern that stays one
	var from [maxElements]uint32
	for _, r := range [...]int{prefix, mid} {
		y := c.class[r].image[back][c.class[r].complement(x[r])]
		switch c.to[r] {
		case prefix:
			first = c.class[prefix].rank[y] * uint32(c.from.mids)
		case mid:
			first = c.class[mid].rank[y]
		case stretch:
			for _, k := range c.folding {
				from[k] = c.class[stretch].rank[c.class[stretch].image[c.inverse[k]][y]]
			}
		}
	}
	used := 0 // elements, as bits
	stretches := c.near.stretches
	for l, base := range c.base {
		some := a[l]
		for p := 1; p < c.near.planes; p++ {
			some |= a[p*stretches+l]
		}
		if some == 0 {
			continue
		}
		at := c.places[base+first]
		if at == noRows {
			continue
		}
		k := at.element()
		word := at.stretch()*c.from.stretchWords + int(from[k])
		for p := range c.near.planes {
			c.found[p*stretches+l] = c.stored.words[word+p*c.from.stretches]
		}
		c.lists[k] = append(c.lists[k], wordmap.Pair{To: uint16(l), From: uint16(l), At: c.value[l]})
		used |= 1 << k
	}
	if used == 0 {
		return 0
	}
	clear(c.words)
	job := [1]wordmap.Job{{Value: value}}
	for ; used != 0; used &= used - 1 {
		k := bits.TrailingZeros(uint(used))
		maps := c.complementMaps(c.product[c.element][k], c.near.weight[word])
		for _, g := range maps.Segments[0] {
			maps.Pull(c.words[g.To*stretches:], c.found[g.From*stretches:], job[:], c.lists[k], g.First)
		}
		c.lists[k] = c.lists[k][:0]
	}
	for i, y := range c.words {
		both[i] = a[i] & y
		n += bits.OnesCount64(both[i])
	}
	return n
}

// complementMaps tabulates the complements of the bits of rows of a word weight, in rows that are stored as images
// under the inverse of element e. They are one change.
func (s *scheme) complementMaps(e, weight int) *wordmap.Maps {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := permKey{e, weight}
	m, ok := s.complements[key]
	if !ok {
		c := &s.class[word]
		m = wordmap.New(1, s.values, s.permutes, s.longRow(len(c.holes)-weight))
		back := c.image[s.inverse[e]]
		for value := range s.values {
			for i, x := range s.wordList(weight, uint32(value)) {
				m.Add(0, value, int(s.wordBit(back[c.complement(x)])), i, false)
			}
		}
		s.complements[key] = m.Done()
	}
	return m
}
