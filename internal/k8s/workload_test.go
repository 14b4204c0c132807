package k8s

import (
	"maps"
	"strings"
	"testing"
)

// TestWorkloads reads StatefulSets and Jobs as the API server has them in several states.
func TestWorkloads(t *testing.T) {
	k := fake(t, `cat <<'EOF'
{"items": [
 {"kind": "StatefulSet", "metadata": {"labels": {"app.kubernetes.io/component": "nats"}}, "spec": {"replicas": 3}},
 {"kind": "Job", "metadata": {"labels": {"app.kubernetes.io/component": "coordinator"}}, "spec": {"parallelism": 1},
  "status": {"conditions": [{"type": "FailureTarget", "status": "True"},
   {"type": "Failed", "status": "True", "message": "exit code 2"}]}},
 {"kind": "Job", "metadata": {"labels": {"app.kubernetes.io/component": "worker"}},
  "spec": {"parallelism": 4, "suspend": true}, "status": {"conditions": [{"type": "Suspended", "status": "True"}]}}]}
EOF`)
	got, err := k.Workloads(t.Context(), "r")
	want := map[string]Workload{
		NATS:        {Replicas: 3},
		Coordinator: {Job: true, Ended: JobFailed, Why: "exit code 2"},
		Worker:      {Job: true},
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("workloads %+v, %v, want %+v", got, err, want)
	}
}

// TestFailure takes the exit code of the coordinator's last pod that failed.
func TestFailure(t *testing.T) {
	pod := func(name, created, state string) string {
		return `{"metadata": {"name": "` + name + `", "creationTimestamp": "` + created + `",
 "labels": {"app.kubernetes.io/component": "coordinator"}}, "spec": {},
 "status": {"phase": "Failed", "containerStatuses": [{"state": {"terminated": ` + state + `}}]}}`
	}
	k := fake(t, `case "$*" in
*"logs r-coordinator-a --tail=20") printf '{"level":"INFO"}\nerror: another run\nhint: none\n' ;;
*) cat <<'EOF'
{"items": [`+strings.Join([]string{
		pod("r-coordinator-a", "2026-01-02T00:00:00Z", `{"exitCode": 12}`),
		pod("r-coordinator-b", "2026-01-01T00:00:00Z", `{"exitCode": 137}`),
	}, ",")+`]}
EOF
esac`)
	code, text := k.Failure(t.Context(), "r", Workload{Why: "exit codes"})
	if code != 12 || text != "another run" {
		t.Errorf("code %d, %q", code, text)
	}
	if code, text := fake(t, `echo '{"items": []}'`).Failure(t.Context(), "r", Workload{Why: "exit codes"}); code != 1 ||
		text != "exit codes" {
		t.Errorf("without pods: code %d, %q", code, text)
	}
}
