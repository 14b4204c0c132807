package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// Options tune a verification.
type Options struct {
	Workers int // windows read at a time; at least 1
	// Repair makes the next run compute bad windows again: rows that fail their digest are dropped, records that
	// contradict the plan or each other are forgotten. The folder must not be open read-only.
	Repair bool
	// CacheBytes is how much of decoded windows is kept while results are counted and windows computed a second time.
	CacheBytes uint64
	// Recompute says which windows are computed again; nil is none.
	Recompute *Draw
	// Rerun carries out the whole run again elsewhere and passes every record to compare. It is asked when all windows
	// are to be computed again and rows that some need are not there; nil: those windows are reported as not run.
	Rerun func(ctx context.Context, compare func(kv.Record) error) error
	// MemoryBytes bounds the memory of the windows that are computed at a time, by the plan; a window that needs more by
	// itself is computed alone. 0 is no bound.
	MemoryBytes uint64
	// Weigh, when not nil, returns random bits, and rows are weighed where the puzzle is a puzzle.RowWeigher.
	Weigh func() uint64
	// Progress, when not nil, is called after every window, one call at a time.
	Progress func(windows, total int)
}

// Run checks the data of the run in f on disk, see the package documentation. The report lists the findings; an error
// means that the check could not be carried out.
func Run(ctx context.Context, p puzzle.Puzzle, f *rundir.Folder, o Options) (*Report, error) {
	plan, err := plan.New(p)
	if err != nil {
		return nil, err
	}
	v := &verifier{f: f, o: o, puzzle: p, plan: plan, out: &Report{Run: f.Meta.Run, Results: plan}}
	if f.Damage != nil {
		v.out.Findings = append(v.out.Findings, Finding{Kind: FindFolder, Text: f.Damage.Error()})
	}
	if err := v.load(); err != nil {
		return nil, err
	}
	if err := v.readAll(ctx); err != nil {
		return nil, err
	}
	v.flows()
	v.out.Complete, v.out.Planned = plan.Complete(), plan.WindowCount
	if err := v.recount(ctx, p); err != nil {
		return nil, err
	}
	if o.Recompute != nil {
		if err := v.recompute(ctx, o.Recompute); err != nil {
			return nil, err
		}
	}
	v.out.OnTrust = v.unchecked()
	slices.SortStableFunc(v.out.Findings, func(a, b Finding) int { return strings.Compare(a.Kind, b.Kind) })
	if o.Repair {
		if err := v.repair(ctx); err != nil {
			return nil, err
		}
	}
	return v.out, nil
}

type verifier struct {
	f      *rundir.Folder
	o      Options
	puzzle puzzle.Puzzle
	plan   *plan.Plan

	mu      sync.Mutex
	out     *Report
	checked plan.WindowSet    // read, recomputed, or found bad
	drop    []puzzle.WindowID // rows that are bad
	forget  []puzzle.WindowID // records that are bad
}

func (v *verifier) find(kind string, name fmt.Stringer, err error) {
	v.out.Findings = append(v.out.Findings, Finding{Kind: kind, Window: name.String(), Text: err.Error()})
}

// check notes that a window was checked beyond the ledger's word. The verifier is locked.
func (v *verifier) check(id puzzle.WindowID) {
	if c := v.plan.Index[id.Cell]; c != nil {
		v.checked.Add(c.Base + id.Part)
	}
}

// each passes every committed window to fn, in plan order, until fn returns false.
func (v *verifier) each(fn func(c *plan.Cell, part int) bool) {
	for _, l := range v.plan.PlannedLayers {
		for i := range l.Plans {
			c := v.plan.Index[l.Plans[i].Cell]
			for part := range c.Parts {
				if c.Parts[part].Committed && !fn(c, part) {
					return
				}
			}
		}
	}
}

// unchecked counts the committed windows that were not checked beyond the ledger's word.
func (v *verifier) unchecked() (n int) {
	v.each(func(c *plan.Cell, part int) bool {
		if !v.checked.Has(c.Base + part) {
			n++
		}
		return true
	})
	return n
}

