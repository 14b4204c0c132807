package membership

import (
	"slices"
	"time"

	"pagoda/internal/run/protocol"
)

// maxPast bounds the processes before the present one that are known of a worker, maxReports the reports.
const maxPast, maxReports = 16, 64

// A Member is a worker that has joined.
type Member struct {
	protocol.Peer
	Program           string // its version, "" where it does not say
	Concurrency, Busy int
	Moved             uint64
	Runs              int              // that its process serves, as it says; for people
	Doing             []protocol.Doing // as of DoingAt
	DoingAt           time.Time
	Disk              *protocol.Disk // nil: not known
	LastHeard         time.Time
	Joining           bool // its inventory is not complete
	// Draining: it takes no more tasks, and stays for others to copy its windows. Leaving: it has none in hand either.
	Draining, Leaving bool
	DiskFull          bool      // its disk
	KnowsOver         bool      // that the run is over
	Proven            bool      // it has reported a window that it was asked for
	LastReport        time.Time // when it last did
	// DiskWait is how long its computed windows wait for its disk, by its own word: the mean of late.
	DiskWait time.Duration
	// Held is its inventory so far: a set that the caller fills.
	Held []uint64

	incarnation string
	replaced    []string // incarnations that another one has replaced
	// heard: the incarnation has said more than that it joins. Until then the one before may take the name back, once,
	// see Superseded; reclaimed has those that did.
	heard     bool
	reclaimed []string
	// failureReports has the numbers of the last reports of failures; they may come again.
	failureReports []uint64
	page           int // of its inventory, the next one
}

// Working reports whether m can be given tasks.
func (m *Member) Working() bool { return m != nil && !m.Joining && !m.Ends() && !m.DiskFull }

// Ends reports whether m has announced its end.
func (m *Member) Ends() bool { return m != nil && (m.Draining || m.Leaving) }

const (
	// mostWait bounds the word of a worker about its disk.
	mostWait = time.Hour
	// waitHalves is the time in which half of a wait is forgotten. A worker that gets no windows for it cannot show that
	// its disk is faster now.
	waitHalves = 10 * time.Second
)

// Lag is how long the results of m are expected to wait for its disk.
func (m *Member) Lag(now time.Time) time.Duration {
	return m.DiskWait >> min(62, max(0, now.Sub(m.LastReport))/waitHalves)
}

// Is reports whether the worker has joined, as this incarnation.
func (m *Member) Is(incarnation string) bool { return m != nil && m.incarnation == incarnation }

// Superseded reports whether a process is to end because another one has taken its name. Joins may overtake each other,
// and that of a dead process may come after that of its successor: so the process that joined last has to be heard of
// again before the one before it is sent away. Each may take the name back once, so that of two that live one ends.
func (m *Member) Superseded(incarnation string) bool {
	return m != nil && slices.Contains(m.replaced, incarnation) && (m.heard || slices.Contains(m.reclaimed, incarnation))
}

// replace notes that another process speaks for the worker.
func (m *Member) replace(incarnation string) {
	m.replaced = append(m.replaced, m.incarnation)
	m.replaced = slices.Delete(m.replaced, 0, max(0, len(m.replaced)-maxPast))
	if slices.Contains(m.replaced, incarnation) {
		m.reclaimed = append(m.reclaimed, incarnation)
		m.reclaimed = slices.Delete(m.reclaimed, 0, max(0, len(m.reclaimed)-maxPast))
		m.replaced = slices.DeleteFunc(m.replaced, func(s string) bool { return s == incarnation })
	}
	m.incarnation, m.heard, m.failureReports = incarnation, false, nil
}

// Begin begins an inventory.
func (m *Member) Begin(j *protocol.Join) {
	m.Peer = protocol.Peer{Name: j.Worker, Address: j.Address}
	m.Concurrency, m.Joining, m.Leaving, m.DiskFull, m.KnowsOver = j.Concurrency, true, false, false, false
	m.Disk = j.Disk
	m.Program, m.page, m.Held, m.Draining = j.Program, 0, nil, false
}

// Turn takes a page of the inventory, and reports whether it is the next one.
func (m *Member) Turn(incarnation string, page int, now time.Time) bool {
	if !m.Is(incarnation) || !m.Joining || m.page != page {
		return false
	}
	m.LastHeard = now
	m.page++
	return true
}

// Hear notes that the worker has said more than that it joins.
func (m *Member) Hear(now time.Time) { m.LastHeard, m.heard = now, true }

// Beat takes a heartbeat. It reports whether the worker begins to drain, and whether it has no task any more.
func (m *Member) Beat(b *protocol.Heartbeat, now time.Time) (drains, leaves bool) {
	m.Hear(now)
	m.Busy, m.Moved, m.Runs = b.Busy, b.Moved, max(1, b.Runs)
	m.Doing, m.DoingAt, m.Disk = b.Doing, now, b.Disk
	drains = b.Draining && !m.Ends()
	leaves = b.Leaving && !m.Leaving
	m.Draining = drains || m.Draining && (b.Draining || !b.Leaving) // one that has gone does not come back without a join
	m.Leaving = m.Leaving || b.Leaving
	return drains, leaves
}

// ReportedBefore records a report with failures, and says whether it has come before.
func (m *Member) ReportedBefore(r *protocol.Report) bool {
	if !m.Is(r.Incarnation) || len(r.Failures) == 0 || r.Number == 0 {
		return false
	}
	if slices.Contains(m.failureReports, r.Number) {
		return true
	}
	m.failureReports = append(m.failureReports[max(0, len(m.failureReports)+1-maxReports):], r.Number)
	return false
}
