// Package kvtest has a disk that fails, for tests of stores and ledgers.
package kvtest

import (
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// FaultAt is a file system on below that fails once, with [syscall.EIO], at its operation number n, counted from 0, on
// paths that begin with under. The closing of a file does not count: nothing depends on it. met tells whether the
// operation came.
func FaultAt(below vfs.FS, under string, n int) (fsys vfs.FS, met func() bool) {
	var ops atomic.Int64
	fsys = errorfs.Wrap(below, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileClose || op.Kind == errorfs.OpFilePreallocate || !strings.HasPrefix(op.Path, under) {
			return nil
		}
		if ops.Add(1) != int64(n)+1 {
			return nil
		}
		return &fs.PathError{Op: "use", Path: op.Path, Err: syscall.EIO}
	}))
	return fsys, func() bool { return ops.Load() > int64(n) }
}

// Memory is a file system in memory.
func Memory() vfs.FS { return vfs.NewMem() }

// Machine is the machine's own file system.
func Machine() vfs.FS { return vfs.Default }
