package api

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/address"
	"pagoda/internal/run/status"
)

// A Client asks a coordinator over its API.
type Client struct {
	name   string // in messages
	base   string // URL without a path
	at     *url.URL
	client *http.Client
	hint   string // advice when it cannot be reached, "" for none
}

const (
	// maxAnswer bounds an answer that is kept in memory; in a status a layer takes about a hundred bytes, a worker two
	// hundred.
	maxAnswer = 64 << 20
	// answerTime bounds a question whose answer is no export: those take as long as they take.
	answerTime = 15 * time.Second
	// dialTime bounds a connection, and its handshake.
	dialTime = 10 * time.Second
)

// Dial says where a coordinator's API is. certsDir names a folder with keys of a coordinator, "" for none.
func Dial(base, certsDir string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.User != nil {
		return nil, usage(fmt.Sprintf("--url: %.100q is not of the form https://HOST:PORT", base),
			"give the address that the coordinator was told with --api")
	}
	if err := address.InURL(u); err != nil {
		return nil, usage("--url: "+err.Error(), cli.Advice(err))
	}
	dialer := &net.Dialer{Timeout: dialTime, KeepAliveConfig: net.KeepAliveConfig{
		// A client that only waits for events would not notice without this that the server is gone.
		Enable: true, Idle: 5 * time.Second, Interval: 5 * time.Second, Count: 3,
	}}
	t := &http.Transport{DialContext: dialer.DialContext, ResponseHeaderTimeout: 10 * time.Minute,
		TLSHandshakeTimeout: dialTime}
	at := u.Scheme + "://" + u.Host
	r := &Client{
		name: "coordinator at " + at, base: at, at: &url.URL{Scheme: u.Scheme, Host: u.Host},
		client: &http.Client{Transport: t},
		hint:   "is it running with --api, and do the keys belong to its fleet?",
	}
	switch {
	case certsDir == "":
	case u.Scheme == "http":
		return nil, usage("--certs belongs to an address https://HOST:PORT", "write https:// in --url")
	default:
		k, err := keys.Load(certsDir)
		if err != nil {
			return nil, &cli.UsageError{Err: err}
		}
		t.TLSClientConfig = k.ClientTLS(keys.CoordinatorName)
	}
	return r, nil
}

// Through returns a client that reaches a coordinator by that name over TLS at an address, such as the near end of a
// tunnel.
func Through(name, address string, config *tls.Config) *Client {
	t := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true, TLSHandshakeTimeout: answerTime}
	return &Client{name: name, base: "https://" + address, at: &url.URL{Scheme: "https", Host: address},
		client: &http.Client{Transport: t}}
}

// Name says which coordinator it is, for messages.
func (r *Client) Name() string { return r.name }

// URL is the address of the coordinator, without a path.
func (r *Client) URL() string { return r.base }

// Transport returns the transport for requests to the coordinator, and the URL that they begin with.
func (r *Client) Transport() (base *url.URL, t http.RoundTripper) { return r.at, r.client.Transport }

// Open opens the answer of the coordinator at a path; nothing bounds the time of reading it. The caller closes it.
func (r *Client) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	return r.get(ctx, path, nil)
}

