package membership

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pagoda/internal/run/protocol"
)

var begun = time.Unix(1000, 0)

// joined returns members that have joined with complete inventories.
func joined(names ...string) *Members {
	f := New(10*time.Second, begun, NewCosts())
	for _, name := range names {
		m, _ := f.Name(name, "1")
		m.Begin(&protocol.Join{Worker: name, Incarnation: "1", Concurrency: 1})
		m.Turn("1", 0, begun)
		m.Joining = false
	}
	return f
}

// TestSilent: a worker silent for longer than the timeout is gone, but not when the coordinator was deaf meanwhile.
func TestSilent(t *testing.T) {
	f := joined("a", "b")
	for range 11 {
		f.Tick(f.lastTick.Add(time.Second), false)
		f.Get("b").Hear(f.lastTick)
	}
	if got := f.Silent(f.lastTick); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q are silent, want a", got)
	}
	if got := f.Alive([]string{"a", "b", "c"}, f.lastTick); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%q are alive, want b", got)
	}
	for _, gap := range []struct {
		long time.Duration
		deaf bool
	}{{time.Hour, false}, {time.Second, true}} {
		f := joined("a", "b", "c")
		at := begun
		for range 20 {
			at = at.Add(gap.long)
			f.Tick(at, gap.deaf)
		}
		if got := f.Silent(at); len(got) != 0 {
			t.Errorf("after gaps of %v, deaf %t, %q are silent", gap.long, gap.deaf, got)
		}
	}
}

// TestSuperseded: of two processes with one name the one that joined first ends, as soon as the other has been heard
// of; it may take the name back once before that.
func TestSuperseded(t *testing.T) {
	f := joined("a")
	m, replaced := f.Name("a", "2")
	if !replaced || m.Superseded("1") || m.Superseded("2") || m.Is("1") {
		t.Fatalf("after a second join: %+v", m)
	}
	if _, replaced = f.Name("a", "1"); !replaced || m.Superseded("1") || !m.Is("1") {
		t.Fatalf("the first process could not take the name back: %+v", m)
	}
	if _, replaced = f.Name("a", "2"); !replaced || !m.Superseded("1") || m.Superseded("2") {
		t.Fatalf("the first process can take the name back for ever: %+v", m)
	}
	other := joined("b")
	m, _ = other.Name("b", "2")
	m.Hear(begun)
	if !m.Superseded("1") {
		t.Errorf("the second process was heard of, and the first goes on: %+v", m)
	}
}

// TestMakeRoom: a flood of joins puts out its own workers, the one that was heard of least lately first. Workers that
// have reported a window or are trusted stay; those that have reported may be as many as there is room for.
func TestMakeRoom(t *testing.T) {
	var names []string
	for i := range maxUnproven {
		names = append(names, fmt.Sprint(i))
	}
	f := joined(append(names, "proven", "own")...)
	for _, name := range names {
		f.Get(name).Hear(begun.Add(time.Second))
	}
	f.Get("7").Hear(begun.Add(time.Millisecond))
	f.Reported("proven", begun)
	own := func(name string) bool { return name == "own" }
	if gone, text := f.MakeRoom("3", own); gone != "" || text != "" {
		t.Errorf("for a worker that is there, %q has to go: %s", gone, text)
	}
	if gone, text := f.MakeRoom("new", own); gone != "7" || text != "" || f.Get("7") != nil {
		t.Errorf("%q has to go, want 7: %s", gone, text)
	}
	if gone, text := f.MakeRoom("new", own); gone != "" || text != "" {
		t.Errorf("there is room, and %q has to go: %s", gone, text)
	}
	for i := f.Len(); i < maxMembers; i++ {
		name := fmt.Sprint("p", i)
		f.Name(name, "1")
		f.Reported(name, begun)
	}
	if gone, text := f.MakeRoom("new", own); gone != "" || text == "" {
		t.Errorf("there are %d workers, and %q has to go: %q", f.Len(), gone, text)
	}
}

