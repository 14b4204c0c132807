package kv

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestUnreadable: rows that the disk does not read are as good as damaged: the window can be had elsewhere, or again.
func TestUnreadable(t *testing.T) {
	var bad atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		reads := op.Kind == errorfs.OpFileReadAt || op.Kind == errorfs.OpOpen
		if bad.Load() && reads && strings.HasSuffix(op.Path, segmentSuffix) {
			return syscall.EIO
		}
		return nil
	}))
	s := openTest(t, fs)
	defer closed(t, s)
	w := testWindow(1, 0, 1)
	rec := mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
	bad.Store(true)
	if err := s.Verify(t.Context(), rec); !errors.Is(err, ErrCorrupt) || !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
	bad.Store(false)
	if err := s.Verify(t.Context(), rec); err != nil {
		t.Errorf("when the disk reads again: %v", err)
	}
}
