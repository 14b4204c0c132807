package compute

import (
	"context"
	"errors"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// failing is a fetcher whose copies fail.
type failing struct {
	protocol.Fetcher
	err error
}

func (f failing) Copy(context.Context, protocol.LocatedWindow) error { return f.err }

// TestCopyThatFails: a worker that cannot copy a window does not report that it could not compute it.
func TestCopyThatFails(t *testing.T) {
	store := newStore(t)
	win := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Addresses: 10}
	copied := protocol.TaskWindow{Window: win, Copy: &protocol.LocatedWindow{Record: kv.Record{Window: win}}}
	for name, test := range map[string]struct {
		fetcher protocol.Fetcher
		kind    string
	}{
		"cannot copy": {nil, protocol.FailCopy},
		"unreachable": {failing{err: protocol.ErrUnreachable}, protocol.FailCopy},
		"other":       {failing{err: errors.New("oops")}, protocol.FailCopy},
		"full disk":   {failing{err: kv.ErrDiskFull}, protocol.FailDiskFull},
	} {
		w := newWorker(&Options{Name: "w", Run: "r1", Concurrency: 1, Store: store, Fetcher: test.fetcher}, nil)
		if it := w.replicate(t.Context(), copied, func() {}); it.failure == nil || it.failure.Kind != test.kind {
			t.Errorf("%s: %+v, want %s", name, it.failure, test.kind)
		}
	}
}

// TestCopyThatIsThere: a worker that has the window already copies nothing.
func TestCopyThatIsThere(t *testing.T) {
	s := newStore(t)
	rec := store(t, s, keyedWindow("a", 0))
	other := rec
	other.Digest[0] ^= 1
	for name, test := range map[string]struct {
		of     kv.Record
		copies bool
	}{
		"the same":   {rec, false},
		"other rows": {other, true},
		"absent":     {kv.Record{Window: keyedWindow("b", 0)}, true},
	} {
		w := newWorker(&Options{Name: "w", Run: "r1", Concurrency: 1, Store: s, Fetcher: failing{err: errQueue}}, nil)
		tw := protocol.TaskWindow{Window: test.of.Window, Copy: &protocol.LocatedWindow{Record: test.of}}
		if it := w.replicate(t.Context(), tw, func() {}); (it.failure != nil) != test.copies || it.copied == test.copies {
			t.Errorf("%s: copied %t, failure %+v", name, it.copied, it.failure)
		}
	}
}
