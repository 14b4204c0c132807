package plan

import (
	"fmt"
)

// Retention says which rows stay on disk once nothing that is still to be computed reads them. Records and tallies
// always stay. It is no parameter of a run: it may change between one start and the next.
type Retention string

// The policies.
const (
	// RetainAll drops nothing.
	RetainAll Retention = "all"
	// RetainLast drops a cell's rows once all its children are committed, and so keeps the cells that no other cell reads:
	// the last layer, and cells that ended earlier.
	RetainLast Retention = "last"
	// RetainSummary drops those too: only records and tallies remain.
	RetainSummary Retention = "summary"
)

// ParseRetention reads a policy.
func ParseRetention(s string) (Retention, error) {
	switch k := Retention(s); k {
	case RetainAll, RetainLast, RetainSummary:
		return k, nil
	}
	return "", fmt.Errorf("keep: %q is not all, last or summary", s)
}
