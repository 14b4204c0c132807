package coordinator

import (
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// A Ledger is a coordinator's list of committed windows and their holders. *kv.Ledger is one; a simulation that
// computes nothing needs none on a disk.
type Ledger interface {
	Append(entries []kv.Entry, audits ...kv.Audit) error
	AuditsDue() ([]puzzle.WindowID, error)
	Entry(id puzzle.WindowID) (e kv.Entry, found bool, err error)
	SetHolders(id puzzle.WindowID, holders []string) error
	Unhold(ids ...puzzle.WindowID) error
	// Which workers and results to trust, see kv.Ledger.
	Distrust(d kv.Distrust) error
	Secret() ([]byte, error)
	Refused() ([]kv.Refusal, error)
	Suspects() (map[puzzle.WindowID]uint64, error)
}
