package compute

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// half is a puzzle whose windows read the first half of the cell before.
type half struct{ puzzle.Puzzle }

func (half) Reads(w puzzle.Window) ([]puzzle.Range, bool) {
	return []puzzle.Range{{Cell: puzzle.Cell{Layer: w.Layer - 1, Key: w.Key}, Addresses: 2000}}, false
}

// near notes the windows that are fetched ahead.
type near struct {
	mu      sync.Mutex
	windows []string
}

func (n *near) Prefetch(_ context.Context, w protocol.LocatedWindow) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.windows = append(n.windows, w.Record.ID().String())
}

// delivery is a task whose settlement has no effect.
type delivery struct{ task *protocol.Task }

func (d delivery) Task() *protocol.Task { return d.task }
func (delivery) Progress()              {}
func (delivery) Ack() error             { return nil }
func (delivery) Nak() error             { return nil }

// asked is a coordinator that is asked where parents are, and counts how often.
type asked struct {
	protocol.CoordinatorClient
	parents []protocol.Located
	times   int
}

func (a *asked) Locate(context.Context, puzzle.Cell) ([]protocol.Located, error) {
	a.times++
	return a.parents, nil
}

// TestPrefetch: of a cut cell, a worker fetches ahead the declared reads that are elsewhere. Without a declaration it
// fetches none of them, and of a whole cell no large one.
func TestPrefetch(t *testing.T) {
	const run, name = "run", "w1"
	located := func(bytes uint64, windows int) protocol.Located {
		l := protocol.Located{Cell: puzzle.Cell{Layer: 0, Key: "a"}}
		for i := range windows {
			win := puzzle.Window{Cell: l.Cell, Part: i, First: uint64(i) * 1000, Addresses: 1000}
			l.Windows = append(l.Windows, protocol.LocatedWindow{
				Record: kv.Record{Run: run, Window: win, Rows: 1, Bytes: bytes}, Holders: []protocol.Peer{{Name: "w2"}},
			})
		}
		return l
	}
	mine := located(1000, 4)
	mine.Windows[0].Holders = []protocol.Peer{{Name: name}}
	for _, c := range []struct {
		what    string
		p       puzzle.Puzzle
		parents protocol.Located
		want    []string
	}{
		{"some are read", half{}, located(1000, 4), []string{"0/a/0", "0/a/1"}},
		{"one is here", half{}, mine, []string{"0/a/1"}},
		{"large", half{}, located(declaredBytes, 4), []string{"0/a/0", "0/a/1"}},
		{"too large", half{}, located(declaredBytes+1, 4), nil},
		{"nobody says which", nil, located(1000, 4), nil},
		{"a whole cell", nil, located(prefetchBytes, 1), []string{"0/a/0"}},
		{"a large whole cell", nil, located(prefetchBytes+1, 1), nil},
	} {
		var n near
		w := newWorker(&Options{Run: run, Name: name, Puzzle: c.p, Concurrency: 1}, nil)
		w.prefetch(t.Context(), &n, delivery{&protocol.Task{
			Run: run, Parents: []protocol.Located{c.parents}, Windows: []protocol.TaskWindow{{
				Window: puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Addresses: 1000}, Reads: []int{0},
			}},
		}})
		slices.Sort(n.windows)
		if !slices.Equal(n.windows, c.want) {
			t.Errorf("%s: %v are fetched ahead, want %v", c.what, n.windows, c.want)
		}
	}
}

// TestPrefetchLocates: a task may be too large to say where parents are. A worker then asks the coordinator, once for a
// cell, and the computed task says it; but only for windows that declare their reads.
func TestPrefetchLocates(t *testing.T) {
	const run, name = "run", "w1"
	parent := protocol.Located{Cell: puzzle.Cell{Layer: 0, Key: "a"}}
	for i := range 4 {
		win := puzzle.Window{Cell: parent.Cell, Part: i, First: uint64(i) * 1000, Addresses: 1000}
		parent.Windows = append(parent.Windows, protocol.LocatedWindow{
			Record: kv.Record{Run: run, Window: win, Rows: 1, Bytes: 1}, Holders: []protocol.Peer{{Name: "w2"}},
		})
	}
	other := protocol.Located{Cell: puzzle.Cell{Layer: 0, Key: "b"}}
	task := protocol.Task{Run: run, Parents: []protocol.Located{other}}
	for i, key := range []string{"b", "a", "a"} {
		task.Windows = append(task.Windows, protocol.TaskWindow{
			Window: puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: key}, Part: i, Addresses: 1000},
		})
	}
	task.Windows[0].Reads = []int{0}
	for _, c := range []struct {
		p     puzzle.Puzzle
		times int
		reads [][]int
		want  []string
	}{
		{half{}, 1, [][]int{{0}, {1}, {1}}, []string{"0/a/0", "0/a/1"}},
		{nil, 0, [][]int{{0}, nil, nil}, nil},
	} {
		var n near
		a := &asked{parents: []protocol.Located{parent}}
		w := newWorker(&Options{Run: run, Name: name, Puzzle: c.p, Concurrency: 1, Coordinator: a}, nil)
		got := w.prefetch(t.Context(), &n, delivery{&task}).Task()
		slices.Sort(n.windows)
		if a.times != c.times || !slices.Equal(n.windows, c.want) {
			t.Errorf("asked %d times, fetched %v; want %d, %v", a.times, n.windows, c.times, c.want)
		}
		for i, reads := range c.reads {
			if !slices.Equal(got.Windows[i].Reads, reads) {
				t.Errorf("window %d reads %v, want %v", i, got.Windows[i].Reads, reads)
			}
		}
		if c.times > 0 && got.Parents[1].Cell != parent.Cell || len(task.Parents) != 1 || task.Windows[1].Reads != nil {
			t.Errorf("the task as it came says %v now, and the one to compute %v", task.Parents, got.Parents)
		}
	}
}
