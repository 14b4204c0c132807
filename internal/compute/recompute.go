package compute

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"pagoda/internal/cache"
	"pagoda/internal/kv"
	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
)

// A Recomputer computes single windows and keeps nothing of them: what comes out is the record that a worker would have
// reported, but for the coded size. A coordinator compares with it.
type Recomputer struct {
	Run     string
	Puzzle  puzzle.Puzzle
	Fetcher protocol.Fetcher // reads the parents
}

// Record computes a window. When that fails, the failure is what a worker would have reported.
func (r *Recomputer) Record(ctx context.Context, w puzzle.Window, l protocol.Locator) (kv.Record, *protocol.Failure) {
	src := &source{
		ctx: ctx, locator: l, fetcher: r.Fetcher, cache: cache.New(0), progress: func() {},
		loss: make(map[puzzle.WindowID]int),
	}
	src.begin(w.Cell)
	out := &digestSink{w: w, hasher: kv.NewHasher(w), next: w.First}
	t, err := r.call(ctx, w, src, out)
	if err == nil && !t.Canonical() {
		err = fmt.Errorf("window %s: its tally is not in canonical form", w)
	}
	if err != nil {
		return kv.Record{}, failure(w, err, src)
	}
	return kv.Record{
		Run: r.Run, Window: w, Rows: out.rows, Blocks: out.blocks, Digest: out.hasher.Sum(), Tally: t,
	}, nil
}

func (r *Recomputer) call(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Window: w.ID(), Value: v, Stack: debug.Stack()}
		}
	}()
	return r.Puzzle.Compute(ctx, w, in, out)
}

// digestSink takes rows into a digest, with the checks of a store's writer.
type digestSink struct {
	w            puzzle.Window
	hasher       *kv.Hasher
	next         uint64
	rows, blocks uint64
}

func (s *digestSink) Block(b *puzzle.Block) error {
	if err := b.Check(s.w); err != nil {
		return err
	}
	if b.First < s.next {
		return errors.New("blocks out of order")
	}
	s.next = b.First + puzzle.BlockAddresses
	s.hasher.Add(b)
	s.rows += uint64(b.Rows())
	s.blocks++
	return nil
}
