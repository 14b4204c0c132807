//go:build k8s

package k8s

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	image     = flag.String("image", "pagoda:dev", "`image` of the programs, as the nodes can get it")
	natsImage = flag.String("nats-image", "", "`image` of NATS servers; that of deploy/k8s unless given")
	via       = flag.String("connect", "port-forward", "`way` to the coordinator: port-forward or pod")
	program   = flag.String("coordinator", "", "coordinator `program`; built unless given")
)

// Where the repository begins, and the program under test.
var root, coordinator string

// testbed is the folder of the throwaway cluster, "" on any other.
var testbed = os.Getenv("KUBE_TESTBED")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	if os.Getenv("KUBECONFIG") == "" {
		fmt.Println("!!! NOT RUN: nothing of test/k8s, as KUBECONFIG names no cluster; tools/k8s-test brings one up")
		return 0
	}
	var err error
	if root, err = filepath.Abs("../.."); err == nil && testbed != "" {
		err = addVolumes()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	if coordinator = *program; coordinator != "" {
		return m.Run()
	}
	folder, err := os.MkdirTemp("", "pagoda-k8s-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	coordinator = filepath.Join(folder, "coordinator")
	build := exec.Command("go", "build", "-o", coordinator, "./cmd/coordinator")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "error: building the coordinator: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// addVolumes adds volumes to the throwaway cluster. It has 16 for one pod alone, each of which serves one claim and no
// other after it, and these tests make more claims than that.
func addVolumes() error {
	var list strings.Builder
	for n := range 64 {
		fmt.Fprintf(&list, `---
apiVersion: v1
kind: PersistentVolume
metadata: {name: more-%d}
spec:
  storageClassName: standard
  capacity: {storage: 1Ti}
  accessModes: [ReadWriteOncePod]
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: %q}
`, n, filepath.Join(testbed, "pool", fmt.Sprintf("more-%d", n)))
	}
	apply := exec.Command("kubectl", "apply", "-f", "-")
	apply.Stdin = strings.NewReader(list.String())
	if out, err := apply.CombinedOutput(); err != nil {
		return fmt.Errorf("volumes for the tests: %w\n%s", err, out)
	}
	return nil
}

// onTestbed skips, loudly, what only the throwaway cluster can do.
func onTestbed(t *testing.T, what string) {
	t.Helper()
	if testbed == "" {
		fmt.Printf("!!! NOT RUN: %s: %s, which takes the cluster of tools/k8s-test\n", t.Name(), what)
		t.Skip(what)
	}
}

// run runs a program with a bound on its time and returns what it wrote and how it ended.
func run(t *testing.T, limit time.Duration, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, 5*time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s %s: not done after %v\n%s%s", name, strings.Join(args, " "), limit, out.String(), errs.String())
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// kubectl runs kubectl and demands that it succeeds.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := run(t, 2*time.Minute, "kubectl", args...)
	if code != 0 {
		t.Fatalf("kubectl %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// namespace makes a namespace in which only pods of the restricted profile may run, and removes it in the end.
func namespace(t *testing.T) string {
	t.Helper()
	ns := "pagoda-" + strings.ToLower(strings.TrimPrefix(t.Name(), "Test"))
	kubectl(t, "create", "namespace", ns)
	kubectl(t, "label", "namespace", ns, "pod-security.kubernetes.io/enforce=restricted",
		"pod-security.kubernetes.io/warn=restricted")
	t.Cleanup(func() {
		if t.Failed() {
			report(t, ns)
		}
		_, _, _ = run(t, time.Minute, "kubectl", "delete", "namespace", ns, "--wait=false")
		_, _, _ = run(t, time.Minute, "kubectl", "-n", ns, "delete", "pods", "--all", "--grace-period=0", "--force")
	})
	return ns
}

// report logs what is known of a namespace in which something went wrong.
func report(t *testing.T, ns string) {
	for _, args := range [][]string{
		{"-n", ns, "get", "pods,pvc", "-o", "wide"},
		{"-n", ns, "get", "events", "--sort-by=.lastTimestamp"},
	} {
		stdout, stderr, _ := run(t, time.Minute, "kubectl", args...)
		t.Logf("kubectl %s\n%s%s", strings.Join(args, " "), stdout, stderr)
	}
	stdout, _, _ := run(t, time.Minute, "kubectl", "-n", ns, "get", "pods", "-o", "name")
	for pod := range strings.FieldsSeq(stdout) {
		stdout, stderr, _ := run(t, time.Minute, "kubectl", "-n", ns, "logs", pod)
		lines := strings.Split(strings.TrimSpace(stdout+stderr), "\n")
		t.Logf("end of the log of %s\n%s", pod, strings.Join(lines[max(0, len(lines)-12):], "\n"))
	}
}

// k8s runs a command of coordinator k8s in a namespace.
func k8s(t *testing.T, limit time.Duration, ns string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return run(t, limit, coordinator, append([]string{"k8s", "-n", ns, "--connect", *via}, args...)...)
}

// mustK8s demands that it succeeds.
func mustK8s(t *testing.T, limit time.Duration, ns string, args ...string) string {
	t.Helper()
	stdout, stderr, code := k8s(t, limit, ns, args...)
	if code != 0 {
		t.Fatalf("k8s %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}
