package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
	"pagoda/internal/run/rundir"
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
				return a.printJSON(s)
			}
			return a.print(render.Status(&s.Status, a.style()))
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

// statusSource returns a function that reads the present status.
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
