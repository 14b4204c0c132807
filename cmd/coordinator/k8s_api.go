package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"pagoda/internal/cli"
	"pagoda/internal/k8s"
	"pagoda/internal/keys"
	"pagoda/internal/pipeline"
)

// apiTimeout bounds a question to the coordinator; exports take as long as they take.
const apiTimeout = 15 * time.Second

// An apiClient asks the coordinator of a run on a cluster, through a tunnel and with the run's own keys: whoever may
// read the run's Secrets may read the run.
type apiClient struct {
	base   string
	http   *http.Client
	tunnel *k8s.Tunnel
	pod    k8s.Pod
}

func (c *apiClient) close() {
	c.http.CloseIdleConnections()
	c.tunnel.Close()
}

// dial reaches the coordinator of a run. Whether it is ready does not matter.
func (f *clusterFlags) dial(ctx context.Context, k *k8s.Kubectl, name string) (*apiClient, error) {
	pod, err := k.CoordinatorPod(ctx, name)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pagoda-keys-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	dir = filepath.Join(dir, string(keys.Coordinator))
	if err := k.TakeKeys(ctx, name, string(keys.Coordinator), dir); err != nil {
		return nil, err
	}
	own, err := keys.Load(dir)
	if err != nil {
		return nil, err
	}
	tunnel, err := k.Connect(ctx, pod, k8s.APIPort, f.via)
	if err != nil {
		return nil, err
	}
	return newAPIClient(tunnel, pod, own.ClientTLS(keys.CoordinatorName)), nil
}

func newAPIClient(tunnel *k8s.Tunnel, pod k8s.Pod, config *tls.Config) *apiClient {
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true, TLSHandshakeTimeout: apiTimeout}
	client := &http.Client{Transport: transport}
	return &apiClient{base: "https://" + tunnel.Address, http: client, tunnel: tunnel, pod: pod}
}

// get opens what the coordinator has at a path.
func (c *apiClient) get(ctx context.Context, path string, query url.Values) (io.ReadCloser, error) {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the address is the tunnel's, which means nothing to people
		}
		return nil, fmt.Errorf("coordinator %s: %w", c.pod.Name, err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	var said struct{ Error, Hint string }
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err == nil && json.Unmarshal(b, &said) == nil && said.Error != "" {
		return nil, cli.Hint(fmt.Errorf("coordinator %s: %s", c.pod.Name, said.Error), said.Hint)
	}
	return nil, fmt.Errorf("coordinator %s: %s", c.pod.Name, resp.Status)
}

// A remoteStatus is what the coordinator says of its run, and of itself when it cannot go on.
type remoteStatus struct {
	liveStatus
	raw json.RawMessage // as it came
}

// maxStatus bounds what is read of a status.
const maxStatus = 64 << 20

func (c *apiClient) status(ctx context.Context) (*remoteStatus, error) {
	ctx, stop := context.WithTimeout(ctx, apiTimeout)
	defer stop()
	body, err := c.get(ctx, "/v1/status", nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	b, err := io.ReadAll(io.LimitReader(body, maxStatus))
	if err != nil {
		return nil, err
	}
	s := &remoteStatus{raw: b}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("coordinator %s: its status: %w", c.pod.Name, err)
	}
	return s, nil
}

// ended returns how the run ended: over is false while it goes on. Only the coordinator's own record counts.
func (s *remoteStatus) ended() (over bool, err error) {
	switch {
	case s.State == pipeline.StateComplete:
		return true, nil
	case s.State != pipeline.StateFailed && s.Code == cli.OK:
		return false, nil
	}
	text := s.Error
	if text == "" {
		text = "the run failed, and the coordinator does not say why"
	}
	return true, cli.Hint(&cli.RemoteError{Err: errors.New(text), Exit: s.Code}, s.Hint)
}

// passing reports whether the end may be that of the process alone, which has been told to stop and comes back.
func (s *remoteStatus) passing() bool { return s.Code == cli.Stopped }
