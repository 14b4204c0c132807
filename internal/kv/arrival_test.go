package kv

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle"
)

// coded collects the coded blocks of a window.
func coded(s *Store, rec Record, from, end uint64) (blocks [][]byte, firsts []uint64, err error) {
	err = s.Coded(context.Background(), rec.ID(), rec.Digest, from, end, func(at uint64, b []byte) error {
		blocks = append(blocks, slices.Clone(b))
		firsts = append(firsts, at)
		return nil
	})
	return blocks, firsts, err
}

func TestCoded(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(3, 1, 4)
	rec := mustWrite(t, s, w, testBlocks(w, 200, 1), testTally(5))
	_, all, err := coded(s, rec, 0, 0)
	if err != nil || len(all) != 4 {
		t.Fatalf("%d blocks, %v", len(all), err)
	}
	for i, c := range []struct{ from, end uint64 }{
		{all[1], 0}, {all[1] + 1, 0}, {0, all[2]}, {all[1], all[2] + 1}, {all[3] + 1, 0},
	} {
		want := [][]uint64{all[1:], all[2:], all[:2], all[1:3], nil}[i]
		if _, got, err := coded(s, rec, c.from, c.end); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	other := rec
	other.Digest[0] ^= 1
	var differs *OtherDigestError
	if _, _, err := coded(s, other, 0, 0); !errors.As(err, &differs) || !errors.Is(err, ErrCorrupt) ||
		differs.Have != rec.Digest || differs.Want != other.Digest {
		t.Error(err)
	}
	other.Part = 7
	if _, _, err := coded(s, other, 0, 0); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// TestArrivalSize: blocks that are right in all but their size are not those of the record.
func TestArrivalSize(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(3, 1, 4)
	rec := mustWrite(t, s, w, testBlocks(w, 200, 1), testTally(5))
	all, _, err := coded(s, rec, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for more, want := range map[uint64]error{0: nil, 1: ErrCorrupt} {
		said := rec
		said.Bytes += more
		a := NewArrival(said)
		for _, b := range all {
			if _, err := a.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Check(); !errors.Is(err, want) {
			t.Errorf("%d bytes more than there are: %v", more, err)
		}
	}
}

// TestCodedDamage cuts a segment short, overwrites a block with another, and flips a bit.
func TestCodedDamage(t *testing.T) {
	for name, damage := range map[string]func(data []byte, from, to []byte) []byte{
		"cut short":     func(data, from, _ []byte) []byte { return data[:bytes.Index(data, from)+9] },
		"another block": func(data, from, to []byte) []byte { return bytes.Replace(data, from, to, 1) },
		"a flipped bit": func(data, from, _ []byte) []byte {
			data[bytes.Index(data, from)+len(from)/2] ^= 4
			return data
		},
	} {
		mem := vfs.NewMem()
		s := openTest(t, mem)
		w := testWindow(3, 1, 4)
		blocks := testBlocks(w, 200, 1)
		for i, b := range blocks[:3] { // all of one length, so that one can take another's place
			*b = *testBlocks(w, 200, 1)[0]
			b.First = w.First + uint64(i)*puzzle.BlockAddresses
		}
		rec := mustWrite(t, s, w, blocks, testTally(5))
		all, _, err := coded(s, rec, 0, 0)
		if err != nil || len(all[2]) != len(all[1]) {
			t.Fatal(err)
		}
		path := segmentFiles(t, mem)[0]
		replaceFile(t, mem, path, damage(readFile(t, mem, path), all[2], all[1]))
		if got, _, err := coded(s, rec, 0, 0); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %d blocks, %v", name, len(got), err)
		}
		closed(t, s)
	}
}

func TestArrival(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(3, 1, 3)
	rec := mustWrite(t, s, w, testBlocks(w, 200, 1), testTally(5))
	blocks, firsts, err := coded(s, rec, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	other := mustWrite(t, s, testWindow(3, 2, 3), testBlocks(testWindow(3, 2, 3), 200, 1), testTally(5))
	foreign, _, err := coded(s, other, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	a := NewArrival(rec)
	refused := func(b []byte) {
		t.Helper()
		next := a.Next()
		if _, err := a.Add(b); !errors.Is(err, ErrCorrupt) || a.Next() != next {
			t.Errorf("%v, next %d, before %d", err, a.Next(), next)
		}
	}
	if a.Check() == nil {
		t.Error("nothing is taken for the window")
	}
	for i, b := range blocks {
		flipped := slices.Clone(b)
		flipped[len(b)/3] ^= 16
		refused(flipped)
		refused(foreign[i])
		refused(nil)
		if i > 0 {
			refused(blocks[i-1])
			if a.Check() == nil {
				t.Error("a part is taken for the window")
			}
		}
		if first, err := a.Add(b); err != nil || first != firsts[i] || a.Next() != first+puzzle.BlockAddresses {
			t.Fatal(first, err)
		}
	}
	if err := a.Check(); err != nil {
		t.Error(err)
	}
	refused(blocks[2])
	gap := NewArrival(rec)
	for _, b := range [][]byte{blocks[0], blocks[2]} {
		if _, err := gap.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := gap.Check(); !errors.Is(err, ErrCorrupt) {
		t.Error("a gap:", err)
	}
}
