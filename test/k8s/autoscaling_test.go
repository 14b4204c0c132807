//go:build k8s

package k8s

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	cluster "pagoda/internal/k8s"
)

// externalMetrics is the API that an adapter for metrics serves.
const externalMetrics = "external.metrics.k8s.io"

var readyWindows = regexp.MustCompile(`(?m)^pagoda_run_windows_ready\{run="[0-9a-f]+"\} (\S+)$`)

// ready reads the metric of the coordinator of a run, as an adapter does.
func ready(k *cluster.Kubectl, r *http.Request, name string) (int64, error) {
	pod, err := k.CoordinatorPod(r.Context(), name)
	if err != nil {
		return 0, err
	}
	resp, err := http.Get("http://" + pod.IP + ":8080/metrics")
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	m := readyWindows.FindSubmatch(body)
	if m == nil {
		return 0, fmt.Errorf("no pagoda_run_windows_ready among %d bytes", len(body))
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	return int64(v), err
}

// adapt serves the metrics of runs in a namespace to the cluster's autoscalers.
func adapt(t *testing.T, ns string) {
	t.Helper()
	k := &cluster.Kubectl{Namespace: ns}
	const version = externalMetrics + "/v1beta1"
	path := "/apis/" + version + "/namespaces/" + ns + "/pagoda_run_windows_ready"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": []any{}}
		if service, ok := strings.CutPrefix(r.URL.Query().Get("labelSelector"), "service="); ok && r.URL.Path == path {
			v, err := ready(k, r, strings.TrimSuffix(service, "-coordinator"))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			answer = map[string]any{
				"kind": "ExternalMetricValueList", "apiVersion": version, "metadata": map[string]any{},
				"items": []any{map[string]any{
					"metricName": "pagoda_run_windows_ready", "metricLabels": map[string]string{"service": service},
					"timestamp": time.Now().UTC().Format(time.RFC3339), "value": strconv.FormatInt(v, 10),
				}}}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	api := "v1beta1." + externalMetrics
	// An API that is registered and gone holds up the removal of every namespace.
	t.Cleanup(func() { _, _, _ = run(t, time.Minute, "kubectl", "delete", "apiservice", api) })
	file := filepath.Join(t.TempDir(), "adapter.yaml")
	text := fmt.Sprintf(`apiVersion: v1
kind: Service
metadata: {name: adapter}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: %s}
spec:
  group: %s
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: adapter, namespace: %s, port: %s}
`, api, externalMetrics, ns, server.URL[strings.LastIndexByte(server.URL, ':')+1:])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "-n", ns, "apply", "-f", file)
	kubectl(t, "wait", "--for=condition=Available", "--timeout=30s", "apiservice/"+api)
}

// workers waits until that many workers are wanted and ready. An autoscaler looks every 15 s, and waits for 30 s more.
func (w *watcher) workers(n int) {
	w.t.Helper()
	w.until(2*time.Minute, fmt.Sprint(n, " workers"), func() (bool, error) {
		made, err := w.kubectl.Workloads(w.t.Context(), w.name)
		if err != nil || made[cluster.Worker].Replicas != n {
			return false, err
		}
		pods, err := w.kubectl.Pods(w.t.Context(), w.name)
		all, ready := 0, 0
		for _, p := range pods {
			if p.Component == cluster.Worker {
				all++
			}
			if p.Component == cluster.Worker && p.Ready && !p.Ending {
				ready++
			}
		}
		return all == n && ready == n, err
	})
	s, err := w.status()
	w.t.Logf("%d workers at %d of %d windows, of which %d are ready (%v)", n, s.Done, s.Windows, s.Ready, err)
}

// TestAutoscaling carries out the chapter of docs/operating.md. The autoscaler of the cluster's controller-manager asks
// an API that the test serves, and that reads the coordinator's metric: the workers of a run go from 1 to 3, to none,
// to 3, and in the end to 1, and its numbers are those of one machine.
func TestAutoscaling(t *testing.T) {
	t.Parallel()
	onTestbed(t, "an adapter for metrics that the test serves")
	ns := namespace(t)
	adapt(t, ns)
	scaled := problem{config: "english.yaml", set: "start=r2c2 goal= window_addresses=4500"}
	home, env := pageHome(t, ns)
	_, chapter := operatingPage(t)
	all, _ := steps(t, chapter)
	if len(all) != 5 {
		t.Fatalf("the chapter has %d commands", len(all))
	}
	var w *watcher
	for i, s := range all {
		said, err := inShell(t, s.command, home, env)
		for end := time.Now().Add(90 * time.Second); onlyAsks.MatchString(s.command) &&
			(err != nil || len(s.missing(said)) > 0) && time.Now().Before(end); {
			time.Sleep(time.Second)
			said, err = inShell(t, s.command, home, env)
		}
		t.Logf("$ %s\n%s", s.command, said)
		if lines := s.missing(said); err != nil || len(lines) > 0 {
			t.Fatalf("%s: %v; it does not say\n%s", s.command, err, strings.Join(lines, "\n"))
		}
		switch i {
		case 0:
			w = watch(t, ns, "scaled")
		case 1: // the autoscaler is seen to have a metric
			w.workers(3)
		case 2: // kubectl scale --replicas=0
			w.workers(0)
			if s, err := w.status(); err != nil || s.Ready == 0 || s.Done == s.Windows {
				t.Fatalf("without workers %d windows are ready, %d of %d done, %v", s.Ready, s.Done, s.Windows, err)
			}
		case 4: // kubectl scale --replicas=1
			w.workers(3)
		}
	}
	if s := w.ends(); s.State != "complete" || s.Ready != 0 {
		t.Fatalf("the run is %s, %d windows are ready: %s", s.State, s.Ready, s.Error)
	}
	// Five minutes of stabilisation are too long for a test.
	kubectl(t, "-n", ns, "patch", "horizontalpodautoscaler", "scaled-worker", "--type=merge", "-p",
		`{"spec":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":0,"policies":[
		{"type":"Pods","value":1,"periodSeconds":15}]}}}}`)
	w.workers(1)
	r := listed(t, ns, "scaled")
	r.complete(t, scaled)
	sameExports(t, ns, "scaled", scaled)

	_, stderr, code := k8s(t, time.Minute, ns, "scale", "scaled", "--workers", "2")
	if code != 2 || !strings.Contains(stderr, "--autoscale MIN:MAX") {
		t.Errorf("scale of a run with an autoscaler: exit code %d\n%s", code, stderr)
	}
	mustK8s(t, 3*time.Minute, ns, "stop", "scaled")
	if left := kubectl(t, "-n", ns, "get", "horizontalpodautoscalers", "-o", "name"); left != "" {
		t.Errorf("left after stop: %s", left)
	}
	mustK8s(t, 2*time.Minute, ns, "resume", "scaled", "--detach", "--autoscale", "2:4", "--workers", "2")
	bounds := kubectl(t, "-n", ns, "get", "horizontalpodautoscaler", "scaled-worker", "-o",
		"jsonpath={.spec.minReplicas}:{.spec.maxReplicas}")
	if bounds != "2:4" {
		t.Errorf("the autoscaler that came back has bounds %s", bounds)
	}
	mustK8s(t, 2*time.Minute, ns, "delete", "scaled", "--yes")
	if left := kubectl(t, "-n", ns, "get", "horizontalpodautoscalers,statefulsets,pods", "-o", "name"); left != "" {
		t.Errorf("left after delete: %s", left)
	}
}
