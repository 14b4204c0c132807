package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
)

func (a *app) batchRunCommand() *cobra.Command {
	f := runFlags{output: render.Text}
	var data string
	var retry, linger bool
	cmd := &cobra.Command{
		Use:   "run BATCH",
		Short: "carry out a batch, or resume it, and print its results",
		Long: `Carry out a batch, or resume it, and print the table of its results.

Members that are complete are passed over, and those that have begun are resumed. A member that fails is set aside, and
the others go on; --retry-failed tries it again. Ctrl-C and SIGTERM stop the batch within seconds; the same command
resumes it.

With --listen or --nats, worker processes compute windows of all members; with --concurrency 0, they alone. With --api
another machine can ask how far the batch is, and export its table. See docs/batches.md.`,
		Example: `  coordinator batch run configs/batches/triangles.yaml
  coordinator batch run configs/batches/triangles.yaml --data /data/triangles --retry-failed
  coordinator batch run configs/batches/triangles.yaml --concurrency 0 --listen 127.0.0.1:4222`,
		Args: oneFile("batch"), ValidArgsFunction: completeConfig,
	}
	addBatchFolder(cmd, &data)
	flags := cmd.Flags()
	flags.BoolVar(&retry, "retry-failed", false, "try members again that have failed")
	flags.BoolVar(&f.anyDisk, "any-disk", false,
		"begin members although the disk may be too small; a full disk loses nothing")
	flags.StringVar(&f.concurrency, "concurrency", "",
		"`number` of windows that this process computes at a time; overrides that of the members")
	flags.StringVar(&f.listen, "listen", "", "`address` HOST:PORT at which worker processes find the members")
	flags.StringVar(&f.api, "api", "", "`address` HOST:PORT of /v1/batch and /v1/export")
	flags.BoolVar(&linger, "linger", false,
		"stay when the batch has ended, to serve exports or to say why it failed, until SIGTERM")
	if err := cmd.RegisterFlagCompletionFunc("concurrency", cobra.NoFileCompletions); err != nil {
		panic(err) // the flag is defined above
	}
	f.AddFlags(cmd)
	cmd.RunE = a.action(func(ctx context.Context, args []string) error {
		given, err := f.overrides()
		if err := errors.Join(f.check(), err); err != nil {
			return err
		}
		load := func() (*batch.Batch, error) { return batch.Load(ctx, a.loader(), args[0], data, given...) }
		return a.runBatch(ctx, load, &f, batchEnd{retry: retry, linger: linger})
	})
	return cmd
}

// checkPool returns an error if the members of a batch cannot be carried out with the workers that the flags give it.
func checkPool(b *batch.Batch, f *runFlags) error {
	if !f.fleet() {
		return b.CheckAlone()
	}
	if f.listen != "" && b.AtATime > natsqueue.MaxQueues {
		return usage(fmt.Sprintf("at_a_time: the queue of --listen is for %d members at the same time", natsqueue.MaxQueues),
			"write at_a_time: 8 or so, or start a NATS server and give --nats")
	}
	if b.Computes() {
		return f.CheckReach(f.listen)
	}
	return nil
}

// batchEnd says what becomes of members that have failed, and of a batch that has ended.
type batchEnd struct{ retry, linger bool }

