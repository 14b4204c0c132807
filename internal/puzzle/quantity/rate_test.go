package quantity

import "testing"

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{
		"112": 112 << 20, "0.5": 1 << 19, "1e6": 1e6 * (1 << 20), "10Gbit": 1.25e9, "10Gbit/s": 1.25e9, "10 Gbit/s": 1.25e9,
		"1.25GB": 1.25e9, "112MiB": 112 << 20, "112MiB/s": 112 << 20, "8bit": 1, "3B": 3, "800kbit": 1e5, "1Gibit": 1 << 27,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	// A unit that may mean bits or bytes is refused, and so is everything that is no rate above 0.
	for _, text := range []string{
		"", "0", "-1", "NaN", "Inf", "1e400", "0Gbit", "10Gb", "10Gbps", "10GBps", "10G", "Gbit", "10/s", "10gbit", "10Zbit",
		"10Gbit/h", "10,5Gbit", "10GBIT",
	} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
