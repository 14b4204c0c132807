package transfer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// Options say how a worker gets windows that others hold.
type Options struct {
	Store *kv.Store // of this worker's own windows
	Name  string    // of this worker; it does not ask itself
	// Keys make it mutual TLS; without them it speaks in the clear.
	Keys *keys.Credentials
	// MemoryBytes bounds the windows kept in memory, those that are arriving included; 0 for 64 MiB. One that does not
	// fit waits in a file.
	MemoryBytes uint64
	// DiskBytes bounds the windows kept in files for which there is no memory any more; 0 keeps none. They take at most
	// as much as FreeDisk says that they leave free; nil is no bound.
	DiskBytes uint64
	FreeDisk  func() (uint64, error)
	// SpillDir is where the files are made, "" for the system's folder. They have no name, so nothing is left of them.
	SpillDir string
	// MaxStreams bounds the windows that arrive at a time, 0 for 8. Each takes up to one block of memory more.
	MaxStreams int
	// StallTime is how long a peer may take to connect, to answer, or to send the next block; 0 for 7 s. A peer for which
	// readers have waited half of it, beyond a tenth of the time, has a seventh of it, and one attempt for a window.
	StallTime time.Duration
	// Pace is how many bytes of blocks a peer must send in a second, beyond StallTime; 0 for 256 KiB. Two slower streams
	// than that end the fetching of a window though blocks still come.
	Pace uint64
	// Patience is how long holders are asked again that cannot be reached, stall or break off, without any block having
	// come in between; 0 for 5 s. For as long afterwards they are not asked for other windows either, and for longer
	// each time that it happens again before they have served a window.
	Patience time.Duration
	// Dial connects to a peer; its error is a *net.OpError. nil goes through the machine's own network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Archive is asked for the windows of which it is a holder, protocol.ArchiveName; nil: it is not.
	Archive Archive
	// Event is called when something happens that an operator may want to know; nil is not.
	Event func(text string)
	// OnFetched is called after each window that was fetched or could not be; nil is not. Safe for concurrent use.
	OnFetched func(Fetched)
}

// Fetched is a window that came from other workers, or did not.
type Fetched struct {
	Window puzzle.WindowID
	Peer   protocol.Peer // that the last block came from
	Bytes  uint64        // that came over the network as blocks, in vain or not
	Took   time.Duration
	Errors []*PeerError // of all attempts
	Err    error        // why it did not come in the end
}

// Fetcher is a protocol.Fetcher: it reads windows from this worker's store, or gets them from their holders. Safe for
// concurrent use.
type Fetcher struct {
	o       Options
	here    Source // the store
	http    *http.Client
	streams chan struct{} // one token for each window that is arriving
	cached  *cache
	peers   peers
	moved   atomic.Uint64
}

const (
	idleTime      = time.Minute
	maxHeaderSize = 8 << 10
)

// NewFetcher returns a Fetcher. It makes no connection before it is asked for a window.
func NewFetcher(o Options) *Fetcher {
	setDefault(&o.MemoryBytes, 64<<20)
	setDefault(&o.MaxStreams, 8)
	setDefault(&o.StallTime, 7*time.Second)
	setDefault(&o.Pace, 256<<10)
	setDefault(&o.Patience, 5*time.Second)
	if o.OnFetched == nil {
		o.OnFetched = func(Fetched) {}
	}
	if o.Event == nil {
		o.Event = func(string) {}
	}
	f := &Fetcher{
		o: o, here: o.Store, http: newClient(&o), streams: make(chan struct{}, o.MaxStreams),
		cached: newCache(o.MemoryBytes), peers: peers{pause: o.Patience, stall: o.StallTime},
	}
	s := &f.cached.shelf
	s.dir, s.limit, s.free, s.event = o.SpillDir, o.DiskBytes, o.FreeDisk, o.Event
	return f
}

// Moved is the bytes of blocks that came over the network so far.
func (f *Fetcher) Moved() uint64 { return f.moved.Load() }

// OnDisk is the bytes of the files in which fetched windows are kept just now.
func (f *Fetcher) OnDisk() uint64 {
	f.cached.mu.Lock()
	defer f.cached.mu.Unlock()
	return f.cached.shelf.used
}

// Forget forgets fetched windows that will not be read any more.
func (f *Fetcher) Forget(ids []puzzle.WindowID) { f.cached.forget(ids) }

// Close closes idle connections and forgets what was fetched. Calls of Blocks must have returned.
func (f *Fetcher) Close() {
	f.http.CloseIdleConnections()
	f.cached.clear()
}

