package intake

import (
	"fmt"
	"strings"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// Entries returns the additions to the ledger: windows, and audits that become due or are done.
func (s *Sifted) Entries(p *plan.Plan) (entries []kv.Entry, audits []kv.Audit) {
	requested := make(map[puzzle.WindowID]bool) // audits that become due with these reports
	for _, r := range s.Reports {
		for i := range r.Done {
			d := &r.Done[i]
			id := d.Record.ID()
			_, w, err := p.Window(id)
			if err != nil {
				continue // it was there when the report was sifted
			}
			// A worker asked for the audit by another coordinator may report it together with the first result.
			done := (w.Audit || requested[id]) && d.Audit
			if done || d.Drawn {
				audits = append(audits, kv.Audit{Window: id, Done: done})
				requested[id] = true
			}
			e := kv.Entry{Record: d.Record, Holders: p.ReplicasWith(w, r.Worker)}
			if d.Word {
				e.By = []string{r.Worker}
			}
			entries = append(entries, e)
		}
	}
	return entries, audits
}

// Blame names the workers whose results for a window contradict each other. The first result is in the ledger, with its
// holders, or in the reports.
func (s *Sifted) Blame(conflict *kv.ConflictError, holders []string) error {
	first, second := strings.Join(holders, ", "), ""
	for _, r := range s.Reports {
		for i := range r.Done {
			switch rec := &r.Done[i].Record; {
			case rec.ID() != conflict.Got.ID():
			case rec.SameContent(&conflict.Got):
				second = r.Worker
			case first == "" || rec.SameContent(&conflict.Have):
				first = r.Worker
			}
		}
	}
	if first == "" {
		first = "a worker that holds it no more"
	}
	return fmt.Errorf("last reported by worker %s, before by %s: %w", second, first, conflict)
}
