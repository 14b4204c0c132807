package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/k8s"
	"pagoda/internal/output/render"
	"pagoda/internal/run/status"
)

func TestPodTrouble(t *testing.T) {
	coordinator := func(phase string) k8s.Pod { return k8s.Pod{Component: k8s.Coordinator, Phase: phase} }
	worker := func(phase string) k8s.Pod {
		return k8s.Pod{Component: k8s.Worker, Phase: phase, Ready: phase == "Running"}
	}
	for _, c := range []struct {
		want  string
		ready int
		pods  []k8s.Pod
	}{
		{"", 1, []k8s.Pod{coordinator("Running"), worker("Pending"), worker("Running")}},
		{"coordinator: CrashLoopBackOff", 1, []k8s.Pod{coordinator("CrashLoopBackOff"), worker("Running")}},
		{"coordinator: Pending", 0, []k8s.Pod{coordinator("Pending")}},
		{"worker: CrashLoopBackOff", 1, []k8s.Pod{
			coordinator("Running"), worker("CrashLoopBackOff"), worker("CrashLoopBackOff"), worker("Running"),
		}},
		{"no coordinator", 2, []k8s.Pod{
			worker("Running"), worker("Running"), coordinator("Failed"), {Component: k8s.Worker, Ready: true, Ending: true},
		}},
	} {
		if got, ready := podTrouble(c.pods), readyWorkers(c.pods); got != c.want || ready != c.ready {
			t.Errorf("%+v: %q and %d ready, want %q and %d", c.pods, got, ready, c.want, c.ready)
		}
	}
}

// TestListed takes over what a coordinator says. The time of a run whose pods stay after its end has an end.
func TestListed(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	result := runs.Result{{Name: "games", Value: "568630"}}
	for want, s := range map[string]api.Status{
		"running":  {Status: status.Status{State: status.StateRunning}},
		"complete": {Status: status.Status{State: status.StateComplete}, Result: result},
		"failed":   {Status: status.Status{State: status.StateFailed, Error: "no"}, Code: cli.Differs},
		"stopped":  {Status: status.Status{State: status.StateStopped}, Code: cli.Stopped},
	} {
		s.Windows, s.Done, s.Updated = 14, 7, now
		r := listedRun{State: launched}
		r.take(runAnswer{&api.RemoteStatus{Status: s}})
		if r.State != want || r.Windows != 14 || r.Done != 7 || r.Error != s.Error ||
			r.Ended.IsZero() != (want == "running") || r.Result.String() != s.Result.String() {
			t.Errorf("%+v is listed as %+v", s, r)
		}
	}
}

// TestListedBatch takes over what the coordinator of a batch says: the windows of all members, and which have failed.
func TestListedBatch(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for state, line := range map[string]string{
		"running": "1 of 3 members complete", "complete": "1 of 3 members complete",
		"failed": "1 of 3 members complete, 1 failed: b",
	} {
		report := &batch.Report{State: state, Updated: now, Status: batch.Status{Complete: 1, Members: []batch.Standing{
			{Member: "a", State: status.StateComplete, Windows: 5, Done: 5},
			{Member: "b", State: state, Windows: 7, Done: 2}, {Member: "c", State: batch.StateWaiting},
		}}}
		r := listedRun{State: launched}
		if at := r.take(&batchReport{Report: report}); at != now || r.State != state || r.Done != 7 || r.Windows != 12 ||
			r.Ended.IsZero() != (state == "running") || r.Members.String() != line {
			t.Errorf("%s: listed at %v as %+v, members %s, want %s", state, at, r, r.Members, line)
		}
	}
}

// TestListText shows what is known, and - for what is not.
func TestListText(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	list := clusterList{Namespace: "puzzles", Runs: []listedRun{
		{Name: "a", Run: "01", Puzzle: "peg", State: "running", Trouble: "worker: CrashLoopBackOff", Windows: 40, Done: 3,
			Started: begun, Seconds: 72, Workers: 3, Ready: 2},
		{Name: "b", Run: "02", Puzzle: "peg", State: "complete", Windows: 14, Done: 14, Started: begun,
			Ended: begun.Add(5 * time.Second), Seconds: 5,
			Result: runs.Result{{Name: "games", Value: "568630"}, {Name: "solutions", Value: "6816"}}},
		{Name: "c", Run: "03", Puzzle: "tiles", State: "failed", Error: "another run"},
		{Name: "d", Run: "04", Puzzle: "peg", State: "stopped"},
	}}
	const want = `name  run  puzzle  state                              windows   time   workers  result
a     01   peg     running, worker: CrashLoopBackOff  3 of 40   1m12s  2 of 3   -
b     02   peg     complete                           14 of 14  5s     0 of 0   games 568630, solutions 6816
c     03   tiles   failed                             -         -      0 of 0   another run
d     04   peg     stopped                            -         -      0 of 0   -
`
	if got := string(list.text(render.Style{})); got != want {
		t.Errorf("text\n%s\nwant\n%s", got, want)
	}
	b, err := json.Marshal(&list.Runs[1])
	const document = `{"name":"b","run":"02","puzzle":"peg","state":"complete","windows":14,"done":14,` +
		`"started":"2026-01-02T03:04:05Z","ended":"2026-01-02T03:04:10Z","seconds":5,"workers":0,"ready":0,` +
		`"result":[{"name":"games","value":"568630"},{"name":"solutions","value":"6816"}]}`
	if err != nil || string(b) != document {
		t.Errorf("document %s, %v, want %s", b, err, document)
	}
	if b, err := json.Marshal(&list.Runs[3]); err != nil || strings.Contains(string(b), "started") {
		t.Errorf("a run without a time: %s, %v", b, err)
	}
}
