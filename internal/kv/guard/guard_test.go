package guard

import (
	"errors"
	"io/fs"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestFrozen: after the first write that fails nothing reaches the disk any more, every write is reported as done, and
// the error is the one that froze the folder.
func TestFrozen(t *testing.T) {
	for _, failure := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO} {
		mem := vfs.NewMem()
		var full atomic.Bool
		below := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if full.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
				return failure
			}
			return nil
		}))
		if err := mem.MkdirAll("store", 0o755); err != nil {
			t.Fatal(err)
		}
		disk := New(below, "store", ".seg")
		write(t, disk, "store/before", "1")
		full.Store(true)
		write(t, disk, "store/meanwhile", "2")
		full.Store(false)
		write(t, disk, "store/after", "3")
		if err := disk.Rename("store/before", "store/else"); err != nil {
			t.Fatalf("%v: a frozen folder complains: %v", failure, err)
		}
		err := disk.Err()
		if err == nil || !errors.Is(err, failure) || errors.Is(err, ErrDiskFull) == errors.Is(failure, syscall.EIO) {
			t.Errorf("%v froze the folder, and it says %v", failure, err)
		}
		for name, there := range map[string]bool{"before": true, "meanwhile": false, "after": false, "else": false} {
			if _, err := mem.Stat("store/" + name); errors.Is(err, fs.ErrNotExist) == there {
				t.Errorf("%v: file %s: %v", failure, name, err)
			}
		}
	}
}