// TestRoomByParty: a party with many names makes room for others, with names that have reported nothing first. It gets
// none from others for more of them.
func TestRoomByParty(t *testing.T) {
	const x, y = "~abcdefgh2345", "~bcdefgh23456"
	own := func(name string) bool { return name == "own" }
	var names []string
	for i := range maxUnproven - 1 {
		names = append(names, fmt.Sprint("x", i, x))
	}
	f := joined(append(names, "new"+y, "own")...)
	for _, name := range names {
		f.Get(name).Hear(begun.Add(time.Second))
	}
	f.Get("x7" + x).Hear(begun.Add(time.Millisecond))
	if gone, text := f.MakeRoom("more"+x, own); gone != "x7"+x || text != "" {
		t.Errorf("%q has to go for a name of the party with the most: %s", gone, text)
	}
	f.Name("more"+x, "1")
	f.Get("more" + x).Hear(begun.Add(time.Second - 1))
	if gone, _ := f.MakeRoom("other"+y, own); gone != "more"+x {
		t.Errorf("%q has to go, want the oldest name of the party with the most", gone)
	}
	f = joined("own", "y"+y)
	f.Reported("y"+y, begun)
	for i := f.Len(); i < maxMembers; i++ {
		name := fmt.Sprint("x", i, x)
		f.Name(name, "1")
		f.Get(name).Hear(begun.Add(time.Duration(i)))
		if i < maxMembers-1 {
			f.Reported(name, begun)
		}
	}
	if gone, text := f.MakeRoom("more"+x, own); gone != "" || text == "" {
		t.Errorf("%q has to go for a party that has nearly all names: %q", gone, text)
	}
	for _, want := range []string{fmt.Sprint("x", maxMembers-1, x), "x2" + x} { // the latter was heard of least lately
		if gone, text := f.MakeRoom("z", own); gone != want || text != "" || f.Get(want) != nil {
			t.Errorf("%q has to go, want %s: %s", gone, want, text)
		}
		f.Name("z"+want, "1")
		f.Get("z" + want).Hear(begun.Add(time.Hour))
		f.Reported("z"+want, begun)
	}
}

// TestReportedBefore: a report of failures counts once, for the process that sends it.
func TestReportedBefore(t *testing.T) {
	m := joined("a").Get("a")
	r := protocol.Report{Worker: "a", Incarnation: "1", Number: 5, Failures: make([]protocol.Failure, 1)}
	if m.ReportedBefore(&r) {
		t.Error("the first report has come before")
	}
	if !m.ReportedBefore(&r) {
		t.Error("the second report has not come before")
	}
	if r.Number = 6; m.ReportedBefore(&r) {
		t.Error("the next report has come before")
	}
	if (*Member)(nil).ReportedBefore(&r) {
		t.Error("a report of nobody has come before")
	}
}

// TestTurns: the pages of an inventory come in their order, from the process that has begun it, until it is complete.
func TestTurns(t *testing.T) {
	f := New(10*time.Second, begun, NewCosts())
	m, _ := f.Name("a", "1")
	m.Begin(&protocol.Join{Worker: "a", Incarnation: "1"})
	for n, c := range []struct {
		process string
		page    int
		want    bool
	}{{"1", 1, false}, {"2", 0, false}, {"1", 0, true}, {"1", 0, false}, {"1", 1, true}, {"1", 2, true}, {"1", 4, false}} {
		now := begun.Add(time.Duration(n) * time.Second)
		if got := m.Turn(c.process, c.page, now); got != c.want || m.LastHeard.Equal(now) != c.want {
			t.Errorf("page %d of process %s is taken: %t, heard at %v", c.page, c.process, got, m.LastHeard)
		}
	}
	if m.Joining = false; m.Turn("1", 3, begun) {
		t.Error("a page is taken after the last")
	}
	if m.Begin(&protocol.Join{Worker: "a", Incarnation: "1"}); !m.Turn("1", 0, begun) {
		t.Error("an inventory cannot begin again")
	}
}

// TestFirst: so many windows of a party are its first, under whatever names, and though it joins again.
func TestFirst(t *testing.T) {
	for _, party := range []string{"", "~abcdefgh2345"} {
		f := joined()
		for n := range 2 * firstAudits {
			name := "x" + party
			if party != "" {
				name = fmt.Sprint("x", n, party)
			}
			f.Remove(name)
			f.Name(name, fmt.Sprint(n))
			if got := f.Costs.First(name); got != (n < firstAudits) {
				t.Errorf("window %d of %s is one of the first: %t", n, name, got)
			}
		}
		if !f.Costs.First("another") {
			t.Error("another party has no first window")
		}
	}
}

