//go:build k8s

package k8s

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	cluster "pagoda/internal/k8s"
)

// A listedRun is a run in the JSON form of k8s list.
type listedRun struct {
	Name, State, Error            string
	Windows, Done, Workers, Ready int
	Started, Ended                time.Time
	Seconds                       float64
	Result                        []struct{ Name, Value string }
	Members                       *struct {
		All, Complete int
		Failed        []string
	} // of a batch
}

// listed returns a run as k8s list has it.
func listed(t *testing.T, ns, name string) listedRun {
	t.Helper()
	var list struct{ Runs []listedRun }
	stdout := mustK8s(t, time.Minute, ns, "list", "--output", "json")
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatalf("k8s list: %v\n%s", err, stdout)
	}
	for _, r := range list.Runs {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("k8s list does not know %s\n%s", name, stdout)
	return listedRun{}
}

// state returns the state of a run by k8s list, and how many workers it wants.
func state(t *testing.T, ns, name string) string {
	t.Helper()
	r := listed(t, ns, name)
	return fmt.Sprint(r.Workers, " ", r.State)
}

// complete demands that a complete run is listed with its windows, its time and the results of one machine.
func (r *listedRun) complete(t *testing.T, p problem) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(reference(t, p), resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range r.Result {
		if !regexp.MustCompile(`(?m)^` + n.Name + ` +` + n.Value + `$`).Match(text) {
			t.Errorf("%s %s is no result of one machine:\n%s", n.Name, n.Value, text)
		}
	}
	if r.State != "complete" || len(r.Result) == 0 || r.Windows == 0 || r.Done != r.Windows || r.Started.IsZero() ||
		!r.Ended.After(r.Started) || r.Seconds != r.Ended.Sub(r.Started).Seconds() {
		t.Errorf("the complete run is listed as %+v", *r)
	}
}

// jobsAre waits until both Jobs of a run are in a state, "" for gone.
func (w *watcher) jobsAre(ended string) {
	w.t.Helper()
	w.until(time.Minute, "Jobs that are "+ended, func() (bool, error) {
		there, err := w.kubectl.Workloads(w.t.Context(), w.name)
		if ended == "" {
			return len(there) == 0, err
		}
		return there[cluster.Coordinator].Ended == ended && there[cluster.Worker].Ended == ended, err
	})
}

// TestJobs breaks a run of Jobs, takes its workers from it and gives them back as a queue does, stops it and brings it
// back.
func TestJobs(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	// The rows of pods that are gone are gone. A worker that finds the machine idle does the English board in less
	// time than a Job takes to replace a pod.
	games := problem{config: diagonal.config, set: diagonal.set}
	args := launched(games, "--name", "j", "--workers", "3", "--concurrency", "1", "--job", "--keep", "10m", "--ttl", "1h")
	l := begin(t, ns, args...)
	w := watch(t, ns, "j")
	w.reaches(0.05)
	worker := w.pods(3)[0].Name
	kubectl(t, "-n", ns, "delete", "pod", worker, "--wait=false")
	t.Logf("pod %s is deleted", worker)
	if testbed != "" {
		worker := w.pods(3)[0].Name
		t.Logf("%d processes of %s are killed", killed(t, worker, "worker"), worker)
		w.reaches(0.1)
		t.Logf("%d processes of the coordinator are killed", killed(t, w.coordinator(), "coordinator"))
		w.hangUp()
	}
	w.pods(3)

	w.reaches(0.15)
	for _, suspend := range []string{"true", "false"} { // another run of the queue is more urgent
		kubectl(t, "-n", ns, "patch", "job/j-worker", "--type=merge", "-p", `{"spec":{"suspend":`+suspend+`}}`)
		if suspend == "true" {
			w.pods(0)
			if s := state(t, ns, "j"); s != "0 running" {
				t.Errorf("without workers the run is %q", s)
			}
		}
	}
	w.pods(3)
	// The Jobs of a run that goes on cannot be changed.
	_, stderr, code := k8s(t, time.Minute, ns, "resume", "j", "--memory", "2Gi")
	if code != 2 || !strings.Contains(stderr, "hint: coordinator k8s stop j first") {
		t.Errorf("resume of what goes on: exit code %d\n%s", code, stderr)
	}

	w.reaches(0.2)
	w.hangUp()
	mustK8s(t, 3*time.Minute, ns, "stop", "j")
	if pods := kubectl(t, "-n", ns, "get", "pods,jobs", "-o", "name"); pods != "" {
		t.Errorf("left after stop:\n%s", pods)
	}
	if s := state(t, ns, "j"); s != "0 stopped" {
		t.Errorf("after stop the run is %q", s)
	}
	if err := l.cmd.Wait(); err == nil || l.cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("launch ended with %v\n%s", err, l.stderr.String())
	}
	again := begin(t, ns, "resume", "j", "--workers", "2", "--memory", "2Gi")
	w.pods(2)
	mustK8s(t, time.Minute, ns, "scale", "j", "--workers", "4")
	w.pods(4)
	again.succeeds(games)
	r := listed(t, ns, "j")
	if r.complete(t, games); r.Workers != 4 || r.Ready != 4 {
		t.Errorf("while the pods of the complete run stay it has %d of %d workers", r.Ready, r.Workers)
	}
	sameExports(t, ns, "j", games)
	mustK8s(t, 3*time.Minute, ns, "stop", "j")
}

