package doubt

import (
	"fmt"
	"maps"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// A worker that has reported a wrong result is refused for good, with its party: all workers of the same key, under
// whatever names, see protocol.Party. A window counts as known by the word of the workers that have computed it, each
// by itself, and the word of a refused worker counts for nothing. So with every refusal all windows that rest on the
// word of refused workers alone are computed a second time, whenever these were refused: a window that one liar has
// reported and another confirmed rests on nothing once both are found. Windows computed from wrong ones are forgotten,
// with the order not to use copies of them. Should another window of a refused worker turn out wrong, all that rests on
// refused workers is forgotten, with all that follows from it.

// Refuse refuses the guilty workers. It returns the change of the ledger: which workers are refused now, which windows
// are forgotten, the wrong ones with all that follows from them, and which are compared.
func (d *Doubt) Refuse(p *plan.Plan, guilty []kv.Refusal, wrong []puzzle.WindowID) kv.Distrust {
	out := kv.Distrust{Epoch: d.epoch}
	strict := false
	for _, g := range guilty {
		party := protocol.Party(g.Worker)
		if before, known := d.refused[party]; known {
			strict = strict || !slices.Contains(out.Refuse, before)
			continue
		}
		d.refused[party] = g
		out.Refuse = append(out.Refuse, g)
	}
	sole := d.SoleWord(p, 0)
	if strict {
		wrong = slices.Concat(wrong, sole)
	}
	suspect := make(map[puzzle.WindowID]bool)
	for _, id := range slices.Concat(wrong, p.Descendants(wrong)) {
		if suspect[id] {
			continue
		}
		suspect[id] = true
		out.Suspect = append(out.Suspect, id)
		if _, w, err := p.Window(id); err == nil && w.Committed {
			out.Forget = append(out.Forget, id)
		}
	}
	out.Audit = slices.DeleteFunc(sole, func(id puzzle.WindowID) bool { return suspect[id] })
	return out
}

// SoleWord lists the windows of the layers from one on that rest on the word of refused workers alone.
func (d *Doubt) SoleWord(p *plan.Plan, from int) []puzzle.WindowID {
	if len(d.refused) == 0 {
		return nil
	}
	return p.SoleWord(d.Parties(), from)
}

// Parties lists the parties that are refused.
func (d *Doubt) Parties() []string { return slices.Sorted(maps.Keys(d.refused)) }

// Refusals lists the workers that are refused, one of each party.
func (d *Doubt) Refusals() []kv.Refusal { return slices.Collect(maps.Values(d.refused)) }

// Refusal says why a worker is refused, "" when it is not.
func (d *Doubt) Refusal(worker string) string {
	r, ok := d.refused[protocol.Party(worker)]
	switch {
	case !ok:
		return ""
	case r.Worker != worker:
		return fmt.Sprintf("worker %s is refused in this run with all of its key: window %s of worker %s: %s", worker,
			r.Window, r.Worker, r.Reason)
	}
	return fmt.Sprintf("worker %s is refused in this run: window %s: %s", worker, r.Window, r.Reason)
}
