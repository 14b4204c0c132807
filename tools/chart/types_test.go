package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/santhosh-tekuri/jsonschema/v6"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/yaml"
)

// decoder reads objects into the Go types of Kubernetes and of the Prometheus operator, and refuses fields that they
// do not have.
func decoder(t *testing.T) runtime.Decoder {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core.AddToScheme, autoscaling.AddToScheme, apps.AddToScheme, batch.AddToScheme, networking.AddToScheme, policy.AddToScheme,
		monitoring.AddToScheme,
	} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return serializer.NewCodecFactory(s, serializer.EnableStrict).UniversalDeserializer()
}

// definitions are the schemas of the kinds of the Prometheus operator and of KEDA, of their own definitions, which say more than Go types:
// which fields have to be there, and what texts look like.
func definitions(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	out := make(map[string]*jsonschema.Schema)
	for _, name := range []string{"servicemonitors", "prometheusrules", "scaledobjects"} {
		text, err := os.ReadFile(filepath.Join(root, "test/k8s/testdata", name+"-crd.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var crd struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []struct{ Schema struct{ OpenAPIV3Schema any } }
			}
		}
		if err := yaml.Unmarshal(text, &crd); err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, crd.Spec.Versions[0].Schema.OpenAPIV3Schema); err != nil {
			t.Fatal(err)
		}
		if out[crd.Spec.Names.Kind], err = c.Compile(name); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// checker returns a check of an object against the types of Kubernetes and the custom resource definitions.
func checker(t *testing.T) func(object) error {
	t.Helper()
	d, defined := decoder(t), definitions(t)
	return func(o object) error {
		text, err := yaml.Marshal(map[string]any(o))
		if err != nil {
			return err
		}
		// KEDA's types come with all of KEDA: its definition has to do.
		if _, _, err := d.Decode(text, nil, nil); err != nil && o["kind"] != "ScaledObject" {
			return fmt.Errorf("%s: %w", o.id(), err)
		}
		if s := defined[fmt.Sprint(o["kind"])]; s != nil {
			if err := s.Validate(map[string]any(o)); err != nil {
				return fmt.Errorf("%s: %w", o.id(), err)
			}
		}
		return nil
	}
}

// TestTypes checks all objects that the repository has for Kubernetes.
func TestTypes(t *testing.T) {
	check := checker(t)
	overlays, err := os.ReadDir(filepath.Join(root, "deploy/k8s/overlays"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]bool)
	all := func(list []object, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			kinds[fmt.Sprint(o["kind"])] = true
			if err := check(o); err != nil {
				t.Error(err)
			}
		}
	}
	for _, overlay := range overlays {
		more := []string{"monitoring", "kueue", "s3"}
		if overlay.Name() != "job" {
			more = append(more, "autoscaling", "keda")
		}
		all(kustomize(overlayWith(t, overlay.Name(), more)))
	}
	all(kustomize(filepath.Join(root, "deploy/observability")))
	rule, err := os.ReadFile(filepath.Join(root, ruleFile))
	if err != nil {
		t.Fatal(err)
	}
	all(decode(string(rule)))
	for _, kind := range []string{
		"ConfigMap", "HorizontalPodAutoscaler", "Job", "NetworkPolicy", "PersistentVolumeClaim", "PodDisruptionBudget", "PrometheusRule", "ScaledObject", "Service",
		"ServiceAccount", "ServiceMonitor", "StatefulSet",
	} {
		if !kinds[kind] {
			t.Errorf("no %s was checked", kind)
		}
	}
}

// TestTypesBite breaks objects.
func TestTypesBite(t *testing.T) {
	check := checker(t)
	objects, err := helm(loadChart(t), "pagoda", map[string]any{
		"nats": map[string]any{"enabled": true}, "monitoring": map[string]any{"enabled": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	rule, err := os.ReadFile(filepath.Join(root, ruleFile))
	if err != nil {
		t.Fatal(err)
	}
	one, err := decode(string(rule))
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"readOnlyRootFilesystem:": "readOnlyRootFilesystm:",
		"runAsNonRoot: true":      "runAsNonRoot: \"true\"",
		"replicas: 3":             "replicas: three",
		"automountService":        "AutomountService",
		"maxUnavailable:":         "maxUnavailble:",
		"targetLabels:":           "targetLabel:",
		"interval: 15s":           "interval: 15 s",
		"for: 10m":                "for: 10 minutes",
		"expr:":                   "expression:",
		"name: pagoda\n    rules": "nam: pagoda\n    rules",
		"kind: StatefulSet":       "kind: StatefulSets",
	} {
		changed, found := 0, 0
		for _, o := range append(append([]object(nil), objects...), one...) {
			text, err := yaml.Marshal(map[string]any(o))
			if err != nil {
				t.Fatal(err)
			}
			broken := regexp.MustCompile(regexp.QuoteMeta(from)).ReplaceAllLiteralString(string(text), to)
			if broken == string(text) {
				continue
			}
			changed++
			var b object
			if err := yaml.Unmarshal([]byte(broken), &b); err != nil {
				t.Fatal(err)
			}
			if check(b) != nil {
				found++
			}
		}
		if changed == 0 || found < changed {
			t.Errorf("%q for %q is found in %d of %d objects", to, from, found, changed)
		}
	}
}

// TestRule compares the PrometheusRule's groups with the alerts.
func TestRule(t *testing.T) {
	var rule struct{ Spec object }
	text, err := os.ReadFile(filepath.Join(root, ruleFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &rule); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(filepath.Join(root, alertsFile)); err != nil {
		t.Fatal(err)
	}
	var alerts object
	if err := yaml.UnmarshalStrict(text, &alerts); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(rule.Spec) != fmt.Sprint(alerts) || len(alerts) != 1 {
		t.Errorf("the rule has %v, the alerts %v", rule.Spec, alerts)
	}
}
