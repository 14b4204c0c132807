package sweeps

import (
	"context"
	"math/bits"

	"pagoda/internal/peg"
)

// chains are the rows of consecutive jumps of one peg that end at a position, by their length: sums[k] adds up the
// totals of the positions where those of k jumps begin.
type chains struct {
	*reader
	sums    []poly // up to longest; the rest is of an earlier position
	longest int    // length of the longest one; -1 when there is none
}

func (r *reader) chains() *chains {
	return &chains{reader: r, sums: make([]poly, r.depth+1), longest: -1}
}

// reset begins with none.
func (c *chains) reset() { c.longest = -1 }

// add adds the polynomial of a row to the sums of k jumps, modulo 2^128.
func (c *chains) add(k int, t *totals, row int) {
	for c.longest < k {
		c.longest++
		c.sums[c.longest].clear()
	}
	p, at := &c.sums[k], t.places[row]
	most := int(at.least) + int(at.n)
	p.grow(most)
	sum, from, width := (*p)[at.least:most], int(at.at), int(at.width)
	var carry uint64
	for i := range sum {
		s := &sum[i]
		s.Lo, carry = bits.Add64(s.Lo, t.low(from, width), 0)
		s.Hi += carry
		if width > 8 {
			s.Hi += t.low(from+8, width-8)
		}
		from += width
	}
}

// all finds the chains that end at a position, whose spot is given; a chain of one jump has length 0 here, and so on.
func (c *chains) all(ctx context.Context, q peg.Position, at *spot) error {
	c.reset()
	for hole := range c.ends {
		if (q>>hole&1 != 0) == c.back {
			continue // no jump leaves the hole so
		}
		if err := c.walk(ctx, q, at, uint8(hole), 0); err != nil {
			return err
		}
	}
	return nil
}

// at finds the chains that end in a hole of a position, whose spot and totals are given, and the empty one, of length
// 0: the position itself.
func (c *chains) at(ctx context.Context, q peg.Position, at *spot, hole uint8, t *totals, row int) error {
	c.reset()
	c.add(0, t, row)
	return c.walk(ctx, q, at, hole, 1)
}

// walk undoes every last jump that has brought a peg to a hole of a position, whose spot is given. It adds the
// positions before at k, and goes on with that peg.
func (c *chains) walk(ctx context.Context, q peg.Position, at *spot, hole uint8, k int) error {
	if at.jumps == 0 {
		return nil
	}
	for _, j := range c.ends[hole] {
		if q&j.mask != j.after {
			continue
		}
		before := q ^ j.mask
		from := c.before(at, j.over)
		t, row, ok, err := c.find(ctx, before, from)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		c.add(k, t, row)
		if err := c.walk(ctx, before, from, j.joint, k+1); err != nil {
			return err
		}
	}
	return nil
}

// fold returns the sum of (1-x)^k sums[k], modulo 2^128, in the room of room.
func (c *chains) fold(room poly) poly {
	room.clear()
	for k := c.longest; k >= 0; k-- {
		room.lessShifted()
		p := c.sums[k]
		room.grow(len(p))
		for i, n := range p {
			room[i], _ = room[i].Add(n)
		}
	}
	return room
}

// A backJump is a jump as it is undone.
type backJump struct {
	mask  peg.Position // its three holes
	after peg.Position // those that hold a peg when it has been made
	over  uint8        // the class of the peg that comes back
	joint uint8        // the hole where the peg goes on
}

// backJumps lists the jumps of a side by the hole where the last one of a chain ends.
func backJumps(b *peg.Board, back bool) [][]backJump {
	list := make([][]backJump, b.Size())
	for _, j := range b.Jumps {
		joint, end := j.From, j.To
		if back {
			joint, end = end, joint
		}
		list[end] = append(list[end], backJump{j.Mask(), j.Mask() &^ j.Need(), b.Class[j.Over], uint8(joint)})
	}
	return list
}