// TestUnfit: a worker that cannot take part is news once, then again when it has another reason a minute later. It is
// listed with its last reason, and forgotten a minute after it was heard of.
func TestUnfit(t *testing.T) {
	f := joined()
	for _, c := range []struct {
		after  time.Duration
		reason string
		news   bool
	}{
		{0, "a", true},
		{0, "a", false},
		{unfitFor / 2, "b", false}, // too soon
		{unfitFor - 1, "c", false},
		{unfitFor, "c", true},
		{unfitFor * 3 / 2, "a", false},
		{2 * unfitFor, "c", false},
		{3*unfitFor - 1, "c", false},
		{4 * unfitFor, "c", true}, // it was forgotten
	} {
		at := begun.Add(c.after)
		if news := f.NoteUnfit(Unfit{Worker: "w", Reason: c.reason, Seen: at}); news != c.news {
			t.Errorf("%s after %v: news %t", c.reason, c.after, news)
		}
		if list := f.ListUnfit(at.Add(unfitFor - 1)); len(list) != 1 || list[0].Reason != c.reason {
			t.Errorf("%s after %v: listed %+v", c.reason, c.after, list)
		}
		if list := f.ListUnfit(at.Add(unfitFor)); len(list) > 0 {
			t.Errorf("%s after %v: listed a minute later %+v", c.reason, c.after, list)
		}
	}
}

// TestUnfitFlood: a party that tells of ever new workers with ever new reasons is news a few times a minute. It keeps
// no worker of another party out, and all parties together do so for a minute.
func TestUnfitFlood(t *testing.T) {
	f := joined()
	const key = "~abcdefghijkl"
	flood := func(suffix string, names, minute int) (news int) {
		for n := range names {
			at := begun.Add(time.Duration(minute)*unfitFor + time.Duration(n)*time.Microsecond)
			if f.NoteUnfit(Unfit{Worker: fmt.Sprint(n) + suffix, Reason: fmt.Sprint(n), Seen: at}) {
				news++
			}
		}
		return news
	}
	for minute := range 3 {
		if news := flood(key, 2000, 2*minute); news != maxUnfitOfParty {
			t.Errorf("minute %d: a party is news %d times", minute, news)
		}
	}
	at := begun.Add(4*unfitFor + time.Second)
	if !f.NoteUnfit(Unfit{Worker: "w", Reason: "a", Seen: at}) || len(f.ListUnfit(at)) != maxUnfitOfParty+1 {
		t.Errorf("another worker is kept out, listed %d", len(f.ListUnfit(at)))
	}
	if news := flood("", 2000, 6); news != maxUnfit || len(f.unfit) != maxUnfit {
		t.Errorf("parties of one worker each are news %d times, and %d are remembered", news, len(f.unfit))
	}
	if !f.NoteUnfit(Unfit{Worker: "w", Reason: "a", Seen: begun.Add(8 * unfitFor)}) {
		t.Error("a worker is kept out after the flood")
	}
}

// TestWaited: the wait for a disk is a mean of late, of a time that can be. It is forgotten while nothing is reported.
func TestWaited(t *testing.T) {
	f := joined("a")
	f.Waited("another", 1000)
	m := f.Get("a")
	if lag := m.Lag(begun); lag != 0 {
		t.Errorf("before a report: %v", lag)
	}
	for i, c := range []struct {
		millis int64
		want   time.Duration
	}{
		{800, 800 * time.Millisecond}, {400, 600 * time.Millisecond}, {-3_600_000, 300 * time.Millisecond},
		{1<<63 - 1, 30*time.Minute + 150*time.Millisecond},
	} {
		f.Waited("a", c.millis)
		f.Reported("a", begun)
		if m.DiskWait != c.want || m.Lag(begun) != c.want {
			t.Errorf("%d: %v, want %v", i, m.DiskWait, c.want)
		}
	}
	m.DiskWait = 8 * time.Second
	for after, want := range map[time.Duration]time.Duration{
		9 * time.Second: 8 * time.Second, 10 * time.Second: 4 * time.Second, 31 * time.Second: time.Second,
		1000 * time.Hour: 0, -time.Hour: 8 * time.Second,
	} {
		if lag := m.Lag(begun.Add(after)); lag != want {
			t.Errorf("%v later: %v, want %v", after, lag, want)
		}
	}
}

