package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/api"
	"pagoda/internal/cli"
	"pagoda/internal/plan"
	"pagoda/internal/plural"
	"pagoda/internal/render"
	"pagoda/internal/rundir"
	"pagoda/internal/status"
)

// statusFlags are the flags of status.
type statusFlags struct {
	data, url, keys, output string
	watch                   bool
	every                   time.Duration
}

func (a *app) statusCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:   "status --data DIR | --url URL",
		Short: "say how far a run is",
		Long: `Say how far the run in a data folder is: running, stopped, complete or failed, and the windows of each layer;
of a fleet also its workers. Works while the run goes on; the figures are then at most a few seconds old. Nothing is
changed.

With --url it asks a coordinator that was started with --api, on whatever machine. --watch goes on until the run is
complete or has failed.`,
		Example: `  coordinator status --data runs/english-0123456789ab
  coordinator status --data runs/english-0123456789ab --output json
  coordinator status --url https://head:7443 --certs keys/coordinator --watch`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error {
			if err := checkOutput(f.output); err != nil {
				return err
			}
			source, err := a.statusSource(ctx, &f)
			if err != nil {
				return err
			}
			if f.watch {
				return a.watchStatus(ctx, &f, source)
			}
			s, err := source(ctx)
			if err != nil {
				return err
			}
			if f.output == render.JSON {
				b, err := json.MarshalIndent(s, "", "  ")
				if err != nil {
					return err
				}
				return a.print(append(b, '\n'))
			}
			return a.print(statusText(&s.Status))
		}),
	}
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of the run")
	addURL(cmd, &f.url, &f.keys)
	cmd.Flags().BoolVar(&f.watch, "watch", false, "say it again and again, until the run is complete or has failed")
	cmd.Flags().DurationVar(&f.every, "interval", 2*time.Second, "`time` between two statuses of --watch")
	addOutput(cmd, &f.output)
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// addURL adds the flags that name a coordinator which answers over its API.
func addURL(cmd *cobra.Command, url, keys *string) {
	cmd.Flags().StringVar(url, "url", "", "`URL` of a coordinator that runs with --api, https://HOST:PORT")
	cmd.Flags().StringVar(keys, "certs", "", "`folder` with the certificates of a coordinator, for --url")
	if err := cmd.MarkFlagDirname("certs"); err != nil {
		panic(err) // the flag is defined above
	}
}

// checkWhere demands a folder or a URL.
func checkWhere(data, url string) error {
	if (data == "") == (url == "") {
		return usage("one of --data and --url must be given",
			"--data names a folder, --url a coordinator that runs with --api")
	}
	return nil
}

// statusSource returns what says the present status.
func (a *app) statusSource(ctx context.Context, f *statusFlags) (func(context.Context) (*api.Status, error), error) {
	if err := checkWhere(f.data, f.url); err != nil {
		return nil, err
	}
	if f.every < 100*time.Millisecond {
		return nil, usage(fmt.Sprintf("--interval: %s is too short", f.every), "write --interval 2s")
	}
	if f.url != "" {
		r, err := api.Dial(f.url, f.keys)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (*api.Status, error) {
			s, err := r.Status(ctx)
			if err != nil {
				return nil, err
			}
			return &s.Status, nil
		}, nil
	}
	j, err := a.loader().Stored(ctx, f.data)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (*api.Status, error) {
		s, err := rundir.ReadStatus(f.data, j.Puzzle)
		return &api.Status{Status: s}, cli.AdviseFolder(err, f.data)
	}, nil
}

func statusText(st *status.Status) []byte {
	var s render.Sheet
	s.Numbers()
	s.Printf("layer\twindows\tdone\trows\tbytes\t\n")
	for _, l := range st.Layers {
		s.Printf("%d\t%d\t%d\t%d\t%d\t\n", l.Layer, l.Windows, l.Done, l.Rows, l.Bytes)
	}
	s.Columns()
	s.Printf("\nrun\t%s\npuzzle\t%s\nstate\t%s\n", st.Run, st.Puzzle, st.State)
	if st.Error != "" {
		s.Printf("error\t%s\n", st.Error)
	}
	more := ""
	if !st.Planned {
		more = " planned so far"
	}
	s.Printf("windows\t%d of %d%s\nrows\t%d\ndisk\t%s\n", st.Done, st.Windows, more, st.Rows, plan.Bytes(st.Bytes))
	if st.AuditsDue > 0 {
		s.Printf("audits\t%d left\n", st.AuditsDue)
	}
	if st.State == status.StateRunning && !st.Updated.IsZero() {
		elapsed := st.Updated.Sub(st.Started)
		s.Printf("concurrency\t%d\nrunning for\t%s\n", st.Concurrency, elapsed.Round(time.Second))
		s.Printf("computed\t%s, %s, %.0f rows/s\n", plural.Of(st.Committed, "window"), plural.Of(st.NewRows, "row"),
			float64(st.NewRows)/max(elapsed.Seconds(), 1))
		s.Printf("left\t%s\n", leftText(st.Left))
		if w := st.Waiting; w != nil {
			s.Printf("waiting\tfor %s, for %s\n", w.For, render.Duration(st.Updated.Sub(w.Since).Seconds()))
		}
		s.Printf("trouble\t%s, %s lost\n", plural.Of(st.Retries, "failed attempt"), plural.Of(st.Lost, "window"))
		s.Printf("updated\t%s\n", st.Updated.Format(time.RFC3339))
	}
	if st.Epoch > 0 && len(st.Workers)+st.WorkersLost > 0 {
		s.Printf("coordinator\tepoch %d\n", st.Epoch)
		s.Printf("fleet\t%s, %d lost since the start\n", plural.Of(len(st.Workers), "worker"), st.WorkersLost)
		s.Printf("transfer\t%s predicted\n", plan.Bytes(st.MovedBytes))
	}
	workersText(&s, st.Workers)
	quarantinedText(&s, st.Quarantined)
	return s.Bytes()
}

// workersText lists the workers of a fleet.
func workersText(s *render.Sheet, all []status.WorkerStatus) {
	if len(all) == 0 {
		return
	}
	s.Columns()
	s.Printf("\nworker\tstate\tbusy\twindows held\treceived\tseen\taddress\n")
	for i := range all {
		w := &all[i]
		s.Printf("%s\t%s\t%d/%d\t%d\t%s\t%s\t%s\n", w.Name, w.State, w.Busy, w.Concurrency, w.Held, plan.Bytes(w.Moved),
			w.Seen.Format(time.TimeOnly), w.Address)
	}
}

// quarantinedText lists the windows that were set aside.
func quarantinedText(s *render.Sheet, all []status.QuarantinedWindow) {
	if len(all) == 0 {
		return
	}
	s.Columns()
	s.Printf("\nset aside\tattempts\tlast error\n")
	for i := range all {
		s.Printf("%s\t%d\t%s\n", all[i].Window, all[i].Attempts, all[i].Error)
	}
}
