package k8s

import (
	"context"
	"encoding/json"
	"time"
)

// Record leaves an event on a pod, where kubectl describe and kubectl get events show it. Warning says which type it
// has. Pods cannot do this themselves: they have no token.
func (k *Kubectl) Record(ctx context.Context, pod Pod, warning bool, reason, message string) error {
	kind, now := "Normal", time.Now().UTC().Format(time.RFC3339)
	if warning {
		kind = "Warning"
	}
	if len(message) > 1000 { // the API takes 1024 bytes
		message = message[:1000] + "..."
	}
	event := map[string]any{
		"apiVersion": "v1", "kind": "Event",
		"metadata": map[string]any{"generateName": pod.Name + "-"},
		"involvedObject": map[string]any{
			"apiVersion": "v1", "kind": "Pod", "name": pod.Name, "namespace": k.Namespace, "uid": pod.uid,
		},
		"type": kind, "reason": reason, "message": message,
		"firstTimestamp": now, "lastTimestamp": now, "count": 1,
		"source":             map[string]any{"component": "pagoda"},
		"reportingComponent": "pagoda", "reportingInstance": "coordinator-k8s",
	}
	b, err := json.Marshal(event)
	if err != nil {
		return err
	}
	_, err = k.Run(ctx, b, "create", "-f", "-")
	return err
}