// TestBeat: a heartbeat brings the present windows of a worker, and proves that it lives. That it begins to leave is
// news once.
func TestBeat(t *testing.T) {
	f := joined("a", "b")
	now := begun.Add(time.Minute)
	m := f.Get("a")
	doing := []protocol.Doing{{Millis: 7}}
	if drains, leaves := m.Beat(&protocol.Heartbeat{Busy: 2, Moved: 9, Runs: 3, Doing: doing}, now); drains || leaves {
		t.Error("it leaves")
	}
	if m.Busy != 2 || m.Moved != 9 || m.Runs != 3 || len(m.Doing) != 1 || !m.DoingAt.Equal(now) ||
		!m.LastHeard.Equal(now) || !m.Working() {
		t.Errorf("%+v", m)
	}
	for _, c := range []struct{ says, news bool }{{true, true}, {true, false}, {false, false}} {
		if _, news := m.Beat(&protocol.Heartbeat{Leaving: c.says}, now); news != c.news || m.Working() {
			t.Errorf("it says that it is leaving: %t; news: %t, given tasks: %t", c.says, news, m.Working())
		}
	}
	if got := f.Working(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%q can be given tasks", got)
	}
	all := make(map[string]*Member)
	for name, m := range f.All() {
		all[name] = m
	}
	if len(all) != 2 || all["a"] != m {
		t.Errorf("members %v", all)
	}
}

// TestDrain: a worker that drains is given no task, and is a source of its rows until it says that it has gone. From
// then on only a join brings it back.
func TestDrain(t *testing.T) {
	m := joined("a").Get("a")
	now := begun.Add(time.Minute)
	for i, c := range []struct{ draining, leaving, drains, leaves, source bool }{
		{true, false, true, false, true},
		{true, false, false, false, true},
		{false, false, false, false, true}, // an older heartbeat
		{true, true, false, true, true},
		{true, true, false, false, true},
		{false, true, false, false, false},
		{true, true, false, false, false}, // an older heartbeat
	} {
		drains, leaves := m.Beat(&protocol.Heartbeat{Draining: c.draining, Leaving: c.leaving}, now)
		if drains != c.drains || leaves != c.leaves || m.Draining != c.source || !m.Ends() || m.Working() {
			t.Errorf("heartbeat %d: drains %t, leaves %t, %+v", i, drains, leaves, m)
		}
	}
	if m.Begin(&protocol.Join{Worker: "a"}); m.Ends() {
		t.Error("it has joined, and is leaving")
	}
	if (*Member)(nil).Ends() {
		t.Error("a worker that is not there ends")
	}
}

// TestOutOfWork: a worker whose inventory is not complete, whose disk is full, or that leaves is given no task.
func TestOutOfWork(t *testing.T) {
	f := joined("a", "b", "c", "d")
	f.Get("b").Joining, f.Get("c").DiskFull, f.Get("d").Leaving = true, true, true
	if got := f.Working(); !slices.Equal(got, []string{"a"}) || (*Member)(nil).Working() {
		t.Errorf("%q can be given tasks", got)
	}
	if got := f.Alive([]string{"b", "c", "d"}, begun.Add(f.timeout/2-1)); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("%q are alive", got)
	}
	f.Get("d").Draining = true // it serves its rows
	if got := f.Alive([]string{"d"}, begun.Add(f.timeout/2-1)); !slices.Equal(got, []string{"d"}) {
		t.Errorf("%q are alive", got)
	}
	if got := f.Alive([]string{"b"}, begun.Add(f.timeout/2)); len(got) > 0 {
		t.Errorf("%q are alive after half of the timeout", got)
	}
	if got := f.Silent(begun.Add(f.timeout)); len(got) > 0 {
		t.Errorf("%q are silent after the timeout", got)
	}
	if got := f.Silent(begun.Add(f.timeout + 1)); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("%q are silent", got)
	}
}
