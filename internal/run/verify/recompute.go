package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/window"
)

// A Recomputation lists the results of the windows that were to be computed again.
type Recomputation struct {
	Share string `json:"share"` // of the committed windows, as a fraction, such as 1/10
	Seed  string `json:"seed"`  // of the draw, in decimal digits
	Drawn int    `json:"drawn"`
	Same  int    `json:"same"`   // came out the same, rows and tally
	Other int    `json:"differ"` // came out otherwise; each is a finding
	// NotRun says why others could not be computed again.
	NotRun []NotRun `json:"not_run,omitempty"`
	// Anew says that the whole run was carried out again elsewhere, because rows were not there.
	Anew bool `json:"anew,omitempty"`
}

// NotRun are windows that could not be computed again.
type NotRun struct {
	Reason  string `json:"reason"`
	Windows int    `json:"windows"`
}

// Why a window could not be computed again.
const (
	NoParentRows  = "rows of its parents are not in this folder"
	BadParentRows = "rows of its parents are damaged"
	NoParents     = "a parent is not committed"
)

// Remaining is how many of the drawn windows could not be computed again.
func (r *Recomputation) Remaining() (n int) {
	for _, x := range r.NotRun {
		n += x.Windows
	}
	return n
}

// recompute computes again the windows that d draws, and compares them with the ledger.
func (v *verifier) recompute(ctx context.Context, d *Draw) error {
	type place struct {
		c    *plan.Cell
		part int
	}
	var all []place
	v.each(func(c *plan.Cell, part int) bool {
		all = append(all, place{c, part})
		return true
	})
	drawn := d.of(len(all))
	slices.Sort(drawn) // neighbours share parents
	v.out.Recomputation = &Recomputation{
		Share: d.Share.RatString(), Seed: strconv.FormatUint(d.Seed, 10), Drawn: len(drawn),
	}
	limit := int64(math.MaxInt64)
	if v.o.MemoryBytes > 0 && v.o.MemoryBytes < math.MaxInt64 {
		limit = int64(v.o.MemoryBytes)
	}
	if d.All() && v.o.Rerun != nil && v.lacksRows() {
		return v.rerun(ctx)
	}
	memory := semaphore.NewWeighted(limit)
	in := source{Source: v.f.Reader(v.plan, v.o.CacheBytes)}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, v.o.Workers))
	for _, i := range drawn {
		p, in := all[i], in
		holds := puzzle.Holds(v.puzzle, p.c.Window(p.part), p.c.Memory(p.part), in.Tally)
		need := int64(min(holds, uint64(limit)))
		in.memory = granted(holds, p.c.LeastBytes, uint64(limit))
		if memory.Acquire(gctx, need) != nil {
			break
		}
		g.Go(func() error {
			defer memory.Release(need)
			return v.again(gctx, in, p.c, p.part)
		})
	}
	return errors.Join(g.Wait(), context.Cause(ctx))
}

// granted returns the bytes of limit that a window may hold. Unrestricted it takes holds bytes, and it can do with
// least; 0 is no restriction, see puzzle.Source.
func granted(holds, least, limit uint64) uint64 {
	if holds <= limit || least == 0 {
		return 0
	}
	return max(limit, least)
}

// again computes one window again.
func (v *verifier) again(ctx context.Context, in puzzle.Source, c *plan.Cell, part int) error {
	entry, found, err := v.f.Ledger.Entry(c.WindowID(part))
	if err != nil || !found {
		return fmt.Errorf("ledger: window %s: found %t: %w", c.WindowID(part), found, err)
	}
	got, err := window.Record(ctx, v.f.Meta.Run, v.puzzle, c.Window(part), in)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, kv.ErrCorrupt):
		v.notRun(BadParentRows)
	case errors.Is(err, puzzle.ErrMissing):
		reason := NoParentRows
		if slices.ContainsFunc(c.ParentCells, func(p *plan.Cell) bool { return p.Done < len(p.Parts) }) {
			reason = NoParents
		}
		v.notRun(reason)
	case errors.Is(err, errRead):
		return err
	case err != nil:
		v.differs(c, part, fmt.Errorf("computed again, it fails: %w", err))
	default:
		v.compare(c, part, &entry.Record, &got)
	}
	return nil
}

// errRead is wrapped when rows could not be read for a reason that says nothing about them.
var errRead = errors.New("rows could not be read")

// source gives a computation the rows of the folder, and tells errors of the disk from those of the computation.
type source struct {
	puzzle.Source
	memory uint64 // bytes that the window may hold; 0 is no restriction
}

// MemoryBytes implements puzzle.Source.
func (s source) MemoryBytes() uint64 { return s.memory }

// Blocks implements puzzle.Source.
func (s source) Blocks(
	ctx context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	var own error
	err := s.Source.Blocks(ctx, w, first, addresses, func(b *puzzle.Block) error {
		own = fn(b)
		return own
	})
	if err == nil || own != nil || ctx.Err() != nil || errors.Is(err, puzzle.ErrMissing) || errors.Is(err, kv.ErrCorrupt) {
		return err
	}
	return fmt.Errorf("%w: %w", errRead, err)
}

// compare compares a window's record in the ledger with the recomputed one. The verifier is locked.
func (v *verifier) compare(c *plan.Cell, part int, have, got *kv.Record) {
	if have.SameContent(got) {
		v.check(c.WindowID(part))
		v.out.Recomputed++
		v.out.Recomputation.Same++
		return
	}
	v.differs(c, part, difference(have, got))
}

// differs notes a window that came out otherwise; every window computed from it is as doubtful. The verifier is locked.
func (v *verifier) differs(c *plan.Cell, part int, err error) {
	v.check(c.WindowID(part))
	v.find(FindRecompute, c.WindowID(part), err)
	v.out.Recomputation.Other++
	v.forgetFrom(c)
}

func (v *verifier) notRun(reason string) {
	r := v.out.Recomputation
	i, ok := slices.BinarySearchFunc(r.NotRun, reason, func(x NotRun, s string) int {
		return strings.Compare(x.Reason, s)
	})
	if !ok {
		r.NotRun = slices.Insert(r.NotRun, i, NotRun{Reason: reason})
	}
	r.NotRun[i].Windows++
}
