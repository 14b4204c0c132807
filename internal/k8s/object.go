package k8s

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// meta is the metadata of an object, as far as it matters here.
type meta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Created     string            `json:"creationTimestamp"`
	Deleted     string            `json:"deletionTimestamp"`
}

// list is the output of kubectl get for several objects.
type list[T any] struct {
	Items []T `json:"items"`
}

type configMap struct {
	Metadata meta              `json:"metadata"`
	Data     map[string]string `json:"data"`
}

// ErrNoRun is wrapped when a namespace has no run of a name.
var ErrNoRun = errors.New("there is no such run")

// Runs lists the runs of the namespace that were launched by this program, in the order of their names.
func (k *Kubectl) Runs(ctx context.Context) ([]Overlay, error) {
	var maps list[configMap]
	if _, err := k.get(ctx, &maps, "configmaps", "-l", LabelPart+"="+part+","+LabelManager+"="+manager); err != nil {
		return nil, err
	}
	var out []Overlay
	for _, m := range maps.Items {
		text, ok := m.Metadata.Annotations[annotationOverlay]
		if !ok {
			continue // the NATS servers' config
		}
		var o Overlay
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return nil, fmt.Errorf("ConfigMap %s: annotation %s: %w", m.Metadata.Name, annotationOverlay, err)
		}
		o.Namespace = m.Metadata.Namespace
		if o.Batch != "" {
			o.Files = m.Data
		} else {
			o.Config = []byte(m.Data[runFile])
		}
		o.Stopped = m.Metadata.Annotations[annotationStopped] != ""
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b Overlay) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Find returns the run of that name, or the only one whose name begins so.
func (k *Kubectl) Find(ctx context.Context, name string) (Overlay, error) {
	runs, err := k.Runs(ctx)
	if err != nil {
		return Overlay{}, err
	}
	var found []Overlay
	var names []string
	for _, r := range runs {
		if r.Name == name {
			return r, nil
		}
		if strings.HasPrefix(r.Name, name) {
			found = append(found, r)
		}
		names = append(names, r.Name)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Overlay{}, fmt.Errorf("%w: %q begins the names of %d", ErrNoRun, name, len(found))
	case len(names) == 0:
		return Overlay{}, fmt.Errorf("%w: %q, nor any other in this namespace", ErrNoRun, name)
	}
	return Overlay{}, fmt.Errorf("%w: %q; the namespace has %s", ErrNoRun, name, strings.Join(names, ", "))
}

// A Pod as people want to see it.
type Pod struct {
	Name, Component, Node, IP string
	Phase                     string // Pending, Running, ...; or the reason why a container waits
	Message                   string // why, when Kubernetes says so
	Ready                     bool
	Restarts                  int
	Ending                    bool // it has been asked to go
	uid                       string
	exit                      int    // exit code of a container that has ended for good
	created                   string // RFC 3339, in UTC
}

// Phases of a pod that has ended for good, as those of Jobs do.
const (
	phaseSucceeded = "Succeeded"
	phaseFailed    = "Failed"
)

// Ended reports whether the pod has ended for good.
func (p *Pod) Ended() bool { return p.Phase == phaseSucceeded || p.Phase == phaseFailed }

type termination struct {
	ExitCode int    `json:"exitCode"`
	Message  string `json:"message"`
}

func (t *termination) String() string {
	text := fmt.Sprintf("with code %d", t.ExitCode)
	if said := strings.TrimSpace(t.Message); said != "" {
		text += ": " + said
	}
	return text
}

type podObject struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase      string `json:"phase"`
		PodIP      string `json:"podIP"`
		Conditions []struct {
			Type, Status, Message string
		} `json:"conditions"`
		ContainerStatuses []struct {
			Ready        bool `json:"ready"`
			RestartCount int  `json:"restartCount"`
			State        struct {
				Waiting    *struct{ Reason, Message string } `json:"waiting"`
				Terminated *termination                      `json:"terminated"`
			} `json:"state"`
			LastState struct {
				Terminated *termination `json:"terminated"`
			} `json:"lastState"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

// Pods lists the pods of a run.
func (k *Kubectl) Pods(ctx context.Context, name string) ([]Pod, error) {
	var pods list[podObject]
	if _, err := k.get(ctx, &pods, "pods", "-l", Selector(name)); err != nil {
		return nil, err
	}
	var out []Pod
	for i := range pods.Items {
		out = append(out, pods.Items[i].pod())
	}
	slices.SortFunc(out, func(a, b Pod) int {
		if a.Component != b.Component {
			return strings.Compare(a.Component, b.Component)
		}
		return cmp.Or(ordinal(a.Name)-ordinal(b.Name), strings.Compare(a.Name, b.Name))
	})
	return out, nil
}

// Selector selects the objects of a run.
func Selector(name string) string { return LabelPart + "=" + part + "," + LabelInstance + "=" + name }

func (p *podObject) pod() Pod {
	out := Pod{
		Name: p.Metadata.Name, Component: p.Metadata.Labels["app.kubernetes.io/component"], Node: p.Spec.NodeName,
		IP: p.Status.PodIP, Phase: p.Status.Phase, Ending: p.Metadata.Deleted != "", uid: p.Metadata.UID,
		created: p.Metadata.Created,
	}
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			out.Ready = c.Status == "True"
		}
		if c.Type == "PodScheduled" && c.Status == "False" {
			out.Message = c.Message
		}
	}
	for _, c := range p.Status.ContainerStatuses {
		out.Restarts += c.RestartCount
		if w := c.State.Waiting; w != nil {
			out.Phase, out.Message = w.Reason, w.Message
		}
		if t := c.LastState.Terminated; t != nil && out.Message == "" {
			out.Message = "ended before " + t.String()
		}
		if t := c.State.Terminated; t != nil {
			out.exit = t.ExitCode
			if t.ExitCode != 0 {
				out.Message = "ended " + t.String()
			}
		}
	}
	if out.Ending {
		out.Phase = "Terminating"
	}
	return out
}

// ordinal is the number at the end of the name of a StatefulSet's pod.
func ordinal(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil {
		return 0
	}
	return n
}
