package k8s

import (
	"maps"
	"strings"
	"testing"
	"time"
)

// TestWorkloads reads StatefulSets and Jobs as the API server has them in several states.
func TestWorkloads(t *testing.T) {
	k := fake(t, `cat <<'EOF'
{"items": [
 {"kind": "StatefulSet", "metadata": {"creationTimestamp": "2026-01-01T00:00:00Z",
   "labels": {"app.kubernetes.io/component": "nats"}}, "spec": {"replicas": 3}},
 {"kind": "Job", "metadata": {"labels": {"app.kubernetes.io/component": "coordinator"}}, "spec": {"parallelism": 1},
  "status": {"startTime": "2026-01-01T00:00:01Z", "conditions": [{"type": "FailureTarget", "status": "True"},
   {"type": "Failed", "status": "True", "message": "exit code 2", "lastTransitionTime": "2026-01-01T00:00:02Z"}]}},
 {"kind": "Job", "metadata": {"labels": {"app.kubernetes.io/component": "worker"}},
  "spec": {"parallelism": 4, "suspend": true}, "status": {"conditions": [{"type": "Suspended", "status": "True"}]}},
 {"kind": "Job", "metadata": {"labels": {"app.kubernetes.io/component": "other"}}, "spec": {"parallelism": 1},
  "status": {"startTime": "2026-01-01T00:00:03Z", "completionTime": "2026-01-01T00:00:04Z",
   "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": "2026-01-01T00:00:05Z"}]}}]}
EOF`)
	at := func(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }
	got, err := k.Workloads(t.Context(), "r")
	want := map[string]Workload{
		NATS:        {Replicas: 3, Begun: at(0)},
		Coordinator: {Job: true, Ended: JobFailed, Why: "exit code 2", Begun: at(1), Finished: at(2)},
		Worker:      {Job: true},
		"other":     {Job: true, Ended: JobComplete, Begun: at(3), Finished: at(4)},
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

// TestFinalLog reads the log of the pod that has completed the run, and not those of earlier attempts.
func TestFinalLog(t *testing.T) {
	const pods = `{"items": [
 {"metadata": {"name": "a", "labels": {"app.kubernetes.io/component": "coordinator"}}, "status": {"phase": "Failed",
  "containerStatuses": [{"state": {"terminated": {"exitCode": 1}}}]}},
 {"metadata": {"name": "b", "labels": {"app.kubernetes.io/component": "coordinator"}},
  "status": {"phase": "Succeeded"}},
 {"metadata": {"name": "c", "labels": {"app.kubernetes.io/component": "worker"}}, "status": {"phase": "Succeeded"}}]}`
	k := fake(t, `case "$*" in *"logs b --tail="*) echo said ;; *) echo '`+pods+`' ;; esac`)
	if log, err := k.FinalLog(t.Context(), "r"); err != nil || string(log) != "said\n" {
		t.Errorf("%q, %v", log, err)
	}
	k = fake(t, `case "$*" in *logs*) echo said ;; *) echo '{"items": []}' ;; esac`)
	if log, err := k.FinalLog(t.Context(), "r"); err != nil || log != nil {
		t.Errorf("without pods: %q, %v", log, err)
	}
}
