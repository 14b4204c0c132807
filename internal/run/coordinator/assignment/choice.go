package assignment

import (
	"cmp"
	"maps"
	"slices"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// littleBytes are not worth directing a task.
const littleBytes = 4 << 10

// Choose chooses a worker of names for a window of a cell: the one that holds most of its parents. When none holds
// enough of them to matter, it is the one with the fewest tasks; without names it is "".
func Choose(p *plan.Plan, a *Account, cell *plan.Cell, names []string) string {
	if near := nearest(p, cell, names); len(near) > 0 {
		return near[0]
	}
	if len(names) == 0 {
		return ""
	}
	return slices.MinFunc(names, func(x, y string) int { return cmp.Compare(a.Load(x).Tasks, a.Load(y).Tasks) })
}

// nearest lists those of some workers that hold enough of the parents of a cell to matter, the one with most first.
func nearest(p *plan.Plan, cell *plan.Cell, names []string) (near []string) {
	bytes := make(map[plan.ReplicaSet]uint64)
	for _, parent := range cell.ParentCells {
		for i := range parent.Parts {
			w := &parent.Parts[i]
			bytes[w.Replicas] += w.Bytes
		}
	}
	of := make(map[string]uint64)
	for s, n := range bytes {
		for _, name := range p.ReplicaSets.Names(s) {
			of[name] += n
		}
	}
	for name, n := range of {
		if n >= littleBytes && slices.Contains(names, name) {
			near = append(near, name)
		}
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	return near
}

// FetchEstimate adds up the rows of the parents of a cell that a worker does not hold.
func FetchEstimate(p *plan.Plan, cell *plan.Cell, worker string) (bytes uint64) {
	last, holds := plan.ReplicaSet(0), false // neighbours share their holders, as a rule
	for _, parent := range cell.ParentCells {
		for i := range parent.Parts {
			w := &parent.Parts[i]
			if w.Replicas != last {
				last, holds = w.Replicas, slices.Contains(p.ReplicaNames(w), worker)
			}
			if !holds {
				bytes += w.Bytes
			}
		}
	}
	return bytes
}

// OnePerParty keeps of each party the worker with the fewest tasks: many names of one party get no more than its share.
func OnePerParty(a *Account, names []string) (out []string) {
	least := make(map[string]string)
	for _, name := range names {
		party := protocol.Party(name)
		if have, ok := least[party]; !ok || a.Load(name).Tasks < a.Load(have).Tasks {
			least[party] = name
		}
	}
	return slices.Sorted(maps.Values(least))
}
