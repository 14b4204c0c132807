package main

import (
	"testing"

	"pagoda/internal/k8s"
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
