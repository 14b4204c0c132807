package kv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

const (
	segmentSuffix = ".seg"
	// segmentBytes is the size at which a segment is full. The last write may take it beyond. The room of a window that is
	// dropped is free when its whole segment is, so large segments waste room, and small ones are many files.
	segmentBytes = 4 << 20
	// writeBytes is how many bytes of blocks a writer collects before it writes them.
	writeBytes = 256 << 10
	// maxSpare bounds the segments without content that are kept to be overwritten. Overwriting a file is cheaper than
	// filling a new one: its pages are in memory, and a sync has no metadata to write.
	maxSpare = 16
)

// An extent is a range of bytes of a segment.
type extent struct {
	segment        uint64
	offset, length int64
}

// segments are the files that hold coded blocks. A write goes to the end of the active segment, once; written blocks
// are never moved. A segment whose windows have all been dropped is overwritten or removed, as soon as the removal of
// their records is durable: before that, a crash could bring the records back.
//
// mu protects all fields, of the segments too, and is not held while blocks are written, synced or read.
type segments struct {
	fs      vfs.FS
	dir     string
	limit   int64        // the size at which a segment is full
	durable func() error // makes durable what the database has been told so far
	changed sync.Cond    // on mu: a sync has ended
	mu      sync.Mutex
	all     map[uint64]*segment
	active  *segment // takes the next write; nil before the first
	spare   []*segment
	last    uint64 // the highest number so far
}

// A segment is in one of three states: active, full, or spare (without content and readers, ready to be overwritten).
type segment struct {
	number  uint64
	bytes   int64 // length of the file
	end     int64 // where the next write goes
	live    int64 // bytes of committed windows, and of writers at work
	readers int
	file    vfs.File // for writing; nil when there is nothing to write or sync
	writing int      // writes under way
	written uint64   // writes so far
	synced  uint64   // how many of them are durable
	syncing bool
}

func newSegments(fs vfs.FS, dir string, limit int64, durable func() error) *segments {
	if limit == 0 {
		limit = segmentBytes
	}
	g := &segments{fs: fs, dir: dir, limit: limit, durable: durable, all: map[uint64]*segment{}}
	g.changed.L = &g.mu
	return g
}

// writeBytes is how many bytes of blocks a writer collects before it writes them.
func (g *segments) writeBytes() int { return int(min(writeBytes, g.limit/16)) }

func (g *segments) path(number uint64) string {
	return g.fs.PathJoin(g.dir, fmt.Sprintf("%08d%s", number, segmentSuffix))
}

// load registers the segments in the folder. Nothing is appended to them any more: the bytes behind their windows are
// left over from a crash.
func (g *segments) load() error {
	names, err := g.fs.List(g.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		digits, ok := strings.CutSuffix(name, segmentSuffix)
		number, err := strconv.ParseUint(digits, 10, 64)
		if !ok || err != nil {
			continue
		}
		path := g.fs.PathJoin(g.dir, name)
		if guard.Regular(g.fs, path) != nil {
			continue // as if it were missing
		}
		info, err := g.fs.Stat(path)
		if err != nil {
			return err
		}
		g.all[number] = &segment{number: number, bytes: info.Size(), end: info.Size()}
		g.last = max(g.last, number)
	}
	return nil
}

// use notes that a committed window lies in extents. Segments that are missing are left to the reads that need them.
func (g *segments) use(extents []extent) {
	for _, e := range extents {
		if seg := g.all[e.segment]; seg != nil {
			seg.live += e.length
		}
	}
}

// removeUnused removes the segments in which no window lies, left by a crash or by a Close that could not remove them.
func (g *segments) removeUnused() error {
	for number, seg := range g.all {
		if seg.live > 0 {
			continue
		}
		if err := g.fs.Remove(g.path(number)); err != nil {
			return err
		}
		delete(g.all, number)
	}
	return nil
}

