package kv

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"pagoda/internal/kv/form"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

const (
	// MaxRecordBytes bounds an encoded record.
	MaxRecordBytes = 1 << 22
	maxNameBytes   = 128
)

// Record is the commit record of a window: without it the window does not exist.
type Record struct {
	Run string `json:"run"`
	puzzle.Window
	Rows   uint64        `json:"rows"`
	Blocks uint64        `json:"blocks"`
	Bytes  uint64        `json:"bytes"` // coded bytes of all blocks
	Digest blocks.Digest `json:"digest"`
	Tally  puzzle.Tally  `json:"tally"`
}

// SameContent reports whether r and o describe the same window with the same content and tally. How the content is
// coded does not matter.
func (r *Record) SameContent(o *Record) bool {
	a, b := &r.Tally, &o.Tally
	return r.Run == o.Run && r.Window == o.Window && r.Rows == o.Rows && r.Blocks == o.Blocks && r.Digest == o.Digest &&
		slices.Equal(a.Sums, b.Sums) && slices.Equal(a.Maxima, b.Maxima) && slices.Equal(a.In, b.In) &&
		slices.Equal(a.Out, b.Out)
}

// Same reports whether r and o have the same content and the same size. The same rows are coded alike on every machine,
// so two honest workers never differ in the size alone.
func (r *Record) Same(o *Record) bool { return r.Bytes == o.Bytes && r.SameContent(o) }

// Check returns an error when a field of r is invalid, or two fields contradict each other.
func (r *Record) Check() error {
	switch {
	case !validName(r.Run):
		return fmt.Errorf("invalid run ID %q", r.Run)
	case !validCell(r.Cell):
		return fmt.Errorf("invalid cell %q of layer %d", r.Key, r.Layer)
	case r.Part < 0 || r.Part > math.MaxInt32:
		return fmt.Errorf("invalid part %d", r.Part)
	case r.Addresses < 1 || r.First > math.MaxUint64-r.Addresses:
		return fmt.Errorf("invalid address range %d + %d", r.First, r.Addresses)
	case r.Rows > r.Addresses:
		return fmt.Errorf("%d rows in %d addresses", r.Rows, r.Addresses)
	case r.Blocks > r.Rows || r.Blocks > (r.Addresses-1)/puzzle.BlockAddresses+1 || (r.Blocks == 0) != (r.Rows == 0) ||
		r.Rows > r.Blocks*puzzle.BlockAddresses:
		return fmt.Errorf("%d blocks for %d rows in %d addresses", r.Blocks, r.Rows, r.Addresses)
	case r.Bytes/blocks.MaxBytes > r.Blocks || (r.Bytes == 0) != (r.Blocks == 0):
		return fmt.Errorf("%d bytes in %d blocks", r.Bytes, r.Blocks)
	case !r.Tally.Canonical():
		return errors.New("tally is not in canonical form")
	}
	for _, list := range [][]puzzle.Scalar{r.Tally.Sums, r.Tally.Maxima} {
		for _, s := range list {
			if !validName(s.Name) {
				return fmt.Errorf("invalid name %q in the tally", s.Name)
			}
		}
	}
	for _, list := range [][]puzzle.Flow{r.Tally.In, r.Tally.Out} {
		for _, f := range list {
			if !validCell(f.Cell) {
				return fmt.Errorf("invalid cell %q of layer %d in the tally", f.Key, f.Layer)
			}
		}
	}
	return nil
}

// Encode writes r as one line of JSON, after Check. A record has one encoding.
func (r *Record) Encode() ([]byte, error) {
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("run %s, window %s: %w", r.Run, r.Window, err)
	}
	b, _ := form.Write(r.Form) // names that pass Check have their text
	if len(b) > MaxRecordBytes {
		return nil, fmt.Errorf("run %s, window %s: record of %d bytes, at most %d are allowed",
			r.Run, r.Window, len(b), MaxRecordBytes)
	}
	return b, nil
}

// DecodeRecord reads what Encode writes, byte for byte, and nothing else: unknown or doubled fields, tallies out of
// order, invalid names and impossible sizes are errors that wrap [ErrCorrupt].
func DecodeRecord(b []byte) (r Record, err error) {
	if err = read(b, r.Form); err == nil {
		err = r.Check()
	}
	if err != nil {
		return Record{}, fmt.Errorf("%w: record: %w", ErrCorrupt, err)
	}
	return r, nil
}

func validCell(c puzzle.Cell) bool {
	return c.Layer >= 0 && c.Layer <= math.MaxInt32 && puzzle.ValidKey(c.Key)
}

// validName accepts printable ASCII without spaces, slashes, and what JSON would escape.
func validName(s string) bool {
	if s == "" || len(s) > maxNameBytes {
		return false
	}
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' || bytes.IndexByte([]byte(`/\"<>&`), c) >= 0 {
			return false
		}
	}
	return true
}
