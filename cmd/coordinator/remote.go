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

	"pagoda/internal/certs"
	"pagoda/internal/cli"
	"pagoda/internal/export"
)

// A remote is a coordinator that answers over its API.
type remote struct {
	name   string // in messages
	base   string // URL without a path
	client *http.Client
	hint   string // what to do when it cannot be reached, "" when there is nothing to say
}

const (
	// maxAnswer bounds an answer that is kept in memory; in a status a layer takes about a hundred bytes, a worker two
	// hundred.
	maxAnswer = 64 << 20
	// answerTime bounds a question whose answer is no export: those take as long as they take.
	answerTime = 15 * time.Second
)

// newRemote says where a coordinator's API is. certsDir names a folder with keys of a coordinator, "" for none.
func newRemote(base, certsDir string) (*remote, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.User != nil {
		return nil, usage(fmt.Sprintf("--url: %.100q is not of the form https://HOST:PORT", base),
			"give the address that the coordinator was told with --api")
	}
	t := &http.Transport{ResponseHeaderTimeout: 10 * time.Minute, TLSHandshakeTimeout: 10 * time.Second}
	at := u.Scheme + "://" + u.Host
	r := &remote{
		name: "coordinator at " + at, base: at, client: &http.Client{Transport: t},
		hint: "is it running with --api, and do the keys belong to its fleet?",
	}
	switch {
	case certsDir == "":
	case u.Scheme == "http":
		return nil, usage("--certs belongs to an address https://HOST:PORT", "write https:// in --url")
	default:
		k, err := certs.Load(certsDir)
		if err != nil {
			return nil, &cli.UsageError{Err: err}
		}
		t.TLSClientConfig = k.ClientTLS(certs.CoordinatorName)
	}
	return r, nil
}

// get opens what the coordinator has at a path. The caller closes it.
func (r *remote) get(ctx context.Context, path string, query url.Values) (io.ReadCloser, error) {
	target := r.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // the name says where, and the address may be that of a tunnel
		}
		return nil, cli.Hint(fmt.Errorf("%s: %w", r.name, err), r.hint)
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
		return nil, fmt.Errorf("%s: %s", r.name, resp.Status)
	}
	err = fmt.Errorf("%s: %s", r.name, said.Error)
	if resp.StatusCode == http.StatusBadRequest {
		err = &cli.UsageError{Err: err}
	}
	return nil, cli.Hint(err, said.Hint)
}

// answer returns all of what the coordinator has at a path.
func (r *remote) answer(ctx context.Context, path string, query url.Values) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	body, err := r.get(ctx, path, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	b, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	return b, nil
}

// A remoteStatus is what a coordinator says of its run, and of itself when it cannot go on.
type remoteStatus struct {
	liveStatus
	raw json.RawMessage // as it came
}

// status asks for the status of the run.
func (r *remote) status(ctx context.Context) (*remoteStatus, error) {
	b, err := r.answer(ctx, "/v1/status", nil)
	if err != nil {
		return nil, err
	}
	s := &remoteStatus{raw: b}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("%s: its status: %w", r.name, err)
	}
	return s, nil
}

// results asks for what `run` prints.
func (r *remote) results(ctx context.Context, output string) ([]byte, error) {
	return r.answer(ctx, "/v1/results", url.Values{"output": {output}})
}

// export asks for the bytes of an export, and passes them to w. What broke off in the middle is an error.
func (r *remote) export(ctx context.Context, query url.Values, w io.Writer) error {
	body, err := r.get(ctx, "/v1/export", query)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	if _, err := io.Copy(w, body); err != nil {
		return cli.Hint(fmt.Errorf("%s: export broke off: %w", r.name, err), "try again")
	}
	return nil
}

// exportTo writes one export to a new file, which appears complete or not at all.
func (r *remote) exportTo(ctx context.Context, path string, query url.Values) error {
	file, err := export.Create(path)
	if err != nil {
		return advisePath(err)
	}
	defer file.Abort()
	if err := r.export(ctx, query, file); err != nil {
		return err
	}
	return advisePath(file.Commit())
}

// query is the export as the API's parameters.
func (f *exportFlags) query() url.Values {
	q := url.Values{"table": {f.what}, "format": {f.format}, "scale": {f.scale}}
	if f.layer != "" {
		q.Set("layer", f.layer)
	}
	if f.column != "" {
		q.Set("column", f.column)
	}
	return q
}

// exportRemote writes what a coordinator exports over its API. With --layer all it asks for the layers that are there.
func (a *app) exportRemote(ctx context.Context, f exportFlags) error {
	r, err := newRemote(f.url, f.keys)
	if err != nil {
		return err
	}
	switch {
	case f.layer == allLayers:
	case f.out == "-":
		return r.export(ctx, f.query(), a.stdout)
	default:
		return r.exportTo(ctx, f.out, f.query())
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
		if err := r.exportTo(ctx, layerPath(f.out, p.Layer), one.query()); err != nil {
			return err
		}
	}
	return nil
}
