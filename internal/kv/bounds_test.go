package kv

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestArrivalTakesNoMoreThanRecorded: when a window's record has a block, a row or a byte less than arrives, only the
// last block is refused.
func TestArrivalTakesNoMoreThanRecorded(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(3, 1, 3)
	rec := mustWrite(t, s, w, testBlocks(w, 200, 1), testTally(5))
	all, _, err := coded(s, rec, 0, 0)
	if err != nil || len(all) != 3 {
		t.Fatal(len(all), err)
	}
	for what, less := range map[string]func(*Record){
		"block": func(r *Record) { r.Blocks-- }, "row": func(r *Record) { r.Rows-- }, "byte": func(r *Record) { r.Bytes-- },
	} {
		claimed := rec
		less(&claimed)
		a := NewArrival(claimed)
		for i, b := range all {
			if _, err := a.Add(b); (err == nil) != (i < 2) || err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("a %s less on record: block %d: %v", what, i, err)
			}
		}
	}
	a := NewArrival(rec)
	for _, b := range all {
		before := a.Lacking()
		if _, err := a.Add(b); err != nil || before-a.Lacking() != uint64(len(b)) {
			t.Errorf("a block of %d bytes leaves %d of %d: %v", len(b), a.Lacking(), before, err)
		}
	}
	if a.Lacking() != 0 {
		t.Errorf("%d bytes are lacking of a whole window", a.Lacking())
	}
}

// TestCloseWaits: a store is closed when its last user has gone.
func TestCloseWaits(t *testing.T) {
	for _, users := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			s := openTest(t, vfs.NewMem())
			for range users {
				if err := s.enter(); err != nil {
					t.Fatal(err)
				}
			}
			done := make(chan error, 1)
			go func() { done <- s.Close() }()
			for n := users; n > 0; n-- {
				synctest.Wait()
				select {
				case err := <-done:
					t.Fatalf("it is closed, %v, while %d use it", err, n)
				default:
				}
				if err := s.enter(); !errors.Is(err, ErrClosed) {
					t.Errorf("an operation begins while it closes: %v", err)
				}
				s.exit()
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestValidName goes through all bytes.
func TestValidName(t *testing.T) {
	const allowed = "!#$%'()*+,-.0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
	for c := range 256 {
		if want := strings.IndexByte(allowed, byte(c)) >= 0; validName("a"+string([]byte{byte(c)})+"b") != want {
			t.Errorf("byte %#x: valid is %t", c, !want)
		}
	}
	for name, want := range map[string]bool{
		"": false, strings.Repeat("a", maxNameBytes): true, strings.Repeat("a", maxNameBytes+1): false,
	} {
		if validName(name) != want {
			t.Errorf("a name of %d bytes: valid is %t", len(name), !want)
		}
	}
}

// TestDatabaseDisk: one log more is counted from the first window on whose record has no room in the tables so far. The
// tables take 256 KiB, 512 KiB, 1, 2 and 4 MiB, and a record 800 bytes.
func TestDatabaseDisk(t *testing.T) {
	const perWindow, perLog = 3*800 + 160, 2 * (4<<20 + (4<<20)/10 + 256<<10)
	room := uint64(0)
	for n, table := range []uint64{256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20} {
		room += table
		last, logs := room/800, uint64(n+1)
		if have, want := DatabaseDisk(last), logs*perLog+last*perWindow+512<<10; have != want {
			t.Errorf("%d windows take %d bytes, want %d", last, have, want)
		}
		logs = min(logs+1, 5)
		if have, want := DatabaseDisk(last+1), logs*perLog+(last+1)*perWindow+512<<10; have != want {
			t.Errorf("%d windows take %d bytes, want %d", last+1, have, want)
		}
	}
}

// TestSegmentDisk: live bytes take an eighth more and some spare segments, and never more than all bytes written.
func TestSegmentDisk(t *testing.T) {
	const large = 1000 * segmentBytes
	for _, c := range []struct{ live, total, want uint64 }{
		{0, 0, 0}, {5, 5, 5}, {6, 5, 5}, {0, 7, 7}, {0, large, 6 * segmentBytes},
		{8 * segmentBytes, large, 15 * segmentBytes}, {large - 1, large, large},
	} {
		if got := SegmentDisk(c.live, c.total); got != c.want {
			t.Errorf("%d live bytes of %d take %d, want %d", c.live, c.total, got, c.want)
		}
	}
}
