package doubt

import (
	"fmt"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// A Verdict says whose results are wrong.
type Verdict struct {
	Guilty []kv.Refusal
	Wrong  bool // the result in the ledger is
}

// Judge decides about a window by the record that the coordinator has computed itself; entry is the window's in the
// ledger, nil when it has none. The error says that the coordinator's own two results differ.
func (d *Doubt) Judge(id puzzle.WindowID, entry *kv.Entry, own *kv.Record) (v Verdict, err error) {
	accuse := func(worker, what string) {
		v.Guilty = append(v.Guilty, kv.Refusal{Worker: worker, Window: id.String(), Reason: what})
	}
	for _, q := range d.claims[id] {
		switch {
		case q.Worker == protocol.OwnWorker && !q.Record.SameContent(own):
			return v, contradictsItself(id, &q.Record, own)
		case q.Failure != "":
			accuse(q.Worker, "it said that the window cannot be computed, which it can: "+protocol.Clip(q.Failure))
		case q.Worker != protocol.OwnWorker && !q.Record.Same(own):
			accuse(q.Worker, differs(&q.Record, own))
		}
	}
	if entry == nil || entry.Record.Same(own) {
		return v, nil
	}
	if slices.Contains(entry.By, protocol.OwnWorker) && !entry.Record.SameContent(own) {
		return v, contradictsItself(id, &entry.Record, own)
	}
	v.Wrong = true
	for _, name := range entry.Reporters() {
		if name != protocol.OwnWorker {
			accuse(name, differs(&entry.Record, own))
		}
	}
	return v, nil
}

// differs tells people how a worker's record differs from the coordinator's own.
func differs(reported, own *kv.Record) string {
	if reported.SameContent(own) {
		return fmt.Sprintf("it reported rows of %d bytes, which take %d", reported.Bytes, own.Bytes)
	}
	return "the coordinator has computed another result than it reported"
}

// contradictsItself returns the error of a machine whose own two results for a window differ.
func contradictsItself(id puzzle.WindowID, have, got *kv.Record) error {
	return fmt.Errorf("this machine has computed window %s twice, with two results: %w", id,
		&kv.ConflictError{Have: *have, Got: *got})
}

// Edge doubts all windows of two cells whose flows contradict each other, but those that the coordinator has computed
// already. It returns the windows, none when the coordinator has computed all: then no worker has lied, and the kernel
// is wrong.
func (d *Doubt) Edge(p *plan.Plan, e *plan.FlowError) (ids []puzzle.WindowID) {
	ids = untrusted(p, e)
	for _, id := range ids {
		d.Question(id)
	}
	if len(ids) > 0 {
		d.edges = append(d.edges, e)
	}
	return ids
}

// untrusted lists the windows at both ends of an edge that the coordinator has not computed.
func untrusted(p *plan.Plan, e *plan.FlowError) (ids []puzzle.WindowID) {
	for _, id := range []puzzle.Cell{e.Parent, e.Child} {
		cell := p.Index[id]
		for i := range cell.Parts {
			if !p.Trusted(&cell.Parts[i]) {
				ids = append(ids, cell.WindowID(i))
			}
		}
	}
	return ids
}

// Contradiction returns the edge whose flows contradict each other though the coordinator has computed both ends.
func (d *Doubt) Contradiction(p *plan.Plan) error {
	for _, e := range d.edges {
		if len(untrusted(p, e)) == 0 {
			return e
		}
	}
	return nil
}

// Largest doubts the window with the largest numbers of a layer, of those that the coordinator has not computed yet:
// the sums of another window cannot be added to the layer's. found is false when there is none; then the sums of the
// run are too large. The tally of a window comes from the ledger.
func (d *Doubt) Largest(p *plan.Plan, layer int, tally func(puzzle.WindowID) (*puzzle.Tally, error)) (
	largest puzzle.WindowID, found bool, err error,
) {
	var most uint128.Uint128
	for _, cell := range p.Cells(layer) {
		cell := p.Index[cell.Cell]
		for i := range cell.Parts {
			w := &cell.Parts[i]
			if !w.Committed || p.Trusted(w) {
				continue
			}
			t, err := tally(cell.WindowID(i))
			if err != nil {
				return largest, false, err
			}
			if n := largestOf(t); most.Cmp(n) < 0 {
				largest, most = cell.WindowID(i), n
			}
		}
	}
	if most.IsZero() {
		return largest, false, nil
	}
	d.Question(largest)
	return largest, true, nil
}

// largestOf returns the largest number of a tally that is added to others.
func largestOf(t *puzzle.Tally) (most uint128.Uint128) {
	for _, s := range t.Sums {
		if most.Cmp(s.Value) < 0 {
			most = s.Value
		}
	}
	for _, flows := range [][]puzzle.Flow{t.In, t.Out} {
		for _, f := range flows {
			if most.Cmp(f.Amount) < 0 {
				most = f.Amount
			}
		}
	}
	return most
}
