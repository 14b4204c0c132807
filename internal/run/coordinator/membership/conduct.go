package membership

import "time"

// conduct is a worker's record of serving the windows that it holds. The coordinator writes it from its own checks
// after a complaint: a worker cannot spoil the record of another one by complaining.
type conduct struct {
	faults int       // since a window was last served
	out    int       // times that the worker was put out
	until  time.Time // the end of the last of them
}

// These are the faults of a window that a worker holds and does not serve. A worker with maxFaults is put out: a silent
// one, which holds up its readers, at the second window, or the first after it was out; one that answers at once at the
// eighth.
const (
	Withheld  = 4 // it says that it lives, and sends nothing
	Misserved = 1 // it does not have the window, or something else
	maxFaults = 8
)

// A worker is put out for firstOut, and each time for outFactor times as long, maxOut times at most: it may have been
// cut off, and returns with all that it holds. A worker that means harm and returns has to wait longer and longer.
const (
	firstOut  = 30 * time.Second
	outFactor = 8
	maxOut    = 5
)

// Served notes that a worker serves a window after all.
func (f *Members) Served(name string) {
	if k := f.conduct[name]; k != nil {
		k.faults = 0
	}
}

// Unserved notes that a worker does not serve a window, and reports whether it is to be put out for that.
func (f *Members) Unserved(name string, faults int, now time.Time) (out bool) {
	k := f.conduct[name]
	if k == nil {
		if len(f.conduct) >= maxMembers {
			f.forgetConduct()
		}
		k = new(conduct)
		f.conduct[name] = k
	}
	if k.faults += faults; k.faults < maxFaults {
		return false
	}
	pause := firstOut
	for range min(k.out, maxOut) {
		pause *= outFactor
	}
	k.faults, k.out, k.until = maxFaults-Withheld, k.out+1, now.Add(pause)
	f.idlers++ // newcomers are tried one by one now: they may be the same under other names
	return true
}

// forgetConduct makes room for another record: the one that has mattered least.
func (f *Members) forgetConduct() {
	least := ""
	for name, k := range f.conduct {
		if o := f.conduct[least]; o == nil || k.until.Before(o.until) {
			least = name
		}
	}
	delete(f.conduct, least)
}

// Barred is how long a worker has to wait until it may join again. It need not wait when no other worker is there.
func (f *Members) Barred(name string, now time.Time) time.Duration {
	k := f.conduct[name]
	if k == nil || !now.Before(k.until) {
		return 0
	}
	for other, m := range f.byName {
		if other != name && m.present() {
			return k.until.Sub(now)
		}
	}
	return 0
}

// Pardon gives windows again to workers that stalled: they may have waited for a worker that has been put out.
func (f *Members) Pardon() {
	for _, m := range f.byName {
		m.stalled, m.stalls = time.Time{}, 0
	}
}
