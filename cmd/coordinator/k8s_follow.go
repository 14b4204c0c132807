package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/k8s"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/status"
)

// followEvery is the time between two questions to the coordinator.
const followEvery = time.Second

// stoppedFor is how many answers in a row it takes to believe that a run has stopped: a coordinator that is moved to
// another node says the same before it goes.
const stoppedFor = 90

// An answer is the word of a coordinator about its run or its batch.
type answer interface {
	// Ended returns how it ended; over is false while it goes on. Only the coordinator's own record counts.
	Ended() (over bool, err error)
	// Passing reports whether the end may be that of the process alone, which comes back.
	Passing() bool
	state() (state, trouble string)
	id() string    // of the run or the batch, "" when the coordinator does not know it yet
	event() string // about its end, for the coordinator's pod
	text(style render.Style) []byte
	document() json.RawMessage // the JSON form
}

// A followView shows the progress of a run or a batch that is followed.
type followView interface {
	took(s answer)
	logger() *slog.Logger
	close()
}

// runAnswer is the answer about a run.
type runAnswer struct{ *api.RemoteStatus }

func (r runAnswer) state() (state, trouble string) { return r.State, r.Error }
func (r runAnswer) id() string                     { return r.Run }
func (r runAnswer) text(style render.Style) []byte { return render.Status(&r.Status.Status, style) }
func (r runAnswer) document() json.RawMessage      { return r.Raw }

func (r runAnswer) event() string {
	if r.Error != "" {
		return r.Error
	}
	return fmt.Sprintf("run %s: %s, %s", r.Run, plural.Of(r.Windows, "window"), plural.Of(r.Rows, "row"))
}

// questionTo asks a coordinator how far its run or batch is.
func questionTo(ctx context.Context, c *api.Client, o *k8s.Overlay) (answer, error) {
	if o.Batch != "" {
		r, err := askBatch(ctx, c)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	s, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	return runAnswer{s}, nil
}

// runView shows the progress of a run.
type runView struct {
	p *progress
	d *display
}

func (v *runView) took(s answer)        { v.p.remote(&s.(runAnswer).Status.Status) }
func (v *runView) logger() *slog.Logger { return v.d.log }
func (v *runView) close()               { v.d.close() }

// followed starts the view of a run or a batch.
func (a *app) followed(o *k8s.Overlay) followView {
	if o.Batch != "" {
		return a.newBatchView(o)
	}
	p := &progress{begun: time.Now()}
	d := newDisplay(a.stderr, a.environ, ops.LogStyle{}, p, ops.RunKey, o.Run)
	p.log = d.log
	return &runView{p, d}
}

// follow shows the progress of a run or a batch on a cluster until its coordinator says that it has ended, and returns
// how. A run of Jobs may end unseen: then answer and error are nil when it is complete. It rides out a coordinator that
// is away: pods come and go, and only the run's own record holds the outcome.
func (a *app) follow(ctx context.Context, f *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay) (answer, error) {
	v := a.followed(o)
	defer v.close()
	trouble := troubles{log: v.logger()}
	for {
		s, err := a.followOne(ctx, f, k, o, v, &trouble)
		if s != nil || ctx.Err() != nil {
			v.close()
			if s == nil {
				return nil, cli.Hint(fmt.Errorf("%w; the %s goes on", context.Cause(ctx), kindOf(o)),
					"coordinator k8s status "+o.Name+" shows it, coordinator k8s stop "+o.Name+" stops it")
			}
			if r, is := s.(runAnswer); is && err == nil {
				v.logger().Info("complete", "windows", r.Windows, "rows", r.Rows, "bytes", r.Bytes)
			}
			return s, err
		}
		if over, ended := endedUnseen(ctx, k, o); over {
			v.close()
			return nil, ended
		}
		trouble.say(err)
		select {
		case <-ctx.Done():
		case <-time.After(followEvery):
		}
	}
}

// kindOf returns the word run or batch, as an overlay is of one or the other.
func kindOf(o *k8s.Overlay) string {
	if o.Batch != "" {
		return "batch"
	}
	return "run"
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
	ctx context.Context, f *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay, v followView, trouble *troubles,
) (answer, error) {
	c, err := f.dial(ctx, k, o.Name)
	if err != nil {
		return nil, err
	}
	defer c.close()
	stopped := 0 // answers in a row that say so
	for {
		s, err := questionTo(ctx, c.Client, o)
		if err != nil {
			return nil, err
		}
		if s.id() != "" && s.id() != o.Run {
			return nil, fmt.Errorf("coordinator %s speaks of another run, %.40q", c.pod.Name, s.id())
		}
		trouble.over(c.pod)
		v.took(s)
		over, ended := s.Ended()
		if stopped++; !over || !s.Passing() {
			stopped = 0
		}
		if over && (stopped == 0 || stopped > stoppedFor) {
			if err := k.Record(ctx, c.pod, ended != nil, reason(ended), s.event()); err != nil {
				v.logger().Warn("the event could not be recorded", ops.ErrorKey, err)
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
