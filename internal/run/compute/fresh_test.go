package compute

import (
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// TestDistrustedCopy: a stored copy that must not be used is discarded, once for each attempt at its window. The window
// computed for the attempt is used when its task comes again. An attempt without a name is always another one.
func TestDistrustedCopy(t *testing.T) {
	s := newStore(t)
	w := newWorker(&Options{Name: "w", Run: "r1", Concurrency: 1, Store: s}, nil)
	win := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Addresses: 10}
	for _, c := range []struct {
		name, noted, attempt string
		fresh, used          bool
	}{
		{"a copy that nothing is said of", "", "1", false, true},
		{"a distrusted copy", "", "1", true, false},
		{"one that was made for the attempt", "2", "2", true, true},
		{"one that was made for another attempt", "2", "3", true, false},
		{"one for an attempt without a name", "", "", true, false},
	} {
		store(t, s, win)
		w.fresh.note(win.ID(), c.noted)
		_, used, err := w.stored(t.Context(), protocol.TaskWindow{Window: win, Fresh: c.fresh, Attempt: c.attempt})
		if err != nil || used != c.used {
			t.Errorf("%s: used %t, %v", c.name, used, err)
		}
		if _, there, err := s.Record(win.ID()); err != nil || there != c.used {
			t.Errorf("%s: in the store %t, %v", c.name, there, err)
		}
	}
}
