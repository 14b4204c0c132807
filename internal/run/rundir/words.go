package rundir

import (
	"encoding/json"
	"fmt"

	"pagoda/internal/kv"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/trust"
)

// AuditsName is where a ledger keeps the least shares of audits of its coordinators.
const AuditsName = "audits"

// Words counts the windows of a ledger by the parties that computed them. load passes its entries, as [kv.Ledger.Load].
func Words(l *kv.Ledger, load func(func(kv.Entry) error) error) (*trust.Words, error) {
	refused, err := l.Refused()
	if err != nil {
		return nil, err
	}
	c := plan.NewWordCount(refused)
	err = load(func(e kv.Entry) error {
		c.Add(e.By, 1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	w := c.Words()
	w.Audits, err = leastAudits(l)
	return &w, err
}

// leastAudits returns what BeginAudits returned last; nil: not on record.
func leastAudits(l *kv.Ledger) (*trust.Shares, error) {
	b, found, err := l.Meta(AuditsName)
	if err != nil || !found {
		return nil, err
	}
	return readAudits(b)
}

func readAudits(b []byte) (*trust.Shares, error) {
	var s trust.Shares
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("ledger: %w: shares of audits: %w", kv.ErrCorrupt, err)
	}
	return &s, nil
}

// BeginAudits notes the shares of audits of a coordinator that workers may join, durably, and returns the least of all
// coordinators so far; nil: not on record. Earlier ones do not count while nothing rests on workers. A coordinator that
// finds the run complete does not count. Where windows of workers were committed before shares were noted, none are on
// record.
func (f *Folder) BeginAudits(s trust.Shares, complete bool) (*trust.Shares, error) {
	w, err := Words(f.Ledger, f.Ledger.Load)
	switch {
	case err != nil:
		return nil, err
	case complete:
		return w.Audits, nil
	case w.Settled():
	case w.Audits == nil:
		return nil, nil
	default:
		s = w.Audits.Least(s)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return &s, f.Ledger.SetMeta(AuditsName, b)
}

// MergeAudits brings the value that another folder of the run has under AuditsName into the ledger: the least shares of
// both count.
func (f *Folder) MergeAudits(value []byte) error {
	theirs, err := readAudits(value)
	if err != nil {
		return err
	}
	ours, err := leastAudits(f.Ledger)
	if err != nil {
		return err
	}
	if ours != nil {
		*theirs = theirs.Least(*ours)
	}
	b, err := json.Marshal(theirs)
	if err != nil {
		return err
	}
	return f.Ledger.SetMeta(AuditsName, b)
}
