package kv

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

// openedName is the file in which a store counts how often it was opened since it was last closed. Pebble answers some
// damage with a panic in a goroutine of its own, which ends the process, and every process that opens the folder after
// it. Nothing in the process can prevent that, but the count tells.
const openedName = guard.OpenedName

// maxUnclosed is how many openings in a row may end without a close. A store that is opened once more is made anew from
// its records, without the database's own view of its files. That costs the reading of all records and loses nothing,
// so it does not matter when the processes were merely killed.
const maxUnclosed = 3

// unclosedError says that a store was opened too often. It may be damaged, and is treated so, but that is not known.
type unclosedError struct{ err error }

func (e *unclosedError) Error() string   { return e.err.Error() }
func (e *unclosedError) Unwrap() []error { return []error{ErrCorrupt, e.err} }

// countOpening notes that a store is opened. The error wraps ErrNeverClosed when it was opened too often.
func countOpening(fsys vfs.FS, dir string, closed bool) error {
	path, n := fsys.PathJoin(dir, openedName), 0
	if !closed {
		n = openings(fsys, path)
	}
	if n >= maxUnclosed {
		return fmt.Errorf("%w: %d times in a row", ErrNeverClosed, n)
	}
	// It is not synced: the process may end now, not the machine.
	f, err := fsys.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err := f.Write([]byte(strconv.Itoa(n+1) + "\n")); err != nil {
		free(f)
		return err
	}
	return f.Close()
}

// openings reads how often a store was opened. A count that cannot be read is 0.
func openings(fsys vfs.FS, path string) int {
	f, err := fsys.Open(path)
	if err != nil {
		return 0
	}
	defer free(f)
	b, err := io.ReadAll(io.LimitReader(f, 16))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(string(b), "\n"))
	if err != nil {
		return 0
	}
	return n
}
