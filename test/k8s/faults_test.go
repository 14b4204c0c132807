//go:build k8s

package k8s

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	cluster "pagoda/internal/k8s"
)

// TestFaults breaks one thing after the other in one run.
func TestFaults(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	l := begin(t, ns, launched(diagonal, "--name", "f", "--workers", "3", "--concurrency", "1")...)
	w := watch(t, ns, "f")

	w.reaches(0.10)
	kubectl(t, "-n", ns, "delete", "pod", "f-worker-0", "--wait=false")
	t.Log("a worker pod is deleted")

	w.reaches(0.20)
	kubectl(t, "-n", ns, "delete", "pod", "f-coordinator-0", "--wait=false")
	t.Log("the coordinator pod is deleted")
	w.hangUp()

	w.reaches(0.30)
	if testbed != "" {
		t.Logf("%d processes of a worker are killed", killed(t, "f-worker-1", "worker"))
		w.reaches(0.40)
		t.Logf("%d processes of the coordinator are killed", killed(t, "f-coordinator-0", "coordinator"))
		w.hangUp()
	} else {
		fmt.Println("!!! NOT RUN: TestFaults: killed processes, which take the cluster of tools/k8s-test")
	}
	l.succeeds(diagonal)
	sameExports(t, ns, "f", diagonal)
}

// TestNodeLost loses a node with everything on it, volumes included, in mid-run. It is not parallel and runs before the
// parallel tests, because these may have pods on the node.
func TestNodeLost(t *testing.T) {
	onTestbed(t, "a node lost with its volumes")
	ns := namespace(t)
	l := begin(t, ns, launched(diagonal, once, "--name", "n", "--workers", "3", "--concurrency", "1")...)
	w := watch(t, ns, "n")
	w.reaches(0.25)
	pods, err := w.kubectl.Pods(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	home := ""
	for _, p := range pods {
		if p.Component == cluster.Coordinator {
			home = p.Node
		}
	}
	node := ""
	var lost []string
	for _, p := range pods {
		if p.Component == cluster.Worker && p.Node != home && (node == "" || p.Node == node) {
			node, lost = p.Node, append(lost, p.Name)
		}
	}
	if node == "" {
		t.Fatalf("all pods are on the coordinator's node: %+v", pods)
	}
	pid, err := os.ReadFile(filepath.Join(testbed, node+".pid"))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(number, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, pod := range lost {
		if err := os.RemoveAll(filepath.Join(testbed, "pods", "pvc", ns, "data-"+pod)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("node %s is lost with the volumes of %v", node, lost)
	// An operator taints a node that will not come back; a cloud does it by itself.
	kubectl(t, "taint", "nodes", node, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
	l.succeeds(diagonal)
	sameExports(t, ns, "n", diagonal)
}

// TestQueueCluster restarts three NATS servers one by one in mid-run.
func TestQueueCluster(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	l := begin(t, ns, launched(diagonal, "--name", "q", "--workers", "2", "--concurrency", "1", "--nats-cluster")...)
	w := watch(t, ns, "q")
	for n, share := range []float64{0.1, 0.3, 0.5} {
		w.reaches(share)
		pod := fmt.Sprintf("q-nats-%d", n)
		kubectl(t, "-n", ns, "delete", "pod", pod) // returns when it is gone
		w.until(time.Minute, pod, func() (bool, error) {
			pods, err := w.kubectl.Pods(t.Context(), "q")
			for _, p := range pods {
				if p.Name == pod && p.Ready && !p.Ending {
					return true, err
				}
			}
			return false, err
		})
		t.Logf("%s was restarted", pod)
	}
	l.succeeds(diagonal)
	sameExports(t, ns, "q", diagonal)
}

// killed kills the processes of a pod that run a program, as a crash would, and returns how many there were.
func killed(t *testing.T, pod, program string) (n int) {
	t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range procs {
		environ, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		name, err := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
		if err != nil || strings.TrimSpace(string(name)) != program ||
			!bytes.Contains(environ, []byte("POD_NAME="+pod+"\x00")) {
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
			n++
		}
	}
	if n == 0 {
		t.Fatalf("no process %s of pod %s was found", program, pod)
	}
	return n
}
