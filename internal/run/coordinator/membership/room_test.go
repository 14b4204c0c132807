package membership

import (
	"math"
	"testing"

	"pagoda/internal/run/protocol"
)

// TestRoom: two workers of one disk count it once, with the windows that each of them has fetched.
func TestRoom(t *testing.T) {
	f := joined("a", "b", "c", "d", "e")
	disks := map[string]*protocol.Disk{
		"a": {ID: "1", Free: 100, Fetched: 3}, "b": {ID: "1", Free: 90, Fetched: 4}, "c": {ID: "2", Free: 50},
		"d": {ID: "3", Free: 1000}, "e": {ID: "4", Free: 1000},
	}
	for name, d := range disks {
		f.Get(name).Disk = d
	}
	f.Get("d").DiskFull = true
	f.Get("e").Draining = true
	check := func(want Room, wantKnown bool) {
		t.Helper()
		if got, known := f.Room(); got != want || known != wantKnown {
			t.Errorf("%+v, known %t, want %+v, %t", got, known, want, wantKnown)
		}
	}
	check(Room{147, 3, 2}, true)
	f.Get("b").Disk.Fetched = math.MaxUint64
	check(Room{math.MaxUint64, 3, 2}, true)
	f.Get("b").Joining = true
	check(Room{}, false)
	f.Get("b").Joining = false
	f.Get("c").Disk = nil // a worker of an earlier program
	check(Room{}, false)
	for _, name := range []string{"a", "b", "c"} {
		f.Get(name).Leaving = true
	}
	check(Room{}, false)
}

// TestDiskOfMember: the latest word of a worker about its disk counts, also when it says nothing.
func TestDiskOfMember(t *testing.T) {
	f := joined("a")
	m := f.Get("a")
	if m.Disk != nil {
		t.Fatalf("%+v, and it has said nothing", m.Disk)
	}
	m.Begin(&protocol.Join{Worker: "a", Disk: &protocol.Disk{ID: "1", Free: 9}})
	if m.Disk == nil || m.Disk.Free != 9 {
		t.Errorf("joined with %+v", m.Disk)
	}
	m.Beat(&protocol.Heartbeat{Disk: &protocol.Disk{ID: "1", Free: 8}}, begun)
	if m.Disk == nil || m.Disk.Free != 8 {
		t.Errorf("a heartbeat leaves %+v", m.Disk)
	}
	m.Beat(&protocol.Heartbeat{}, begun)
	if m.Disk != nil {
		t.Errorf("a heartbeat without a word leaves %+v", m.Disk)
	}
}
