package verify

import "testing"

func TestGranted(t *testing.T) {
	for _, c := range []struct{ memory, least, limit, want uint64 }{
		{100, 10, 100, 0},  // it fits
		{100, 10, 99, 99},  // it does not, and can do with less
		{100, 10, 5, 10},   // its minimum exceeds the limit
		{100, 0, 5, 0},     // it states no minimum
		{100, 100, 5, 100}, // its minimum is all of it
	} {
		if got := granted(c.memory, c.least, c.limit); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
