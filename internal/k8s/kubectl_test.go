package k8s

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake returns a Kubectl whose program is a shell script. Files of the test are below $FAKE.
func fake(t *testing.T, script string) *Kubectl {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "kubectl")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nFAKE="+dir+"\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Kubectl{Path: path, Context: "c", Namespace: "n"}
}

// writeMaps lets a fake kubectl list the ConfigMaps of runs.
func writeMaps(t *testing.T, k *Kubectl, runs ...Overlay) {
	t.Helper()
	var maps list[configMap]
	for _, o := range runs {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		m := configMap{Data: map[string]string{"run.yaml": string(o.Config)}}
		if o.Batch != "" {
			m.Data = o.Files
		}
		m.Metadata = meta{Name: o.Name + "-config", Namespace: "puzzles",
			Annotations: map[string]string{annotationOverlay: string(text)}}
		maps.Items = append(maps.Items, m, configMap{Metadata: meta{Name: o.Name + "-nats"}})
	}
	b, err := json.Marshal(maps)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(k.Path), "maps.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestErrors(t *testing.T) {
	k := fake(t, `echo 'Error from server (NotFound): pods "x"
  not found' >&2; exit 1`)
	_, err := k.Run(t.Context(), nil, "get", "pods", "x")
	const want = `kubectl get pods: Error from server (NotFound): pods "x" not found`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	k = fake(t, "exit 3")
	if _, err := k.Run(t.Context(), nil, "version"); err == nil || err.Error() != "kubectl version: exit status 3" {
		t.Errorf("a silent end: %v", err)
	}
	k = &Kubectl{Path: filepath.Join(t.TempDir(), "kubectl")}
	if _, err := k.Run(t.Context(), nil, "version"); !errors.Is(err, ErrNoKubectl) {
		t.Errorf("no kubectl: %v", err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	if _, err := fake(t, "sleep 60").Run(ctx, nil, "version"); err == nil || err.Error() != "enough" {
		t.Errorf("the end of the context: %v", err)
	}
}

// TestArguments pins how a command is called: context and namespace first, and the input on stdin.
func TestArguments(t *testing.T) {
	var traced []string
	k := fake(t, `echo "$*"; cat`)
	k.Trace = func(args []string) { traced = args }
	b, err := k.Run(t.Context(), []byte("input"), "apply", "-f", "-")
	if err != nil || string(b) != "--context c --namespace n apply -f -\ninput" {
		t.Errorf("called with %q (%v)", b, err)
	}
	if got := strings.Join(traced[1:], " "); got != "--context c --namespace n apply -f -" {
		t.Errorf("traced %q", got)
	}
}

func TestForward(t *testing.T) {
	k := fake(t, `echo "Forwarding from 127.0.0.1:45678 -> 8443"; echo "Handling connection"; exec sleep 60`)
	tunnel, err := k.Connect(t.Context(), Pod{Name: "p"}, 8443, ViaForward)
	if err != nil || tunnel.Address != "127.0.0.1:45678" {
		t.Fatalf("tunnel %+v, %v", tunnel, err)
	}
	tunnel.Close() // returns only when kubectl has ended
	k = fake(t, `echo "error: pod not found" >&2; exit 1`)
	if _, err := k.Connect(t.Context(), Pod{Name: "p"}, 8443, ViaForward); err == nil ||
		err.Error() != "kubectl port-forward: pod not found" {
		t.Errorf("no such pod: %v", err)
	}
	tunnel, err = k.Connect(t.Context(), Pod{Name: "p", IP: "fd00::1"}, 8443, ViaPod)
	if err != nil || tunnel.Address != "[fd00::1]:8443" {
		t.Errorf("tunnel %+v, %v", tunnel, err)
	}
	tunnel.Close()
	for _, via := range []string{ViaPod, "pigeon"} {
		if _, err := k.Connect(t.Context(), Pod{Name: "p"}, 8443, via); err == nil {
			t.Errorf("a way by %s to a pod without address", via)
		}
	}
}

// TestPods reads pods as the API server has them in several plights.
func TestPods(t *testing.T) {
	k := fake(t, `cat <<'EOF'
{"items": [
 {"metadata": {"name": "r-worker-10", "labels": {"app.kubernetes.io/component": "worker"}},
  "spec": {}, "status": {"phase": "Pending", "conditions": [
   {"type": "PodScheduled", "status": "False", "message": "0/2 nodes are available: 2 Insufficient memory."}]}},
 {"metadata": {"name": "r-worker-9", "labels": {"app.kubernetes.io/component": "worker"}},
  "spec": {"nodeName": "n1"}, "status": {"phase": "Pending", "containerStatuses": [
   {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}}]}},
 {"metadata": {"name": "r-coordinator-0", "labels": {"app.kubernetes.io/component": "coordinator"}, "uid": "u"},
  "spec": {"nodeName": "n1"}, "status": {"phase": "Running", "podIP": "10.0.0.1",
   "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": [
   {"ready": true, "restartCount": 2, "state": {"running": {}},
    "lastState": {"terminated": {"exitCode": 137, "message": "killed\n"}}}]}},
 {"metadata": {"name": "r-worker-0", "labels": {"app.kubernetes.io/component": "worker"},
   "deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"nodeName": "n2"}, "status": {"phase": "Running"}}]}
EOF`)
	got, err := k.Pods(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	want := []Pod{
		{Name: "r-coordinator-0", Component: Coordinator, Node: "n1", IP: "10.0.0.1", Phase: "Running", Ready: true,
			Restarts: 2, Message: "ended before with code 137: killed", uid: "u"},
		{Name: "r-worker-0", Component: Worker, Node: "n2", Phase: "Terminating", Ending: true},
		{Name: "r-worker-9", Component: Worker, Node: "n1", Phase: "ImagePullBackOff", Message: "Back-off pulling image"},
		{Name: "r-worker-10", Component: Worker, Phase: "Pending",
			Message: "0/2 nodes are available: 2 Insufficient memory."},
	}
	if len(got) != len(want) {
		t.Fatalf("pods %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("pod %+v,\nwant %+v", got[i], want[i])
		}
	}
	pod, err := k.CoordinatorPod(t.Context(), "r")
	if err != nil || pod.Name != "r-coordinator-0" {
		t.Errorf("coordinator %+v, %v", pod, err)
	}
	k = fake(t, `echo '{"items": []}'`)
	if _, err := k.CoordinatorPod(t.Context(), "r"); !errors.Is(err, ErrNoPod) {
		t.Errorf("no coordinator: %v", err)
	}
}

// TestKeysInSecrets puts keys into Secrets and takes them out again, byte for byte.
func TestKeysInSecrets(t *testing.T) {
	k := fake(t, `
case "$*" in
*create*) cat > "$FAKE/secret.json" ;;
*"get secret"*) cat "$FAKE/secret.json" 2>/dev/null || true ;;
esac`)
	o := sample()
	there, missing, err := k.HasKeys(t.Context(), &o, "worker")
	if err != nil || len(there) != 0 || len(missing) != 1 {
		t.Fatalf("keys before: %v, %v, %v", there, missing, err)
	}
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "worker")
	if err := os.Mkdir(filepath.Join(from, "worker"), 0o700); err != nil {
		t.Fatal(err)
	}
	const text = "secret \x00\xff\n"
	if err := os.WriteFile(filepath.Join(from, "worker", "tls.key"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := k.PutKeys(t.Context(), &o, from, "worker"); err != nil {
		t.Fatal(err)
	}
	if there, _, err := k.HasKeys(t.Context(), &o, "worker"); err != nil || len(there) != 1 {
		t.Fatalf("keys after: %v, %v", there, err)
	}
	if err := k.TakeKeys(t.Context(), o.Name, "worker", to); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(to, "tls.key"))
	if err != nil || string(got) != text {
		t.Errorf("key %q, %v", got, err)
	}
	info, err := os.Stat(filepath.Join(to, "tls.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
