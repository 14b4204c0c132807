package simulate

import (
	"errors"
	"fmt"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// A Fleet is who computes, and what lies between them.
type Fleet struct {
	Workers     int
	Concurrency int           // windows that a worker computes at a time
	Bandwidth   float64       // bytes a second into a worker, and as many out of it; 0 is no limit
	Latency     time.Duration // of a message, one way
	Commit      time.Duration // that a worker takes to commit a group of windows
	// The coordinator: the sync of its ledger, and the computing that a report and each window of it cost there and in
	// the queue.
	Sync, PerReport, PerWindow time.Duration
	Retention                  plan.Retention
	// Audits is the share of windows, 0 to 1, that are computed a second time by another worker, or by the coordinator
	// itself, as a run's audit_fraction.
	Audits float64
	// Budget bounds what the windows that a worker computes at a time hold in memory; nil does not.
	Budget *plan.Budget
	// FetchedBytes bounds what a worker keeps of others' windows that it has fetched, as they are coded: those that were
	// not read for longest are fetched again when they are read again. 0 is no limit.
	FetchedBytes uint64
	// FetchedDisk bounds what of them goes to its disk instead of being forgotten; 0: nothing does.
	FetchedDisk uint64
	// Disk is the bytes a second that a worker's disk reads and writes, one after the other: what a window reads and is
	// not in the memory for fetched windows, and what is stored. 0 is no limit.
	Disk float64
	// Size tells how large a window is as it is stored, in bytes; nil: as its puzzle predicts.
	Size func(c *puzzle.CellPlan, w puzzle.Window) float64
	// Progress is told now and then how many of all windows are committed; nil: it is not told.
	Progress func(committed, all int)
}

// Defaults are what was measured with workers and a coordinator on loopback, see docs/scaling.md.
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

// An Outcome is what a run takes on a fleet.
type Outcome struct {
	Seconds      float64 // until the last window is committed
	Work         float64 // seconds of computing, of all windows
	CriticalPath float64 // seconds of the longest chain of windows that wait for each other: no fleet is faster
	Efficiency   float64 // Work / (cores * Seconds)
	Windows      int
	Audited      int     // windows that were computed a second time
	Auditing     float64 // core seconds of workers that this took, which are not in Work
	Tasks        int
	StoredBytes  float64 // of all windows
	MovedBytes   float64 // that workers fetched from each other, and the coordinator for its audits
	// PeakFetched and PeakHeld are the bytes, as coded, that the worker with most keeps at a time of others' windows
	// that it has fetched, and of its own on disk.
	PeakFetched, PeakHeld float64
	// PeakShelf is the bytes that the worker with most keeps on disk of windows that it has fetched, and ReadBytes what
	// all read from their disks.
	PeakShelf, ReadBytes float64
	// Waiting is how the cores spent the time that they did not compute, in core seconds: fetching, or without a task.
	Fetching, Idle float64
	// Room is the part of Fetching in which windows waited for each other's memory.
	Room float64
	// CoordinatorBusy is the share of the time in which the coordinator computed, by the costs of Fleet, and
	// CoordinatorCPU the seconds that its code really took here.
	CoordinatorBusy float64
	CoordinatorCPU  float64
	Partial         bool // further layers depend on results, and are left out
}
