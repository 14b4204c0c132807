package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"pagoda/internal/k8s"
)

// A run is the input of kustomize: an overlay as `coordinator k8s launch` writes it, and the values of the chart that
// such an overlay lacks.
type run struct {
	k8s.Overlay
	// Monitoring adds the component of that name, for a Prometheus in this namespace; "": none.
	Monitoring string
	// MonitorLabels are labels of the ServiceMonitor.
	MonitorLabels map[string]string
}

// An object of Kubernetes, as decoded JSON.
type object map[string]any

// id is its kind and name.
func (o object) id() string {
	return fmt.Sprint(o["kind"], " ", o["metadata"].(map[string]any)["name"])
}

// kustomize builds a folder.
func kustomize(dir string) ([]object, error) {
	all, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	var out []object
	for _, r := range all.Resources() {
		m, err := r.Map()
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// build returns the objects of a run, without what `coordinator k8s` marks its own with.
func (r *run) build() ([]object, error) {
	tmp, err := os.MkdirTemp("", "pagoda-chart-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	dir := filepath.Join(tmp, "run")
	if err := r.Write(dir); err != nil {
		return nil, err
	}
	if err := edit(filepath.Join(dir, "config.yaml"), func(patch map[string]any) {
		delete(patch["metadata"].(map[string]any), "annotations")
	}); err != nil {
		return nil, err
	}
	if err := edit(filepath.Join(dir, "kustomization.yaml"), func(k map[string]any) {
		k["labels"] = slices.DeleteFunc(k["labels"].([]any), func(l any) bool {
			return l.(map[string]any)["includeTemplates"] == true
		})
		if r.Monitoring == "" {
			return
		}
		components, _ := k["components"].([]any)
		k["components"] = append(components, "components/monitoring")
		patches := []any{patch("NetworkPolicy", "metrics", map[string]any{
			"op": "replace", "value": r.Monitoring,
			"path": "/spec/ingress/0/from/0/namespaceSelector/matchLabels/kubernetes.io~1metadata.name",
		})}
		for key, value := range r.MonitorLabels {
			patches = append(patches, patch("ServiceMonitor", "pods", map[string]any{
				"op": "add", "value": value, "path": "/metadata/labels/" + key,
			}))
		}
		k["patches"] = append(k["patches"].([]any), patches...)
	}); err != nil {
		return nil, err
	}
	return kustomize(dir)
}

// patch is an entry of a kustomization's patches.
func patch(kind, name string, operation map[string]any) map[string]any {
	text, err := yaml.Marshal([]any{operation})
	if err != nil {
		panic(err) // it is made of strings
	}
	return map[string]any{"target": map[string]any{"kind": kind, "name": name}, "patch": string(text)}
}

// edit changes a YAML file.
func edit(path string, change func(map[string]any)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	change(doc)
	if text, err = yaml.Marshal(doc); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
