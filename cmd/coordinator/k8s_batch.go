package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/estimate"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/k8s"
	"pagoda/internal/run/status"
)

// severalPuzzles is the puzzle of a batch whose members are of several.
const severalPuzzles = "several"

// batchOverlay reads a batch and makes its overlay.
func (a *app) batchOverlay(ctx context.Context, path, name string, set []string, f *sizeFlags) (k8s.Overlay, error) {
	if len(set) > 0 {
		return k8s.Overlay{}, usage("--set changes one config, and "+path+" is a batch",
			"write the key into the base of the batch")
	}
	b, err := batch.Load(ctx, a.loader(), path, "")
	if err != nil {
		return k8s.Overlay{}, err
	}
	o := k8s.Overlay{Run: b.ID()}
	if err := named(&o, name, b.Name); err != nil {
		return o, err
	}
	for _, m := range b.Members {
		if m.Config.Text("notify") != "" {
			return o, usage("member "+m.Name+": notify: the network policy of a batch on a cluster lets no notification out",
				"leave it out, and let alerts tell of the batch, see docs/kubernetes.md")
		}
		if p := m.Config.Text("puzzle"); o.Puzzle == "" || o.Puzzle == p {
			o.Puzzle = p
		} else {
			o.Puzzle = severalPuzzles
		}
	}
	d, err := f.batchDemands(ctx, b)
	if err != nil {
		return o, err
	}
	f.sizes(&o, d)
	if o.Batch, o.Files, err = b.Files(ctx, localKeys); err != nil {
		return o, err
	}
	return o, f.apply(&o, nil)
}

const (
	// servedAtATime is how many runs a worker serves at a time, the default of its flag --at-a-time.
	servedAtATime = 8
	// memberStorage is the coordinator's disk for the folder of a member beside its windows. A folder without any takes
	// 9 MiB.
	memberStorage = 16 << 20
)

// batchDemands adds up what the members of a batch ask. Those that are carried out at a time take their memory
// together, the largest ones; the rows and ledgers of all are there in the end.
func (f *sizeFlags) batchDemands(ctx context.Context, b *batch.Batch) (d demands, err error) {
	var memory, leading []uint64
	for _, m := range b.Members {
		j, err := m.Job(ctx)
		if err != nil {
			return d, err
		}
		pred, err := f.predict(j)
		if err != nil {
			return d, err
		}
		memory = append(memory, pred.MemoryBytes+estimate.CacheBytes(&pred))
		leading = append(leading, uint64(pred.Windows)*windowMemory+databases)
		d.rows += f.rows(j, &pred)
		d.ledgers += uint64(pred.Windows)*windowStorage + memberStorage
	}
	d.memory, d.leading = largest(memory, min(b.AtATime, servedAtATime)), largest(leading, b.AtATime)
	return d, nil
}

// largest adds the n largest numbers up.
func largest(list []uint64, n int) (sum uint64) {
	slices.SortFunc(list, func(a, b uint64) int { return cmp.Compare(b, a) })
	for _, v := range list[:min(n, len(list))] {
		sum += v
	}
	return sum
}

// A batchView shows the progress of a batch on a cluster.
type batchView struct {
	*batchDisplay
	states map[string]string // of the members, by their names
}

func (a *app) newBatchView(o *k8s.Overlay) *batchView {
	d := a.newBatchDisplay(ops.LogStyle{})
	d.shows(&batch.Batch{Name: o.Name})
	return &batchView{d, make(map[string]string)}
}

func (v *batchView) logger() *slog.Logger { return v.log }
func (v *batchView) close()               { v.batchDisplay.close() }

// took tells of the members that have ended since the report before.
func (v *batchView) took(s answer) {
	r := s.(*batchReport)
	t := batch.Tally{Members: len(r.Members), Complete: r.Complete, Failed: r.tally().Failed}
	for i := range r.Members {
		m := &r.Members[i]
		if v.states[m.Member] == m.State {
			continue
		}
		v.states[m.Member] = m.State
		about := &batch.Member{Name: m.Member, ID: m.Run}
		switch m.State {
		case status.StateComplete:
			v.ended(about, t, nil)
		case status.StateFailed:
			v.ended(about, t, errors.New(m.Error))
		}
	}
	v.tallied(t)
}
