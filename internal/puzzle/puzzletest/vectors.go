package puzzletest

import (
	"testing"

	"pagoda/internal/puzzle/vector"
)

// EachVector runs a test at every level of this machine and build, from vector.None to the one that level has, and says
// which ones it lacks. The test must not run beside others of its package.
func EachVector(t *testing.T, level *vector.Level, test func(*testing.T)) {
	best := *level
	defer func() { *level = best }()
	for _, l := range vector.All {
		if l > best {
			t.Logf("NOT RUN: this machine or build has no %s", l)
			continue
		}
		*level = l
		t.Run(l.String(), test)
	}
}
