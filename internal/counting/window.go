package counting

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
)

// FilledKernel computes a window.
func (s *Enumeration) FilledKernel(ctx context.Context, w puzzle.Window, in puzzle.Source) (*Kernel, error) {
	k, err := s.KernelOf(ctx, w, in, nil)
	if err != nil {
		return nil, err
	}
	return k, k.Fill(ctx)
}

// Fill computes the counts of the window and forgets its parents.
func (k *Kernel) Fill(ctx context.Context) error {
	err := k.fill(ctx, k.mark)
	k.edges = nil
	return err
}

// StoredKernel reads a window, or several stored ones that are one range of their cell.
func (s *Enumeration) StoredKernel(ctx context.Context, w puzzle.Window, in puzzle.Source) (*Kernel, error) {
	v, err := s.Vector(w.Cell)
	if err != nil {
		return nil, fmt.Errorf("window %s: %w", w, err)
	}
	k := &Kernel{g: s, Window: w, Vector: v, layout: s.Space.Layout(v), in: in}
	stored, err := in.Windows(w.Cell)
	if err != nil {
		return nil, err
	}
	stored = slices.DeleteFunc(slices.Clone(stored), func(x puzzle.Window) bool {
		return x.First+x.Addresses <= w.First || x.First >= w.First+w.Addresses
	})
	if len(stored) == 1 {
		k.Counts, err = loadDense(ctx, in, stored[0], k.layout, 0)
	} else {
		k.Counts, err = readDense(ctx, in, w, stored, k.layout, 0)
	}
	return k, err
}
