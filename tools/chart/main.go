// Chart writes the files that Helm and the Prometheus operator need in their own forms, so that no second copy is kept
// by hand:
//
//	deploy/helm/pagoda/templates/*.yaml        of the kustomize base and components in deploy/k8s
//	deploy/observability/prometheus-rule.yaml  of deploy/observability/alerts.yaml
//
// Its tests fail when a file differs from its output. They also compare Helm's objects of the chart with kustomize's
// objects of the overlays, one by one.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Where the files are, below the root of the repository.
const (
	chartFolder = "deploy/helm/pagoda"
	alertsFile  = "deploy/observability/alerts.yaml"
	ruleFile    = "deploy/observability/prometheus-rule.yaml"
)

func main() {
	root := flag.String("root", "../..", "root `folder` of the repository")
	flag.Parse()
	if err := write(*root, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func write(root string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("there are only flags, and %q is given", args[0])
	}
	files, err := generate(root)
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(root, chartFolder, "templates", "*.yaml"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns all files, by their paths below root.
func generate(root string) (map[string][]byte, error) {
	templates, err := templates()
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for name, text := range templates {
		files[chartFolder+"/templates/"+name] = []byte(text)
	}
	alerts, err := os.ReadFile(filepath.Join(root, alertsFile))
	if err != nil {
		return nil, err
	}
	if files[ruleFile], err = prometheusRule(alerts); err != nil {
		return nil, fmt.Errorf("%s: %w", alertsFile, err)
	}
	return files, nil
}
