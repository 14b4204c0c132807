// Package window computes one window of a puzzle for its callers: a worker that stores its rows, a coordinator that
// settles a dispute, a verifier that compares. It checks the rules of a computation in one place: it must not panic,
// its tally must be in canonical form, and its blocks must lie inside the window and in order.
package window

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// A PanicError is a panic of a computation.
type PanicError struct {
	Window puzzle.WindowID
	Value  any
	Stack  []byte
}

// Error implements error. The stack is not part of it.
func (e *PanicError) Error() string { return fmt.Sprintf("window %s: panic: %v", e.Window, e.Value) }

// Compute computes window w of p from in into out. A panic of the puzzle comes back as *PanicError.
func Compute(
	ctx context.Context, p puzzle.Puzzle, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Window: w.ID(), Value: v, Stack: debug.Stack()}
		}
	}()
	t, err = p.Compute(ctx, w, in, out)
	if err == nil && !t.Canonical() {
		err = fmt.Errorf("window %s: its tally is not in canonical form", w)
	}
	return t, err
}

// Record computes window w of p from in and keeps none of its rows. It returns the record that a store would keep of
// them in the given run.
func Record(
	ctx context.Context, run string, p puzzle.Puzzle, w puzzle.Window, in puzzle.Source,
) (kv.Record, error) {
	out := &digestSink{window: w, hasher: blocks.NewHasher(w), next: w.First}
	t, err := Compute(ctx, p, w, in, out)
	if err != nil {
		return kv.Record{}, err
	}
	return kv.Record{
		Run: run, Window: w, Rows: out.rows, Blocks: out.blocks, Bytes: out.bytes, Digest: out.hasher.Sum(), Tally: t,
	}, nil
}

// A digestSink takes rows into a digest, with the checks of a store's writer.
type digestSink struct {
	window       puzzle.Window
	hasher       *blocks.Hasher
	next         uint64 // the least first address that the next block may have
	rows, blocks uint64
	bytes        uint64 // of the coded blocks
	coded        []byte // the last one
}

// Block implements puzzle.Sink.
func (s *digestSink) Block(b *puzzle.Block) error {
	if err := b.Check(s.window); err != nil {
		return err
	}
	if b.First < s.next {
		return errors.New("blocks out of order")
	}
	s.next = b.First + puzzle.BlockAddresses
	s.hasher.Add(b)
	s.rows += uint64(b.Rows())
	s.blocks++
	s.coded = blocks.Encode(s.coded[:0], b)
	s.bytes += uint64(len(s.coded))
	return nil
}
