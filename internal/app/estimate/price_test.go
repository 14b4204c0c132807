package estimate_test

import (
	"testing"

	"pagoda/internal/app/estimate"
)

// TestCost: by hand, 4 workers of 8 cores and 3 GB for two hours, which fetch 5 GB.
func TestCost(t *testing.T) {
	p := estimate.Prices{CoreHour: 0.5, GBHour: 0.25, GB: 2}
	want := estimate.Cost{CoreHours: 64, GBHours: 24, GB: 5, Cores: 32, Memory: 6, Transfer: 10, Total: 48}
	c := p.Cost(4, 8, 7200, 3e9, 5e9)
	if *c != want {
		t.Errorf("%+v, want %+v", *c, want)
	}
	want = estimate.Cost{CoreHours: 66, GBHours: 26, GB: 11, Cores: 33, Memory: 6.5, Transfer: 22, Total: 61.5}
	if c.Add(p.Cost(1, 1, 7200, 1e9, 6e9)); *c != want {
		t.Errorf("both are %+v, want %+v", *c, want)
	}
}
