package main

import (
	"testing"

	"pagoda/internal/run/protocol"
)

// TestRunThatEnds: a worker with --once ends when the coordinator of the only run that it serves is about to leave.
// That of another run is no reason.
func TestRunThatEnds(t *testing.T) {
	over := protocol.Announcement{Run: "r1", Over: true}
	for _, test := range []struct {
		name string
		s    settings
		want bool
	}{
		{"any run", settings{atATime: 8, once: true}, false},
		{"that run", settings{atATime: 8, once: true, run: "r1"}, true},
		{"that run, again and again", settings{atATime: 8, run: "r1"}, false},
	} {
		l := &pool{process: &process{settings: &test.s}, serves: make(map[string]bool)}
		if done := l.offer(t.Context(), &over); done != test.want || l.over != test.want || len(l.serves) > 0 {
			t.Errorf("%s: done %t, over %t, serves %d", test.name, done, l.over, len(l.serves))
		}
	}
}
