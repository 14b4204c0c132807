package membership

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pagoda/internal/run/protocol"
)

const (
	// maxUnfit bounds the workers that cannot take part and are remembered, maxUnfitOfParty those of one party.
	maxUnfit, maxUnfitOfParty = 256, 16
	// unfitFor is how long such a worker is remembered: it tells again within seconds. For as long one worker is news
	// once, whatever it tells. So a party makes maxUnfitOfParty lines of a log in that time, and all parties maxUnfit.
	unfitFor = time.Minute
)

// Unfit is a worker that cannot take part, and why.
type Unfit struct {
	Worker, Program, Reason string
	Seen                    time.Time
}

// unfit is what a worker has told last, and what of it was news last.
type unfit struct{ last, told Unfit }

// NoteUnfit notes that a worker cannot take part. It reports whether that is news: the worker tells again and again.
func (f *Members) NoteUnfit(u Unfit) (news bool) {
	maps.DeleteFunc(f.unfit, func(_ string, o *unfit) bool { return u.Seen.Sub(o.last.Seen) >= unfitFor })
	o := f.unfit[u.Worker]
	if o == nil {
		if len(f.unfit) == maxUnfit || f.unfitOf(protocol.Party(u.Worker)) == maxUnfitOfParty {
			return false
		}
		f.unfit[u.Worker] = &unfit{last: u, told: u}
		return true
	}
	o.last = u
	news = (u.Program != o.told.Program || u.Reason != o.told.Reason) && u.Seen.Sub(o.told.Seen) >= unfitFor
	if news {
		o.told = u
	}
	return news
}

// unfitOf counts the workers of a party that cannot take part.
func (f *Members) unfitOf(party string) (n int) {
	for name := range f.unfit {
		if protocol.Party(name) == party {
			n++
		}
	}
	return n
}

// ListUnfit lists the workers that have told lately why they cannot take part, by name. One that has joined since is
// not among them.
func (f *Members) ListUnfit(now time.Time) (list []Unfit) {
	for name, o := range f.unfit {
		if now.Sub(o.last.Seen) < unfitFor && f.byName[name] == nil {
			list = append(list, o.last)
		}
	}
	slices.SortFunc(list, func(a, b Unfit) int { return cmp.Compare(a.Worker, b.Worker) })
	return list
}
