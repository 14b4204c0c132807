package session

import (
	"testing"
	"testing/synctest"

	"pagoda/internal/run/protocol"
)

// TestDiskThatHangs: only the first look at the disk is waited for, and there is one look at a time.
func TestDiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, goOn := 0, make(chan struct{})
		d := newDisk(func() *protocol.Disk {
			if looks++; looks == 2 {
				<-goOn
			}
			return &protocol.Disk{ID: "d", Free: uint64(looks)}
		})
		for range 3 {
			if got := d.latest(); got.Free != 1 {
				t.Errorf("look %d is told while the second hangs", got.Free)
			}
			synctest.Wait()
		}
		close(goOn)
		synctest.Wait()
		if got := d.latest(); got.Free != 2 { // a third look would have been told by now
			t.Errorf("look %d is told", got.Free)
		}
		synctest.Wait()
		if got := d.latest(); got.Free != 3 {
			t.Errorf("look %d is told", got.Free)
		}
	})
}

// TestLook: a worker tells of the disk of its data folder, and of no folder that is not there.
func TestLook(t *testing.T) {
	m := Session{Spill: t.TempDir()}
	d := m.look(func() uint64 { return 7 })()
	if d == nil {
		t.Skip("this system does not tell")
	}
	if d.ID == "" || d.Size < d.Free || d.Size == 0 || d.Fetched != 7 {
		t.Errorf("%+v", d)
	}
	m.Spill += "/away"
	if d := m.look(func() uint64 { return 7 })(); d != nil {
		t.Errorf("a folder that is not there: %+v", d)
	}
}
