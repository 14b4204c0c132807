package k8s

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Apply applies manifests.
func (k *Kubectl) Apply(ctx context.Context, manifests []byte) error {
	_, err := k.Run(ctx, manifests, "apply", "-f", "-")
	return err
}

// Check has the API server look at manifests as if they were applied, and changes nothing.
func (k *Kubectl) Check(ctx context.Context, manifests []byte) error {
	_, err := k.Run(ctx, manifests, "apply", "--dry-run=server", "-f", "-")
	return err
}

// goneEvery is the time between two looks at pods that are ending.
const goneEvery = 500 * time.Millisecond

// gone waits until a component has no pods.
func (k *Kubectl) gone(ctx context.Context, name, component string) error {
	for {
		b, err := k.Run(ctx, nil, "get", "pods", "-o", "name", "-l",
			Selector(name)+",app.kubernetes.io/component="+component)
		if err != nil || len(bytes.TrimSpace(b)) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(goneEvery):
		}
	}
}

// kinds are the kinds of objects of a run, in the order of deletion: first those that make pods, volumes after them.
var kinds = []string{
	"horizontalpodautoscalers", "statefulsets", "jobs", "poddisruptionbudgets", "services", "networkpolicies",
	"serviceaccounts", "secrets", "persistentvolumeclaims", "configmaps",
}

// An Object is a Kubernetes object of a run.
type Object struct{ Kind, Name, Size string }

// Objects lists the objects that deleting a run would remove.
func (k *Kubectl) Objects(ctx context.Context, name string) ([]Object, error) {
	var out []Object
	for _, kind := range kinds {
		var found list[struct {
			Metadata meta `json:"metadata"`
			Spec     struct {
				Resources struct {
					Requests struct{ Storage string }
				}
			} `json:"spec"`
		}]
		if _, err := k.get(ctx, &found, kind, "-l", Selector(name)); err != nil {
			return nil, err
		}
		for _, o := range found.Items {
			out = append(out, Object{kind, o.Metadata.Name, o.Spec.Resources.Requests.Storage})
		}
	}
	return out, nil
}

// Delete removes a run with its data. The config goes last: while it is there, the run is listed and can be deleted.
func (k *Kubectl) Delete(ctx context.Context, name string) error {
	for _, kind := range kinds {
		if _, err := k.Run(ctx, nil, "delete", kind, "-l", Selector(name), "--ignore-not-found", "--wait=true",
			"--timeout=120s"); err != nil {
			return err
		}
		if kind == "jobs" { // volumes are not deleted while a pod uses them
			for _, component := range []string{Worker, Coordinator, NATS} {
				if err := k.gone(ctx, name, component); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// CurrentNamespace returns the namespace that commands go to.
func (k *Kubectl) CurrentNamespace(ctx context.Context) (string, error) {
	if k.Namespace != "" {
		return k.Namespace, nil
	}
	b, err := k.Run(ctx, nil, "config", "view", "--minify", "-o", "json")
	if err != nil {
		return "", err
	}
	var c struct {
		Contexts []struct {
			Context struct{ Namespace string }
		}
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return "", fmt.Errorf("kubectl config view: %w", err)
	}
	if len(c.Contexts) == 1 && strings.TrimSpace(c.Contexts[0].Context.Namespace) != "" {
		return c.Contexts[0].Context.Namespace, nil
	}
	return "default", nil
}
