package estimate

import "testing"

// TestCost: by hand, 4 workers of 8 cores and 3 GB for two hours, which fetch 5 GB.
func TestCost(t *testing.T) {
	f := FleetPlan{Workers: 4, Concurrency: 8, Seconds: 7200, MemoryBytes: 3e9, Transferred: 5e9}
	p := Prices{CoreHour: 0.5, GBHour: 0.25, GB: 2}
	want := Cost{CoreHours: 64, GBHours: 24, GB: 5, Cores: 32, Memory: 6, Transfer: 10, Total: 48}
	if got := *p.cost(&f); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
