package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// littleMemory is the memory that a process may need at most if its garbage is limited, in bytes: others were not
	// measured.
	littleMemory = 1 << 30
	// garbageShare is the garbage that may lie between two collections, in percent of the memory in use.
	garbageShare = 15
	// leastGarbage is the garbage that may lie there in any case, in bytes, as far as the runtime's default lets it.
	leastGarbage = 12 << 20
	// defaultShare is the runtime's default.
	defaultShare = 100
)

// limitsGarbage reports whether the garbage of a process is limited, by GOGC and the memory that it may need.
func limitsGarbage(gogc string, memory uint64) bool { return gogc == "" && memory <= littleMemory }

// limitGarbage makes the collector come more often than by default. Most of the memory of a run is counts, which the
// collector does not look into: to use memory again costs less than the faults of fresh memory.
var limitGarbage = sync.OnceFunc(tuneCollector)

// tuneCollector sets how much garbage the next collection waits for, after each collection.
func tuneCollector() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(garbagePercent(live[0].Value.Uint64()))
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { tuneCollector() })
}

// garbagePercent is the garbage that may lie beside so many bytes in use, in percent of them.
func garbagePercent(live uint64) int {
	return int(max(garbageShare, min(defaultShare, leastGarbage*100/max(1, live))))
}
