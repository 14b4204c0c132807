package engine

import (
	"testing"

	"pagoda/internal/plan"
	"pagoda/internal/status"
)

// TestAgain: what is left of a plan beside the windows that were never committed is computed again.
func TestAgain(t *testing.T) {
	rest := func(windows ...int) (list []plan.Rest) {
		for n, w := range windows {
			list = append(list, plan.Rest{Layer: n, Windows: w})
		}
		return list
	}
	for _, test := range []struct {
		name        string
		done        int // of 30 windows in 3 layers
		quarantined int
		rest        []plan.Rest
		want        int
	}{
		{"nothing is lost", 12, 0, rest(0, 8, 10), 0},
		{"rows of two layers are lost", 12, 0, rest(10, 9, 10), 11},
		{"one is set aside", 12, 1, rest(0, 7, 10), 0},
		{"a window was committed meanwhile", 12, 0, rest(0, 7, 10), 0},
		{"a layer was planned meanwhile", 12, 0, rest(0, 8, 10, 10), 0},
		{"nothing is known", 12, 0, nil, 0},
	} {
		s := status.Status{Windows: 30, Done: test.done, Layers: make([]plan.Progress, 3)}
		s.Rest, s.Quarantined = test.rest, make([]status.QuarantinedWindow, test.quarantined)
		if got := again(&s); got != test.want {
			t.Errorf("%s: %d windows again, want %d", test.name, got, test.want)
		}
	}
}
