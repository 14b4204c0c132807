package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/run/rundir"
)

// certsFlags are the flags of the certs command.
type certsFlags struct {
	hosts     []string
	run       string
	worker    string
	serverDir string
	valid     time.Duration
	renew     bool
}

func (a *app) certsCommand() *cobra.Command {
	var f certsFlags
	cmd := &cobra.Command{
		Use:   "certs DIR",
		Short: "make the credentials with which the processes of a fleet know each other",
		Long: `Make the credentials with which the processes of a fleet know each other, over NATS, when they fetch windows
from each other, and over HTTP. They are needed on every address that other machines can reach.

DIR gets a folder for each role, and each process needs the folder of its role and nothing else:

  DIR/coordinator   --certs of coordinator run; serves for the NATS server in it too
  DIR/worker        --certs of every worker
  DIR/server        for a NATS server of its own: nats-server -js -c DIR/server/nats.conf
  DIR/ca            signs the certificates; needed for --renew and --worker alone: keep it where nobody gets at it

The credentials of workers can be bound to a run: then they are good for nothing else. Whoever has them can take tasks
of the run and report results. All workers with the same ones answer together: a wrong result of one has them all
refused. So give strangers credentials of their own, with --worker.`,
		Example: `  coordinator certs fleet-certs
  coordinator certs fleet-certs --host nats.example.org --valid 720h
  coordinator certs fleet-certs --run 0123456789ab
  coordinator certs fleet-certs --worker alice --run 0123456789ab
  coordinator certs fleet-certs --renew`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("one folder for the credentials is wanted")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: a.action(func(_ context.Context, args []string) error { return a.makeCerts(args[0], &f) }),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.hosts, "host", nil,
		"`name` or address of a NATS server or coordinator, for programs that compare it; may be given several times")
	flags.StringVar(&f.run, "run", "", "bind the worker's credentials to one run, by its `ID` (coordinator plan says it)")
	flags.StringVar(&f.worker, "worker", "", "add credentials for other workers to DIR, in the folder `NAME`")
	flags.BoolVar(&f.renew, "renew", false, "make new certificates for the credentials in DIR")
	flags.DurationVar(&f.valid, "valid", 365*24*time.Hour, "how long the certificates last, a `duration` such as 720h")
	flags.StringVar(&f.serverDir, "server-dir", "",
		"`folder` in which the NATS server will find its credentials, for nats.conf (default DIR/server)")
	return cmd
}

func (a *app) makeCerts(dir string, f *certsFlags) error {
	switch {
	case f.run != "" && !rundir.ValidID(f.run):
		return usage(fmt.Sprintf("--run: %.70q is no run ID", f.run), cli.RunIDHint)
	case f.valid <= 0:
		return usage(fmt.Sprintf("certificates cannot last for %s", f.valid), "such as --valid 720h")
	case f.renew && f.worker != "":
		return usage("--renew and --worker exclude each other", "")
	case (f.renew || f.worker != "") && len(f.hosts) > 0, f.renew && f.run != "":
		return usage("what credentials are good for cannot be changed", "make other credentials in another folder")
	}
	var err error
	switch {
	case f.renew:
		err = keys.Renew(dir, f.valid)
	case f.worker != "":
		err = keys.AddWorker(dir, f.worker, f.run, f.valid)
	default:
		err = keys.Make(dir, keys.MakeOptions{Hosts: f.hosts, Run: f.run, Valid: f.valid})
	}
	if err == nil {
		err = natsqueue.WriteConfig(dir, f.serverDir)
	}
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	return a.showCerts(dir, f)
}

// showCerts says which process gets which files.
func (a *app) showCerts(dir string, f *certsFlags) error {
	folders := []string{string(keys.Coordinator), string(keys.Worker), string(keys.Server)}
	if f.worker != "" {
		folders = []string{f.worker}
	}
	var text []byte
	for _, name := range folders {
		path := filepath.Join(dir, name)
		k, err := keys.Load(path)
		if err != nil {
			return err
		}
		scope := "any run"
		if k.Run != "" {
			scope = "run " + k.Run
		}
		if k.Key != "" {
			scope = "key " + keys.Fingerprint(k.Key) + ", " + scope
		}
		text = fmt.Appendf(text, "%s: %s, %s, until %s\n", path, k.Role, scope, k.Expires.UTC().Format(time.RFC3339))
	}
	if f.worker != "" {
		text = fmt.Appendf(text, "servers and coordinators know these credentials when they have the new %s and %s\n",
			filepath.Join(dir, "coordinator", "users"), filepath.Join(dir, "server", natsqueue.ConfigFile))
	}
	return a.print(text)
}
