package kv

import "testing"

// TestMemory: outside the sight of Go's runtime, a database takes its cache, and as many tables as there may be at a
// time.
func TestMemory(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		o    Options
		want uint64
	}{
		{Options{}, (4 + 3*4) * mib},
		{Options{CacheBytes: 7 * mib}, (7 + 3*4) * mib},
		{Options{MemTableBytes: 2 * mib}, (4 + 3*2) * mib},
	} {
		want := c.want
		if !outsideGo {
			want = 0
		}
		if s, l := StoreMemory(c.o), LedgerMemory(c.o); s != want || l != want {
			t.Errorf("%+v: store %d, ledger %d bytes, want %d", c.o, s, l, want)
		}
	}
}
