//go:build !unix

package pegsolve

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
