package simulate

import (
	"math/rand/v2"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/kv"
)

// disk is a machine's disk: files in memory. A crash loses data that was not synced.
type disk struct {
	mem  *vfs.MemFS
	bits *rotting
	rnd  *rand.Rand

	mu     sync.Mutex
	full   bool
	unread float64 // share of the places that cannot be read
}

func newDisk(seed, n uint64) *disk {
	mem := vfs.NewCrashableMem()
	return &disk{mem: mem, bits: newRotting(mem), rnd: rand.New(rand.NewPCG(seed, n))}
}

// options are those of the databases on the disk.
func (d *disk) options() kv.Options {
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		writes := op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose &&
			op.Kind != errorfs.OpRemove && op.Kind != errorfs.OpRemoveAll
		switch {
		case d.full && writes:
			return syscall.ENOSPC
		case op.Kind == errorfs.OpFileReadAt && hashed(uint64(op.Offset), op.Path, 0) < d.unread:
			return syscall.EIO
		}
		return nil
	})
	return kv.Options{FS: errorfs.Wrap(d.bits, inject), CacheBytes: 1 << 18, MemTableBytes: 64 << 10}
}

// crash returns the disk as a crash at this moment leaves it. About percent of the unsynced data stays.
func (d *disk) crash(percent int) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: d.rnd})
	return &disk{mem: left, bits: d.bits.on(left), rnd: d.rnd, full: d.full, unread: d.unread}
}

func (d *disk) setFull(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

func (d *disk) setUnread(share float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unread = share
}
