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
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
)

func (a *app) batchRunCommand() *cobra.Command {
	var f runFlags
	var retry bool
	cmd := &cobra.Command{
		Use:   "run BATCH",
		Short: "carry out a batch, or resume it, and print its results",
		Long: `Carry out a batch, or resume it, and print the table of its results.

Members that are complete are passed over, and those that have begun are resumed. A member that fails is set aside, and
the others go on; --retry-failed tries it again. Ctrl-C and SIGTERM stop the batch within seconds; the same command
resumes it.`,
		Example: `  coordinator batch run configs/batches/triangles.yaml
  coordinator batch run configs/batches/triangles.yaml --data /data/triangles --retry-failed`,
	}
	cmd.Flags().BoolVar(&retry, "retry-failed", false, "try members again that have failed")
	cmd.Flags().BoolVar(&f.anyDisk, "any-disk", false,
		"begin members although the disk may be too small; a full disk loses nothing")
	cli.AddLog(cmd, &f.Log)
	a.batchAction(cmd, func(ctx context.Context, b *batch.Batch) error { return a.runBatch(ctx, b, &f, retry) },
		func() error { return cli.CheckLog(f.Log) })
	return cmd
}

// runBatch carries out a batch, and prints the table of its results.
func (a *app) runBatch(ctx context.Context, b *batch.Batch, f *runFlags, retry bool) error {
	if b.AtATime > 1 {
		cli.LimitMemory(b.MemoryLimit, uint64(b.AtATime)*databases)
	}
	d := a.newBatchDisplay(b, f.Log)
	defer d.close()
	_, err := b.Run(ctx, batch.Options{
		Retry: retry, Begun: d.start, Ended: d.ended,
		Carry: func(ctx context.Context, m *batch.Member) error { return a.runMember(ctx, b, m, f, d) },
	})
	d.close()
	if err != nil && !errors.Is(err, cli.ErrSomeFailed) {
		return err
	}
	t, _, tableErr := b.Table(context.WithoutCancel(ctx), batch.MembersTable)
	if tableErr != nil {
		return errors.Join(tableErr, err)
	}
	s := render.Sheet{Style: a.style()}
	s.Table(t)
	return errors.Join(a.print(s.Bytes()[1:]), err) // without the blank line above a table
}

// runMember carries out a member as run does, without its results on stdout.
func (a *app) runMember(ctx context.Context, b *batch.Batch, m *batch.Member, f *runFlags, d *batchDisplay) error {
	j, err := m.Job(ctx)
	if err != nil {
		return err
	}
	l := newLive()
	l.beside = b.AtATime > 1
	l.display = func(p *progress) *display { return d.member(m, p) }
	if l.export, err = newFinalExport(ctx, j); err != nil {
		return err
	}
	return a.run(ctx, j, f, l, func(*puzzle.Summary) error { return nil })
}

// A batchDisplay shows the progress of a batch on stderr: on a terminal a line for each member under way and one for
// the batch, which are redrawn, and elsewhere one line for each member that has ended.
type batchDisplay struct {
	batch   *batch.Batch
	log     *slog.Logger // of the batch
	members *slog.Logger // of the members, of whose log only trouble is shown
	close   func()

	mu       sync.Mutex
	tally    batch.Tally
	underWay []memberProgress
	begun    map[string]time.Time
}

type memberProgress struct {
	name string
	*progress
}

func (a *app) newBatchDisplay(b *batch.Batch, style ops.LogStyle) *batchDisplay {
	d := &batchDisplay{batch: b, close: func() {}, begun: make(map[string]time.Time)}
	style = cli.LogStyle(style, a.stderr, a.environ)
	quiet := style
	if style.Level == ops.LogInfo {
		quiet.Level = "warn"
	}
	if style.Form == ops.LogJSON || !cli.Terminal(a.stderr, a.environ) {
		d.log, d.members = newLog(a.stderr, style, nil), newLog(a.stderr, quiet, nil)
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

// start says how far the batch is.
func (d *batchDisplay) start(t batch.Tally) {
	d.mu.Lock()
	d.tally = t
	d.mu.Unlock()
	d.log.Info("batch", "batch", d.batch.Name, "data", d.batch.Dir, "members", t.Members, "complete", t.Complete,
		"failed", len(t.Failed), "at_a_time", d.batch.AtATime)
}

// member begins to show the progress of a member.
func (d *batchDisplay) member(m *batch.Member, p *progress) *display {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun[m.Name] = p.begun
	d.underWay = append(d.underWay, memberProgress{m.Name, p})
	return &display{log: d.members.With("member", m.Name, ops.RunKey, m.ID), close: func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.underWay = slices.DeleteFunc(d.underWay, func(o memberProgress) bool { return o.progress == p })
	}}
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
