package counting

import (
	"context"
	"fmt"
	"iter"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// MaskedKernel returns a kernel for a window with the addresses of a window of cell reached of the enumeration. Its
// counts are pulled along moves, for those stretches only in which reached has rows: its mask. The mask is nil where
// reached has no rows at all, and then there is nothing to compute.
func (s *Enumeration) MaskedKernel(
	ctx context.Context, m *Moves, w puzzle.Window, reached puzzle.Cell, in puzzle.Source,
) (*Kernel, error) {
	v, err := s.Vector(reached)
	if err != nil {
		return nil, fmt.Errorf("window %s: %w", w, err)
	}
	k := &Kernel{g: s, Window: w, Vector: v, layout: s.Space.Layout(v), in: in, moves: m}
	k.tally.init(k)
	t, err := in.Tally(reached)
	if err != nil {
		return nil, err
	}
	if paths := t.Max(MaxPaths); paths.IsZero() {
		return k, nil
	}
	ws, err := in.Windows(reached)
	if err != nil {
		return nil, err
	}
	if w.Part >= len(ws) || ws[w.Part].First != w.First || ws[w.Part].Addresses != w.Addresses {
		return nil, fmt.Errorf("window %s: cell %d/%s has no window of the same addresses", w, reached.Layer, reached.Key)
	}
	if k.Mask, err = loadDense(ctx, in, ws[w.Part], k.layout, 0); err != nil {
		return nil, err
	}
	k.Counts = newDense(w, k.layout, bits32)
	return k, nil
}

// PullFrom pulls the counts of a masked kernel along edges, and passes each prefix to done when it is finished. largest
// names the scalar that bounds the counts of a parent cell.
func (k *Kernel) PullFrom(ctx context.Context, list []Edge, largest string, done func(*partition.Prefix) error) error {
	if err := k.openEdges(ctx, list, largest); err != nil {
		return err
	}
	k.Counts.widen(k.width)
	return k.pullAll(ctx, done)
}

// Reached yields the stretches of a prefix in which the mask has rows, each with its first address in the window.
func (k *Kernel) Reached(prefix *partition.Prefix) iter.Seq2[uint64, *partition.Stretch] {
	return func(yield func(uint64, *partition.Stretch) bool) {
		stretches := k.StretchesOf(prefix)
		for i := range stretches {
			if at := prefix.Base + stretches[i].Off - k.Window.First; k.Mask.IsLive(at) && !yield(at, &stretches[i]) {
				return
			}
		}
	}
}

// AddRows marks a stretch that has so many rows, at an address of the window, and counts their classes.
func (k *Kernel) AddRows(prefix *partition.Prefix, r *partition.Stretch, at, rows uint64) {
	if bits.OnesCount64(prefix.Fixed) == 1 {
		k.tally.classes += rows
	} else {
		k.tally.prefix = prefix
		stretch := k.Counts.Slice(at, at+uint64(r.Size))
		k.tally.countClasses(r, &stretch, rows)
	}
	k.Counts.setLive(at, k.layout.PrefixRank(prefix.Pattern))
}

// Classes is the number of symmetry classes among the rows that were added.
func (k *Kernel) Classes() uint64 { return k.tally.classes }

// Write writes the finished window as narrow as its counts allow.
func (k *Kernel) Write(out puzzle.Sink) error {
	k.Counts.narrow()
	return k.write(out)
}
