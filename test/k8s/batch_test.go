//go:build k8s

package k8s

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// batchFile is the batch under test: 19 runs, the last of which take seconds.
const batchFile = "configs/batches/triangles.yaml"

// batchExports are the exports that are compared, by the names of their files. Parquet is not among them: it names the
// build of the program, and the image may have another one.
var batchExports = map[string][]string{
	"members.csv":   {"--format", "csv"},
	"members.md":    {"--format", "markdown"},
	"members.jsonl": {"--format", "jsonl"},
	"layers.csv":    {"--table", "layers"},
}

// batchReference carries the batch out on this machine, and exports its tables into a folder. It returns what batch run
// has printed.
func batchReference(t *testing.T) (dir, printed string) {
	t.Helper()
	dir = t.TempDir()
	data := filepath.Join(dir, "data")
	local := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := run(t, 5*time.Minute, coordinator, append([]string{"batch"}, args...)...)
		if code != 0 {
			t.Fatalf("batch %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
		}
		return stdout
	}
	file := filepath.Join(root, batchFile)
	printed = local("run", file, "--data", data)
	for name, args := range batchExports {
		local(append([]string{"export", file, "--data", data, "--out", filepath.Join(dir, name)}, args...)...)
	}
	return dir, printed
}

// TestBatch takes a batch from launch to its exported tables. It is stopped half-way, and resumed with other workers.
// All that it prints and exports must be the bytes of batch run and batch export on this machine.
func TestBatch(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	want, printed := batchReference(t)
	args := []string{
		"launch", filepath.Join(root, batchFile), "--name", "b", "--workers", "2", "--concurrency", "1", "--image", *image,
	}
	if testbed != "" {
		args = append(args, "--bind-pod")
	}
	first := begin(t, ns, args...)
	goesOn := untilListed(t, ns, "b", func(r *listedRun) bool { return r.Members.Complete > 3 })
	if goesOn.State != "running" || goesOn.Members.All != 19 || goesOn.Members.Complete >= 19 || goesOn.Ready > 2 ||
		goesOn.Windows == 0 || goesOn.Done > goesOn.Windows || !goesOn.Ended.IsZero() {
		t.Errorf("the batch that goes on is listed as %+v", goesOn)
	}
	if s := statusOf(t, ns, "b"); s.State != "running" || s.Status.Batch != "triangles" || len(s.Status.Members) != 19 ||
		s.Status.Members[0].State != "complete" || s.Status.Members[0].Result[0] != (total{"games", "48"}) ||
		len(s.Pods) != 3 {
		t.Errorf("the status of the batch that goes on is %+v", s)
	}
	mustK8s(t, 3*time.Minute, ns, "stop", "b")
	if pods := kubectl(t, "-n", ns, "get", "pods,statefulsets", "-o", "name"); pods != "" {
		t.Errorf("left after stop:\n%s", pods)
	}
	if err := first.cmd.Wait(); err == nil || first.cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("launch ended with %v\n%s", err, first.stderr.String())
	}
	again := begin(t, ns, "resume", "b", "--workers", "3")
	untilListed(t, ns, "b", func(r *listedRun) bool { return r.Members.Complete > goesOn.Members.Complete })
	mustK8s(t, time.Minute, ns, "scale", "b", "--workers", "1")
	if err := again.cmd.Wait(); err != nil || again.stdout.String() != printed {
		t.Fatalf("resume ended with %v and prints\n%s%s\nwant\n%s", err, again.stdout.String(), again.stderr.String(),
			printed)
	}
	if said := again.stderr.String(); !strings.Contains(said, `msg="member complete" member=triangle7-r4c2 `) {
		t.Errorf("resume does not tell of the last member:\n%s", said)
	}
	if r := listed(t, ns, "b"); r.State != "complete" || r.Members.Complete != 19 || len(r.Members.Failed) > 0 ||
		r.Done != r.Windows || r.Ended.IsZero() {
		t.Errorf("the complete batch is listed as %+v", r)
	}
	ready := time.Now().Add(askedFor)
	for listed(t, ns, "b").Ready != 1 {
		if time.Sleep(500 * time.Millisecond); time.Now().After(ready) {
			t.Fatalf("the worker of the complete batch is not listed as ready: %+v", listed(t, ns, "b"))
		}
	}
	got := t.TempDir()
	for name, args := range batchExports {
		mustK8s(t, time.Minute, ns, append([]string{"export", "b", "--out", got}, args...)...)
		same(t, filepath.Join(got, name), filepath.Join(want, name))
	}
	for _, c := range [][]string{
		{"--table", "counts", "is of one run, and this is a batch"}, {"--layer", "3", "is for one run, and this is a batch"},
		{"--format", "svg", "is not one of"}, {"--links", "http://127.0.0.1:1/", "is for one run, and this is a batch"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		_, stderr, code := k8s(t, time.Minute, ns, "export", "b", "--out", out, c[0], c[1])
		if _, err := os.Stat(out); code != 2 || !strings.Contains(stderr, c[2]) || err == nil {
			t.Errorf("export %s %s: exit code %d, %v\n%s", c[0], c[1], code, err, stderr)
		}
	}
	// A complete batch that is brought back says so at once, and has its table.
	mustK8s(t, 3*time.Minute, ns, "stop", "b")
	if stdout := mustK8s(t, 2*time.Minute, ns, "resume", "b"); stdout != printed {
		t.Errorf("the complete batch prints\n%s\nwant\n%s", stdout, printed)
	}
	mustK8s(t, 2*time.Minute, ns, "delete", "b", "--yes")
	if left := kubectl(t, "-n", ns, "get", "-o", "name", "pods,pvc,secrets,configmaps"); strings.Contains(left, "/b-") ||
		strings.Contains(left, "-b-") {
		t.Errorf("left after delete:\n%s", left)
	}
}

