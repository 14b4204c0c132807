package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// A worker that says that it could not read a parent accuses the parent's holders. One of them is wrong: a holder that
// does not serve its windows, or a worker that does not compute its tasks. So the coordinator tries to read the parent
// itself, from each of the holders, and believes its own findings:
//
//   - The rows cannot be had: that holder does not count as one any more, and when it was the last, the window is
//     computed again, by another worker if there is one. The worker was right and gets its window again.
//   - They can be had: the holder stays, and the window goes to another worker.
//   - They can be had, and every worker left has said the same of some parent, has had the window in vain in this
//     round, or did not serve its rows: the holder serves the coordinator alone, or workers cannot reach each other.
//     Then those accusers are believed that have reported a window before.
//
// So one worker, whatever it says, cannot take rows away from another. A worker that serves nothing is found out at the
// first of its windows that another worker wants to read.

const (
	// A check of a window takes a reader's patience with its holder, checkTime at most, and longer as the window's bytes
	// take longer at checkPace in a second.
	checkTime, checkPace = 10 * time.Second, 256 << 10
	// confirmedUnreachable is how many failures a holder counts that neither the worker nor the coordinator can reach, see
	// failures.MaxUnreachable, unless it says meanwhile that it lives.
	confirmedUnreachable = failures.MaxUnreachable / 2
)

// accuse takes the failure of a window that blames the holders of a parent. The window waits until the coordinator has
// checked them.
func (c *Coordinator) accuse(a failures.Accusation, cell *plan.Cell) {
	f := &a.Failure
	parent, w, err := c.plan.Window(f.Missing.ID())
	if err != nil || w.Replicas == 0 || f.Loss < int(w.Losses) {
		c.noNews(a, cell)
		return
	}
	names := c.plan.ReplicaNames(w)
	f.Holders = slices.DeleteFunc(slices.Clone(f.Holders), func(n string) bool { return !slices.Contains(names, n) })
	switch {
	case len(f.Holders) == 0 || parent.Parts[f.Missing.Part].Rows == 0:
		c.noNews(a, cell)
	case f.Unreachable && len(c.members.Alive(f.Holders, c.o.Now())) == 0 &&
		!slices.Contains(f.Holders, protocol.ArchiveName) && c.waitForHolders(f.Window.ID(), f.Holders):
	default:
		c.failures.Accuse(a)
		c.startChecks()
	}
}

// waitForHolders has a window wait for the holders of a parent that are silent, or say that they are leaving: they come
// back, or count as lost before long, with all that they hold. It reports false when that should have happened by now.
func (c *Coordinator) waitForHolders(id puzzle.WindowID, holders []string) bool {
	now := c.o.Now()
	since := c.failures.Of(id).Waits(now)
	var patience time.Duration
	for _, name := range holders {
		b := c.members.Costs.Serving(name)
		patience = max(patience, b.ReadPatience())
		b.Spend(since, now)
	}
	if now.Sub(since) > min(patience, c.fleet.WorkerTimeout) {
		return false
	}
	c.failures.Retry(id, now)
	return true
}

// noNews requeues a window for another worker: the accusation it received is false or out of date.
func (c *Coordinator) noNews(a failures.Accusation, cell *plan.Cell) {
	id := a.Failure.Window.ID()
	a.Failure.Holders = nil
	c.failures.Of(id).Doubt(a)
	c.requeueChecked(cell, id)
}

// startChecks reads the accused copies, each accusation in a goroutine of its own.
func (c *Coordinator) startChecks() {
	for c.running() {
		a, ok := c.failures.Check()
		if !ok {
			return
		}
		found := make(map[string]error)
		copies := slices.DeleteFunc(c.accusedCopies(&a), func(lw protocol.LocatedWindow) bool {
			name := lw.Holders[0].Name
			if !c.members.Costs.Serving(name).Spent() || !slices.Contains(c.members.Trusted(), a.Worker) {
				return false
			}
			found[name] = protocol.ErrUnreachable // there is no time left to find out
			return true
		})
		ctx, asked := c.ctx, c.o.Now()
		c.helpers.Go(func() {
			for i := range copies {
				found[copies[i].Holders[0].Name] = c.check(ctx, copies[i])
			}
			c.do(ctx, func() {
				c.failures.EndCheck()
				if c.running() && ctx.Err() == nil {
					c.stopOn(errors.Join(c.noteConduct(ctx, a.Worker, a.Waited, found, asked), c.checked(ctx, a, found, asked)))
				}
			})
		})
	}
}

