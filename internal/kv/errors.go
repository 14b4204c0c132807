package kv

import (
	"encoding/json"
	"errors"
	"fmt"

	"pagoda/internal/kv/guard"
	"pagoda/internal/puzzle/blocks"
)

var (
	// ErrCorrupt is wrapped when something stored or received is not what was written: a checksum, a seal or a digest
	// that does not match, a record or block that does not decode, rows that the disk cannot read. The window has to be
	// computed or fetched again; when Open reports it, the whole folder has.
	ErrCorrupt = blocks.ErrCorrupt

	// ErrNeverClosed is wrapped by Open, together with ErrCorrupt, when several processes in a row have had a store open
	// and ended without closing it. Damage in the store may be the cause.
	ErrNeverClosed = errors.New("the store was opened and never closed")

	// ErrLocked is wrapped by Open and OpenLedger when another process, or this one, has the folder open.
	ErrLocked = errors.New("folder is in use by another process")

	// ErrFormat is wrapped by Open and OpenLedger when the folder is not of the right version and kind. See FormatError.
	ErrFormat = errors.New("folder has another format")

	// ErrRun is wrapped by Open and OpenLedger when the folder belongs to another run. See RunError.
	ErrRun = errors.New("folder belongs to another run")

	// ErrDiskFull is wrapped by errors of a store whose disk is full. Such a store has stopped: everything committed
	// before is safe, nothing more is written, and the folder opens again once there is space.
	ErrDiskFull = guard.ErrDiskFull

	// ErrConflict is wrapped by Ledger.Append when a window is reported twice with different content. See ConflictError.
	ErrConflict = errors.New("window computed twice with different results")

	// ErrNotFound is wrapped by reads of a window that is not in the store.
	ErrNotFound = errors.New("window is not in the store")

	// ErrClosed is returned by operations on a closed store or ledger.
	ErrClosed = errors.New("store is closed")
)

// A FormatError names the format found in a folder, and the wanted one. It wraps ErrFormat.
type FormatError struct {
	Dir         string
	Found, Want string // such as "windows format 1"; Found is "none" for a foreign database
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("folder %s: found %s, this program reads %s", e.Dir, e.Found, e.Want)
}

// Unwrap makes errors.Is(err, ErrFormat) hold.
func (e *FormatError) Unwrap() error { return ErrFormat }

// A RunError names the run a folder belongs to. It wraps ErrRun.
type RunError struct{ Dir, Found, Want string }

func (e *RunError) Error() string {
	return fmt.Sprintf("folder %s belongs to run %s, not to run %s", e.Dir, e.Found, e.Want)
}

// Unwrap makes errors.Is(err, ErrRun) hold.
func (e *RunError) Unwrap() error { return ErrRun }

// A ConflictError shows both records of a window that was reported twice with different content. It wraps ErrConflict.
type ConflictError struct{ Have, Got Record }

func (e *ConflictError) Error() string {
	what := fmt.Sprintf("digests %s and %s", e.Have.Digest, e.Got.Digest)
	if e.Have.Digest == e.Got.Digest {
		what = fmt.Sprintf("the same digest %s but %s", e.Have.Digest, e.difference())
	}
	return fmt.Sprintf("run %s, window %s: %v: %s", e.Have.Run, e.Have.Window, ErrConflict, what)
}

// difference describes how the two records differ besides their digests.
func (e *ConflictError) difference() string {
	a, b := &e.Have, &e.Got
	if a.Window != b.Window || a.Rows != b.Rows || a.Blocks != b.Blocks {
		return fmt.Sprintf("addresses %d + %d and %d + %d, %d and %d rows in %d and %d blocks",
			a.First, a.Addresses, b.First, b.Addresses, a.Rows, b.Rows, a.Blocks, b.Blocks)
	}
	x, err1 := json.Marshal(&a.Tally)
	y, err2 := json.Marshal(&b.Tally)
	if err1 != nil || err2 != nil {
		return "different tallies"
	}
	at := 0
	for at < min(len(x), len(y)) && x[at] == y[at] {
		at++
	}
	const around = 60
	part := func(s []byte) []byte { return s[min(max(0, at-around), len(s)):min(at+around, len(s))] }
	return fmt.Sprintf("different tallies: ...%s... and ...%s...", part(x), part(y))
}

// Unwrap makes errors.Is(err, ErrConflict) hold.
func (e *ConflictError) Unwrap() error { return ErrConflict }
