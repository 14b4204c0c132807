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
	"pagoda/internal/plan"
	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
	"pagoda/internal/rundir"
)

// Options tune a verification.
type Options struct {
	Workers int // windows read at a time; at least 1
	// Repair makes the next run compute again what was found bad: rows that fail their digest are dropped, records that
	// contradict the plan or each other are forgotten. The folder must not be open read-only.
	Repair bool
	// CacheBytes is how much of decoded windows is kept while results are counted a second time.
	CacheBytes uint64
	// Progress, when not nil, is called after every window, one call at a time.
	Progress func(windows, total int)
}

// Kinds of Finding.
const (
	FindLedger = "ledger" // an entry of the ledger does not fit the plan
	FindRecord = "record" // the store's record is not the one of the ledger
	FindRows   = "rows"   // rows are damaged, or missing though the ledger says that they are here
	FindFlow   = "flow"   // the ends of an edge disagree
	FindTally  = "tally"  // tallies cannot be added up
	FindTotals = "totals" // results contradict each other, or a second count of them
)

// A Finding is something that is not as it should be.
type Finding struct {
	Kind   string `json:"kind"`
	Window string `json:"window"` // its name; of an edge, the first window of the child; empty where it is none
	Text   string `json:"text"`
}

// A Report says what was checked and what was found.
type Report struct {
	Run      string    `json:"run"`
	Windows  int       `json:"windows"` // in the ledger
	Read     int       `json:"read"`    // whose rows were read
	Absent   int       `json:"absent"`  // whose rows the retention policy dropped
	Blocks   uint64    `json:"blocks"`
	Rows     uint64    `json:"rows"`
	Bytes    uint64    `json:"bytes"`
	Edges    int       `json:"edges"`    // on which the flow was compared
	Complete bool      `json:"complete"` // every window of every layer is committed
	Findings []Finding `json:"findings,omitempty"`
	// Recounts are the results that were counted a second time, in another way than the run did.
	Recounts []Recounted `json:"recounts,omitempty"`
	Repaired int         `json:"repaired,omitempty"` // windows that the next run computes again
	// Results are the totals that the ledger adds up to, for the caller to compare with others.
	Results *plan.Plan `json:"-"`
}

// Run reads everything again that the run in f has on disk: every block of every window with its checksums and the
// window's digest, every record, the flow on every edge. What it finds is in the verification; an error means that it
// could not be carried out.
func Run(ctx context.Context, p puzzle.Puzzle, f *rundir.Folder, o Options) (*Report, error) {
	plan, err := plan.New(p)
	if err != nil {
		return nil, err
	}
	v := &verifier{f: f, o: o, plan: plan, out: &Report{Run: f.Meta.Run, Results: plan}}
	if err := v.load(); err != nil {
		return nil, err
	}
	if err := v.readAll(ctx); err != nil {
		return nil, err
	}
	v.flows()
	v.out.Complete = plan.Complete()
	if err := v.recount(ctx, p); err != nil {
		return nil, err
	}
	slices.SortStableFunc(v.out.Findings, func(a, b Finding) int { return strings.Compare(a.Kind, b.Kind) })
	if o.Repair {
		if err := v.repair(ctx); err != nil {
			return nil, err
		}
	}
	return v.out, nil
}

type verifier struct {
	f    *rundir.Folder
	o    Options
	plan *plan.Plan

	mu     sync.Mutex
	out    *Report
	drop   []puzzle.WindowID // rows that are bad
	forget []puzzle.WindowID // records that are bad
}

func (v *verifier) find(kind string, name fmt.Stringer, err error) {
	v.out.Findings = append(v.out.Findings, Finding{Kind: kind, Window: name.String(), Text: err.Error()})
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
	for _, l := range v.plan.PlannedLayers {
		for i := range l.Plans {
			c := v.plan.Index[l.Plans[i].Cell]
			for part := range c.Parts {
				if !c.Parts[part].Committed {
					continue
				}
				if gctx.Err() != nil {
					break
				}
				held := slices.Contains(v.plan.ReplicaSets.Names(c.Parts[part].Replicas), protocol.OwnWorker)
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
			}
		}
	}
	return errors.Join(g.Wait(), context.Cause(ctx))
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
		v.out.Read++
		v.out.Blocks += stored.Blocks
		v.out.Rows += stored.Rows
		v.out.Bytes += stored.Bytes
	case kind == FindRecord || errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrNotFound):
		v.find(kind, id, err)
		v.drop = append(v.drop, id)
	default:
		return err
	}
	return nil
}

// flows compares the ends of every edge between complete cells.
func (v *verifier) flows() {
	p := v.plan
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			into, out := p.Edges(p.Index[l.Plans[i].Cell])
			for _, e := range append(into, out...) {
				v.flow(e, e.Child.Cell == l.Plans[i].Cell)
			}
		}
	}
}

// flow compares the ends of an edge; it is met from both ends and counts when it is met from its child.
func (v *verifier) flow(e plan.Edge, fromChild bool) {
	counted, err := v.plan.CheckEdge(e)
	if counted && fromChild {
		v.out.Edges++
	}
	id := e.Child.Window(0).ID()
	if err == nil || slices.ContainsFunc(v.out.Findings, func(f Finding) bool {
		return f.Kind == FindFlow && f.Text == err.Error()
	}) {
		return
	}
	v.find(FindFlow, id, err)
	// Which end is wrong cannot be told.
	for _, c := range []*plan.Cell{e.Parent, e.Child} {
		for part := range c.Parts {
			v.forget = append(v.forget, c.Window(part).ID())
		}
	}
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