// Blocks passes the blocks of a window that intersect [first, first+addresses) to fn, in address order. A block
// belongs to fn's caller again when fn returns. It reads the worker's own copy where there is one with the right
// content; otherwise the whole window is fetched, unless it is still there from before, and no row of it is used until
// its digest has been checked.
//
// Errors wrap kv.ErrNotFound or kv.ErrCorrupt when the window cannot be had, and name it and every holder that was
// asked, see [Error]. An error of fn is returned, wrapped or not.
func (f *Fetcher) Blocks(ctx context.Context, lw protocol.LocatedWindow, first, addresses uint64,
	fn func(*puzzle.Block) error) error {
	if lw.Record.Rows == 0 || addresses == 0 {
		return nil
	}
	f.cached.trim()
	d := newDelivery(&lw.Record, first, addresses, fn)
	defer d.free()
	here := f.own(ctx, d)
	if here == nil || d.refused || !lost(here) || !f.elsewhere(&lw) {
		return here
	}
	err := f.fetched(ctx, &lw, d)
	if err != nil && !d.refused && errors.Is(err, errChanged) { // no holder is to blame: it is fetched once more
		err = f.fetched(ctx, &lw, d)
	}
	if err != nil && !d.refused && errors.Is(here, kv.ErrCorrupt) {
		return fmt.Errorf("%w; and %w", here, err)
	}
	return err
}

// errChanged says that a fetched window has changed since it came.
var errChanged = errors.New("as it was fetched")

// fetched delivers a window that comes from others, or came from them.
func (f *Fetcher) fetched(ctx context.Context, lw *protocol.LocatedWindow, d *delivery) error {
	e, err := f.get(ctx, lw)
	if err != nil {
		return err
	}
	defer f.cached.release(e)
	d.again()
	err = e.each(func(first uint64, coded []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return d.block(first, coded)
	})
	if err != nil && !d.refused && errors.Is(err, kv.ErrCorrupt) {
		f.cached.spoil(e)
		return fmt.Errorf("run %s, window %s, %w: %w", lw.Record.Run, lw.Record.Window, errChanged, err)
	}
	return err
}

// lost reports whether err says that a copy is missing or damaged.
func lost(err error) bool { return errors.Is(err, kv.ErrNotFound) || errors.Is(err, kv.ErrCorrupt) }

// own delivers the worker's own copy.
func (f *Fetcher) own(ctx context.Context, d *delivery) error {
	from, end := d.from, d.end
	if d.whole {
		end = 0 // the store checks the seal then
	}
	return f.here.Coded(ctx, d.rec.ID(), d.rec.Digest, from, end, d.block)
}

// elsewhere reports whether another holder can be asked.
func (f *Fetcher) elsewhere(lw *protocol.LocatedWindow) bool {
	for _, p := range lw.Holders {
		if f.other(p) {
			return true
		}
	}
	return false
}

func (f *Fetcher) other(p protocol.Peer) bool {
	if p.Name == protocol.ArchiveName {
		return f.o.Archive != nil
	}
	return p.Address != "" && p.Name != f.o.Name
}

// Prefetch implements protocol.Prefetcher: it fetches a window unless it is there from before. It stays until others
// need the room.
func (f *Fetcher) Prefetch(ctx context.Context, lw protocol.LocatedWindow) {
	if !f.elsewhere(&lw) {
		return
	}
	if e, err := f.get(ctx, &lw); err == nil {
		f.cached.release(e)
	}
}

// Check implements protocol.Checker: it fetches a window from its holders and keeps nothing of it.
func (f *Fetcher) Check(ctx context.Context, lw protocol.LocatedWindow) error {
	if lw.Record.Rows == 0 {
		return nil
	}
	if !f.elsewhere(&lw) {
		rec, drop := &lw.Record, func(*puzzle.Block) error { return nil }
		return f.own(ctx, newDelivery(rec, rec.First, rec.Addresses, drop))
	}
	return f.fetch(ctx, &lw, newInbound(&lw.Record, nowhere{}))
}

// nowhere keeps no blocks.
type nowhere struct{}

func (nowhere) add(uint64, []byte) error { return nil }
func (nowhere) reset()                   {}

// Copy implements protocol.Replicator: it fetches a window into the store, unless it is there and intact.
func (f *Fetcher) Copy(ctx context.Context, lw protocol.LocatedWindow) error {
	rec, found, err := f.o.Store.Record(lw.Record.ID())
	if err == nil && found && rec.SameContent(&lw.Record) {
		if err = f.o.Store.Verify(ctx, rec); err == nil {
			return nil
		}
	}
	if err != nil && !lost(err) {
		return err
	}
	into := &storing{store: f.o.Store, w: lw.Record.Window}
	defer into.reset()
	t := f.newDownload(&lw, newInbound(&lw.Record, into))
	t.all = true // no other worker is asked for a copy
	if err := f.carryOut(ctx, t); err != nil {
		return err
	}
	return into.commit(lw.Record)
}
