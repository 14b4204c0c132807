package kv

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
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

// TestCodedDamage takes a block away and flips a bit below the store.
func TestCodedDamage(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	for part, damage := range []func(key []byte) error{
		func(key []byte) error { return s.db.Delete(key, pebble.Sync) },
		func(key []byte) error {
			b, _, err := s.get(key)
			if err != nil {
				return err
			}
			b = slices.Clone(b)
			b[len(b)/2] ^= 4
			return s.db.Set(key, b, pebble.Sync)
		},
	} {
		w := testWindow(3, part, 4)
		rec := mustWrite(t, s, w, testBlocks(w, 200, 1), testTally(5))
		_, all, err := coded(s, rec, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := s.lookup(s.db, rec.ID())
		if err != nil {
			t.Fatal(err)
		}
		if err := damage(blockKey(blockPrefix(rec.ID(), v.gen), all[2])); err != nil {
			t.Fatal(err)
		}
		if got, _, err := coded(s, rec, 0, 0); !errors.Is(err, ErrCorrupt) {
			t.Errorf("damage %d: %d blocks, %v", part, len(got), err)
		}
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
