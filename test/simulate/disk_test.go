package simulate

import (
	"math/rand/v2"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/kv"
)

// disk is a machine's disk: files in memory, of which a crash takes what was not synced.
type disk struct {
	mem *vfs.MemFS
	rnd *rand.Rand

	mu   sync.Mutex
	full bool
}

func newDisk(seed, n uint64) *disk {
	return &disk{mem: vfs.NewCrashableMem(), rnd: rand.New(rand.NewPCG(seed, n))}
}

// options are those of the databases on the disk.
func (d *disk) options() kv.Options {
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		writes := op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose &&
			op.Kind != errorfs.OpRemove && op.Kind != errorfs.OpRemoveAll
		if d.full && writes {
			return syscall.ENOSPC
		}
		return nil
	})
	return kv.Options{FS: errorfs.Wrap(d.mem, inject), CacheBytes: 1 << 18, MemTableBytes: 64 << 10}
}

// crash is the disk as a crash at this moment leaves it, with a share of what was not synced.
func (d *disk) crash(percent int) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: d.rnd})
	return &disk{mem: left, rnd: d.rnd, full: d.full}
}

func (d *disk) setFull(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}
