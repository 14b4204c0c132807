package membership

import (
	"cmp"
	"slices"
	"time"
)

// Unfit is a worker that cannot take part, and why.
type Unfit struct {
	Worker, Program, Reason string
	Seen                    time.Time
}

// NoteUnfit notes that a worker cannot take part. It reports whether that is news, of so many names at most: the worker
// tells again and again.
func (f *Members) NoteUnfit(u Unfit) (news bool) {
	old, ok := f.unfit[u.Worker]
	if !ok && len(f.unfit) == maxUnfit {
		return false
	}
	f.unfit[u.Worker] = u
	return !ok || old.Program != u.Program || old.Reason != u.Reason
}

// ListUnfit lists the workers that have told lately why they cannot take part, by name. One that has joined since is
// not among them.
func (f *Members) ListUnfit(now time.Time) (list []Unfit) {
	for name, u := range f.unfit {
		if now.Sub(u.Seen) < unfitFor && f.byName[name] == nil {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b Unfit) int { return cmp.Compare(a.Worker, b.Worker) })
	return list
}
