package membership

import "math"

// Room is the free space on the disks of some workers.
type Room struct {
	Bytes          uint64
	Workers, Disks int
}

// Room adds up the disks of the workers that can be given tasks. Those of one file system of one machine share a disk.
// The files of fetched windows count as room, since they give way to rows. known is false when there is no such worker,
// one does not tell of its disk, or a worker is still to say what it holds.
func (f *Members) Room() (r Room, known bool) {
	free := make(map[string]uint64)
	for _, m := range f.byName {
		switch {
		case m.Joining:
			return Room{}, false
		case !m.Working():
			continue
		case m.Disk == nil:
			return Room{}, false
		}
		r.Workers++
		r.add(m.Disk.Fetched)
		before, ok := free[m.Disk.ID]
		if !ok {
			before = math.MaxUint64
		}
		free[m.Disk.ID] = min(before, m.Disk.Free) // of two that look one after the other
	}
	for _, bytes := range free {
		r.add(bytes)
	}
	r.Disks = len(free)
	return r, r.Workers > 0
}

// add adds bytes; workers may say whatever they like.
func (r *Room) add(bytes uint64) { r.Bytes += min(bytes, math.MaxUint64-r.Bytes) }
