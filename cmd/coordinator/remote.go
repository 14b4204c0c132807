package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pagoda/internal/cli"
	"pagoda/internal/export"
	"pagoda/internal/keys"
)

// A remote is a coordinator that answers over its API.
type remote struct {
	base   string // URL without a path
	client *http.Client
}

// maxRemoteStatus bounds a status that is read; a layer takes about a hundred bytes, a worker two hundred.
const maxRemoteStatus = 64 << 20

// newRemote says where a coordinator's API is. keysDir names a folder with keys of a coordinator, "" for none.
func newRemote(base, keysDir string) (*remote, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.User != nil {
		return nil, usage(fmt.Sprintf("--url: %.100q is not of the form https://HOST:PORT", base),
			"give the address that the coordinator was told with --api")
	}
	t := &http.Transport{ResponseHeaderTimeout: 10 * time.Minute, TLSHandshakeTimeout: 10 * time.Second}
	r := &remote{base: u.Scheme + "://" + u.Host, client: &http.Client{Transport: t}}
	switch {
	case keysDir == "":
	case u.Scheme == "http":
		return nil, usage("--keys belongs to an address https://HOST:PORT", "write https:// in --url")
	default:
		k, err := keys.Load(keysDir)
		if err != nil {
			return nil, &cli.UsageError{Err: err}
		}
		t.TLSClientConfig = k.ClientTLS(keys.CoordinatorName)
	}
	return r, nil
}

// get asks for a path below /v1. The caller closes the body.
func (r *remote) get(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // the URL is named below
		}
		return nil, cli.Hint(fmt.Errorf("coordinator at %s: %w", r.base, err),
			"is it running with --api, and do the keys belong to its fleet?")
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	var said apiError
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err == nil {
		err = json.Unmarshal(b, &said)
	}
	if err != nil || said.Error == "" {
		return nil, fmt.Errorf("coordinator at %s: %s", r.base, resp.Status)
	}
	err = fmt.Errorf("coordinator at %s: %s", r.base, said.Error)
	if resp.StatusCode == http.StatusBadRequest {
		err = &cli.UsageError{Err: err}
	}
	return nil, cli.Hint(err, said.Hint)
}

// status asks for the status of the run.
func (r *remote) status(ctx context.Context) (s liveStatus, err error) {
	body, err := r.get(ctx, "/v1/status")
	if err != nil {
		return s, err
	}
	defer func() { _ = body.Close() }()
	b, err := io.ReadAll(io.LimitReader(body, maxRemoteStatus))
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return s, fmt.Errorf("coordinator at %s: its status: %w", r.base, err)
	}
	return s, nil
}

// export asks for the bytes of an export, and passes them to w. What broke off in the middle is an error.
func (r *remote) export(ctx context.Context, f exportFlags, w io.Writer) error {
	q := url.Values{"what": {f.what}, "format": {f.format}, "scale": {f.scale}}
	if f.layer != "" {
		q.Set("layer", f.layer)
	}
	if f.column != "" {
		q.Set("column", f.column)
	}
	body, err := r.get(ctx, "/v1/export?"+q.Encode())
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	if _, err := io.Copy(w, body); err != nil {
		return cli.Hint(fmt.Errorf("coordinator at %s: export broke off: %w", r.base, err), "try again")
	}
	return nil
}

// exportRemote writes what a coordinator exports over its API. With --layer all it asks for the layers that are there.
func (a *app) exportRemote(ctx context.Context, f exportFlags) error {
	r, err := newRemote(f.url, f.keys)
	if err != nil {
		return err
	}
	if f.layer != allLayers {
		return a.exportFile(ctx, r, f, f.out)
	}
	s, err := r.status(ctx)
	if err != nil {
		return err
	}
	for _, p := range s.Layers {
		if p.Done < p.Windows {
			return incomplete(p)
		}
		if err := advisePath(export.Free(layerPath(f.out, p.Layer))); err != nil {
			return err
		}
	}
	for _, p := range s.Layers {
		if p.Rows == 0 {
			continue
		}
		one := f
		one.layer = fmt.Sprint(p.Layer)
		if err := a.exportFile(ctx, r, one, layerPath(f.out, p.Layer)); err != nil {
			return err
		}
	}
	return nil
}

// exportFile writes one export to a new file, which appears complete or not at all, or to stdout.
func (a *app) exportFile(ctx context.Context, r *remote, f exportFlags, path string) error {
	if path == "-" {
		return r.export(ctx, f, a.stdout)
	}
	file, err := export.Create(path)
	if err != nil {
		return advisePath(err)
	}
	defer file.Abort()
	if err := r.export(ctx, f, file); err != nil {
		return err
	}
	return advisePath(file.Commit())
}