// pods waits until a run has that many workers that are ready, and no others that have not ended.
func (w *watcher) pods(n int) (ready []cluster.Pod) {
	w.t.Helper()
	w.until(time.Minute, "workers", func() (bool, error) {
		pods, err := w.kubectl.Pods(w.t.Context(), w.name)
		ready = nil
		for _, p := range pods {
			if p.Component == cluster.Worker && !p.Ended() {
				ready = append(ready, p)
				if !p.Ready || p.Ending {
					return false, err
				}
			}
		}
		return len(ready) == n, err
	})
	return ready
}

// coordinator returns the name of the coordinator's pod.
func (w *watcher) coordinator() (name string) {
	w.t.Helper()
	w.until(time.Minute, "the coordinator", func() (bool, error) {
		p, err := w.kubectl.CoordinatorPod(w.t.Context(), w.name)
		name = p.Name
		return err == nil, err
	})
	return name
}

// TestJobsEnd has runs of Jobs end, well and badly, and their Jobs removed.
func TestJobsEnd(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	job := func(more ...string) []string {
		some := []string{once, "--name", "e", "--workers", "2", "--concurrency", "1", "--job"}
		return launched(triangle, append(some, more...)...)
	}
	for want, more := range map[string][]string{
		"secret nobody is not there": {"--s3-secret", "nobody"},
		"priorityClassName":          {"--priority-class", "no/such"},
	} {
		if _, stderr, code := k8s(t, time.Minute, ns, job(more...)...); code == 0 ||
			!strings.Contains(stderr, "nothing was created") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d\n%s", want, code, stderr)
		}
	}
	if left := kubectl(t, "-n", ns, "get", "jobs,pvc,secrets,pods", "-o", "name"); left != "" {
		t.Errorf("a wrong launch left something behind:\n%s", left)
	}

	// It ends by itself. Whether launch sees that in the second that its coordinator stays does not matter.
	mustK8s(t, 2*time.Minute, ns, job("--keep", "1s", "--ttl", "1h")...)
	w := watch(t, ns, "e")
	w.jobsAre(cluster.JobComplete)
	r := listed(t, ns, "e") // from the log of the coordinator
	if r.complete(t, triangle); r.Workers != 0 || r.Ready != 0 {
		t.Errorf("when its Jobs are complete the run has %d of %d workers", r.Ready, r.Workers)
	}
	if pods := kubectl(t, "-n", ns, "get", "pods", "-o", "name", "--field-selector", "status.phase=Running"); pods != "" {
		t.Errorf("pods of a complete run:\n%s", pods)
	}
	// Its tables are still to be had; they are in the coordinator's volume.
	mustK8s(t, 2*time.Minute, ns, "resume", "e", "--keep", "10m", "--ttl", "0s")
	got := t.TempDir()
	mustK8s(t, time.Minute, ns, "export", "e", "--table", "layers,windows", "--out", got)
	for _, name := range []string{"layers.csv", "windows.csv"} {
		same(t, filepath.Join(got, name), filepath.Join(reference(t, triangle), name))
	}
	// A coordinator that is told to stop after the end of its run has succeeded.
	kubectl(t, "-n", ns, "delete", "pod", w.coordinator())
	w.jobsAre("")
	if s := state(t, ns, "e"); s != "0 ended" {
		t.Errorf("when its Jobs are gone the run is %q", s)
	}
	if st := mustK8s(t, time.Minute, ns, "status", "e"); !strings.Contains(st, "ended") {
		t.Errorf("status of a run without Jobs:\n%s", st)
	}

	// A mistake that comes into the config after launch ends the coordinator's Job for good.
	kubectl(t, "-n", ns, "patch", "configmap", "e-config", "--type=merge", "-p",
		`{"data":{"run.yaml":"puzzle: peg\nboard: english\nname: e\nstart: r99c99\n"}}`)
	_, stderr, code := k8s(t, 2*time.Minute, ns, "resume", "e", "--ttl", "1h")
	if code != 2 || !strings.Contains(stderr, "r99c99") {
		t.Errorf("resume of a wrong config: exit code %d\n%s", code, stderr)
	}
	if r := listed(t, ns, "e"); r.State != "failed" || !strings.Contains(r.Error, "r99c99") || r.Ended.IsZero() {
		t.Errorf("the failed run is %+v", r)
	}
	if _, _, code := k8s(t, time.Minute, ns, "status", "e"); code != 2 {
		t.Errorf("status of the failed run: exit code %d", code)
	}
	mustK8s(t, 2*time.Minute, ns, "delete", "e", "--yes")
	left := kubectl(t, "-n", ns, "get", "-o", "name", "jobs,pods,pvc,secrets,configmaps")
	if strings.Contains(left, "/e-") {
		t.Errorf("left after delete:\n%s", left)
	}
}

// same compares two files.
func same(t *testing.T, got, want string) {
	t.Helper()
	a, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s differs from that of one machine: %d bytes, want %d", filepath.Base(got), len(a), len(b))
	}
}
