package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/explore"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/ops"
)

// exploreFlags are the flags of explore.
type exploreFlags struct {
	data   []string
	listen string
	certs  string
	hosts  []string
	urls   []string
	keys   string
}

func (a *app) exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "serve a page that shows runs in a browser: a board to play on, tables, how far they are",
		Long: `Serve a page that shows runs in a browser: a board on which every jump tells how many solutions go on with it,
heat maps, tables and charts, and how far runs are. It stops at Ctrl-C.

--data names the data folder of a run, or a folder of such folders, which may be empty: runs that come later are shown
when they come. It may be given several times. Small runs of a few seconds are offered besides; they are carried out in
a temporary folder when the page asks for them.

--url names a coordinator that was started with --api, on whatever machine, and may be given several times: its run
stands beside those of the folders, and is followed when the coordinator comes late or is started again.

The page is served to this machine alone. To serve others, give --certs, the folder with the certificates of a
coordinator: then a browser needs the certificate of a coordinator of the same fleet.`,
		Example: `  coordinator explore
  coordinator explore --data runs
  coordinator explore --data runs/english-0123456789ab --listen 127.0.0.1:8420
  coordinator explore --data runs --url https://head:7443 --url https://other:7443 --url-certs keys/coordinator`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error { return a.explore(ctx, &f) }),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.data, "data", nil, "data `folder` of a run, or a folder of them; may be given several times")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8420", "`address` HOST:PORT at which the page is served")
	flags.StringVar(&f.certs, "certs", "", "`folder` with the certificates of a coordinator")
	flags.StringArrayVar(&f.hosts, "host", nil,
		"`name` beside those of this machine by which browsers may call it; may be given several times")
	flags.StringArrayVar(&f.urls, "url", nil,
		"`URL` of a coordinator that runs with --api, https://HOST:PORT; may be given several times")
	flags.StringVar(&f.keys, "url-certs", "",
		"`folder` with the certificates of a coordinator, for --url; that of --certs when it is not given")
	if err := errors.Join(cmd.MarkFlagDirname("data"), cmd.MarkFlagDirname("certs"),
		cmd.MarkFlagDirname("url-certs")); err != nil {
		panic(err) // the flags are defined above
	}
	return cmd
}

// explore serves the page until ctx is done.
func (a *app) explore(ctx context.Context, f *exploreFlags) (err error) {
	o := explore.Options{Loader: a.loader(), Small: explore.Smalls(), Problems: explore.Problems()}
	network := cli.Network{CertsDir: f.certs, Log: ops.LogStyle{Form: ops.LogText, Level: ops.LogInfo}}
	if err := network.Check(keys.Coordinator, cli.Server{Flag: "--listen", Address: f.listen}); err != nil {
		return err
	}
	o.Keys = network.Keys
	for _, host := range f.hosts {
		o.Hosts = append(o.Hosts, strings.ToLower(host))
	}
	o.Folders = f.data
	if o.Coordinators, err = f.coordinators(); err != nil {
		return err
	}
	o.Same = func(shown, other, run string) {
		_, _ = fmt.Fprintf(a.stderr, "%s and %s are the same run %s: the page shows %s\n", shown, other, run, shown)
	}
	o.Unreadable = func(dir string, err error) {
		_, _ = fmt.Fprintf(a.stderr, "%s is not shown: %v\n", dir, err)
	}
	s, err := explore.New(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	pages, err := ops.Listen(ctx, f.listen, network.ServerTLS(), s.Handler())
	if err != nil {
		return cli.Hint(&cli.UsageError{Err: err}, "give another --listen address")
	}
	scheme := "http"
	if o.Keys != nil {
		scheme = "https"
	}
	if err := a.print([]byte(scheme + "://" + pages.Address() + "/\n")); err != nil {
		return errors.Join(err, pages.Close())
	}
	<-ctx.Done()
	s.Stop() // streams end, so that the server need not wait for them
	return pages.Close()
}

// coordinators are those of --url, each once.
func (f *exploreFlags) coordinators() (list []*api.Client, err error) {
	if f.keys != "" && len(f.urls) == 0 {
		return nil, usage("--url-certs belongs to --url", "name a coordinator with --url https://HOST:PORT")
	}
	for i, url := range f.urls {
		if slices.Contains(f.urls[:i], url) {
			continue
		}
		keys := f.keys
		if keys == "" && strings.HasPrefix(url, "https://") {
			keys = f.certs
		}
		c, err := api.Dial(url, keys)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
