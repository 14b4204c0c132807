package cli

import (
	"runtime"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"pagoda/internal/config"
)

// Machine describes the share of this process: the cgroup's where there is one, otherwise the whole machine.
func Machine() config.Machine {
	memory, err := memlimit.FromSystem()
	if err != nil {
		memory = 0 // unknown: the default is then refused, and the user has to say
	}
	// Outside a cgroup, or in one without a limit, this fails: the machine is the limit.
	if limit, err := memlimit.FromCgroup(); err == nil && limit > 0 && (memory == 0 || limit < memory) {
		memory = limit
	}
	return config.Machine{CPUs: runtime.GOMAXPROCS(0), MemoryBytes: memory}
}
