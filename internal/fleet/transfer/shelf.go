package transfer

import (
	"bufio"
	"container/list"
	"errors"
	"fmt"
	"io"
	"os"
)

// shelf keeps on disk the fetched windows that there is no memory for. They lie one after the other in files without a
// name, so that nothing is left of them however the process ends. When there is no room the oldest file goes, with all
// its windows: nothing is ever moved. All of it is below the cache's lock, but for the writing itself.
type shelf struct {
	dir string
	// limit bounds the files, in bytes; and they take at most as much as they leave free.
	limit   uint64
	free    func() (uint64, error) // bytes, where dir is; nil: no bound
	event   func(string)
	gone    func(*entry) // forgets the blocks of an entry without users
	used    uint64
	volumes list.List // of *volume, oldest first
	open    *volume   // that the next window goes to; nil: a new one
}

// volume is a file of the shelf.
type volume struct {
	file    *os.File
	size    uint64
	entries map[*entry]struct{} // of which it has the blocks
	writers int
	at      *list.Element // in the shelf's list; nil: it goes with its last user
}

// region is where a window lies.
type region struct {
	volume   *volume
	at, size uint64
}

const (
	quotaVolumes = 64   // that fill what the shelf may take
	maxVolumes   = 1024 // with those of windows that have one of their own
)

// quota is how much the shelf may take just now.
func (s *shelf) quota() uint64 {
	quota := s.limit
	if s.free == nil || quota == 0 {
		return quota
	}
	free, err := s.free()
	if err != nil {
		return 0
	}
	return min(quota, (free+s.used)/2)
}

// shrink forgets the oldest windows until there is room for n bytes, if there can be, and returns the quota.
func (s *shelf) shrink(n uint64) (quota uint64) {
	quota = s.quota()
	for n <= quota && s.volumes.Len() > 0 && (s.used+n > quota || s.volumes.Len() >= maxVolumes) {
		s.forget(s.volumes.Front().Value.(*volume))
		quota = s.quota()
	}
	return quota
}

// room finds room for n bytes, for a writer that says when it is done. nil says that there is none.
func (s *shelf) room(n uint64) (*region, error) {
	quota := s.shrink(n)
	if s.used+n > quota {
		return nil, nil
	}
	if s.open == nil || s.open.size+n > quota/quotaVolumes {
		f, err := tempFile(s.dir)
		if err != nil {
			return nil, err
		}
		s.open = s.put(f, 0)
	}
	v := s.open
	r := &region{volume: v, at: v.size, size: n}
	v.size += n
	v.writers++
	s.used += n
	return r, nil
}

// put makes a file of so many bytes a volume, the youngest.
func (s *shelf) put(f *os.File, size uint64) *volume {
	v := &volume{file: f, size: size, entries: make(map[*entry]struct{})}
	v.at = s.volumes.PushBack(v)
	s.used += size
	return v
}

// adopt makes the file of a window that came when there was no memory for it a volume, unless there is no room.
func (s *shelf) adopt(e *entry) bool {
	n := e.hold.size
	if s.used+n > s.shrink(n) {
		return false
	}
	v := s.put(e.hold.file, n)
	v.entries[e] = struct{}{}
	e.shelved = &region{volume: v, size: n}
	e.hold = spool{}
	return true
}

// written ends what room has begun: e lies in r unless it was not written, or the volume must go.
func (s *shelf) written(e *entry, r *region, ok bool) {
	v := r.volume
	v.writers--
	if ok && v.at != nil {
		v.entries[e] = struct{}{}
		e.shelved = r
	}
	s.tidy(v)
}

// remove forgets where e lies. e has no users.
func (s *shelf) remove(e *entry) {
	v := e.shelved.volume
	delete(v.entries, e)
	e.shelved = nil
	s.tidy(v)
}

// forget gives a volume up. The last user of an entry in it forgets that entry.
func (s *shelf) forget(v *volume) {
	s.volumes.Remove(v.at)
	v.at = nil
	if s.open == v {
		s.open = nil
	}
	for e := range v.entries {
		if e.users == 0 {
			s.gone(e)
		}
	}
	s.tidy(v)
}

// tidy closes a volume without entries and writers.
func (s *shelf) tidy(v *volume) {
	if len(v.entries) > 0 || v.writers > 0 || v.file == nil {
		return
	}
	if v == s.open {
		s.open = nil
	}
	if v.at != nil {
		s.volumes.Remove(v.at)
		v.at = nil
	}
	_ = v.file.Close()
	v.file = nil
	s.used -= v.size
}

// stop keeps nothing from now on: something is wrong with the disk, and the rows of this worker need it more.
func (s *shelf) stop(err error) {
	if s.limit > 0 {
		s.event(fmt.Sprintf("fetched windows are kept on disk no longer, and fetched again when they are needed: %v", err))
	}
	s.clear()
	s.limit = 0
}

func (s *shelf) clear() {
	for s.volumes.Len() > 0 {
		s.forget(s.volumes.Front().Value.(*volume))
	}
}

// write writes the blocks of a window there.
func (r *region) write(from *spool) error {
	w := bufio.NewWriterSize(io.NewOffsetWriter(r.volume.file, int64(r.at)), bufferSize)
	var buf []byte
	err := from.each(func(first uint64, coded []byte) error {
		buf = appendInFile(buf[:0], first, coded)
		_, err := w.Write(buf)
		return err
	})
	if err = errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("transfer: keep a fetched window on disk: %w", err)
	}
	return nil
}

// each passes the blocks in order.
func (r *region) each(fn func(first uint64, coded []byte) error) error {
	return eachInFile(r.volume.file, r.at, r.size, fn)
}
