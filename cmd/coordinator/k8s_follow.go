package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/k8s"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/status"
)

// followEvery is the time between two questions to the coordinator.
const followEvery = time.Second

// stoppedFor is how many answers in a row it takes to believe that a run has stopped: a coordinator that is moved to
// another node says the same before it goes.
const stoppedFor = 90

// follow shows the progress of a run on a cluster until its coordinator says that it has ended, and returns how. A run
// of Jobs may end unseen: then status and error are nil when it is complete. It rides out a coordinator that is away:
// pods come and go, and only the run's own record holds the outcome.
func (a *app) follow(ctx context.Context, f *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay) (*api.RemoteStatus, error) {
	p := &progress{begun: time.Now()}
	d := newDisplay(a.stderr, a.environ, ops.LogStyle{}, p, ops.RunKey, o.Run)
	defer d.close()
	p.log = d.log
	trouble := troubles{log: d.log}
	for {
		s, err := a.followOne(ctx, f, k, o, p, &trouble)
		if s != nil || ctx.Err() != nil {
			d.close()
			if s == nil {
				return nil, cli.Hint(fmt.Errorf("%w; the run goes on", context.Cause(ctx)),
					"coordinator k8s status "+o.Name+" shows it, coordinator k8s stop "+o.Name+" stops it")
			}
			if err == nil {
				d.log.Info("complete", "windows", s.Windows, "rows", s.Rows, "bytes", s.Bytes)
			}
			return s, err
		}
		if over, ended := endedUnseen(ctx, k, o); over {
			d.close()
			return nil, ended
		}
		trouble.say(err)
		select {
		case <-ctx.Done():
		case <-time.After(followEvery):
		}
	}
}

// endedUnseen reports whether no coordinator will answer any more. Either its Job has ended, or the run was stopped or
// deleted, which is an error. It returns false if its pods are wanted, or if the cluster does not tell now.
func endedUnseen(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay) (over bool, err error) {
	there, err := k.Workloads(ctx, o.Name)
	if err != nil {
		return false, nil //nolint:nilerr // the next try may say more
	}
	switch w := there[k8s.Coordinator]; {
	case w.Replicas > 0:
		return false, nil
	case w.Ended == k8s.JobComplete:
		return true, nil
	case w.Ended == k8s.JobFailed:
		return true, jobFailed(ctx, k, o, w)
	}
	return true, cli.Hint(&cli.StoppedError{Err: fmt.Errorf("run %s was stopped while it was waited for", o.Name)},
		"coordinator k8s resume "+o.Name+" goes on with it")
}

// followOne watches one coordinator until the run has ended, or the coordinator cannot be reached any more.
func (a *app) followOne(
	ctx context.Context, f *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay, p *progress, trouble *troubles,
) (*api.RemoteStatus, error) {
	c, err := f.dial(ctx, k, o.Name)
	if err != nil {
		return nil, err
	}
	defer c.close()
	stopped := 0 // answers in a row that say so
	for {
		s, err := c.Status(ctx)
		if err != nil {
			return nil, err
		}
		if s.Run != "" && s.Run != o.Run {
			return nil, fmt.Errorf("coordinator %s speaks of run %.40q", c.pod.Name, s.Run)
		}
		trouble.over(c.pod)
		p.remote(&s.Status.Status)
		over, ended := s.Ended()
		if stopped++; !over || !s.Passing() {
			stopped = 0
		}
		if over && (stopped == 0 || stopped > stoppedFor) {
			if err := k.Record(ctx, c.pod, ended != nil, reason(ended), eventText(s)); err != nil {
				p.log.Warn("the event could not be recorded", ops.ErrorKey, err)
			}
			return s, ended
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(followEvery):
		}
	}
}

// reason is the word for how a run ended, in the event on the coordinator's pod.
func reason(ended error) string {
	if ended == nil {
		return "RunComplete"
	}
	if cli.Code(ended) == cli.Usage || cli.Code(ended) == cli.Differs {
		return "RunRefused"
	}
	return "RunFailed"
}

func eventText(s *api.RemoteStatus) string {
	if s.Error != "" {
		return s.Error
	}
	return fmt.Sprintf("run %s: %s, %s", s.Run, plural.Of(s.Windows, "window"), plural.Of(s.Rows, "row"))
}

// remote takes over the status of a coordinator elsewhere.
func (p *progress) remote(s *status.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = stateOf(s)
	if !s.Started.IsZero() { // by the clock there, which need not be ours
		p.begun = time.Now().Add(s.Started.Sub(s.Updated))
	}
}

// troubles logs why a run cannot be seen, once for every change.
type troubles struct {
	log  *slog.Logger
	last string
	seen bool // the coordinator has been reached before
}

func (t *troubles) say(err error) {
	if err == nil || errors.Is(err, context.Canceled) || err.Error() == t.last {
		return
	}
	t.last = err.Error()
	if errors.Is(err, k8s.ErrNoPod) && !t.seen {
		t.log.Info("waiting for the coordinator", "why", err)
		return
	}
	t.log.Warn("the coordinator cannot be reached, trying again", ops.ErrorKey, err)
}

func (t *troubles) over(pod k8s.Pod) {
	if t.last != "" || !t.seen {
		t.log.Info("reached the coordinator", "pod", pod.Name, "node", pod.Node)
	}
	t.last, t.seen = "", true
}
