package plan

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/run/protocol"
)

// TestReplicaSets lets workers come, go and hold windows at random: every window has the holders that it should, with
// their addresses, and unneeded sets take no room.
func TestReplicaSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h ReplicaSets
		windows := make([]Window, 8)
		want := make([]map[string]string, len(windows)) // addresses by holder
		for i := range want {
			want[i] = make(map[string]string)
		}
		for n := range rapid.IntRange(1, 2000).Draw(t, "joins") {
			name := fmt.Sprintf("w%d", n)
			h.compact()
			h.setPeer(protocol.Peer{Name: name, Address: name + ":1"})
			for range 3 {
				i := rapid.IntRange(0, len(windows)-1).Draw(t, "window")
				h.set(&windows[i], h.with(windows[i].Replicas, name))
				want[i][name] = name + ":1"
				if len(want[i]) > 4 {
					gone := slices.Sorted(maps.Keys(want[i]))[0]
					h.set(&windows[i], h.without(windows[i].Replicas, gone))
					delete(want[i], gone)
				}
			}
		}
		for i := range windows {
			got := make(map[string]string)
			for _, p := range h.Peers(windows[i].Replicas) {
				got[p.Name] = p.Address
			}
			if !maps.Equal(got, want[i]) {
				t.Fatalf("window %d is held by %v, want %v", i, got, want[i])
			}
			if names := h.Names(windows[i].Replicas); !slices.Equal(names, slices.Sorted(maps.Keys(want[i]))) {
				t.Fatalf("window %d is held by %q", i, names)
			}
		}
		if len(h.sets) > 1024 || len(h.index) > 1024 {
			t.Fatalf("%d sets, %d of them found by their names, for %d windows", len(h.sets), len(h.index), len(windows))
		}
	})
}

// TestWindowSet compares a set of windows with a map.
func TestWindowSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var set WindowSet
		want := map[int]bool{}
		for _, i := range rapid.SliceOf(rapid.IntRange(0, 300)).Draw(t, "windows") {
			set.Add(i)
			want[i] = true
		}
		for i := range 400 {
			if set.Has(i) != want[i] {
				t.Fatalf("window %d is in the set: %t, want %t", i, set.Has(i), want[i])
			}
		}
	})
}
