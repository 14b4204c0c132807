package coordinator

import (
	"context"
	"slices"
	"time"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// The archive is one more holder of windows, protocol.ArchiveName, beside the workers. Workers upload their committed
// windows and do not say so: the coordinator needs to know the archive's windows only when the last worker that held a
// window is gone. Therefore a coordinator lists it at its start and whenever windows have lost their last worker. Those
// windows wait for the list, as they wait for holders on record after a start.
//
// The list is read in a goroutine of its own and waited for by nothing else. An archive that cannot be listed or read
// counts as a worker that is gone: windows that it alone held are computed again, and it is listed again after a while.

// archiveRetry is how long an archive that could not be used is left alone.
const archiveRetry = time.Minute

// archive is a coordinator's state of listing the archive.
type archive struct {
	listing bool
	stale   bool      // windows have lost their last worker since the listing began
	found   int       // useful windows that the listing has found so far
	retry   time.Time // the time of another listing, after a failure
	// returned: all holders on record at the start have come back.
	returned bool
}

// graceOver reports whether windows without a holder wait for the archive alone: holders on record at the start have
// come back, or have had their time.
func (c *Coordinator) graceOver(now time.Time) bool {
	return c.archive.returned || now.Sub(c.times.begun) > c.fleet.RejoinGrace
}

// ArchiveListed describes a listing of the archive.
type ArchiveListed struct {
	Windows int   // windows that now count as held by it
	Err     error // why it could not be listed to its end
	Spared  int   // windows that were to be computed again and need not be
}

// ArchiveLost says that the archive cannot be read.
type ArchiveLost struct {
	Windows int // that only it held
	Again   int // that are computed again
}

// wantLost queues every needed window without a holder, unless the archive may still have it. lost counts the windows
// that have just lost their last holder. It returns how many windows are computed again.
func (c *Coordinator) wantLost(lost int) (again int) {
	if lost > 0 && c.fleet.Archive != nil && c.archive.retry.IsZero() {
		c.archive.returned = c.archive.returned || c.plan.AwaitedCount == 0
		c.plan.AwaitAbsent(c.o.Retention)
		c.listArchive()
	}
	return c.plan.WantAll(c.o.Retention)
}

// listArchive lists the windows of the archive.
func (c *Coordinator) listArchive() {
	a := &c.archive
	if c.fleet.Archive == nil {
		return
	}
	if a.listing {
		a.stale = true
		return
	}
	*a = archive{listing: true, returned: a.returned}
	ctx := c.ctx
	c.helpers.Go(func() {
		err := c.fleet.Archive(ctx, func(page []protocol.Archived) {
			c.do(ctx, func() { c.stopOn(c.archived(page)) })
		})
		c.do(ctx, func() {
			if ctx.Err() == nil {
				c.stopOn(c.archiveListed(ctx, err))
			}
		})
	})
}

// archived notes windows that the archive has.
func (c *Coordinator) archived(page []protocol.Archived) error {
	for i := range page {
		cell, w, err := c.plan.Window(page[i].Window)
		if err != nil || !w.Committed || w.Digest != page[i].Digest {
			continue // it was forgotten, or is of another version of the program
		}
		if err := c.archive.holds(c, cell, w, page[i].Window.Part); err != nil {
			return err
		}
	}
	return nil
}

// holds notes that the archive has a committed window, if that is of use.
func (a *archive) holds(c *Coordinator, cell *plan.Cell, w *plan.Window, part int) error {
	switch id := cell.WindowID(part); {
	case w.Fresh, w.Losses >= maxLostClaims && w.Replicas == 0: // it may be the bad copy
	case w.Rows > 0 && !c.plan.Retains(c.o.Retention, cell):
	case len(c.plan.ReplicaNames(w)) >= maxReplicas:
	default:
		if err := c.hold(id, protocol.ArchiveName); err != nil {
			return err
		}
		if !w.Audit {
			c.account.Complete(id)
		}
		a.found++
	}
	return nil
}

// archiveListed ends a listing.
func (c *Coordinator) archiveListed(ctx context.Context, failure error) error {
	a := &c.archive
	a.listing = false
	if failure != nil {
		a.retry = c.o.Now().Add(archiveRetry)
	} else if err := c.holdEmpty(); err != nil {
		return err
	}
	listed := ArchiveListed{Windows: a.found, Err: failure}
	var cells []*plan.Cell
	listed.Spared, cells = c.plan.CancelUnneeded(c.o.Retention)
	for _, cell := range cells {
		c.queueDrop(cell)
	}
	call(c.o.Events.ArchiveListed, listed)
	if a.stale && failure == nil {
		c.listArchive()
	}
	return c.proceed(ctx)
}

// holdEmpty notes that windows without rows need no object.
func (c *Coordinator) holdEmpty() error {
	for _, cell := range c.plan.Index {
		for part := range cell.Parts {
			w := &cell.Parts[part]
			if !w.Committed || w.Rows > 0 || w.Replicas != 0 {
				continue
			}
			if err := c.archive.holds(c, cell, w, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// archiveLost notes that the archive cannot be read: windows that it alone held are computed again.
func (c *Coordinator) archiveLost() {
	lost := c.plan.EvictWorker(protocol.ArchiveName)
	c.archive.retry = c.o.Now().Add(archiveRetry)
	call(c.o.Events.ArchiveLost, ArchiveLost{Windows: lost, Again: c.plan.WantAll(c.o.Retention)})
}

// retryArchive lists an archive again that could not be used.
func (c *Coordinator) retryArchive(now time.Time) {
	if a := &c.archive; !a.listing && !a.retry.IsZero() && now.After(a.retry) {
		c.listArchive()
	}
}

// archiveAway takes the archive out of holders that could not be reached, and notes that it is away if it was one.
func (c *Coordinator) archiveAway(names []string) []string {
	if !slices.Contains(names, protocol.ArchiveName) {
		return names
	}
	c.archiveLost()
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == protocol.ArchiveName })
}