// get opens the answer of the coordinator at a path. The caller closes it.
func (r *Client) get(ctx context.Context, path string, query url.Values) (io.ReadCloser, error) {
	resp, err := r.request(ctx, path, query)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// request sends a GET request for a path of the coordinator. The caller closes the body.
func (r *Client) request(ctx context.Context, path string, query url.Values) (*http.Response, error) {
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
		return resp, nil
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
	if said.Setting != "" {
		return nil, &setting.Error{Setting: said.Setting, Err: errors.New(said.Error), Hint: said.Hint}
	}
	err = fmt.Errorf("%s: %s", r.name, said.Error)
	if resp.StatusCode == http.StatusBadRequest {
		err = &cli.UsageError{Err: err}
	}
	return nil, cli.Hint(err, said.Hint)
}

// answer returns the whole answer of the coordinator at a path.
func (r *Client) answer(ctx context.Context, path string, query url.Values) ([]byte, error) {
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

// A RemoteStatus is the status of a coordinator's run, and the coordinator's own when it cannot go on.
type RemoteStatus struct {
	Status
	Raw json.RawMessage // as it came
}

// Status asks for the status of the run.
func (r *Client) Status(ctx context.Context) (*RemoteStatus, error) {
	b, err := r.answer(ctx, "/v1/status", nil)
	if err != nil {
		return nil, err
	}
	s := &RemoteStatus{Raw: b}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("%s: its status: %w", r.name, err)
	}
	return s, nil
}

// Batch asks for the status of the batch, a JSON document.
func (r *Client) Batch(ctx context.Context) (json.RawMessage, error) {
	return r.answer(ctx, batchPath, nil)
}

// BatchResults asks for the output of `batch run`.
func (r *Client) BatchResults(ctx context.Context) ([]byte, error) {
	return r.answer(ctx, resultsPath, nil)
}

// Results asks for the output of `run`.
func (r *Client) Results(ctx context.Context, output string) ([]byte, error) {
	return r.answer(ctx, resultsPath, url.Values{"output": {output}})
}

// Layers lists the layers that may have rows to show. It is an error when one of them is not complete, and when the
// puzzle has none to show.
func (r *Client) Layers(ctx context.Context) (layers []int, err error) {
	b, err := r.answer(ctx, "/v1/layers", nil)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &layers); err != nil {
		return nil, fmt.Errorf("%s: a list of layers was expected: %w", r.name, err)
	}
	if len(layers) == 0 { // why there are none is an error of an export
		_, err = r.Export(ctx, runs.Selection{Table: runs.CountsTable, Layer: "0", Format: string(export.CSV)}, io.Discard)
	}
	return layers, err
}

// Export asks for the bytes of an export, and passes them to w. empty says that the layer has no rows to show.
func (r *Client) Export(ctx context.Context, what runs.Selection, w io.Writer) (empty bool, err error) {
	q := url.Values{"table": {what.Table}, "format": {what.Format}}
	for name, text := range map[string]string{
		"scale": what.Scale, "layer": what.Layer, "links": what.Links, "column": what.Column,
	} {
		if text != "" {
			q.Set(name, text)
		}
	}
	head, err := r.copy(ctx, "/v1/export", q, w, "export")
	return head.Get(rowsHeader) == "0", err
}

// Ask asks a question about the run, with the texts of its arguments and flags, and passes the answer to w. An error
// about one of them is a *setting.Error.
func (r *Client) Ask(
	ctx context.Context, puzzle, question string, args []string, flags map[string]string, f render.Form, w io.Writer,
) error {
	q := url.Values{"arg": args, "output": {f.Output}}
	for name, text := range flags {
		q.Set(name, text)
	}
	if f.Figure != "" {
		q.Set("figure", f.Figure)
	}
	if f.Table != "" {
		q.Set("table", f.Table)
	}
	_, err := r.copy(ctx, "/v1/"+url.PathEscape(puzzle)+"/"+url.PathEscape(question), q, w, "answer")
	return err
}

// copy passes the answer of the coordinator at a path to w, and returns its header. An answer that broke off in the
// middle is an error.
func (r *Client) copy(
	ctx context.Context, path string, query url.Values, w io.Writer, what string,
) (head http.Header, err error) {
	resp, err := r.request(ctx, path, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return nil, cli.Hint(fmt.Errorf("%s: %s broke off: %w", r.name, what, err), "try again")
	}
	return resp.Header, nil
}

// Close closes connections that are kept for the next question.
func (r *Client) Close() { r.client.CloseIdleConnections() }

// Ended returns how the run ended: over is false while it goes on. Only the coordinator's own record counts.
func (s *RemoteStatus) Ended() (over bool, err error) { return Ended(s.State, s.Error, s.Hint, s.Code) }

// Ended returns how a run or a batch ended by the word of its coordinator: its state, its error with advice, and the
// exit code of a process that lingers.
func Ended(state, text, hint string, code int) (over bool, err error) {
	switch {
	case state == status.StateComplete:
		return true, nil
	case state != status.StateFailed && code == cli.OK:
		return false, nil
	}
	if text == "" {
		text = "the run failed, and the coordinator does not say why"
	}
	return true, cli.Hint(&cli.RemoteError{Err: errors.New(text), Exit: code}, hint)
}

// Passing reports whether the end may be that of the process alone, which has been told to stop and comes back.
func (s *RemoteStatus) Passing() bool { return s.Code == cli.Stopped }
