package simulate

import (
	"errors"
	"fmt"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// A Fleet describes the workers, the coordinator and the network between them.
type Fleet struct {
	Workers     int
	Concurrency int           // windows that a worker computes at a time
	Bandwidth   float64       // bytes a second into a worker, and as many out of it; no limit if 0
	Latency     time.Duration // one way, of a message
	Commit      time.Duration // time of a worker to commit a group of windows
	// The coordinator: the sync of its ledger, and the computing that a report and each window of it cost there and in
	// the queue.
	Sync, PerReport, PerWindow time.Duration
	Retention                  plan.Retention
	// Audits is the share of windows, 0 to 1, that are computed a second time by another worker, or by the coordinator
	// itself, as a run's audit_fraction.
	Audits float64
	// Budget bounds the memory of the windows that a worker computes at a time; nil is no bound.
	Budget *plan.Budget
	// FetchedBytes bounds the fetched windows that a worker keeps, in coded bytes. It forgets the least recently read, and
	// fetches them again to read them again. 0 is no limit.
	FetchedBytes uint64
	// FetchedDisk bounds the part of them that goes to its disk instead of being forgotten; 0: none does.
	FetchedDisk uint64
	// Disk is the bytes a second that a worker's disk reads and writes, one after the other: it reads own windows and
	// fetched ones that are not in memory, and stores computed ones. 0 is no limit.
	Disk float64
	// Size returns the stored bytes of a window; nil: as its puzzle predicts.
	Size func(c *puzzle.CellPlan, w puzzle.Window) float64
	// Progress is told now and then how many of all windows are committed; nil: it is not told.
	Progress func(committed, all int)
}

// Defaults were measured with workers and a coordinator on loopback, see docs/scaling.md.
var Defaults = Fleet{
	Concurrency: 1, Bandwidth: 1.25e8, Latency: 500 * time.Microsecond, Commit: 2 * time.Millisecond,
	Sync: 2 * time.Millisecond, PerReport: 100 * time.Microsecond, PerWindow: 50 * time.Microsecond,
}

const (
	maxWorkers     = 1 << 14
	maxConcurrency = 1 << 12
)

func (f *Fleet) check() error {
	switch {
	case f.Workers < 1 || f.Workers > maxWorkers:
		return fmt.Errorf("a fleet of %d workers: want 1 to %d", f.Workers, maxWorkers)
	case f.Concurrency < 1 || f.Concurrency > maxConcurrency:
		return fmt.Errorf("workers that compute %d windows at a time: want 1 to %d", f.Concurrency, maxConcurrency)
	case !(f.Bandwidth >= 0) || f.Bandwidth-f.Bandwidth != 0:
		return fmt.Errorf("a bandwidth of %g bytes a second", f.Bandwidth)
	case !(f.Audits >= 0 && f.Audits <= 1):
		return fmt.Errorf("a share of %g of the windows to be audited: want 0 to 1", f.Audits)
	case !(f.Disk >= 0) || f.Disk-f.Disk != 0:
		return fmt.Errorf("a disk of %g bytes a second", f.Disk)
	case min(f.Latency, f.Commit, f.Sync, f.PerReport, f.PerWindow) < 0:
		return errors.New("a fleet whose messages or commits take less than no time")
	}
	return nil
}

// A Cost tells how long one core computes a window, in seconds.
type Cost func(c *puzzle.CellPlan, w puzzle.Window) float64

// An Outcome describes a simulated run.
type Outcome struct {
	Seconds      float64 // until the last window is committed
	Work         float64 // seconds of computing, of all windows
	CriticalPath float64 // seconds of the longest chain of windows that wait for each other: no fleet is faster
	Efficiency   float64 // Work / (cores * Seconds)
	Windows      int
	Audited      int     // windows that were computed a second time
	Auditing     float64 // core seconds of workers for audits, which are not in Work
	Tasks        int
	StoredBytes  float64 // of all windows
	MovedBytes   float64 // between workers, and to the coordinator for its audits
	// PeakFetched is the most coded bytes that a worker keeps of others' windows in memory at a time. PeakHeld is the same
	// of its own windows on disk.
	PeakFetched, PeakHeld float64
	// PeakShelf is the most bytes of fetched windows that a worker keeps on disk. ReadBytes counts the reads of all disks.
	PeakShelf, ReadBytes float64
	// Fetching and Idle are core seconds without computing: while a slot fetches, or has no task.
	Fetching, Idle float64
	// Room is the part of Fetching in which windows waited for each other's memory.
	Room float64
	// CoordinatorBusy is the share of the time in which the coordinator computed, by the costs of Fleet, and
	// CoordinatorCPU the seconds that its code really took here.
	CoordinatorBusy float64
	CoordinatorCPU  float64
	Partial         bool // further layers depend on results, and are left out
}
