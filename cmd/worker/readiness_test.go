package main

import (
	"strings"
	"testing"

	"pagoda/internal/fleet/ops"
)

// TestQueueDown: a worker of two runs is not ready while the queue of one of them is down, and says so once for each
// reason. What else keeps it from being ready is told first.
func TestQueueDown(t *testing.T) {
	var text strings.Builder
	log, err := ops.NewLog(&text, ops.LogStyle{})
	if err != nil {
		t.Fatal(err)
	}
	var r readiness
	first, second := r.aboutQueue(log), r.aboutQueue(log)
	expect := func(want string) {
		t.Helper()
		if got := r.get(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	first("no quorum")
	expect("starting")
	r.set("")
	expect(ops.QueueDown)
	first("no quorum")
	second("no answer")
	first("")
	expect(ops.QueueDown)
	r.set("draining")
	expect("draining")
	r.set("")
	second("no quorum")
	second("")
	second("")
	expect("")
	said := text.String()
	if down, back := strings.Count(said, "cannot use the queue"), strings.Count(said, "is back"); down != 3 || back != 2 {
		t.Errorf("%d and %d lines: %s", down, back, said)
	}
}
