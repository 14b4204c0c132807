package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	k8syaml "sigs.k8s.io/yaml"
)

// root is the repository.
const root = "../.."

func loadChart(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(filepath.Join(root, chartFolder))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// render returns the files that Helm makes of the chart.
func render(c *chart.Chart, release string, values map[string]any) (map[string]string, error) {
	all, err := util.ToRenderValues(c, values, common.ReleaseOptions{
		Name: release, Namespace: "puzzles", Revision: 1, IsInstall: true,
	}, nil)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

// helm returns the objects that Helm makes of the chart.
func helm(c *chart.Chart, release string, values map[string]any) ([]object, error) {
	files, err := render(c, release, values)
	if err != nil {
		return nil, err
	}
	var out []object
	for name, text := range files {
		if filepath.Ext(name) != ".yaml" {
			continue
		}
		objects, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, text)
		}
		out = append(out, objects...)
	}
	return out, nil
}

// decode reads YAML documents as Kubernetes does. Empty ones are left out.
func decode(text string) ([]object, error) {
	var out []object
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc yaml.Node
		if err := d.Decode(&doc); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		one, err := yaml.Marshal(&doc)
		if err != nil {
			return nil, err
		}
		var o object
		if err := k8syaml.UnmarshalStrict(one, &o); err != nil {
			return nil, err
		}
		if len(o) > 0 {
			out = append(out, o)
		}
	}
}

// readValues reads a file of values.
func readValues(t *testing.T, text []byte) map[string]any {
	t.Helper()
	values := make(map[string]any)
	if err := k8syaml.UnmarshalStrict(text, &values); err != nil {
		t.Fatal(err)
	}
	return values
}