// load adds up the ledger. It goes on where a run would stop.
func (v *verifier) load() error {
	err := v.f.Ledger.Load(func(e kv.Entry) error {
		v.out.Windows++
		return v.plan.Place(e, func(e kv.Entry) error {
			id := e.Record.ID()
			if _, _, err := v.plan.CheckRecord(v.f.Meta.Run, &e.Record); err != nil {
				v.find(FindLedger, id, err)
				v.forget = append(v.forget, id)
				return nil
			}
			if err := v.plan.CheckTally(&e.Record); err != nil {
				v.find(FindTally, id, err)
				v.forget = append(v.forget, id)
				return nil
			}
			if _, err := v.plan.Account(&e.Record); err != nil {
				v.find(FindTally, id, err)
				v.forget = append(v.forget, id)
				return nil
			}
			for _, name := range e.Holders {
				if err := v.plan.AddReplica(id, name); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return v.plan.Extend()
}

// readAll reads the rows of every window that should be in the folder.
func (v *verifier) readAll(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, v.o.Workers))
	seen := 0
	v.each(func(c *plan.Cell, part int) bool {
		held := v.held(c, part)
		g.Go(func() error {
			var err error
			if held {
				err = v.read(gctx, c.Record(v.f.Meta.Run, part))
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			if seen++; !held {
				v.out.Absent++
			}
			if v.o.Progress != nil && err == nil {
				v.o.Progress(seen, v.plan.CommittedCount)
			}
			return err
		})
		return gctx.Err() == nil
	})
	if err := errors.Join(g.Wait(), context.Cause(ctx)); err != nil {
		return err
	}
	return v.countUnlisted()
}

// held reports whether the rows of a window should be in the folder.
func (v *verifier) held(c *plan.Cell, part int) bool {
	return slices.Contains(v.plan.ReplicaSets.Names(c.Parts[part].Replicas), protocol.OwnWorker)
}

// countUnlisted counts the windows in the store that the ledger does not list.
func (v *verifier) countUnlisted() error {
	err := v.f.Store.Records(func(r kv.Record) error {
		if _, w, err := v.plan.Window(r.ID()); err != nil || !w.Committed {
			v.out.Unlisted++
		}
		return nil
	})
	if err != nil && !errors.Is(err, kv.ErrCorrupt) { // those are found with the windows of the ledger
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// read checks one window against its record, and the record against the ledger's.
func (v *verifier) read(ctx context.Context, rec kv.Record) error {
	id := rec.ID()
	entry, found, err := v.f.Ledger.Entry(id)
	if err != nil || !found {
		return fmt.Errorf("ledger: window %s: found %t: %w", id, found, err)
	}
	stored, found, err := v.f.Store.Record(id)
	kind := FindRecord
	switch {
	case err == nil && !found:
		kind, err = FindRows, fmt.Errorf("the ledger says that its rows are in this folder: %w", kv.ErrNotFound)
	case err == nil && !stored.SameContent(&entry.Record):
		err = fmt.Errorf("the store's record has digest %s, the ledger's %s, or their tallies differ",
			stored.Digest, entry.Record.Digest)
	case err == nil:
		kind, err = FindRows, v.f.Store.Verify(ctx, stored)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		v.check(id)
		v.out.Read++
		v.out.Blocks += stored.Blocks
		v.out.Rows += stored.Rows
		v.out.Bytes += stored.Bytes
	case kind == FindRecord || errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrNotFound):
		v.check(id)
		v.find(kind, id, err)
		v.drop = append(v.drop, id)
	default:
		return err
	}
	return nil
}

// repair makes the next run compute again what was found bad, and replaces a store that has damaged files.
func (v *verifier) repair(ctx context.Context) error {
	if err := v.f.Ledger.Unhold(v.drop...); err != nil {
		return err
	}
	if err := v.f.Ledger.Forget(v.forget...); err != nil {
		return err
	}
	bad := make(map[puzzle.WindowID]bool)
	for _, id := range slices.Concat(v.drop, v.forget) {
		bad[id] = true
	}
	v.out.Repaired = len(bad)
	if v.out.Repaired == 0 {
		return nil
	}
	_, _, err := v.f.Recover(ctx)
	return err
}
