package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"os"
	"path/filepath"

	"pagoda/internal/certs"
	"pagoda/internal/cli"
	"pagoda/internal/k8s"
	"pagoda/internal/status"
)

// An apiClient asks the coordinator of a run on a cluster, through a tunnel and with the run's own keys: whoever may
// read the run's Secrets may read the run.
type apiClient struct {
	remote
	tunnel *k8s.Tunnel
	pod    k8s.Pod
}

func (c *apiClient) close() {
	c.client.CloseIdleConnections()
	c.tunnel.Close()
}

// dial reaches the coordinator of a run. Whether it is ready does not matter.
func (f *clusterFlags) dial(ctx context.Context, k *k8s.Kubectl, name string) (*apiClient, error) {
	pod, err := k.CoordinatorPod(ctx, name)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "pagoda-keys-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	dir := filepath.Join(tmp, string(certs.Coordinator))
	if err := k.TakeKeys(ctx, name, string(certs.Coordinator), dir); err != nil {
		return nil, err
	}
	own, err := certs.Load(dir)
	if err != nil {
		return nil, err
	}
	tunnel, err := k.Connect(ctx, pod, k8s.APIPort, f.via)
	if err != nil {
		return nil, err
	}
	return newAPIClient(tunnel, pod, own.ClientTLS(certs.CoordinatorName)), nil
}

func newAPIClient(tunnel *k8s.Tunnel, pod k8s.Pod, config *tls.Config) *apiClient {
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true, TLSHandshakeTimeout: answerTime}
	r := remote{
		name: "coordinator " + pod.Name, base: "https://" + tunnel.Address, client: &http.Client{Transport: transport},
	}
	return &apiClient{remote: r, tunnel: tunnel, pod: pod}
}

// ended returns how the run ended: over is false while it goes on. Only the coordinator's own record counts.
func (s *remoteStatus) ended() (over bool, err error) {
	switch {
	case s.State == status.StateComplete:
		return true, nil
	case s.State != status.StateFailed && s.Code == cli.OK:
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