// write appends p to the active segment. The extent is the caller's until release.
func (g *segments) write(p []byte) (extent, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	seg := g.active
	if seg == nil || seg.end >= g.limit {
		var err error
		if seg, err = g.rotate(); err != nil {
			return extent{}, err
		}
	}
	e := extent{seg.number, seg.end, int64(len(p))}
	seg.end += e.length
	seg.live += e.length
	seg.writing++
	g.mu.Unlock()
	_, err := seg.file.WriteAt(p, e.offset)
	g.mu.Lock()
	seg.writing--
	seg.written++
	seg.bytes = max(seg.bytes, e.offset+e.length)
	if err != nil {
		g.shrink(seg, e.length)
		return extent{}, err
	}
	return e, nil
}

// rotate begins a segment: a spare one, or a new file whose name is durable before anything refers to it.
func (g *segments) rotate() (*segment, error) {
	full := g.active
	if n := len(g.spare); n > 0 {
		if err := g.durable(); err != nil {
			return nil, err
		}
		seg := g.spare[n-1]
		if seg.file == nil {
			f, err := g.fs.OpenReadWrite(g.path(seg.number), vfs.WriteCategoryUnspecified)
			if err != nil {
				return nil, err
			}
			seg.file = f
		}
		g.spare = g.spare[:n-1]
		seg.end = 0
		g.active = seg
	} else {
		path := g.path(g.last + 1)
		f, err := g.fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
		if err == nil {
			err = guard.SyncDir(g.fs, g.dir)
		}
		if err != nil {
			return nil, err
		}
		g.last++
		g.active = &segment{number: g.last, file: f}
		g.all[g.last] = g.active
	}
	if full != nil {
		g.advance(full)
	}
	return g.active, nil
}

// sync makes extents durable. Calls for the same segment at the same time share a sync.
func (g *segments) sync(extents []extent) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range extents {
		seg := g.all[e.segment]
		for want := seg.written; seg.synced < want; {
			if seg.syncing {
				g.changed.Wait()
				continue
			}
			seg.syncing = true
			n := seg.written
			g.mu.Unlock()
			err := seg.file.SyncData()
			g.mu.Lock()
			seg.syncing = false
			g.changed.Broadcast()
			if err != nil {
				return err
			}
			seg.synced = n
		}
		g.advance(seg)
	}
	return nil
}

// release gives back extents: of a writer that ended without a commit, or of a window whose record is removed.
func (g *segments) release(extents []extent) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range extents {
		if seg := g.all[e.segment]; seg != nil {
			g.shrink(seg, e.length)
		}
	}
}

// shrink takes n bytes off what a segment holds.
func (g *segments) shrink(seg *segment, n int64) {
	seg.live -= n
	g.advance(seg)
}

// advance moves a segment that is not active any more on to its next state.
func (g *segments) advance(seg *segment) {
	if seg == g.active || seg.writing > 0 || seg.syncing {
		return
	}
	if seg.live == 0 && seg.readers == 0 && !slices.Contains(g.spare, seg) {
		seg.synced = seg.written // no window needs the bytes any more
		g.spare = append(g.spare, seg)
	}
	if seg.file != nil && seg.synced == seg.written {
		free(seg.file)
		seg.file = nil
	}
}

// trim removes spare segments until keep are left.
func (g *segments) trim(keep int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.spare) <= keep {
		return nil
	}
	if err := g.durable(); err != nil {
		return err
	}
	for len(g.spare) > keep {
		seg := g.spare[len(g.spare)-1]
		if err := g.fs.Remove(g.path(seg.number)); err != nil {
			return err
		}
		g.spare = g.spare[:len(g.spare)-1]
		delete(g.all, seg.number)
	}
	return nil
}

// pin keeps the segments of extents from being overwritten or removed, until unpin.
func (g *segments) pin(extents []extent) { g.count(extents, 1) }

func (g *segments) unpin(extents []extent) { g.count(extents, -1) }

func (g *segments) count(extents []extent, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range extents {
		if seg := g.all[e.segment]; seg != nil {
			seg.readers += n
			if n < 0 {
				g.advance(seg)
			}
		}
	}
}

// bytes is the length of all segments.
func (g *segments) bytes() (n uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, seg := range g.all {
		n += uint64(seg.bytes)
	}
	return n
}

// close closes the files; nothing is under way any more.
func (g *segments) close() {
	for _, seg := range g.all {
		if seg.file != nil {
			free(seg.file)
			seg.file = nil
		}
	}
}
