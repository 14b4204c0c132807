package plan

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// states lists the states of all windows, in plan order.
func states(p *Plan) string {
	var list []string
	p.each(0, func(c *Cell, i int) { list = append(list, c.Parts[i].State.String()) })
	return strings.Join(list, " ")
}

// TestHolders follows windows and their holders through the plan's ways of losing and finding them.
func TestHolders(t *testing.T) {
	p := diamond(t)
	demand := func(when, want string) {
		t.Helper()
		if got := states(p); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	p.WantAll(RetainAll)
	p.SetPeer(protocol.Peer{Name: "x", Address: "x:1"})
	hold(t, p, "x", cellA)
	hold(t, p, "y", cellA, cellB)
	unknown := []protocol.Peer{{Name: "y"}}
	if got := p.ReplicaSets.Peers(p.Index[cellB].Parts[0].Replicas); !slices.Equal(got, unknown) {
		t.Errorf("a holder without an address is told as %v", got)
	}
	p.SetPeer(protocol.Peer{Name: "y", Address: "y:1"})
	p.SetPeer(protocol.Peer{Name: "z", Address: "z:1"})
	demand("two cells are held", "held held held queued queued queued")
	a, b := p.Index[cellA], p.Index[cellB]
	peers := []protocol.Peer{{Name: "x", Address: "x:1"}, {Name: "y", Address: "y:1"}}
	if got := p.ReplicaSets.Peers(a.Parts[1].Replicas); !slices.Equal(got, peers) {
		t.Errorf("window 1 of a is held by %v", got)
	}
	if got := p.ReplicasWith(&b.Parts[0], "a"); !slices.Equal(got, []string{"a", "y"}) {
		t.Errorf("with another holder, b is held by %v", got)
	}
	if x, y, z := p.HeldBy("x"), p.HeldBy("y"), p.HeldBy("z"); x != 2 || y != 3 || z != 0 {
		t.Errorf("x, y, z hold %d, %d, %d windows", x, y, z)
	}
	for goes, want := range map[string]int{"": 0, "x": 0, "y": 1, "xy": 3} {
		if got := p.HeldByOnly("y", func(name string) bool { return strings.Contains(goes, name) }); got != want {
			t.Errorf("when %q go, %d windows of y have no holder, want %d", goes, got, want)
		}
	}
	located, err := p.Locate(planRun, cellB)
	if err != nil || len(located) != 1 || located[0].Cell != cellA || !slices.Equal(located[0].Windows[0].Holders, peers) {
		t.Errorf("parents of b: %v, %v", located, err)
	}
	for cell, want := range map[puzzle.Cell]string{cellD: "cell 1/c, a parent of cell 2/d", {Key: "z"}: "not in the"} {
		if _, err := p.Locate(planRun, cell); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parents of %v: %v", cell, err)
		}
	}

	// A worker goes, but for one window.
	var stay WindowSet
	stay.Add(b.Base)
	stay.Add(200)
	if stay.Has(b.Base+1) || !stay.Has(200) || stay.Has(201) || stay.Has(300) || stay.Has(b.Base-1) {
		t.Errorf("windows %x stay", stay)
	}
	if lost := p.RemoveWorker("y", stay); lost != 0 || p.HeldBy("y") != 1 {
		t.Errorf("%d windows are lost, y holds %d", lost, p.HeldBy("y"))
	}
	if lost := p.RemoveWorker("nobody", nil); lost != 0 {
		t.Errorf("%d windows of an unknown worker are lost", lost)
	}
	if lost := p.EvictWorker("x"); lost != 2 || a.Held != 0 || p.HeldBy("x") != 0 {
		t.Errorf("%d windows are lost, %d of a held, %d by x", lost, a.Held, p.HeldBy("x"))
	}
	demand("x is gone", "absent absent held queued queued queued")
	hold(t, p, "x", cellA)
	if got := p.ReplicaSets.Peers(a.Parts[0].Replicas); got[0].Name != "x" {
		t.Errorf("x is back: %v", got)
	}
	if got := p.ReplicaSets.addressed([]string{"x", "y"}); got[0].Address != "" || got[1].Address != "y:1" {
		t.Errorf("the address of a worker that was gone is known: %v", got)
	}

	// Awaited windows come back, or are given up.
	p.EvictWorker("x")
	for i := range 2 {
		if err := p.Await(a.WindowID(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Await(a.WindowID(1)); err != nil || p.AwaitedCount != 2 {
		t.Errorf("awaited again: %v, %d windows", err, p.AwaitedCount)
	}
	if err := p.Await(b.WindowID(0)); err != nil {
		t.Errorf("a held window is awaited: %v", err)
	}
	if err := p.AddReplica(a.WindowID(0), "x"); err != nil {
		t.Fatal(err)
	}
	demand("one is back", "held awaited held queued queued queued")
	if again := p.RejoinTimedOut(RetainAll); again != 1 || p.AwaitedCount != 0 {
		t.Errorf("%d windows again, %d awaited", again, p.AwaitedCount)
	}
	demand("the other is not", "held queued held queued queued queued")

	// It is: with rows that nothing else needs, its recomputation is cancelled, but not one in hand or an audit.
	p.StopAwaiting()
	if n, cells := p.CancelUnneeded(RetainAll); n != 0 || cells != nil {
		t.Errorf("%d windows cancelled of %v", n, cells)
	}
	hold(t, p, "y", cellC, cellD)
	if n, cells := p.CancelUnneeded(RetainSummary); n != 1 || !reflect.DeepEqual(cells, []*Cell{a}) {
		t.Errorf("%d windows cancelled of %v", n, cells)
	}
	demand("not needed", "held absent held held held held")

	// Rows are dropped, and wanted again together with their parents' rows.
	for _, id := range []puzzle.WindowID{a.WindowID(0), b.WindowID(0)} {
		if had, err := p.DropReplicas(id); !had || err != nil {
			t.Errorf("drop %s: %t, %v", id, had, err)
		}
		if had, err := p.DropReplicas(id); had || err != nil {
			t.Errorf("drop %s again: %t, %v", id, had, err)
		}
	}
	if _, err := p.DropReplicas(puzzle.WindowID{Cell: cellA, Part: 2}); err == nil {
		t.Error("a window that is not there is dropped")
	}
	demand("dropped", "absent absent absent held held held")
	if got := p.Stuck(); got != "nothing is pending" {
		t.Error(got)
	}
	if again := p.want(b); again != 3 || p.PendingCount != 3 {
		t.Errorf("%d windows again, %d pending", again, p.PendingCount)
	}
	demand("wanted", "queued queued queued held held held")
	if got := p.Stuck(); got != "cell 0/a" {
		t.Error(got)
	}
	if again := p.want(b); again != 0 {
		t.Errorf("%d windows again that are pending", again)
	}
	if lost := p.EvictWorker("y"); lost != 3 {
		t.Errorf("%d windows of the last two layers are lost", lost)
	}
	demand("y is gone", "queued queued queued absent absent absent")
}

// TestLose reports a window of two holders as lost.
func TestLose(t *testing.T) {
	for _, test := range []struct {
		name              string
		losses            uint8
		failure           protocol.Failure
		damage            bool
		news, gone        bool
		left              []string
		lossesThen, again int
	}{
		{"of one holder", 0, protocol.Failure{Holders: []string{"x"}}, true, true, false, []string{"y"}, 0, 0},
		{"of another worker", 0, protocol.Failure{Holders: []string{"z"}}, true, false, false, []string{"x", "y"}, 0, 0},
		{"of both", 0, protocol.Failure{Holders: []string{"y", "x"}}, true, true, true, nil, 1, 1},
		{"of all, whatever their names", 0, protocol.Failure{}, true, true, true, nil, 1, 1},
		{"without damage", 0, protocol.Failure{}, false, true, true, nil, 0, 1},
		{"looked up before it was last lost", 3, protocol.Failure{Loss: 2}, true, false, false, []string{"x", "y"}, 3, 0},
		{"looked up since", 3, protocol.Failure{Loss: 3}, true, true, true, nil, 4, 1},
		{"lost very often", 255, protocol.Failure{Loss: 255}, true, true, true, nil, 255, 1},
		{"and once less", 254, protocol.Failure{Loss: 254}, true, true, true, nil, 255, 1},
	} {
		p := diamond(t)
		hold(t, p, "x", cellA)
		hold(t, p, "y", cellA)
		c := p.Index[cellA]
		w := &c.Parts[1]
		w.Losses = test.losses
		news, gone := p.Lose(c, 1, &test.failure, test.damage)
		if news != test.news || gone != test.gone || !slices.Equal(p.ReplicaNames(w), test.left) ||
			int(w.Losses) != test.lossesThen || w.Fresh != (test.damage && gone) || p.AgainCount() != test.again {
			t.Errorf("%s: news %t, gone %t, held by %v, %d losses, fresh %t, %d again", test.name, news, gone,
				p.ReplicaNames(w), w.Losses, w.Fresh, p.AgainCount())
		}
		if news, gone := p.Lose(c, 1, &protocol.Failure{Loss: 255}, true); test.gone && (news || gone) {
			t.Errorf("%s: lost without a holder", test.name)
		}
	}
}

// TestRetains asks of every cell of a diamond whether its rows stay, by policy, with so many layers committed.
func TestRetains(t *testing.T) {
	for _, test := range []struct {
		keep    Retention
		held    int // cells of a, b, c, d
		want    string
		pending bool // of d, which is all committed otherwise
	}{
		{RetainAll, 4, "abcd", false}, {RetainLast, 4, "d", false}, {RetainSummary, 4, "", false},
		{RetainSummary, 3, "bcd", false}, {RetainLast, 2, "abcd", false}, {RetainSummary, 1, "abcd", false},
		{RetainSummary, 4, "bcd", true},
	} {
		p := diamond(t)
		cells := []puzzle.Cell{cellA, cellB, cellC, cellD}
		hold(t, p, "x", cells[:test.held]...)
		if test.pending {
			if err := p.RequestAudit(p.Index[cellD], 1); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		for _, cell := range cells {
			if p.Retains(test.keep, p.Index[cell]) {
				got += cell.Key
			}
		}
		if got != test.want {
			t.Errorf("%s with %d cells, pending %t: %q stay, want %q", test.keep, test.held, test.pending, got, test.want)
		}
	}
	for text, want := range map[string]Retention{"all": RetainAll, "last": RetainLast, "summary": RetainSummary, "x": ""} {
		if got, err := ParseRetention(text); got != want || (err == nil) != (want != "") {
			t.Errorf("retention %s: %q, %v", text, got, err)
		}
	}
}

// TestEnclosed encloses the parents of a task's windows: each once, all of a window's or none, and none when one of
// them is not committed.
func TestEnclosed(t *testing.T) {
	p := diamond(t)
	hold(t, p, "x", cellA, cellB, cellC)
	task := func(cells ...puzzle.Cell) *protocol.Task {
		task := &protocol.Task{}
		for _, cell := range cells {
			task.Windows = append(task.Windows, protocol.TaskWindow{Window: p.Index[cell].Window(0)})
		}
		return task
	}
	demand := func(what string, task *protocol.Task, parents []puzzle.Cell, reads ...[]int) {
		t.Helper()
		p.EncloseParents(planRun, task)
		var got []puzzle.Cell
		for _, l := range task.Parents {
			if want, err := p.LocateCell(planRun, l.Cell); err != nil || !reflect.DeepEqual(l, want) {
				t.Errorf("%s: enclosed is %v, located %v, %v", what, l, want, err)
			}
			got = append(got, l.Cell)
		}
		if !slices.Equal(got, parents) {
			t.Errorf("%s: enclosed are %v, want %v", what, got, parents)
		}
		for i, w := range task.Windows {
			if !slices.Equal(w.Reads, reads[i]) {
				t.Errorf("%s: window %d reads %v, want %v", what, i, w.Reads, reads[i])
			}
		}
	}
	demand("shared parents", task(cellA, cellB, cellD, cellC), []puzzle.Cell{cellA, cellB, cellC}, nil, []int{0},
		[]int{1, 2}, []int{0})
	replica := task(cellB, cellD)
	replica.Windows[0].Copy = &protocol.LocatedWindow{}
	replica.Windows = append(replica.Windows, protocol.TaskWindow{Window: puzzle.Window{Cell: puzzle.Cell{Key: "z"}}})
	demand("no computation", replica, []puzzle.Cell{cellB, cellC}, nil, []int{0, 1}, nil)

	// A parent with so many holders that it does not fit, and with one less.
	const most = (encloseBytes - windowJSON) / peerJSON
	for holders, want := range map[int]struct {
		parent       puzzle.Cell
		large, small []int
	}{most + 1: {cellA, nil, []int{0}}, most: {cellB, []int{0}, nil}} {
		p = diamond(t)
		hold(t, p, "x", cellA, cellB, cellC)
		b := p.Index[cellB]
		names := make([]string, holders)
		for i := range names {
			names[i] = strings.Repeat("y", i)
		}
		p.ReplicaSets.set(&b.Parts[0], p.ReplicaSets.of(names))
		p.Index[cellD].ParentCells = []*Cell{b}
		demand("a large parent", task(cellD, cellC), []puzzle.Cell{want.parent}, want.large, want.small)
		size := p.sizeOf(b)
		b.tally.Sums, b.tally.Maxima = make([]puzzle.Scalar, 2), make([]puzzle.Scalar, 1)
		if more := p.sizeOf(b) - size; size != windowJSON+peerJSON*holders || more != 3*numberJSON {
			t.Errorf("%d holders are estimated at %d bytes, three numbers at %d", holders, size, more)
		}
	}
	p = diamond(t)
	hold(t, p, "x", cellA, cellC)
	demand("a parent that is not committed", task(cellB, cellD, cellC), []puzzle.Cell{cellA}, []int{0}, nil, nil)
}
