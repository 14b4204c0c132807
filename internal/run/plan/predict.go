package plan

import (
	"fmt"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/quantity"
)

// Resources bound a run; they shape a prediction and no result.
type Resources struct {
	Concurrency int       // windows computed at a time; at least 1
	CacheBytes  uint64    // decoded windows kept for later computations
	Budget      *Budget   // of the windows computed at a time; nil is unlimited
	Retention   Retention // "" is RetainAll
}

// A Prediction is the cost of a run, from the puzzle's plan alone.
type Prediction struct {
	Layers, Cells, Windows int
	Addresses              uint64  // addresses in all windows
	Work                   float64 // elementary steps
	// MemoryBytes bounds the memory: the largest window in every slot, or the budget, and the cache; half as much again
	// for garbage; and the databases. The collector left a tenth to a quarter as garbage on the English and French boards;
	// the runtime's memory limit enforces less.
	MemoryBytes uint64
	// WindowBytes bounds the memory of the largest window while it is computed, parents included; a budget may make it
	// less.
	WindowBytes uint64
	// RowBytes predicts the rows on disk at the peak, as the retention policy allows. DiskBytes bounds the disk: rows, the
	// room that dropped ones leave in their files, and the needs of store and ledger besides. Measured at 0.9 to 1.5 times
	// the peak of the shipped configs, see docs/performance.md.
	RowBytes, DiskBytes uint64
	// SharedBytes bounds the bytes that windows would find in the cache, see puzzle.CellPlan.
	SharedBytes uint64
	// Partial says that later layers cannot be told yet, and are not even expected: everything above is a lower bound.
	Partial bool
	// Expected is how many of the layers are expected only, see Forecast: then nothing above is a bound.
	Expected int
}

const (
	// overheadMemory is the memory of the process besides windows and cache: the memtables and caches of store and ledger,
	// the queue, the runtime.
	overheadMemory = 256 << 20
)

// Predict plans p, as far as it can be expected, and adds up the cost of the run. Nothing is created.
func Predict(p puzzle.Puzzle, r Resources) (Prediction, error) {
	plan, err := Forecast(p)
	if err != nil {
		return Prediction{}, err
	}
	return plan.Predict(r), nil
}

// Predict adds up the cost of carrying out the plan, of which nothing is committed.
func (p *Plan) Predict(r Resources) Prediction {
	out := Prediction{
		Layers:    len(p.PlannedLayers),
		Cells:     p.CellCount,
		Windows:   p.WindowCount,
		Addresses: p.AddressCount,
		Partial:   !p.Decided,
		Expected:  p.Expected,
	}
	var largest uint64
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			out.Work += c.Work
			largest = max(largest, c.MemoryBytes)
			out.SharedBytes = max(out.SharedBytes, c.SharedBytes)
		}
	}
	const most = 1 << 62 // a larger sum must not look small
	slots := uint64(max(1, r.Concurrency))
	inUse := min(largest, most/slots) * slots
	out.WindowBytes = largest
	if r.Budget != nil {
		inUse = min(inUse, r.Budget.Bytes)
		// One that is found to hold less than the plan says, when it is begun, may take all there is.
		out.WindowBytes = min(largest, r.Budget.Bytes)
	}
	inUse += min(r.CacheBytes, most)
	out.MemoryBytes = inUse + inUse/2 + overheadMemory
	rows := p.ahead(r.Retention, 1)
	out.RowBytes = uint64(rows.peak)
	out.DiskBytes = kv.SegmentDisk(out.RowBytes, uint64(rows.write)) + kv.DatabaseDisk(uint64(p.WindowCount))
	return out
}

// A ResourceError says that a run does not fit, with the figures.
type ResourceError struct {
	What       string // "memory" or "disk"
	Need, Have uint64 // bytes
	Where      string // the folder, for the disk
}

func (e *ResourceError) Error() string {
	at := ""
	if e.Where != "" {
		at = " at " + e.Where
	}
	need := "up to " + quantity.Bytes(e.Need) + " of " + e.What
	if e.What == "memory" {
		need = quantity.Bytes(e.Need) + " of memory for its largest window alone"
	}
	return fmt.Sprintf("the run needs %s, and there are %s%s", need, quantity.Bytes(e.Have), at)
}

// Check compares a prediction with the memory and disk that there are; 0 is unknown and not checked. The error is a
// *ResourceError. dir is where the free disk was looked up.
func (p *Prediction) Check(memory, disk uint64, dir string) error {
	if memory > 0 && p.MemoryBytes > memory {
		return &ResourceError{What: "memory", Need: p.MemoryBytes, Have: memory}
	}
	if disk > 0 && p.DiskBytes > disk {
		return &ResourceError{What: "disk", Need: p.DiskBytes, Have: disk, Where: dir}
	}
	return nil
}
