package transfer

import (
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// keeper keeps the blocks of a window that is arriving.
type keeper interface {
	add(first uint64, coded []byte) error
	reset()
}

// inbound is a window that is being fetched, as far as it has come.
type inbound struct {
	want    *kv.Record
	arrival *kv.Arrival
	into    keeper
	from    []string // addresses of the peers that blocks came from
	onBlock func()
}

func newInbound(want *kv.Record, into keeper) *inbound {
	return &inbound{want: want, arrival: kv.NewArrival(*want), into: into, onBlock: func() {}}
}

// request asks for the lacking blocks.
func (a *inbound) request() Request {
	w := a.want
	return Request{Run: w.Run, Window: w.ID(), Digest: w.Digest, From: a.arrival.Next()}
}

// block takes the next block, from a peer. An error that wraps kv.ErrCorrupt is about the block, which was not taken;
// any other is a *localError.
func (a *inbound) block(coded []byte, peer string) error {
	first, err := a.arrival.Add(coded)
	if err != nil {
		return err
	}
	if err := a.into.add(first, coded); err != nil {
		return &localError{err}
	}
	if !slices.Contains(a.from, peer) {
		a.from = append(a.from, peer)
	}
	a.onBlock()
	return nil
}

// A localError is an error that no other peer can help with.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

// reset forgets the blocks that came.
func (a *inbound) reset() {
	a.arrival = kv.NewArrival(*a.want)
	a.into.reset()
	a.from = nil
}

// storing keeps a window in the store.
type storing struct {
	store *kv.Store
	w     puzzle.Window
	wr    *kv.Writer
}

func (s *storing) begin() {
	if s.wr == nil {
		s.wr = s.store.Begin(s.w)
		s.wr.Copied = true
	}
}

func (s *storing) add(first uint64, coded []byte) error {
	s.begin()
	return s.wr.Raw(first, coded)
}

func (s *storing) reset() {
	if s.wr != nil {
		s.wr.Abort()
		s.wr = nil
	}
}

func (s *storing) commit(rec kv.Record) error {
	s.begin()
	_, err := s.wr.CommitAs(rec)
	return err
}
