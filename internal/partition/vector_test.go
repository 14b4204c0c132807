package partition

import (
	"testing"

	"pagoda/internal/puzzle"

	"pgregory.net/rapid"
)

func drawVector(t *rapid.T) Vector {
	var v Vector
	for k := range v {
		v[k] = rapid.Uint8().Draw(t, "count")
	}
	return v
}

func TestKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVector(t)
		if !puzzle.ValidKey(v.Key()) {
			t.Fatalf("%q is no key of a cell", v.Key())
		}
		if got, err := ParseKey(v.Key()); err != nil || got != v {
			t.Fatalf("%q reads as %v, %v", v.Key(), got, err)
		}
	})
}

func TestParseKeyRefuses(t *testing.T) {
	for _, s := range []string{
		"", ".", "...", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "01.2.3.4", "1.2.3.04", "+1.2.3.4", "-1.2.3.4", "256.0.0.0",
		"1.2.3.999999999999999999999", "1.2.3.4 ", " 1.2.3.4", "1,2,3,4", "1.2.3.x",
		"1_0.2.3.4", "0x1.2.3.4", "1.2.3.٤", "1.2.3.4\n",
	} {
		if v, err := ParseKey(s); err == nil {
			t.Errorf("%q reads as %v", s, v)
		}
	}
}

// FuzzParseKey demands that every text that ParseKey reads is the Key of the result.
func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"12.8.8.4", "0.0.0.0", "255.255.255.255", "1.2.3", "01.2.3.4", "256.1.1.1",
		"1.2.3.4.5", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseKey(s); err == nil && v.Key() != s {
			t.Fatalf("%q reads as %v, which is written %q", s, v, v.Key())
		}
	})
}

// TestVectorOrder checks that before is a strict total order that agrees with the first difference.
func TestVectorOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := drawVector(t), drawVector(t)
		if rapid.Bool().Draw(t, "share a head") {
			copy(w[:], v[:rapid.IntRange(0, 4).Draw(t, "of")])
		}
		ahead := 0
		for k := range v {
			if v[k] != w[k] {
				ahead = int(w[k]) - int(v[k])
				break
			}
		}
		if v.before(w) != (ahead > 0) || w.before(v) != (ahead < 0) {
			t.Fatalf("%v before %v: %v; the other way: %v", v, w, v.before(w), w.before(v))
		}
	})
}
