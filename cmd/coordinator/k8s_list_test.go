package main

import (
	"testing"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/k8s"
	"pagoda/internal/run/status"
)

func TestLaunchState(t *testing.T) {
	coordinator := func(phase string) k8s.Pod { return k8s.Pod{Component: k8s.Coordinator, Phase: phase} }
	worker := func(phase string) k8s.Pod { return k8s.Pod{Component: k8s.Worker, Phase: phase} }
	for want, pods := range map[string][]k8s.Pod{
		"launched": {coordinator("Running"), worker("Pending"), worker("Running")},
		"launched, coordinator: CrashLoopBackOff": {coordinator("CrashLoopBackOff"), worker("Running")},
		"launched, coordinator: Pending":          {coordinator("Pending")},
		"launched, worker: CrashLoopBackOff": {
			coordinator("Running"), worker("CrashLoopBackOff"), worker("CrashLoopBackOff"), worker("Running"),
		},
		"launched, no coordinator": {worker("Running")},
	} {
		if got := launchState(pods); got != want {
			t.Errorf("%+v: %q, want %q", pods, got, want)
		}
	}
}

// TestEndState demands that a run whose pods stay after its end is not listed as one that goes on.
func TestEndState(t *testing.T) {
	for want, s := range map[string]api.RemoteStatus{
		"launched": {Status: api.Status{Status: status.Status{State: status.StateRunning}}},
		"complete": {Status: api.Status{Status: status.Status{State: status.StateComplete}}},
		"failed":   {Status: api.Status{Status: status.Status{State: status.StateFailed}, Code: cli.Differs}},
		"stopped":  {Status: api.Status{Status: status.Status{State: status.StateStopped}, Code: cli.Stopped}},
	} {
		if got := endState(&s); got != want {
			t.Errorf("%+v is listed as %s, want %s", s.Status, got, want)
		}
	}
}
