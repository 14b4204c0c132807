package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/session"
	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/run/protocol"
)

// pauseRefused is how long a run that this worker does not serve is not looked at again.
const pauseRefused = 5 * time.Second

// A pool has the runs that a process serves at a time.
type pool struct {
	*process
	serves   map[string]bool      // by run ID
	pausedTo map[string]time.Time // runs that are not looked at before
	told     map[string]bool      // runs, as they were announced, and why they are not served
	ended    chan ending
}

// An ending says how the work for a run has ended.
type ending struct {
	of  protocol.Announcement
	err error
}

// oneRun reports whether the process serves one run and no other beside it.
func (p *process) oneRun() bool { return p.once || p.run != "" || p.atATime == 1 }

// serve serves the runs that are announced, until ctx is done or, with --once, the first is over.
func (p *process) serve(ctx context.Context) error {
	work, leave := context.WithCancel(ctx)
	defer leave()
	heard, deaf := make(chan protocol.Announcement), make(chan error, 1)
	go func() {
		deaf <- natsqueue.Hear(work, p.nats, p.run, func(a protocol.Announcement) {
			select {
			case heard <- a:
			case <-work.Done():
			}
		})
	}()
	all := &pool{
		process: p, serves: make(map[string]bool), pausedTo: make(map[string]time.Time), told: make(map[string]bool),
		ended: make(chan ending),
	}
	p.log.Info("waiting for a run", "wanted", p.wanted())
	var err error
	for done := false; !done && ctx.Err() == nil; {
		select {
		case a := <-heard:
			done = all.offer(work, &a)
		case e := <-all.ended:
			done, err = all.end(ctx, e)
		case err = <-deaf:
			done = true
		case <-ctx.Done():
		}
	}
	leave()
	for len(all.serves) > 0 {
		e := <-all.ended
		delete(all.serves, e.of.Run)
		err = errors.Join(err, e.err)
	}
	if ctx.Err() != nil {
		return cli.Drained(ctx, err)
	}
	return err
}

// offer begins to serve an announced run, if this process does. done says that the run of --once is over.
func (l *pool) offer(ctx context.Context, a *protocol.Announcement) (done bool) {
	if a.Over && (a.Error == "" || l.run == "") {
		// The coordinator is about to leave. Of runs that a worker has not chosen, another is as good.
		l.over = l.once && l.run != "" && len(l.serves) == 0
		return l.over
	}
	if l.serves[a.Run] || len(l.serves) > 0 && l.oneRun() || len(l.serves) >= l.atATime ||
		time.Now().Before(l.pausedTo[a.Run]) {
		return false
	}
	l.serves[a.Run] = true
	l.count()
	go func() {
		err := l.serveRun(ctx, a)
		l.tellUnfit(ctx, a, err)
		l.ended <- ending{*a, err}
	}()
	return false
}

// count tells others how many runs are served.
func (l *pool) count() {
	l.serving.Store(int64(len(l.serves)))
	l.alone.serving(len(l.serves) > 0)
}

// end notes that a run has ended for this process. done says that the process ends, with err.
func (l *pool) end(ctx context.Context, e ending) (done bool, err error) {
	run := e.of.Run
	delete(l.serves, run)
	l.count()
	var no *refusal
	switch err := e.err; {
	case ctx.Err() != nil:
		return true, err
	case errors.Is(err, kv.ErrDiskFull):
		return true, cli.Hint(&cli.StoppedError{Err: err}, "free some space; the same command goes on")
	case errors.Is(err, session.ErrOrphaned) && len(l.serves) == 0:
		return true, cli.Hint(fmt.Errorf("%w: %w", cli.ErrAlone, err), "start it again when somebody leads the run")
	case l.once:
		l.over = true
		return true, err
	case err == nil:
		l.log.Info("run is over", ops.RunKey, run)
	case errors.As(err, &no) && l.run != "":
		return true, err
	case errors.As(err, &no), errors.Is(err, errNoRoom):
		if key := run + "\n" + e.of.Program + "\n" + err.Error(); !l.told[key] {
			l.told[key] = true
			l.log.Error("run is not served", ops.RunKey, run, "program", build.Read().String(),
				"coordinator_program", cmp.Or(e.of.Program, "unknown"), ops.ErrorKey, err, "hint", cli.Advice(err))
		}
	default:
		l.log.Error("run has ended", ops.RunKey, run, ops.ErrorKey, err)
	}
	if e.err != nil {
		l.pausedTo[run] = time.Now().Add(pauseRefused)
	}
	if len(l.serves) == 0 && no == nil { // a worker that does not serve a run has said so
		l.log.Info("waiting for a run", "wanted", l.wanted())
	}
	return false, nil
}

// tellUnfit tells the coordinator of a run that this worker refuses why it does, if it can be told quickly.
func (p *process) tellUnfit(ctx context.Context, a *protocol.Announcement, reason error) {
	var no *refusal
	if !errors.As(reason, &no) {
		return
	}
	link, err := natsqueue.NewLink(p.nats, a.Run)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pauseRefused)
	defer cancel()
	// A coordinator of an earlier program takes it for the heartbeat of a worker that has not joined, and changes nothing.
	_, err = link.Heartbeat(ctx, protocol.Heartbeat{
		Run: a.Run, Worker: p.name, Incarnation: "unfit", Program: build.Read().String(),
		Unfit: protocol.Clip(strings.TrimPrefix(reason.Error(), "run "+a.Run+": ")),
	})
	if err != nil {
		p.log.Debug("the coordinator was not told", ops.RunKey, a.Run, ops.ErrorKey, err)
	}
}

func (p *process) wanted() string {
	if p.run == "" {
		return "any"
	}
	return p.run
}