// TestBatchPage carries out the chapter about batches of docs/kubernetes.md as it stands there.
func TestBatchPage(t *testing.T) {
	t.Parallel()
	onTestbed(t, "the chapter of docs/kubernetes.md about batches")
	page, err := os.ReadFile(filepath.Join(root, "docs/kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, found := strings.Cut(string(page), "\n## A batch\n")
	chapter, _, more := strings.Cut(chapter, "\n## ")
	list, _ := steps(t, chapter)
	if !found || !more || len(list) < 8 {
		t.Fatalf("the chapter has %d commands", len(list))
	}
	home, env := pageHome(t, namespace(t))
	for _, s := range list {
		var said string
		var lines []string
		for end := time.Now().Add(askedFor); ; time.Sleep(500 * time.Millisecond) {
			said, err = inShell(t, s.command, home, env)
			lines = s.missing(said)
			if err == nil && len(lines) == 0 || !onlyAsks.MatchString(s.command) || time.Now().After(end) {
				break
			}
		}
		if err != nil || len(lines) > 0 {
			t.Fatalf("$ %s\n%s\n%v, and it does not say\n%s", s.command, said, err, strings.Join(lines, "\n"))
		}
	}
}

// TestBatchMembersFail has a batch with a member that cannot be carried out, and one whose file is broken after launch.
func TestBatchMembersFail(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	file := filepath.Join(t.TempDir(), "large.yaml")
	text := "base:\n  puzzle: peg\n  count: games\nmatrix:\n  include:\n  - {board: triangle4, start: r0c0}\n" +
		"  - {board: triangle5, start: r0c0, export: /proc/nowhere, name: unwritable}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"launch", file, "--name", "l", "--workers", "1", "--image", *image, once}
	if testbed != "" {
		args = append(args, "--bind-pod")
	}
	stdout, stderr, code := k8s(t, 2*time.Minute, ns, args...)
	if code != 6 || !strings.Contains(stderr, `msg="member failed" member=unwritable `) ||
		!strings.Contains(stderr, "members have failed: 1 of 2 members: unwritable") || !strings.Contains(stdout, "failed") {
		t.Errorf("launch of a batch with a member that fails: exit code %d\n%s%s", code, stdout, stderr)
	}
	if r := listed(t, ns, "l"); r.State != "failed" || r.Members.Complete != 1 ||
		strings.Join(r.Members.Failed, " ") != "unwritable" {
		t.Errorf("a batch with a member that failed is listed as %+v", r)
	}
	out := t.TempDir()
	_, stderr, code = k8s(t, time.Minute, ns, "export", "l", "--out", out)
	table, err := os.ReadFile(filepath.Join(out, "members.csv"))
	if code != 0 || err != nil || bytes.Count(table, []byte("\n")) != 2 ||
		!strings.Contains(stderr, "1 of 2 members not complete and without a row") {
		t.Errorf("export of a batch with a member that failed: exit code %d, %v\n%s%s", code, err, table, stderr)
	}
	mustK8s(t, 2*time.Minute, ns, "stop", "l")
	patch := `{"data":{"large.yaml":"base:\n  puzzle: peg\nmatrix:\n  board: [nowhere]\n"}}`
	kubectl(t, "-n", ns, "patch", "configmap", "l-config", "--type=merge", "-p", patch)
	_, stderr, code = k8s(t, 2*time.Minute, ns, "resume", "l", "--retry-failed")
	if code != 2 || !strings.Contains(stderr, "nowhere") {
		t.Errorf("resume of a broken batch: exit code %d\n%s", code, stderr)
	}
	time.Sleep(5 * time.Second) // long enough for a crash loop to show
	for _, p := range statusOf(t, ns, "l").Pods {
		if p.Component == "coordinator" && (p.Phase != "Running" || p.Ready || p.Restarts > 0) {
			t.Errorf("coordinator %+v", p)
		}
	}
}

// total is a total of a complete member.
type total struct{ Name, Value string }

// batchStatus is the JSON form of k8s status of a batch.
type batchStatus struct {
	State  string
	Status struct {
		Batch   string
		Members []struct {
			Member, State string
			Result        []total
		}
	}
	Pods []struct {
		Component, Phase string
		Ready            bool
		Restarts         int
	}
}

// statusOf returns the status of a batch, whatever the exit code.
func statusOf(t *testing.T, ns, name string) (s batchStatus) {
	t.Helper()
	stdout, stderr, _ := k8s(t, time.Minute, ns, "status", name, "--output", "json")
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatalf("k8s status: %v\n%s%s", err, stdout, stderr)
	}
	return s
}

// untilListed lists a batch until it is as wanted, before it is complete. It fails when the batch does not advance.
func untilListed(t *testing.T, ns, name string, yes func(*listedRun) bool) listedRun {
	t.Helper()
	var last listedRun
	for since := time.Now(); time.Since(since) < stalled; time.Sleep(100 * time.Millisecond) {
		stdout, _, code := k8s(t, time.Minute, ns, "list", "--output", "json")
		var list struct{ Runs []listedRun }
		if code != 0 || json.Unmarshal([]byte(stdout), &list) != nil {
			continue
		}
		for i := range list.Runs {
			r := &list.Runs[i]
			if r.Name != name || r.Members == nil {
				continue
			}
			if r.State == "complete" || r.State == "failed" {
				t.Fatalf("the batch has ended before the test could break anything: %+v", *r)
			}
			if yes(r) {
				return *r
			}
			if last.Members == nil || r.Done != last.Done || r.Members.Complete != last.Members.Complete {
				last, since = *r, time.Now()
			}
		}
	}
	t.Fatalf("batch %s does not come to what the test waits for; for %v it is %+v", name, stalled, last)
	return last
}
