package protocol

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
)

// A Source is a puzzle.Source of committed windows, wherever their rows are.
type Source struct {
	// Locate returns a committed cell. Its errors are passed on.
	Locate func(c puzzle.Cell) (Located, error)
	// Read passes the blocks of a window that has rows to fn, as puzzle.Source says. The window may have no holders.
	Read func(ctx context.Context, w *LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error) error
	// Decoded keeps decoded windows.
	Decoded puzzle.Cache
	// Memory is the bytes that the computation may hold, 0 for no limit.
	Memory uint64
}

// Tally implements puzzle.Source.
func (s *Source) Tally(c puzzle.Cell) (puzzle.Tally, error) {
	l, err := s.Locate(c)
	return l.Tally, err
}

// Windows implements puzzle.Source.
func (s *Source) Windows(c puzzle.Cell) ([]puzzle.Window, error) {
	l, err := s.Locate(c)
	list := make([]puzzle.Window, len(l.Windows))
	for i := range l.Windows {
		list[i] = l.Windows[i].Record.Window
	}
	return list, err
}

// Blocks implements puzzle.Source.
func (s *Source) Blocks(
	ctx context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	l, err := s.Locate(w.Cell)
	if err != nil {
		return err
	}
	if w.Part < 0 || w.Part >= len(l.Windows) || l.Windows[w.Part].Record.Window != w {
		return fmt.Errorf("window %s of %d addresses from %d is not in the plan", w, w.Addresses, w.First)
	}
	if l.Windows[w.Part].Record.Rows == 0 {
		return nil
	}
	return s.Read(ctx, &l.Windows[w.Part], first, addresses, fn)
}

// Cache implements puzzle.Source.
func (s *Source) Cache() puzzle.Cache { return s.Decoded }

// MemoryBytes implements puzzle.Source.
func (s *Source) MemoryBytes() uint64 { return s.Memory }
