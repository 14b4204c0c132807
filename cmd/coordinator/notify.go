package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/notify"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/readfile"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
)

// A notice tells the webhook of a run once that it has ended. The run does not depend on it. nil: it has no webhook.
type notice struct {
	job     *runs.Job
	webhook *notify.Webhook
	begun   time.Time
	log     *slog.Logger // of the run, from logTo
	once    sync.Once
	sent    chan struct{} // closed when the message is delivered or given up
}

// newNotice reads the settings of notifications. It returns nil if the config asks for none.
func newNotice(ctx context.Context, j *runs.Job) (*notice, error) {
	w, err := webhook(ctx, j)
	if w == nil {
		return nil, err
	}
	return &notice{job: j, webhook: w, begun: time.Now(), sent: make(chan struct{})}, nil
}

// webhook makes the webhook of a run, nil when it has none.
func webhook(ctx context.Context, j *runs.Job) (*notify.Webhook, error) {
	url, path := j.Config.Text("notify"), j.Config.Text("notify_secret_file")
	if url == "" {
		return nil, nil
	}
	wrong := func(key string, err error) error {
		return j.Config.Locate(&setting.Error{Setting: key, Err: err, Hint: cli.Advice(err)})
	}
	w, err := notify.New(url)
	if err != nil {
		return nil, wrong("notify", err)
	}
	if path != "" {
		const most = 4096
		content, err := readfile.Read(ctx, path, most)
		if err == nil {
			err = w.Sign(content)
		}
		if err != nil {
			return nil, wrong("notify_secret_file", err)
		}
	}
	return w, nil
}

// logTo has the notice log its delivery.
func (n *notice) logTo(log *slog.Logger) {
	if n != nil {
		n.log = log
	}
}

// begin starts to tell that the run has ended with err, or is complete with results, unless that was told already.
func (n *notice) begin(ctx context.Context, err error, results *plan.Plan) {
	if n == nil {
		return
	}
	n.once.Do(func() {
		m := n.message(ctx, err, results)
		go func() {
			defer close(n.sent)
			attempts, err := n.webhook.Send(ctx, m)
			args := []any{"state", m.Data.State, "to", n.webhook.String(), "attempts", attempts}
			if err != nil {
				n.log.Warn("the notification was not delivered", append(args, ops.ErrorKey, err)...)
				return
			}
			n.log.Info("the notification was delivered", args...)
		}()
	})
}

// end is begin with the outcome of a run, and returns when the delivery has ended, after a bounded time.
func (n *notice) end(ctx context.Context, err error, out *engine.Outcome) {
	if n == nil {
		return
	}
	var results *plan.Plan
	if out != nil {
		results = out.Results
	}
	n.begin(ctx, err, results)
	<-n.sent
}

// message is the message about the end of the run.
func (n *notice) message(ctx context.Context, err error, results *plan.Plan) *notify.Message {
	d := aboutRun(n.job)
	d.Seconds = time.Since(n.begun).Seconds()
	if err == nil {
		d.Totals, err = n.job.Totals(results)
	}
	return notify.Ended(d, cli.Cause(ctx, err))
}

// aboutRun describes the run of a job, without its end.
func aboutRun(j *runs.Job) notify.Data {
	return notify.Data{
		Run: j.ID, Name: j.Config.Text("name"), Puzzle: j.Definition.Name, Settings: j.DecidingSettings(),
	}
}

func (a *app) notifyCommand() *cobra.Command {
	var f settingFlags
	cmd := &cobra.Command{
		Use:   "notify CONFIG",
		Short: "send a test message to the webhook of a config",
		Long: `Send a test message to the webhook that the key notify of a config names, as a run does at its end.

It is sent once. The command ends with 0 when the webhook takes it, and with 1 when it does not. No run is begun.`,
		Example: `  coordinator notify configs/english.yaml --set notify=https://hooks.example.com/runs
  PAGODA_NOTIFY=https://hooks.example.com/runs coordinator notify configs/english.yaml`,
		Args:              oneFile("config"),
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			j, err := a.load(ctx, args[0], &f)
			if err != nil {
				return err
			}
			w, err := webhook(ctx, j)
			if err != nil {
				return err
			}
			if w == nil {
				return usage("the config has no webhook", "add --set notify=https://HOST/PATH")
			}
			if err := w.Try(ctx, notify.Test(aboutRun(j))); err != nil {
				return fmt.Errorf("notify: %s: %w", w, err)
			}
			signed := "signed"
			if !w.Signed() {
				signed = "not signed: there is no notify_secret_file"
			}
			return a.print(fmt.Appendf(nil, "delivered to %s, %s\n", w, signed))
		}),
	}
	f.add(cmd, a.catalog)
	return cmd
}
