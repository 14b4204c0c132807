package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/explore"
	"pagoda/internal/fleet/ops"
)

// A livePage serves the API of a coordinator, and the page of explore beside it.
type livePage struct {
	*ops.Server
	page *explore.Server
}

// serveAPI begins to serve the API and the page, as yet without a run.
func (a *app) serveAPI(ctx context.Context, f *runFlags, l *live) (*livePage, error) {
	guard := ops.Guard{Keys: f.Keys, Listen: f.api}
	page, err := explore.New(ctx, explore.Options{
		Loader: a.loader(), Keys: f.Keys, Answers: 1, // visitors must not keep the run waiting
		// Under its keys' names no other server can be reached.
		Known: func(host string) bool { return f.Keys != nil || guard.Addressed(host) },
	})
	if err != nil {
		return nil, err
	}
	l.page = page
	asked := (&api.Server{Status: l.report, Run: l.acquire, Guard: guard}).Handler()
	shown := page.Handler()
	server, err := ops.Listen(ctx, f.api, f.ServerTLS(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			asked.ServeHTTP(w, r)
			return
		}
		shown.ServeHTTP(w, r)
	}))
	if err != nil {
		return nil, errors.Join(cli.Hint(&cli.UsageError{Err: err}, "give another --api address"), page.Close())
	}
	return &livePage{Server: server, page: page}, nil
}

// Close sends the last word to the clients that watch, and ends.
func (p *livePage) Close() error {
	p.page.Stop()
	return errors.Join(p.Server.Close(), p.page.Close())
}
