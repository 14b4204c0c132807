package compute

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// commitLoop commits, reports and acknowledges computed windows. At its end it calls stop, and then gives back the
// tasks: the other way round the slots would take them again.
func (w *worker) commitLoop(ctx context.Context, stop func()) error {
	for f := range w.computed {
		group, windows := []*finished{f}, len(f.items)
	gather:
		for windows < groupWindows {
			select {
			case f, ok := <-w.computed:
				if !ok {
					break gather
				}
				group = append(group, f)
				windows += len(f.items)
			default:
				break gather
			}
		}
		err := w.commitGroup(ctx, group)
		if err != nil {
			stop()
			giveBack(group)
		}
		for range group {
			<-w.tokens
		}
		if err != nil {
			return w.abandon(err)
		}
	}
	return nil
}

// abandon empties the channel of a worker that can no longer report, so that its slots can end, and returns err.
func (w *worker) abandon(err error) error {
	for f := range w.computed {
		for _, it := range f.items {
			it.unlock()
		}
		giveBack([]*finished{f})
		<-w.tokens
	}
	return err
}

// commitGroup commits the windows of some tasks, reports them, and acknowledges the tasks once the coordinator has
// answered. It goes on for a while after ctx is done, so that computed windows are not lost.
func (w *worker) commitGroup(ctx context.Context, group []*finished) error {
	ctx, cancel := outlive(ctx, drainTime)
	defer cancel()
	rep := protocol.Report{Run: w.o.Run, Worker: w.o.Name}
	var full error
	var taken []protocol.Archived
	for _, it := range w.commit(group) {
		if it.failure != nil {
			it.failure.Attempt = it.attempt
			rep.Failures = append(rep.Failures, *it.failure)
			if it.failure.Kind == protocol.FailDiskFull {
				full = fmt.Errorf("window %s on worker %s: %w: %s", it.window, w.o.Name, kv.ErrDiskFull, it.failure.Text)
			}
			continue
		}
		if rec := &it.record; rec.Rows > 0 && !it.audit && !it.copied {
			taken = append(taken, protocol.Archived{Window: rec.ID(), Digest: rec.Digest})
		}
		rep.Done = append(rep.Done, protocol.Done{
			Record: it.record, Nanos: it.took.Nanoseconds(), Reused: it.reused, Audit: it.audit, Attempt: it.attempt,
		})
	}
	for _, f := range group {
		rep.WaitMillis = max(rep.WaitMillis, time.Since(f.ended).Milliseconds())
	}
	if err := w.report(ctx, rep); err != nil {
		return err
	}
	if len(taken) > 0 {
		notify(w.o.Events.Committed, taken)
	}
	for _, f := range group {
		end := f.d.Nak
		if f.whole {
			end = f.d.Ack
		}
		// A lost acknowledgement costs a second delivery, which finds everything committed.
		_ = end()
	}
	return full // the coordinator goes on without this worker
}

// report sends a report and returns nil when the coordinator has taken it. A report too large for the queue goes in two
// halves.
func (w *worker) report(ctx context.Context, rep protocol.Report) error {
	n := len(rep.Done) + len(rep.Failures)
	if n == 0 {
		return nil
	}
	rep.Number = w.reports.Add(1)
	reply, err := w.send(ctx, rep)
	switch {
	case errors.Is(err, protocol.ErrTooLarge) && n > 1:
		first, second := rep, rep
		first.Done, second.Done = rep.Done[:len(rep.Done)/2], rep.Done[len(rep.Done)/2:]
		first.Failures, second.Failures = rep.Failures[:len(rep.Failures)/2], rep.Failures[len(rep.Failures)/2:]
		if len(first.Done)+len(first.Failures) == 0 { // one of each
			first.Done, second.Done = rep.Done, nil
		}
		if err := w.report(ctx, first); err != nil {
			return err
		}
		return w.report(ctx, second)
	case err != nil:
		return fmt.Errorf("worker %s: report of %d windows: %w", w.o.Name, n, err)
	case reply.Error != "":
		return fmt.Errorf("%w: %s", ErrDismissed, reply.Error)
	case reply.Stop:
		return errOver
	case reply.Refused != "":
		notify(w.o.Events.ReportRefused, reply.Refused)
	}
	return nil
}

// send sends a report. It joins and sends again as often as the coordinator asks for that.
func (w *worker) send(ctx context.Context, rep protocol.Report) (protocol.Reply, error) {
	s := w.s
	for wait := retryFirst; ; wait = min(2*wait, retryMost) {
		since := s.joins.Load()
		rep.Incarnation, rep.Epoch = s.incarnation, s.epoch.Load()
		reply, err := w.o.Queue.Report(ctx, rep)
		if err != nil && ctx.Err() != nil {
			err = ctx.Err() // whatever the queue says of an attempt that has ended in the same moment
		}
		// A former coordinator may say how its own epoch has ended.
		past := reply.Stop && rep.Epoch < s.seen.Load()
		if err != nil || !reply.Rejoin && !past {
			return reply, err
		}
		// A coordinator that has just been replaced may answer once more before it is gone.
		if err := pause.For(ctx, wait); err != nil {
			return reply, err
		}
		if err := s.join(ctx, since); err != nil {
			return reply, err
		}
	}
}

// giveBack returns tasks to the queue. If that fails, the queue gives them to another worker in its own time.
func giveBack(group []*finished) {
	for _, f := range group {
		_ = f.d.Nak()
	}
}

// commit commits the computed windows of group, all at once so that they share writes and syncs. It returns the settled
// items.
func (w *worker) commit(group []*finished) []item {
	var all []item
	for _, f := range group {
		f.d.Progress()
		all = append(all, f.items...)
	}
	var windows []*kv.Finished
	var of []*item
	for i := range all {
		if it := &all[i]; it.writer != nil {
			windows, of = append(windows, &kv.Finished{Writer: it.writer, Tally: it.tally}), append(of, it)
		}
	}
	w.o.Store.CommitAll(windows...)
	for i, c := range windows {
		it := of[i]
		if c.Err != nil {
			it.failure = failure(it.window, c.Err, nil)
			continue
		}
		it.record = c.Record
		if it.fresh {
			w.fresh.note(it.window.ID(), it.attempt)
		}
	}
	// From here on a window may be dropped: the coordinator may find, by the report, that no window will read it.
	for i := range all {
		all[i].unlock()
	}
	return all
}

// failure describes err for the coordinator.
func failure(win puzzle.Window, err error, src *source) *protocol.Failure {
	f := &protocol.Failure{Window: win, Kind: protocol.FailError, Text: err.Error()}
	if len(f.Text) > protocol.MaxTextLen {
		f.Text = f.Text[:protocol.MaxTextLen]
	}
	var missing *puzzle.MissingError
	var foreign *puzzle.ForeignError
	switch {
	case errors.As(err, &foreign):
		f.Kind = protocol.FailForeign
	case src != nil && src.foreign != nil: // the computation has hidden it
		f.Kind, f.Text = protocol.FailForeign, src.foreign.Error()
	case errors.As(err, &missing) && src != nil && src.missed(missing, f):
	case errors.Is(err, puzzle.ErrOverflow):
		f.Kind = protocol.FailOverflow
	case errors.Is(err, kv.ErrDiskFull):
		f.Kind = protocol.FailDiskFull
	}
	return f
}

// outlive returns a context that ends d after parent.
func outlive(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		t := time.AfterFunc(d, cancel)
		context.AfterFunc(ctx, func() { t.Stop() })
	})
	return ctx, func() { stop(); cancel() }
}