// accusedCopies lists the copies of a parent whose holders are accused and still count as such.
func (c *Coordinator) accusedCopies(a *failures.Accusation) (all []protocol.LocatedWindow) {
	cell, w, err := c.plan.Window(a.Failure.Missing.ID())
	if err != nil {
		return nil
	}
	for _, peer := range c.plan.ReplicaSets.Peers(w.Replicas) {
		// A worker is believed about its own rows.
		if peer.Name == a.Worker || !slices.Contains(a.Failure.Holders, peer.Name) {
			continue
		}
		all = append(all, protocol.LocatedWindow{
			Record: cell.Record(c.run, a.Failure.Missing.Part), Holders: []protocol.Peer{peer}, Loss: int(w.Losses),
		})
	}
	return all
}

// check reads one copy of a window.
func (c *Coordinator) check(ctx context.Context, lw protocol.LocatedWindow) error {
	limit := lw.Holders[0].Wait(checkTime) + time.Duration(lw.Record.Bytes/checkPace)*time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := c.o.Check(ctx, lw)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("window %s of worker %s was not there after %v: %w",
			lw.Record.Window, lw.Holders[0].Name, limit, protocol.ErrUnreachable)
	}
	return err
}

// checked decides an accusation by the coordinator's check: found has an error for each holder that was read.
func (c *Coordinator) checked(
	ctx context.Context, a failures.Accusation, found map[string]error, asked time.Time,
) error {
	id := a.Failure.Window.ID()
	cell, w, err := c.plan.Window(id)
	if err != nil {
		return err
	}
	c.startChecks()
	if w.State != plan.WindowAssigned {
		return c.advance(ctx) // another worker has computed it meanwhile
	}
	gone, away := a.Weigh(found)
	rest := c.archiveAway(away)
	if len(rest) < len(away) && len(rest)+len(gone) == 0 {
		c.requeueChecked(cell, id)
		return c.advance(ctx)
	}
	away = rest
	h := c.failures.Of(id)
	switch {
	case len(gone) > 0:
		err = c.lostAt(a, gone, true)
	case len(away) > 0:
		silent := func(name string) bool { return c.members.Get(name) == nil || c.silentHolder(name, asked) }
		if !h.Unreached(confirmedUnreachable, nil) && !slices.ContainsFunc(away, silent) {
			c.failures.Retry(id, c.o.Now())
			return c.advance(ctx)
		}
		h.Reached()
		err = c.lostAt(a, away, false)
	default:
		err = c.refuted(a, h)
	}
	if err != nil {
		return err
	}
	c.requeueChecked(cell, id)
	return c.advance(ctx)
}

// refuted deals with an accusation that the coordinator has not found true.
func (c *Coordinator) refuted(a failures.Accusation, h *failures.History) error {
	h.Doubt(a)
	c.fault(a.Worker, errors.New(a.Failure.Text))
	c.bothPay(a)
	if a.Failure.Unreachable {
		if alive := c.members.Alive(a.Failure.Holders, c.o.Now()); len(alive) > 0 {
			h.Prefer(alive[0]) // a holder of the parent need not reach other workers
		}
	}
	if len(c.members.Candidates(h.Unfit())) > 0 {
		return nil
	}
	// A worker that has never reported a window would have those of others computed again without end.
	for _, a := range h.Believe(c.members.Proven) {
		if err := c.lostAt(a, a.Failure.Holders, !a.Failure.Unreachable); err != nil {
			return err
		}
	}
	return nil
}

// bothPay takes the time of an accusation that was not found true off the budgets of both sides, as one of the two is
// wrong. The holders pay together what the accuser pays, so that an accusation costs its party as much as it does
// others. When all parties are in reserve, the accuser has nothing left to pay with, and each holder pays it all.
func (c *Coordinator) bothPay(a failures.Accusation) {
	if !slices.Contains(c.members.Trusted(), a.Worker) {
		return
	}
	share := a.Waited
	if !c.members.InReserve(a.Worker) {
		share = c.members.Costs.Stake(a.Worker, a.Waited) / time.Duration(len(a.Failure.Holders))
	}
	for _, name := range a.Failure.Holders {
		c.servedIn(name, share)
	}
}

// lostAt notes that some holders do not have a parent.
func (c *Coordinator) lostAt(a failures.Accusation, holders []string, damage bool) error {
	f := a.Failure
	f.Holders = holders
	return c.lost(a.Worker, &f, damage)
}

// requeueChecked assigns a window again, unless a worker or the coordinator has it.
func (c *Coordinator) requeueChecked(cell *plan.Cell, id puzzle.WindowID) {
	if !c.account.Has(id) && !c.own.pending[id] {
		c.plan.Requeue(cell, id.Part)
	}
}
