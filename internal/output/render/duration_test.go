package render

import "testing"

func TestDuration(t *testing.T) {
	for v, want := range map[float64]string{
		0.2: "a second", 2.34: "2.3s", 83.4: "1m23s", 5000: "1h23m0s", 1e6: "11.6 days", 1e10: "3.2e+02 years",
	} {
		if got := Duration(v); got != want {
			t.Errorf("Duration(%v) = %s, want %s", v, got, want)
		}
	}
}
