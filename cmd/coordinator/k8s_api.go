package main

import (
	"context"
	"os"
	"path/filepath"

	"pagoda/internal/app/api"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/k8s"
)

// An apiClient asks the coordinator of a run on a cluster, through a tunnel and with the run's own keys: permission to
// read the run's Secrets is permission to read the run.
type apiClient struct {
	*api.Client
	tunnel *k8s.Tunnel
	pod    k8s.Pod
}

func (c *apiClient) close() {
	c.Client.Close()
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
	dir := filepath.Join(tmp, string(keys.Coordinator))
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
	c := api.Through("coordinator "+pod.Name, tunnel.Address, own.ClientTLS(keys.CoordinatorName))
	return &apiClient{Client: c, tunnel: tunnel, pod: pod}, nil
}
