package session

import (
	"sync"

	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// A disk looks at a disk again and again. Only the first look is waited for: a file system that hangs must not keep the
// heartbeats.
type disk struct {
	look    func() *protocol.Disk
	mu      sync.Mutex
	last    *protocol.Disk
	looking bool
}

func newDisk(look func() *protocol.Disk) *disk { return &disk{look: look, last: look()} }

// latest returns what was seen last, and looks again meanwhile.
func (d *disk) latest() *protocol.Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.looking {
		d.looking = true
		go func() {
			seen := d.look()
			d.mu.Lock()
			defer d.mu.Unlock()
			d.last, d.looking = seen, false
		}()
	}
	return d.last
}

// look returns a function that looks at the session's disk. nil says that it does not tell.
func (m *Session) look(fetched func() uint64) func() *protocol.Disk {
	id := rundir.DiskID(m.Spill)
	return func() *protocol.Disk {
		free, size, err := rundir.Disk(m.Spill)
		if err != nil || size == 0 || id == "" {
			return nil
		}
		return &protocol.Disk{ID: id, Free: free, Size: size, Fetched: fetched()}
	}
}
