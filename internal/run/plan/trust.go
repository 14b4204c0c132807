package plan

import (
	"maps"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/trust"
)

// The reporters of a window decide whether it stays when a worker turns out to report wrong results.

// NoteReporters notes that workers have computed a window, each by itself.
func (p *Plan) NoteReporters(w *Window, workers ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range workers {
		w.By = p.Reporters.with(w.By, name)
	}
}

// ReporterNames names the workers that computed a window, as far as that is known.
func (p *Plan) ReporterNames(w *Window) []string { return p.Reporters.Names(w.By) }

// Trusted reports whether the coordinator's own process has computed a window, or compared it.
func (p *Plan) Trusted(w *Window) bool {
	return slices.Contains(p.ReporterNames(w), protocol.OwnWorker)
}

// Words counts the committed windows by the parties that computed them, beside refused ones. Audits are not in it.
func (p *Plan) Words(refused []kv.Refusal) trust.Words {
	sets := make(map[ReplicaSet]int) // few, of many windows
	c := NewWordCount(refused)
	p.mu.RLock()
	defer p.mu.RUnlock()
	p.each(0, func(cell *Cell, i int) {
		if w := &cell.Parts[i]; w.Committed {
			sets[w.By]++
		}
	})
	for set, n := range sets {
		c.Add(p.Reporters.Names(set), n)
	}
	return c.Words()
}

// A WordCount counts windows by the parties that computed them.
type WordCount struct {
	words   trust.Words
	refused map[string]bool // parties
	parties map[string]bool // of workers
}

// NewWordCount begins to count. Words of refused workers do not count.
func NewWordCount(refused []kv.Refusal) *WordCount {
	c := &WordCount{refused: make(map[string]bool), parties: make(map[string]bool)}
	for _, r := range refused {
		c.refused[protocol.Party(r.Worker)] = true
	}
	return c
}

// Add counts windows that the given workers have computed.
func (c *WordCount) Add(by []string, windows int) {
	of := make(map[string]bool)
	for _, name := range by {
		if party := protocol.Party(name); !c.refused[party] {
			of[party] = true
		}
	}
	own := of[protocol.OwnWorker]
	delete(of, protocol.OwnWorker)
	maps.Copy(c.parties, of)
	switch {
	case own:
		c.words.Own += windows
	case len(of) > 1:
		c.words.Several += windows
	case len(of) == 1:
		c.words.One += windows
	default:
		c.words.Unknown += windows
	}
}

// Words returns the counts so far.
func (c *WordCount) Words() trust.Words {
	w := c.words
	w.Parties = len(c.parties)
	return w
}

// SoleWord lists the committed windows of the layers from one on whose word is that of the given parties alone: no
// other has computed them. A window is among them when it is not known any more which workers have computed it.
func (p *Plan) SoleWord(parties []string, from int) (ids []puzzle.WindowID) {
	other := func(n string) bool { return !slices.Contains(parties, protocol.Party(n)) }
	p.each(from, func(c *Cell, i int) {
		if w := &c.Parts[i]; w.Committed && !slices.ContainsFunc(p.ReporterNames(w), other) {
			ids = append(ids, c.WindowID(i))
		}
	})
	return ids
}

// TimesMean says how many times as large the sums of a record are as the mean of the committed windows of its layer:
// the largest of these numbers, 0 when there is none.
func (p *Plan) TimesMean(rec *kv.Record) (times float64) {
	l := p.PlannedLayers[rec.Layer]
	for _, s := range rec.Tally.Sums {
		if all := float(l.tally.Sum(s.Name)); all > 0 {
			times = max(times, float(s.Value)*float64(l.Done)/all)
		}
	}
	return times
}

// float is u, rounded.
func float(u uint128.Uint128) float64 { return float64(u.Hi)*(1<<64) + float64(u.Lo) }

// Descendants lists the windows that may follow from the rows and tallies of some windows: the windows of all cells
// that read their cells, and of those that read these, as far as all parents of a cell are committed. Of the layers
// that were planned from results of their layers it lists all windows, and also those that the ledger has of layers
// that are not planned now.
func (p *Plan) Descendants(of []puzzle.WindowID) (ids []puzzle.WindowID) {
	reached := make(map[*Cell]bool)
	first := len(p.PlannedLayers) // layer of them
	for _, id := range of {
		if c := p.Index[id.Cell]; c != nil {
			reached[c] = true
			first = min(first, id.Layer)
		}
	}
	// Parents stand before their children in the plan.
	if len(reached) == 0 {
		return nil
	}
	derived := make(map[*Cell]bool)
	from := func(parent *Cell) bool { return reached[parent] || derived[parent] }
	open := func(parent *Cell) bool { return parent.Done < len(parent.Parts) }
	for n, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			if n < p.foreseen || n <= first {
				if !slices.ContainsFunc(c.ParentCells, from) || slices.ContainsFunc(c.ParentCells, open) {
					continue
				}
			}
			derived[c] = true
			for part := range c.Parts {
				ids = append(ids, c.WindowID(part))
			}
		}
	}
	for _, waiting := range p.stash {
		for _, s := range waiting {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// Confirm notes that a queued or assigned window has been computed a second time, by a worker that keeps no rows, and
// need not be computed any more.
func (p *Plan) Confirm(c *Cell, i int) error {
	w := &c.Parts[i]
	w.Audit = false
	if w.Replicas != 0 {
		return p.fire(c, i, evHold)
	}
	return p.fire(c, i, evConfirm)
}

// each calls fn for every window of the layers from one on, in plan order.
func (p *Plan) each(from int, fn func(c *Cell, i int)) {
	for _, l := range p.PlannedLayers[min(from, len(p.PlannedLayers)):] {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			for part := range c.Parts {
				fn(c, part)
			}
		}
	}
}
