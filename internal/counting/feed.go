package counting

import (
	"context"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Feeder gives the positions of an enumeration counts that do not come by a jump.
type Feeder interface {
	// Cells lists the cells that feed the cell of a vector in a layer.
	Cells(layer int, v partition.Vector) []puzzle.Cell
	// Addresses is the number of addresses of those cells.
	Addresses(layer int, v partition.Vector) uint64
	// Open prepares feeding the windows of a kernel. The feed is nil where there is nothing to add; most bounds the count
	// that it adds to an address.
	Open(k *Kernel, in puzzle.Source) (feed Feed, most uint128.Uint128, err error)
}

// A Feed adds counts to the stretches of a prefix of its kernel, by AddStretch.
type Feed func(ctx context.Context, prefix *partition.Prefix) error

// NewFed prepares an enumeration that begins at no position: all that it counts comes from a feeder, and by jumps from
// there. lattice lists its cells, by jumps; the positions of its first layer have so many pegs and the parities of
// like, which the group fixes.
func NewFed(
	b *peg.Board, group []peg.Perm, like peg.Position, pegs int, lattice func(*partition.Space) [][]partition.Vector,
	feeder Feeder, windowAddresses uint64, name string,
) (*Enumeration, error) {
	space, err := partition.NewSpace(b, group, like)
	if err != nil {
		return nil, err
	}
	e, err := newEnumeration(space, lattice(space), windowAddresses, name)
	if err == nil {
		e.Pegs, e.feeder = pegs, feeder
	}
	return e, err
}

// AddStretch adds the counts of a window d, from an address of it on, to a stretch of the kernel that begins at an
// address of Counts: that of rank from[i] to that of rank to[i]. Nil ranks stand for all, in order.
func (k *Kernel) AddStretch(
	prefix *partition.Prefix, r *partition.Stretch, at uint64, d *Dense, address uint64, to, from []uint16,
) {
	var sum uint128.Uint128
	n := r.Size
	if to != nil {
		n = len(to)
	}
	for i := range n {
		t, f := uint64(i), uint64(i)
		if to != nil {
			t, f = uint64(to[i]), uint64(from[i])
		}
		x := d.At(address + f)
		if x.IsZero() {
			continue
		}
		k.tally.add(&sum, x)
		y := k.Counts.At(at + t)
		k.tally.add(&y, x)
		k.Counts.Set(at+t, y)
	}
	if sum.IsZero() {
		return
	}
	k.scratch.touched.set((at - k.from) / 8)
	k.tally.addProduct(&k.fed, sum, k.Weight(prefix))
}

// StretchAt is where in Counts a stretch of a prefix begins.
func (k *Kernel) StretchAt(prefix *partition.Prefix, r *partition.Stretch) uint64 {
	return prefix.Base + r.Off - k.Counts.First
}

// feedPrefixes adds the counts of their feed to the prefixes of a batch.
func (k *Kernel) feedPrefixes(ctx context.Context, prefixes []partition.Prefix) error {
	if k.feed == nil {
		return nil
	}
	for i := range prefixes {
		if err := k.feed(ctx, &prefixes[i]); err != nil {
			return err
		}
	}
	return nil
}

// JumpsOnly makes the kernel count only paths that come by a jump.
func (k *Kernel) JumpsOnly() { k.feed = nil }