// runBatch carries out a batch, and prints the table of its results. It shows the batch to clients meanwhile, and
// afterwards if it is to linger.
func (a *app) runBatch(ctx context.Context, load func() (*batch.Batch, error), f *runFlags, e batchEnd) (err error) {
	d := a.newBatchDisplay(f.Log)
	defer d.close()
	p, err := newPool(ctx, f, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	err = a.runPool(ctx, load, p, e)
	d.close()
	p.ended(err)
	if !e.linger || ctx.Err() != nil {
		return err
	}
	if err != nil {
		d.log.Error("the batch has ended; staying until told to stop", ops.ErrorKey, err)
	} else {
		d.log.Info("serving the complete batch until told to stop, with SIGTERM or Ctrl-C")
	}
	<-ctx.Done()
	return err
}

// runPool reads a batch, carries it out with a pool, and prints the table of its results.
func (a *app) runPool(ctx context.Context, load func() (*batch.Batch, error), p *pool, e batchEnd) error {
	b, err := load()
	if err == nil {
		err = checkPool(b, p.flags)
	}
	if err != nil {
		return err
	}
	if b.AtATime > 1 {
		cli.LimitMemory(b.MemoryLimit, uint64(b.AtATime)*databases)
	}
	if err := p.carries(b); err != nil {
		return err
	}
	p.display.shows(b)
	_, err = b.Run(ctx, batch.Options{
		Retry: e.retry, Ended: p.display.ended,
		Begun: func(t batch.Tally) error {
			p.display.start(t)
			if t.Complete+len(t.Failed) == t.Members && !e.linger {
				return nil
			}
			return p.open(ctx)
		},
		Carry: func(ctx context.Context, m *batch.Member) error { return a.runMember(ctx, m, p) },
	})
	p.display.close()
	if err != nil && !errors.Is(err, cli.ErrSomeFailed) {
		return err
	}
	text, tableErr := batchResults(context.WithoutCancel(ctx), b, a.style())
	if tableErr != nil {
		return errors.Join(tableErr, err)
	}
	return errors.Join(a.print(text), err)
}

// batchResults is the table of the results of a batch for people.
func batchResults(ctx context.Context, b *batch.Batch, style render.Style) ([]byte, error) {
	t, _, err := b.Table(ctx, batch.MembersTable)
	if err != nil {
		return nil, err
	}
	s := render.Sheet{Style: style}
	s.Table(t)
	return s.Bytes()[1:], nil // without the blank line above a table
}

// runMember carries out a member as run does, without its results on stdout.
func (a *app) runMember(ctx context.Context, m *batch.Member, p *pool) error {
	j, err := m.Job(ctx)
	if err != nil {
		return err
	}
	if err := checkArchive(ctx, j, p.flags); err != nil {
		return &batch.PoolError{Err: err}
	}
	l := p.member()
	l.display = func(shown *progress) *display { return p.display.member(m, shown) }
	if l.export, err = newFinalExport(ctx, j); err != nil {
		return err
	}
	return a.run(ctx, j, p.flags, l, func(*puzzle.Summary) error { return nil })
}

// A batchDisplay shows the progress of a batch on stderr: on a terminal a line for each member under way and one for
// the batch, which are redrawn, and elsewhere one line for each member that has ended or waits.
type batchDisplay struct {
	batch   *batch.Batch // nil: it is not read yet
	log     *slog.Logger // of the batch
	members *slog.Logger // of the members, of whose log only trouble is shown
	close   func()

	mu       sync.Mutex
	tally    batch.Tally
	underWay []*memberProgress
	begun    map[string]time.Time
}

type memberProgress struct {
	*progress
	name string
	log  *slog.Logger
	// waits is the reason to wait that the log has, "" for none.
	waits string
}

// newBatchDisplay starts a display, which shows nothing before it has its batch.
func (a *app) newBatchDisplay(style ops.LogStyle) *batchDisplay {
	d := &batchDisplay{begun: make(map[string]time.Time)}
	style = cli.LogStyle(style, a.stderr, a.environ)
	quiet := style
	if style.Level == ops.LogInfo {
		quiet.Level = "warn"
	}
	if style.Form == ops.LogJSON || !cli.Terminal(a.stderr, a.environ) {
		d.log, d.members = newLog(a.stderr, style, nil), newLog(a.stderr, quiet, nil)
		d.close = repeat(logEvery, d.logWaiting)
		return d
	}
	s := &screen{terminal: a.stderr, lines: func(_, columns int) []string { return d.lines(columns) }}
	stop := repeat(redrawEvery, func() { _ = s.draw() }) // a batch goes on without its terminal
	d.log, d.members = newLog(s, style, nil), newLog(s, quiet, nil)
	d.close = sync.OnceFunc(func() {
		stop()
		_ = s.close()
	})
	return d
}

// shows has the display show a batch.
func (d *batchDisplay) shows(b *batch.Batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batch = b
}

// start says how far the batch is.
func (d *batchDisplay) start(t batch.Tally) {
	d.tallied(t)
	d.log.Info("batch", "batch", d.batch.Name, "data", d.batch.Dir, "members", t.Members, "complete", t.Complete,
		"failed", len(t.Failed), "at_a_time", d.batch.AtATime)
}

// tallied takes notice of how many members have ended.
func (d *batchDisplay) tallied(t batch.Tally) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tally = t
}

// member begins to show the progress of a member.
func (d *batchDisplay) member(m *batch.Member, p *progress) *display {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun[m.Name] = p.begun
	about := []any{"member", m.Name, ops.RunKey, m.ID}
	d.underWay = append(d.underWay, &memberProgress{progress: p, name: m.Name, log: d.log.With(about...)})
	return &display{log: d.members.With(about...), close: func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.underWay = slices.DeleteFunc(d.underWay, func(o *memberProgress) bool { return o.progress == p })
	}}
}

// logWaiting logs what members wait for, once for each reason.
func (d *batchDisplay) logWaiting() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.underWay {
		s, _ := m.snapshot()
		if s.waiting != m.waits && s.waiting != "" {
			m.log.Info("member waits", "waiting_for", s.waiting, "waiting_seconds", int64(s.waited.Seconds()))
		}
		m.waits = s.waiting
	}
}

// counts counts the members by their states.
func (d *batchDisplay) counts() ops.Members {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := ops.Members{Running: len(d.underWay), Complete: d.tally.Complete, Failed: len(d.tally.Failed)}
	n.Waiting = d.tally.Members - n.Running - n.Complete - n.Failed
	return n
}

// ended says that a member is complete or has failed.
func (d *batchDisplay) ended(m *batch.Member, t batch.Tally, err error) {
	d.mu.Lock()
	d.tally = t
	begun, is := d.begun[m.Name]
	d.mu.Unlock()
	args := []any{"member", m.Name, ops.RunKey, m.ID}
	if is {
		args = append(args, "seconds", fmt.Sprintf("%.2f", time.Since(begun).Seconds()))
	}
	args = append(args, "complete", t.Complete, "failed", len(t.Failed), "members", t.Members)
	if err != nil {
		d.log.Error("member failed", append(args, ops.ErrorKey, err)...)
		return
	}
	d.log.Info("member complete", args...)
}

// lines are the picture of a batch on a terminal of so many columns.
func (d *batchDisplay) lines(columns int) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.batch == nil {
		return nil
	}
	var lines []string
	for _, m := range d.underWay {
		name := runewidth.Truncate(m.name, columns/3, "…") + "  "
		lines = append(lines, name+m.line(columns-runewidth.StringWidth(name)))
	}
	count := fmt.Sprintf("%d/%d members complete", d.tally.Complete, d.tally.Members)
	if n := len(d.tally.Failed); n > 0 {
		count += fmt.Sprintf(", %d failed", n)
	}
	return append(lines, runewidth.Truncate("batch "+d.batch.Name+"  "+count, columns, "…"))
}
