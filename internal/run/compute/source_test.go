package compute

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/window/cache"
)

// fetching is a fetcher that gives one block, or an error.
type fetching struct {
	protocol.Fetcher
	err error
}

func (f fetching) Blocks(
	_ context.Context, _ protocol.LocatedWindow, _, _ uint64, fn func(*puzzle.Block) error,
) error {
	if f.err != nil {
		return f.err
	}
	return fn(&puzzle.Block{})
}

// TestWhatIsMissing: a window counts as missing when its holders cannot be reached, or do not have it as it should be.
// Any other error of a fetch is passed on, and so is one of the computation, whatever it wraps.
func TestWhatIsMissing(t *testing.T) {
	win := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Addresses: 10}
	lw := protocol.LocatedWindow{
		Record: kv.Record{Window: win, Rows: 1, Blocks: 1, Bytes: 1}, Holders: []protocol.Peer{{Name: "h"}}, Loss: 2,
	}
	oops := errors.New("oops")
	for name, c := range map[string]struct {
		fetch, own error
		missing    bool
	}{
		"corrupt":                  {fetch: fmt.Errorf("block 3: %w", kv.ErrCorrupt), missing: true},
		"not found":                {fetch: kv.ErrNotFound, missing: true},
		"unreachable":              {fetch: protocol.ErrUnreachable, missing: true},
		"anything else":            {fetch: oops},
		"the disk is full":         {fetch: kv.ErrDiskFull},
		"the caller has given up":  {fetch: context.Canceled},
		"the computation's":        {own: oops},
		"the computation's, alike": {own: fmt.Errorf("mine: %w", kv.ErrCorrupt)},
	} {
		s := newSource(t.Context(), nil, fetching{err: c.fetch}, cache.New(0), func() {})
		s.parents = []protocol.Located{{Cell: win.Cell, Windows: []protocol.LocatedWindow{lw}}}
		err := s.Blocks(t.Context(), win, 0, 10, func(*puzzle.Block) error { return c.own })
		want := errors.Join(c.fetch, c.own)
		var missing *puzzle.MissingError
		if errors.As(err, &missing) != c.missing || (len(s.loss) > 0) != c.missing || !errors.Is(err, errors.Unwrap(want)) &&
			!errors.Is(err, c.fetch) && !errors.Is(err, c.own) {
			t.Errorf("%s: %v, losses %v", name, err, s.loss)
		}
		for _, other := range []puzzle.Window{
			{Cell: win.Cell, Part: -1, Addresses: 10}, {Cell: win.Cell, Part: 1, Addresses: 10}, {Cell: win.Cell, Addresses: 9},
		} {
			if err := s.Blocks(t.Context(), other, 0, 10, nil); err == nil || errors.As(err, &missing) {
				t.Errorf("window %s, which is not there: %v", other, err)
			}
		}
	}
}

// TestLongText: the text of a failure fits into a report.
func TestLongText(t *testing.T) {
	f := failure(puzzle.Window{}, errors.New(strings.Repeat("x", protocol.MaxTextLen+1)), nil)
	if len(f.Text) != protocol.MaxTextLen {
		t.Errorf("%d bytes", len(f.Text))
	}
}
