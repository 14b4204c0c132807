//go:build k8s

package k8s

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	cluster "pagoda/internal/k8s"
)

// once is for tests whose volumes have the other access mode: both are tried, and the throwaway cluster has 16 volumes
// of each and does not take them back.
const once = "--access-mode=ReadWriteOnce"

// launched returns the arguments of launch for a problem.
func launched(p problem, more ...string) []string {
	args := append([]string{"launch"}, p.args()...)
	args = append(args, "--image", *image)
	if testbed != "" {
		args = append(args, "--bind-pod") // its pods share a network
	}
	if *natsImage != "" {
		args = append(args, "--nats-image", *natsImage)
	}
	return append(args, more...)
}

// TestEnglish takes the English games from launch to exported CSV, with workers added and removed in mid-run, and a
// second run beside it in the same namespace.
func TestEnglish(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	first := begin(t, ns, launched(english, "--name", "english", "--workers", "2", "--concurrency", "1")...)
	second := begin(t, ns, launched(triangle, "--name", "triangle", "--workers", "1", "--concurrency", "1",
		"--log-level", "debug")...)
	w := watch(t, ns, "english")
	w.reaches(0.05)
	mustK8s(t, time.Minute, ns, "scale", "english", "--workers", "4")
	workers := func(n int) { // are there, and no others
		t.Helper()
		w.until(time.Minute, fmt.Sprint(n, " workers"), func() (bool, error) {
			pods, err := w.kubectl.Pods(t.Context(), "english")
			all, ready := 0, 0
			for _, p := range pods {
				if p.Component == cluster.Worker {
					all++
				}
				if p.Component == cluster.Worker && p.Ready {
					ready++
				}
			}
			return all == n && ready == n, err
		})
	}
	workers(4)
	if r := listed(t, ns, "english"); r.State != "running" || r.Ready != 4 || r.Workers != 4 || r.Done == 0 ||
		r.Done >= r.Windows || r.Seconds <= 0 || !r.Ended.IsZero() || r.Result != nil {
		t.Errorf("the run that goes on is listed as %+v", r)
	}
	s := w.reaches(0.1)
	t.Logf("four workers are there at %d of %d windows", s.Done, s.Windows)
	mustK8s(t, time.Minute, ns, "scale", "english", "--workers", "2")
	first.succeeds(english)
	second.succeeds(triangle)
	for pod, debug := range map[string]bool{
		"triangle-coordinator-0": true, "triangle-worker-0": true, "english-coordinator-0": false, "english-worker-0": false,
	} {
		if log := kubectl(t, "-n", ns, "logs", pod); strings.Contains(log, `"level":"DEBUG"`) != debug {
			t.Errorf("%s: lines of level debug %v, want %v", pod, !debug, debug)
		}
	}
	// A worker that was removed just before the end may have the only copy of rows. It comes back with its volume.
	workers(2)
	mustK8s(t, time.Minute, ns, "scale", "english", "--workers", "4")
	workers(4)
	sameExports(t, ns, "english", english)
	sameExports(t, ns, "triangle", triangle)

	// Each run knows itself alone.
	var st struct {
		State string
		Pods  []struct {
			Name     string
			Restarts int
		}
	}
	if err := json.Unmarshal([]byte(mustK8s(t, time.Minute, ns, "status", "eng", "--output", "json")), &st); err != nil {
		t.Fatal(err)
	}
	if st.State != "complete" || len(st.Pods) != 5 {
		t.Errorf("status %+v", st)
	}
	for _, p := range st.Pods {
		if p.Restarts > 0 || !strings.HasPrefix(p.Name, "english-") {
			t.Errorf("pod %+v", p)
		}
	}
	for name, p := range map[string]problem{"english": english, "triangle": triangle} {
		r := listed(t, ns, name)
		if r.complete(t, p); r.Ready != r.Workers || r.Workers == 0 {
			t.Errorf("%s has %d of %d workers", name, r.Ready, r.Workers)
		}
	}
	if events := kubectl(t, "-n", ns, "get", "events"); strings.Count(events, "RunComplete") != 2 {
		t.Errorf("events:\n%s", events)
	}

	// delete removes all objects of its run and does not touch the other run.
	if _, stderr, code := k8s(t, time.Minute, ns, "delete", "triangle"); code != 2 || !strings.Contains(stderr, "--yes") {
		t.Errorf("delete without an answer: exit code %d\n%s", code, stderr)
	}
	mustK8s(t, 2*time.Minute, ns, "delete", "triangle", "--yes")
	left := kubectl(t, "-n", ns, "get", "-o", "name",
		"all,pvc,secrets,configmaps,networkpolicies,serviceaccounts,endpointslices")
	if strings.Contains(left, "triangle") || !strings.Contains(left, "data-english-worker-3") {
		t.Errorf("left after delete:\n%s", left)
	}
	sameExports(t, ns, "english", problem{config: english.config, set: english.set})
}

