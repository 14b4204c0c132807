package membership

import (
	"slices"
	"testing"
	"time"
)

// TestConduct: a worker is out at its second withheld window, or at the eighth that it does not have. Later it is out
// at the first, for longer each time, but not when no other worker is there. A window that it serves wipes the record
// clean.
func TestConduct(t *testing.T) {
	f := joined("a", "x", "y")
	now := begun
	for n, want := range []bool{false, true} {
		if out := f.Unserved("x", Withheld, now); out != want {
			t.Errorf("after %d withheld windows it is out: %t", n+1, out)
		}
	}
	for n := range 8 {
		if out := f.Unserved("y", Misserved, now); out != (n == 7) {
			t.Errorf("after %d windows that are not there it is out: %t", n+1, out)
		}
	}
	var waits []time.Duration
	for range 9 {
		wait := f.Barred("x", now)
		waits = append(waits, wait/time.Second)
		if now = now.Add(wait - 1); f.Barred("x", now) != 1 {
			t.Errorf("it may join before %v are over", wait)
		}
		if now = now.Add(1); f.Barred("x", now) != 0 {
			t.Errorf("it may not join after %v", wait)
		}
		f.Served("x")
		if f.Unserved("x", Withheld, now) || f.Barred("x", now) != 0 {
			t.Error("it is out at the first withheld window after one that it has served")
		}
		if !f.Unserved("x", Withheld, now) {
			t.Error("it is not out at the second")
		}
	}
	if !f.Unserved("x", Withheld, now) {
		t.Error("it is not out at the first withheld window after it was out")
	}
	if want := []time.Duration{30, 240, 1920, 15360, 122880, 983040, 983040, 983040, 983040}; !slices.Equal(waits, want) {
		t.Errorf("it waits for %d s, want %d", waits, want)
	}
	if f.Barred("a", now) != 0 {
		t.Error("a worker without a record waits")
	}
	f.Stall(f.Get("a"), 10*time.Second, now)
	f.Remove("y")
	if f.Barred("x", now) == 0 || f.Get("a").Working() {
		t.Error("it need not wait though another worker is there, which stalls")
	}
	if f.Pardon(); !f.Get("a").Working() {
		t.Error("a worker that stalled is given nothing")
	}
	f.Remove("a")
	if f.Barred("x", now) != 0 {
		t.Error("the only worker waits")
	}
}

// TestConductIsBounded: the records of a flood of names take no more room than a run has workers, and the worst stays.
func TestConductIsBounded(t *testing.T) {
	f := joined("a")
	f.Unserved("x", maxFaults, begun)
	for n := range maxMembers + 10 {
		f.Unserved(string(rune('A'+n%50))+time.Duration(n).String(), Misserved, begun)
	}
	if len(f.conduct) != maxMembers || f.Barred("x", begun) == 0 {
		t.Errorf("%d records, x waits for %v", len(f.conduct), f.Barred("x", begun))
	}
}
