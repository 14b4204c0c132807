package quantity

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDuration(t *testing.T) {
	for v, want := range map[float64]string{
		0.2: "a second", 2.34: "2.3s", 83.4: "1m23s", 5000: "1h23m0s", 1e6: "11.6 days", 1e10: "3.2e+02 years",
	} {
		if got := Duration(v); got != want {
			t.Errorf("Duration(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.00 KiB", 10234: "9.99 KiB", 10235: "10.0 KiB", 102348: "99.9 KiB",
		102349: "100 KiB", 1023<<10 + 511: "1023 KiB", 1023<<10 + 512: "1.00 MiB", 1 << 30: "1.00 GiB", 3 << 39: "1.50 TiB",
		1 << 50: "1.00 PiB", 1<<64 - 1: "16.0 EiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 950: "950", 12_345: "12.3k", 4.56e6: "4.56M", 7e9: "7G", 1e13: "10T"} {
		if got := Short(v); got != want {
			t.Errorf("Short(%v) = %s, want %s", v, got, want)
		}
	}
}

// TestSizes reads back sizes that Size writes, and those that people write.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64Range(0, 1<<60).Draw(t, "bytes")
		if rapid.Bool().Draw(t, "round") {
			v = v >> 30 << 30
		}
		if got, err := ParseSize(Size(v)); err != nil || got != v {
			t.Fatalf("%d is written as %q and read as %d (%v)", v, Size(v), got, err)
		}
	})
	for text, want := range map[string]uint64{
		"0": 0, "512Mi": 512 << 20, "1.5Gi": 3 << 29, "20G": 20e9, "1k": 1000, "2Ti": 2 << 40, "7": 7, "0.5": 0,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Gi", "-1", "1 Gi", "1gi", "1m", "9999999Pi", "1e3", "1.Gi", "0x10"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, got)
		}
	}
}

func TestGrouped(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "999": "999", "-999": "-999", "1000": "1,000", "-123456": "-123,456",
		"40861647040079968": "40,861,647,040,079,968",
	} {
		if got := Grouped(text); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}
