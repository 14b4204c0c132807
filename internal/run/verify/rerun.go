package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// lacksRows reports whether rows that a committed window may read are not in the folder, or damaged.
func (v *verifier) lacksRows() (lack bool) {
	bad := make(map[puzzle.WindowID]bool)
	for _, id := range v.drop {
		bad[id] = true
	}
	begun := func(c *plan.Cell) bool { return c.Done > 0 }
	v.each(func(c *plan.Cell, part int) bool {
		lack = c.Parts[part].Rows > 0 && slices.ContainsFunc(c.ChildCells, begun) &&
			(!v.held(c, part) || bad[c.WindowID(part)])
		return !lack
	})
	return lack
}

// rerun compares all windows of the ledger with those of the run carried out again.
func (v *verifier) rerun(ctx context.Context) error {
	v.out.Recomputation.Anew = true
	var seen plan.WindowSet
	err := v.o.Rerun(ctx, func(got kv.Record) error {
		c, w, err := v.plan.Window(got.ID())
		if err != nil || !w.Committed {
			return nil // the run here is not as far, or its ledger lacks the window
		}
		entry, found, err := v.f.Ledger.Entry(got.ID())
		if err != nil || !found {
			return fmt.Errorf("ledger: window %s: found %t: %w", got.ID(), found, err)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		seen.Add(c.Base + got.Part)
		got.Run, got.Bytes = entry.Record.Run, entry.Record.Bytes
		v.compare(c, got.Part, &entry.Record, &got)
		return nil
	})
	if err != nil {
		return fmt.Errorf("carry out the run again: %w", err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.each(func(c *plan.Cell, part int) bool {
		if !seen.Has(c.Base + part) {
			v.differs(c, part, errors.New("the run carried out again has no such window"))
		}
		return true
	})
	return nil
}

// difference says where two records of a window differ first.
func difference(have, got *kv.Record) error {
	differ := func(what string, a, b any) error {
		return fmt.Errorf("computed again, it has %s %v, the ledger says %v", what, b, a)
	}
	switch {
	case have.Rows != got.Rows:
		return differ("rows", have.Rows, got.Rows)
	case have.Digest != got.Digest:
		return differ("digest", have.Digest, got.Digest)
	case have.Blocks != got.Blocks:
		return differ("blocks", have.Blocks, got.Blocks)
	}
	for _, x := range []struct {
		what string
		a, b []puzzle.Scalar
	}{{"sum", have.Tally.Sums, got.Tally.Sums}, {"maximum", have.Tally.Maxima, got.Tally.Maxima}} {
		order := func(s, t puzzle.Scalar) int { return cmp.Compare(s.Name, t.Name) }
		if i, a, b, ok := firstDifference(x.a, x.b, order); ok {
			return differ(x.what+" "+i.Name, text(a, func(s puzzle.Scalar) any { return s.Value }),
				text(b, func(s puzzle.Scalar) any { return s.Value }))
		}
	}
	for _, x := range []struct {
		what string
		a, b []puzzle.Flow
	}{{"flow from", have.Tally.In, got.Tally.In}, {"flow to", have.Tally.Out, got.Tally.Out}} {
		order := func(s, t puzzle.Flow) int {
			return cmp.Or(cmp.Compare(s.Layer, t.Layer), cmp.Compare(s.Key, t.Key))
		}
		if i, a, b, ok := firstDifference(x.a, x.b, order); ok {
			return differ(fmt.Sprintf("%s cell %d/%s", x.what, i.Layer, i.Key),
				text(a, func(f puzzle.Flow) any { return f.Amount }), text(b, func(f puzzle.Flow) any { return f.Amount }))
		}
	}
	return errors.New("computed again, its record differs from the ledger's")
}

// firstDifference returns the first element that is not in both of two sorted lists, nil for the list that lacks it.
func firstDifference[T comparable](a, b []T, order func(T, T) int) (which T, x, y *T, ok bool) {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return b[i], nil, &b[i], true
		case i >= len(b):
			return a[i], &a[i], nil, true
		case order(a[i], b[i]) < 0:
			return a[i], &a[i], nil, true
		case order(a[i], b[i]) > 0:
			return b[i], nil, &b[i], true
		case a[i] != b[i]:
			return a[i], &a[i], &b[i], true
		}
	}
	return which, nil, nil, false
}

// text is a value of an element that may be absent.
func text[T any](v *T, value func(T) any) any {
	if v == nil {
		return "none"
	}
	return value(*v)
}
