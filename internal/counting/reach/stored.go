package reach

import (
	"context"
	"sort"

	"pagoda/internal/puzzle"
)

// A storedCell reads the stored stretches of a cell.
type storedCell struct {
	*enumeration
	at           *spot // of the vector
	in           puzzle.Source
	windows      []puzzle.Window
	stretchWords int
	shared       bool // windows are decoded as a whole, and kept

	whole       *decoded // all of the vector, where the cell has one window that is shared
	words       []uint64
	first       int // where words begins in the cell
	straddling  []uint64
	readForward []uint64 // memory of words when it is not shared
}

// stretch returns stored stretch at, perhaps nil where it has no position. It is valid until the next call.
func (s *storedCell) stretch(ctx context.Context, at int) ([]uint64, error) {
	if s.shared && len(s.windows) == 1 {
		if s.whole == nil {
			d, err := s.window(ctx, s.windows[0])
			if err != nil {
				return nil, err
			}
			share := d.of(s.at)
			s.whole = &share
		}
		return s.whole.stretch(at, s.stretchWords), nil
	}
	from := s.at.words + at*s.stretchWords
	end := from + s.stretchWords
	if s.first <= from && end <= s.first+len(s.words) {
		return s.words[from-s.first : end-s.first], nil
	}
	if !s.shared {
		if err := s.read(ctx, from, end); err != nil {
			return nil, err
		}
		return s.words, nil
	}
	if s.straddling == nil {
		s.straddling = make([]uint64, s.stretchWords)
	}
	for i := from; i < end; i = s.first + len(s.words) {
		if err := s.load(ctx, i); err != nil {
			return nil, err
		}
		if end <= s.first+len(s.words) && i == from {
			return s.words[from-s.first : end-s.first], nil
		}
		copy(s.straddling[i-from:], s.words[i-s.first:min(end-s.first, len(s.words))])
	}
	return s.straddling, nil
}

// load has the window that word i lies in.
func (s *storedCell) load(ctx context.Context, i int) error {
	part := sort.Search(len(s.windows), func(k int) bool { return s.windows[k].First > uint64(64*i) }) - 1
	d, err := s.window(ctx, s.windows[part])
	if err == nil {
		s.words, s.first = d.words, int(s.windows[part].First/64)
	}
	return err
}

// ahead says that the stretches [from, end) are read next, one after the other.
func (s *storedCell) ahead(ctx context.Context, from, end int) error {
	if s.shared || from == end {
		return nil
	}
	return s.read(ctx, s.at.words+from*s.stretchWords, s.at.words+end*s.stretchWords)
}

// read reads words [from, end) and no block besides.
func (s *storedCell) read(ctx context.Context, from, end int) error {
	if cap(s.readForward) < end-from {
		s.readForward = make([]uint64, end-from)
	}
	s.words, s.first = s.readForward[:end-from], from
	clear(s.words)
	first, last := uint64(64*from), uint64(64*end)
	k := sort.Search(len(s.windows), func(k int) bool { return s.windows[k].First > first }) - 1
	for ; k < len(s.windows) && s.windows[k].First < last; k++ {
		w := s.windows[k]
		lo, hi := max(first, w.First), min(last, w.First+w.Addresses)
		err := s.in.Blocks(ctx, w, lo, hi-lo, func(b *puzzle.Block) error {
			to, at := int(b.First/64)-from, 0
			if to < 0 {
				to, at = 0, -to
			}
			copy(s.words[to:], b.Occupied[min(at, len(b.Occupied)):])
			return nil
		})
		if err != nil {
			s.words = nil
			return err
		}
	}
	return nil
}

// window returns a stored window, decoded; one that is a whole cell without the stretches that have no position.
func (s *storedCell) window(ctx context.Context, window puzzle.Window) (*decoded, error) {
	v, err := s.claims.once(ctx, s.in.Cache(), window.ID(), func() (any, uint64, error) {
		if len(s.windows) > 1 {
			d := &decoded{words: make([]uint64, window.Addresses/64)}
			err := decode(ctx, s.in, window, d.words)
			return d, d.size(), err
		}
		words := s.borrow(int(window.Addresses / 64))
		defer s.scratch.Put(words)
		if err := decode(ctx, s.in, window, *words); err != nil {
			return nil, 0, err
		}
		d := s.newDecoded(*words, s.at.bundle, true)
		return d, d.size(), nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*decoded), nil
}

// decode reads a stored window into words, which are zero.
func decode(ctx context.Context, in puzzle.Source, window puzzle.Window, words []uint64) error {
	return in.Blocks(ctx, window, window.First, window.Addresses, func(b *puzzle.Block) error {
		copy(words[(b.First-window.First)/64:], b.Occupied)
		return nil
	})
}