// TestStopAndResume stops a run half-way and brings it back with other resources.
func TestStopAndResume(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	mustK8s(
		t,
		time.Minute,
		ns,
		launched(diagonal, once, "--name", "r", "--workers", "2", "--concurrency", "1", "--detach")...)
	w := watch(t, ns, "r")
	before := w.reaches(0.3)
	w.hangUp()
	mustK8s(t, 3*time.Minute, ns, "stop", "r")
	if pods := kubectl(t, "-n", ns, "get", "pods,statefulsets", "-o", "name"); pods != "" {
		t.Errorf("left after stop:\n%s", pods)
	}
	if st := mustK8s(t, time.Minute, ns, "status", "r"); !strings.Contains(st, "stopped") {
		t.Errorf("status of a stopped run:\n%s", st)
	}
	if _, stderr, code := k8s(t, time.Minute, ns, "export", "r", "--out", t.TempDir()); code != 1 ||
		!strings.Contains(stderr, "resume") {
		t.Errorf("export of a stopped run: exit code %d\n%s", code, stderr)
	}
	again := begin(t, ns, "resume", "r", "--workers", "3", "--memory", "2Gi")
	again.succeeds(diagonal)
	after := w.ends()
	if after.Committed+before.Done > after.Windows+after.Windows/10 {
		t.Errorf("%d windows were done before the stop, and %d of %d after it", before.Done, after.Committed, after.Windows)
	}
	t.Logf("%d windows before the stop, %d of %d computed after it", before.Done, after.Committed, after.Windows)
	pods, err := w.kubectl.Pods(t.Context(), "r")
	if err != nil || len(pods) != 4 {
		t.Errorf("pods after resume: %+v, %v", pods, err)
	}
	sameExports(t, ns, "r", diagonal)
}

// TestWrongConfig shows that a mistake is found before anything is created, and that one which gets past that ends in a
// pod that says so, not in a crash loop.
func TestWrongConfig(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	wrong := problem{config: "triangle15.yaml", set: "start=r99c99"}
	if _, stderr, code := k8s(t, time.Minute, ns, launched(wrong, once, "--name", "w")...); code != 2 ||
		!strings.Contains(stderr, "start") {
		t.Errorf("launch of a wrong config: exit code %d\n%s", code, stderr)
	}
	if left := kubectl(t, "-n", ns, "get", "statefulsets,pvc,secrets", "-o", "name"); left != "" {
		t.Errorf("a wrong config left something behind:\n%s", left)
	}

	// Now a mistake comes into run.yaml in the ConfigMap. Only the coordinator reads that.
	mustK8s(t, time.Minute, ns, launched(triangle, once, "--name", "w", "--workers", "1", "--concurrency", "1")...)
	mustK8s(t, 2*time.Minute, ns, "stop", "w")
	kubectl(t, "-n", ns, "patch", "configmap", "w-config", "--type=merge", "-p",
		`{"data":{"run.yaml":"puzzle: peg\nboard: english\nname: w\nstart: r99c99\n"}}`)
	_, stderr, code := k8s(t, 2*time.Minute, ns, "resume", "w")
	if code != 2 || !strings.Contains(stderr, "r99c99") {
		t.Errorf("resume of a wrong config: exit code %d\n%s", code, stderr)
	}
	// Now the ConfigMap has other parameters, which the run's folder refuses.
	mustK8s(t, 2*time.Minute, ns, "stop", "w")
	kubectl(t, "-n", ns, "patch", "configmap", "w-config", "--type=merge", "-p",
		`{"data":{"run.yaml":"puzzle: peg\nboard: english\nname: w\nstart: center\n"}}`)
	if _, stderr, code := k8s(t, 2*time.Minute, ns, "resume", "w"); code != 12 {
		t.Errorf("resume of another run: exit code %d\n%s", code, stderr)
	}
	time.Sleep(5 * time.Second) // long enough for a crash loop to show
	var st struct {
		State, Error string
		Pods         []struct {
			Component string
			Phase     string
			Ready     bool
			Restarts  int
		}
	}
	stdout, _, code := k8s(t, time.Minute, ns, "status", "w", "--output", "json")
	if err := json.Unmarshal([]byte(stdout), &st); err != nil {
		t.Fatal(err)
	}
	if code != 12 || st.State != "failed" || st.Error == "" {
		t.Errorf("status: exit code %d, %+v", code, st)
	}
	for _, p := range st.Pods {
		if p.Component == cluster.Coordinator && (p.Phase != "Running" || p.Ready || p.Restarts > 0) {
			t.Errorf("coordinator %+v", p)
		}
	}
	events := kubectl(t, "-n", ns, "get", "events", "--field-selector", "reason=RunRefused", "-o",
		"jsonpath={.items[*].message}")
	if !strings.Contains(events, "r99c99") {
		t.Errorf("events: %s", events)
	}
}
