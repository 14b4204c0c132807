//go:build k8s

package k8s

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestManifests has the API server look at every overlay and component, and at rendered runs.
func TestManifests(t *testing.T) {
	ns := namespace(t)
	check := func(t *testing.T, args ...string) {
		t.Helper()
		stdout, stderr, code := run(t, time.Minute, "kubectl", append([]string{"-n", ns, "apply", "--dry-run=server"},
			args...)...)
		// Pod Security warns of workloads whose pods it would refuse.
		workload := strings.Contains(stdout, "statefulset.apps/") || strings.Contains(stdout, "job.batch/")
		if code != 0 || !workload || strings.Contains(stderr, "Warning") {
			t.Errorf("kubectl apply: exit code %d\n%s%s", code, stdout, stderr)
		}
	}
	t.Run("the check bites", func(t *testing.T) {
		text := kubectl(t, "kustomize", filepath.Join(root, "deploy/k8s/overlays/single"))
		for from, to := range map[string]string{
			"runAsNonRoot: true": "runAsNonRoot: false", "readOnlyRootFilesystem:": "readOnlyRootFilesystm:",
		} {
			file := filepath.Join(t.TempDir(), "wrong.yaml")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, from, to)), 0o644); err != nil {
				t.Fatal(err)
			}
			_, stderr, code := run(t, time.Minute, "kubectl", "-n", ns, "apply", "--dry-run=server", "-f", file)
			if code == 0 && !strings.Contains(stderr, "Warning") {
				t.Errorf("nobody minds %s", to)
			}
		}
	})
	overlays, err := os.ReadDir(filepath.Join(root, "deploy/k8s/overlays"))
	if err != nil || len(overlays) < 2 {
		t.Fatalf("overlays %v, %v", overlays, err)
	}
	for _, o := range overlays {
		t.Run(o.Name(), func(t *testing.T) { check(t, "-k", filepath.Join(root, "deploy/k8s/overlays", o.Name())) })
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"english", []string{"english.yaml", "--workers", "3", "--storage", "20Gi"}},
		{"french-nats", []string{"french.yaml", "--nats-cluster", "--storage-class", "fast", "--queue", "q", "--name", "f",
			"--autoscale", "2:9"}},
		{"job-s3", []string{"english.yaml", "--job", "--keep", "1h", "--s3-secret", "keys", "--queue", "q", "--name", "j"}},
		{"batch", []string{"batches/triangles.yaml", "--workers", "3", "--name", "b"}},
		{"tiles", []string{"tiles-5x5.yaml", "--access-mode", "ReadWriteOnce", "--memory", "3Gi", "--image", "r.example/p"}},
	} {
		t.Run("render "+c.name, func(t *testing.T) {
			args := append([]string{"k8s", "render", filepath.Join(root, "configs", c.args[0])}, c.args[1:]...)
			stdout, stderr, code := run(t, time.Minute, coordinator, args...)
			if code != 0 {
				t.Fatalf("render: exit code %d\n%s", code, stderr)
			}
			file := filepath.Join(t.TempDir(), "run.yaml")
			if err := os.WriteFile(file, []byte(stdout), 0o644); err != nil {
				t.Fatal(err)
			}
			check(t, "-f", file)
			folder := filepath.Join(t.TempDir(), "run")
			if _, stderr, code := run(t, time.Minute, coordinator, append(args, "--out", folder)...); code != 0 {
				t.Fatalf("render --out: exit code %d\n%s", code, stderr)
			}
			if again := kubectl(t, "kustomize", folder); again != stdout {
				t.Error("the folder gives other manifests than stdout")
			}
			check(t, "-k", folder)
		})
	}
	t.Run("dashboard", func(t *testing.T) {
		kubectl(t, "-n", ns, "apply", "--dry-run=server", "-k", filepath.Join(root, "deploy/observability"))
	})
	t.Run("components", func(t *testing.T) {
		for _, crd := range []string{
			"servicemonitors.monitoring.coreos.com", "prometheusrules.monitoring.coreos.com", "scaledobjects.keda.sh",
		} {
			name, _, _ := strings.Cut(crd, ".")
			kubectl(t, "apply", "--server-side", "-f", filepath.Join(root, "test/k8s/testdata", name+"-crd.yaml"))
			kubectl(t, "wait", "--for=condition=Established", "--timeout=30s", "crd/"+crd)
		}
		rule := filepath.Join(root, "deploy/observability/prometheus-rule.yaml")
		kubectl(t, "-n", ns, "apply", "--dry-run=server", "-f", rule)
		folder := filepath.Join(t.TempDir(), "all")
		if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "deploy"))); err != nil {
			t.Fatal(err)
		}
		overlay := filepath.Join(folder, "k8s/overlays/cluster/kustomization.yaml")
		text, err := os.ReadFile(overlay)
		if err != nil {
			t.Fatal(err)
		}
		more := strings.Replace(string(text), "components:\n",
			"components:\n- ../../components/monitoring\n- ../../components/kueue\n"+
				"- ../../components/autoscaling\n- ../../components/keda\n", 1)
		if err := os.WriteFile(overlay, []byte(more), 0o644); err != nil {
			t.Fatal(err)
		}
		check(t, "-k", filepath.Dir(overlay))
		if all := kubectl(t, "kustomize", filepath.Dir(overlay)); !strings.Contains(all, "kind: ServiceMonitor") ||
			!strings.Contains(all, "kueue.x-k8s.io/queue-name") || strings.Count(all, "  scaleTargetRef:\n    "+
			"apiVersion: apps/v1\n    kind: StatefulSet\n    name: pagoda-worker\n") != 2 ||
			!strings.Contains(all, "service: pagoda-coordinator\n") {
			t.Error("the components are not in the overlay")
		}
	})
}
