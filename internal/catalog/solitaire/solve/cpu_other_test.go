//go:build !unix

package solve

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
