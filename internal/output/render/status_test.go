package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/internal/run/status"
)

func TestLeft(t *testing.T) {
	for want, left := range map[string]*status.Left{
		"unknown": nil, "5s to 24s": {Low: 4.8, High: 24.1}, "about 1s": {}, "2m5s to 1h0m0s": {Low: 125, High: 3600},
	} {
		if got := Left(left); got != want {
			t.Errorf("%+v is %q, want %q", left, got, want)
		}
	}
}

// TestEnding looks at runs whose time is not known: one that is at its end says so.
func TestEnding(t *testing.T) {
	at := time.Now()
	for want, s := range map[string]status.Status{
		"left unknown,":          {Planned: true, Windows: 5, Done: 4},
		"left only the results,": {Planned: true, Windows: 5, Done: 5},
		"left unknown, 0":        {Windows: 5, Done: 5}, // a layer may follow
		"left unknown, 1":        {Planned: true, Windows: 5, Done: 5, NewRows: 1, FleetStatus: status.FleetStatus{Again: 1}},
	} {
		s.State, s.Started, s.Updated = status.StateRunning, at, at
		if got := strings.Join(Screen(&s, "", 24, 80), "\n"); !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// TestAudits: a live status says how windows of workers are audited, a stopped one what is left, both in both forms.
func TestAudits(t *testing.T) {
	s := status.Status{State: status.StateRunning, Updated: time.Now(), Done: 1, Windows: 2}
	s.AuditFraction, s.AuditBy = 0.25, status.AuditByCoordinator
	if err := json.Unmarshal([]byte(`{"words": {"own": 1}}`), &s); err != nil {
		t.Fatal(err)
	}
	if text := string(Status(&s, Style{})); !strings.Contains(text, "computed by  1 window: each computed by") {
		t.Errorf("no words in\n%s", text)
	}
	demand := func(line, screen string) {
		t.Helper()
		if text := string(Status(&s, Style{})); !strings.Contains(text, line+"\n") {
			t.Errorf("no %q in\n%s", line, text)
		}
		if lines := Screen(&s, "", 24, 80); !slices.Contains(lines, screen) {
			t.Errorf("no %q in %q", screen, lines)
		}
	}
	demand("audits       audit_fraction 0.25, audit_by coordinator", "audits: audit_fraction 0.25, audit_by coordinator")
	s.State, s.AuditsDue = status.StateStopped, 7
	demand("audits       7 left", "audits: 7 left")
}

// TestLeaving: a worker that leaves is shown with the windows that others are to copy before.
func TestLeaving(t *testing.T) {
	for toCopy, want := range map[int]string{0: "leaving", 12: "leaving, 12 to copy"} {
		if got := workerState(&status.WorkerStatus{State: status.WorkerLeaving, ToCopy: toCopy}); got != want {
			t.Errorf("%d windows to copy: %q", toCopy, got)
		}
	}
}

// TestVersions: workers are counted by version where these differ among them or from the coordinator's.
func TestVersions(t *testing.T) {
	for _, test := range []struct {
		coordinator string
		workers     []string
		want        string
	}{
		{"v2", nil, ""}, {"v2", []string{"v2", "v2"}, ""}, {"", []string{""}, ""},
		{"v2", []string{"v1"}, "coordinator v2, 1 worker v1"},
		{"v2", []string{"v2", "", "v1", "v2"},
			"coordinator v2, 1 worker of an unknown version, 1 worker v1, 2 workers v2"},
	} {
		var s status.Status
		s.Program = test.coordinator
		for _, v := range test.workers {
			s.Workers = append(s.Workers, status.WorkerStatus{Program: v})
		}
		if got := versions(&s); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// TestWorkers: speed and wait of a worker are known once it has computed a window.
func TestWorkers(t *testing.T) {
	var s Sheet
	workersText(&s, []status.WorkerStatus{
		{Name: "a", State: "active", Concurrency: 2, Busy: 1, Speed: 1.0449, WaitMillis: 12, Held: 7, Address: "n1:1"},
		{Name: "b", State: "leaving", Concurrency: 2, Speed: 0.5, WaitMillis: 1651, ToCopy: 3, Address: "n2:1"},
		{Name: "c", State: "joining", Concurrency: 1, WaitMillis: 5, Address: "n3:1"},
	})
	want := `
worker  state               busy  runs  speed  wait  windows held  received  disk free  seen      address
a       active              1/2   1     1.04   12ms  7             0 B       -          00:00:00  n1:1
b       leaving, 3 to copy  0/2   1     0.50   1.7s  0             0 B       -          00:00:00  n2:1
c       joining             0/1   1     -      -     0             0 B       -          00:00:00  n3:1
`
	if got := string(s.Bytes()); got != want {
		t.Errorf("%s\nwant%s", got, want)
	}
}
