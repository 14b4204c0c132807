package compute

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
)

// half is a puzzle whose windows read the first half of the cell before.
type half struct{ puzzle.Puzzle }

func (half) Reads(w puzzle.Window) ([]puzzle.Range, bool) {
	return []puzzle.Range{{Cell: puzzle.Cell{Layer: w.Layer - 1, Key: w.Key}, Addresses: 2000}}, false
}

// near notes what is brought near.
type near struct {
	mu      sync.Mutex
	windows []string
}

func (n *near) Prefetch(_ context.Context, w protocol.LocatedWindow) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.windows = append(n.windows, w.Record.ID().String())
}

// TestPrefetch: of a cell that is cut, the windows are fetched ahead that the puzzle says are read, as far as they are
// elsewhere; without its word none is, and then no large one of a whole cell.
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
		w.prefetch(t.Context(), &n, &protocol.Task{
			Run: run, Parents: []protocol.Located{c.parents}, Windows: []protocol.TaskWindow{{
				Window: puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Addresses: 1000}, Reads: []int{0},
			}},
		})
		slices.Sort(n.windows)
		if !slices.Equal(n.windows, c.want) {
			t.Errorf("%s: %v are fetched ahead, want %v", c.what, n.windows, c.want)
		}
	}
}
