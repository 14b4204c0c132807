package kv

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// An OtherDigestError says that a store holds a window with other content than was asked for. It wraps ErrCorrupt.
type OtherDigestError struct{ Have, Want blocks.Digest }

func (e *OtherDigestError) Error() string {
	return fmt.Sprintf("%v: the store holds digest %s, want %s", ErrCorrupt, e.Have, e.Want)
}

// Unwrap makes errors.Is(err, ErrCorrupt) hold.
func (e *OtherDigestError) Unwrap() error { return ErrCorrupt }

// Coded passes the coded blocks of window id, whose content must have digest want, and whose first address lies in
// [from, end), to fn in address order; end 0 is the end of the window. coded is valid until fn returns; its checksum
// has been checked, and when the range begins with the window and has no end, the window is checked against its seal.
//
// The error wraps ErrNotFound when the store has no such window, and ErrCorrupt when the window is damaged or, as an
// *OtherDigestError, has other content.
func (s *Store) Coded(ctx context.Context, id puzzle.WindowID, want blocks.Digest, from, end uint64,
	fn func(first uint64, coded []byte) error) error {
	var l seal
	v, err := s.coded(ctx, id, &want, from, end, func(at uint64, coded []byte) error {
		if err := checkSum(at, coded); err != nil {
			return err
		}
		l.add(at, coded)
		return fn(at, coded)
	})
	if err == nil && from <= v.first && end == 0 && l.sum() != v.seal {
		err = s.at(id, fmt.Errorf("%w: seal %016x, want %016x", ErrCorrupt, l.sum(), v.seal))
	}
	return err
}

// checkSum checks the checksum that ends a coded block.
func checkSum(at uint64, coded []byte) error {
	if !blocks.Intact(coded) {
		return fmt.Errorf("%w: block %d: checksum", ErrCorrupt, at)
	}
	return nil
}
