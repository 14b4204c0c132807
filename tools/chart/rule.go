package main

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// prometheusRule makes a rule of the Prometheus operator of a rule file of Prometheus: the same groups under spec. Its
// comments stay.
func prometheusRule(alerts []byte) ([]byte, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(alerts))
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	rule := struct {
		APIVersion string         `yaml:"apiVersion"`
		Kind       string         `yaml:"kind"`
		Metadata   map[string]any `yaml:"metadata"`
		Spec       *yaml.Node     `yaml:"spec"`
	}{
		"monitoring.coreos.com/v1", "PrometheusRule",
		map[string]any{"name": "pagoda", "labels": map[string]string{"app.kubernetes.io/part-of": "pagoda"}},
		doc.Content[0],
	}
	doc.Content[0].HeadComment = ""
	var b bytes.Buffer
	b.WriteString("# Made of " + alertsFile + " by `make chart`: change that, not this.\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(rule); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}
