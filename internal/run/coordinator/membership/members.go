package membership

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"pagoda/internal/run/protocol"
)

const (
	// maxMembers bounds the workers of a run, and maxUnproven those of them that have not reported any window yet: a flood
	// of joins takes no more memory than that, and does not keep others out. The queue has consumers for a few more than
	// maxMembers: otherwise it would refuse a join for which a party with many names has to make room.
	maxMembers, maxUnproven = 2000, 512
)

// Members are the workers of a run. They are for one goroutine.
type Members struct {
	timeout  time.Duration
	byName   map[string]*Member
	unfit    map[string]*unfit // workers that cannot take part, by name
	lastTick time.Time
	Costs    *Costs
}

// New returns the members of a run that no worker has joined. A worker silent for longer than timeout is gone.
func New(timeout time.Duration, now time.Time, costs *Costs) *Members {
	return &Members{
		timeout: timeout, byName: make(map[string]*Member), unfit: make(map[string]*unfit), lastTick: now, Costs: costs,
	}
}

// Len counts the members.
func (f *Members) Len() int { return len(f.byName) }

// Get returns the worker of that name, nil when it has not joined.
func (f *Members) Get(name string) *Member { return f.byName[name] }

// All lists the members, in no order.
func (f *Members) All() iter.Seq2[string, *Member] { return maps.All(f.byName) }

// Any reports whether a member is as is says.
func (f *Members) Any(is func(*Member) bool) bool {
	for _, m := range f.byName {
		if is(m) {
			return true
		}
	}
	return false
}

// Working lists the workers that can be given tasks.
func (f *Members) Working() []string {
	var out []string
	for name, m := range f.byName {
		if m.Working() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Proven reports whether a worker takes part and has reported a window that it was asked for.
func (f *Members) Proven(name string) bool {
	m := f.byName[name]
	return m != nil && m.Proven
}

// Candidates names the workers that can be given a window, other than those in not: those that are not in reserve and
// have reported a window before, if there are any.
func (f *Members) Candidates(not []string) []string {
	names, _ := f.divide(slices.DeleteFunc(f.Working(), func(n string) bool { return slices.Contains(not, n) }))
	unproven := func(n string) bool { return !f.Proven(n) }
	if proven := slices.DeleteFunc(slices.Clone(names), unproven); len(proven) > 0 {
		return proven
	}
	return names
}

// Kin adds to some workers all others of their parties, for these answer together. Where no worker of another party is
// there, workers of one party check each other: that finds a broken machine, and the coordinator's share of the audits
// finds liars.
func (f *Members) Kin(names []string) []string {
	all, others := slices.Clone(names), false
	for name, m := range f.byName {
		switch {
		case slices.Contains(names, name):
		case slices.ContainsFunc(names, func(n string) bool { return protocol.Party(n) == protocol.Party(name) }):
			all = append(all, name)
		default:
			others = others || m.Working()
		}
	}
	if !others {
		return names
	}
	return all
}

// Alive returns those of some workers that have been heard of lately.
func (f *Members) Alive(names []string, now time.Time) (out []string) {
	for _, name := range names {
		if m := f.byName[name]; m != nil && (!m.Leaving || m.Draining) && now.Sub(m.LastHeard) < f.timeout/2 {
			out = append(out, name)
		}
	}
	return out
}

// Name returns the worker of that name, which it makes if there is none. replaced says that another process spoke for
// it until now.
func (f *Members) Name(name, incarnation string) (m *Member, replaced bool) {
	m = f.byName[name]
	if m == nil {
		m = &Member{incarnation: incarnation}
		f.byName[name] = m
	}
	if replaced = m.incarnation != incarnation; replaced {
		m.replace(incarnation)
	}
	return m, replaced
}

// MakeRoom makes room for a worker that joins. gone is the worker that has to go for it, or ""; it joins again, if it
// is there at all. text says why there is no room. Room is made by the party with the most names. Workers that have
// reported stay as long as the run can have more, those that trusted reports stay in any case.
func (f *Members) MakeRoom(worker string, trusted func(name string) bool) (gone, text string) {
	if f.byName[worker] != nil {
		return "", ""
	}
	unproven := func(name string) bool { return !f.Proven(name) && !trusted(name) }
	count := 0
	for name := range f.byName {
		if unproven(name) {
			count++
		}
	}
	switch {
	case count >= maxUnproven:
		gone, _ = f.ofMost(unproven)
	case len(f.byName) >= maxMembers:
		var names map[string]int
		gone, names = f.ofMost(func(name string) bool { return !trusted(name) })
		if gone == "" || names[protocol.Party(gone)] <= names[protocol.Party(worker)]+1 {
			return "", fmt.Sprintf("%d workers have joined, which is the most that a run can have", len(f.byName))
		}
	}
	f.Remove(gone)
	return gone, ""
}

// ofMost returns the worker that may go from the party with the most names: one that has reported nothing, if there is
// one, and of these the one that was heard of least lately. names counts those of each party that may go.
func (f *Members) ofMost(mayGo func(name string) bool) (worker string, names map[string]int) {
	names = make(map[string]int)
	most := 0
	for name := range f.byName {
		if party := protocol.Party(name); mayGo(name) {
			names[party]++
			most = max(most, names[party])
		}
	}
	for name, m := range f.byName {
		if !mayGo(name) || names[protocol.Party(name)] < most {
			continue
		}
		o := f.byName[worker]
		if o == nil || o.Proven && !m.Proven || o.Proven == m.Proven && m.LastHeard.Before(o.LastHeard) {
			worker = name
		}
	}
	return worker, names
}

// Tick notes that time has passed. A deaf coordinator cannot say which workers were silent: the process was stopped, or
// the machine, or nothing gets through.
func (f *Members) Tick(now time.Time, deaf bool) {
	if gap := now.Sub(f.lastTick); gap > f.timeout/2 || deaf {
		for _, m := range f.byName {
			m.LastHeard = m.LastHeard.Add(gap)
		}
	}
	f.lastTick = now
}

// Silent lists the workers that have been silent for too long.
func (f *Members) Silent(now time.Time) (names []string) {
	for name, m := range f.byName {
		if now.Sub(m.LastHeard) > f.timeout {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Remove notes that a worker is gone, until it joins again.
func (f *Members) Remove(name string) { delete(f.byName, name) }

// Waited notes how many milliseconds computed windows of a worker have waited for its disk, by its own word.
func (f *Members) Waited(name string, millis int64) {
	if m := f.byName[name]; m != nil {
		wait := time.Duration(min(max(0, millis), mostWait.Milliseconds())) * time.Millisecond
		if m.LastReport.IsZero() {
			m.DiskWait = wait
		}
		m.DiskWait = (m.DiskWait + wait) / 2
	}
}

// Reported notes that a worker has reported a window that it was asked for.
func (f *Members) Reported(name string, now time.Time) {
	if m := f.byName[name]; m != nil {
		m.Proven, m.LastReport = true, now
		f.Costs.of(name).proven = true
	}
}
