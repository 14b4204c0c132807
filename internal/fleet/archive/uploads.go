package archive

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// UploaderOptions say what is uploaded and from where.
type UploaderOptions struct {
	Source transfer.Source // has the windows
	Dir    string          // where a window waits on its way, in a file without a name; "" is the system's folder
	// OnUploaded is called after each attempt; nil is not. Safe for concurrent use.
	OnUploaded func(Uploaded)
}

// Uploaded is an attempt at uploading a window.
type Uploaded struct {
	Window  puzzle.WindowID
	Bytes   uint64
	Took    time.Duration
	Waiting int   // windows that are to be uploaded after it
	Err     error // why it failed; it is tried again
	First   bool  // the attempt before it ended the other way
}

const (
	// streams is how many windows are uploaded at a time: small ones take their time on the way.
	streams = 4
	// firstWait and lastWait are the pauses after a failure, which doubles from one to the next.
	firstWait, lastWait = time.Second, 30 * time.Second
)

// An Uploader uploads windows in the background. Safe for concurrent use.
type Uploader struct {
	a *Archive
	o UploaderOptions

	mu     sync.Mutex
	queue  []protocol.Archived
	busy   int           // windows on their way
	failed bool          // the last attempt
	wake   chan struct{} // closed when the queue is no longer empty
	done   chan struct{} // closed when nothing is left or something failed, nil when no Drain waits
}

// NewUploader returns an Uploader. It does nothing before Run.
func NewUploader(a *Archive, o UploaderOptions) *Uploader {
	if o.OnUploaded == nil {
		o.OnUploaded = func(Uploaded) {}
	}
	return &Uploader{a: a, o: o, wake: make(chan struct{})}
}

// Add queues committed windows for upload. It returns at once.
func (u *Uploader) Add(windows ...protocol.Archived) {
	if len(windows) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queue = append(u.queue, windows...)
	select {
	case <-u.wake:
	default:
		close(u.wake)
	}
}

// AddMissing queues those of some windows that the archive does not list, or all of them when it cannot be listed.
func (u *Uploader) AddMissing(ctx context.Context, windows []protocol.Archived) {
	if len(windows) == 0 {
		return
	}
	there := make(map[protocol.Archived]bool)
	// An error shows again with the uploads.
	_ = u.a.List(ctx, func(page []protocol.Archived) {
		for _, w := range page {
			there[w] = true
		}
	})
	var missing []protocol.Archived
	for _, w := range windows {
		if !there[w] {
			missing = append(missing, w)
		}
	}
	u.Add(missing...)
}

// Run uploads until ctx is done.
func (u *Uploader) Run(ctx context.Context) {
	var g errgroup.Group
	for range streams {
		g.Go(func() error {
			u.upload(ctx)
			return nil
		})
	}
	_ = g.Wait()
}

func (u *Uploader) upload(ctx context.Context) {
	for wait := firstWait; ; {
		w, ok := u.next(ctx)
		if !ok {
			return
		}
		if u.one(ctx, w) {
			wait = firstWait
			continue
		}
		if pause.For(ctx, wait) != nil {
			return
		}
		wait = min(2*wait, lastWait)
	}
}

// next waits for a window.
func (u *Uploader) next(ctx context.Context) (w protocol.Archived, ok bool) {
	for {
		u.mu.Lock()
		if len(u.queue) > 0 && ctx.Err() == nil {
			w = u.queue[0]
			u.queue = u.queue[1:]
			u.busy++
			u.mu.Unlock()
			return w, true
		}
		select {
		case <-u.wake:
			u.wake = make(chan struct{})
		default:
		}
		wake := u.wake
		u.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return w, false
		}
	}
}

// one uploads a window. It reports whether there is no reason to wait before the next one.
func (u *Uploader) one(ctx context.Context, w protocol.Archived) bool {
	start := time.Now()
	rec := kv.Record{Window: puzzle.Window{Cell: w.Window.Cell, Part: w.Window.Part}, Digest: w.Digest}
	size, err := u.a.Put(ctx, u.o.Source, &rec, u.o.Dir)
	gone := errors.Is(err, kv.ErrNotFound) || errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrClosed)
	failed := err != nil && !gone

	u.mu.Lock()
	u.busy--
	if failed {
		u.queue = append(u.queue, w)
	}
	first := false
	if !gone {
		first = failed != u.failed
		u.failed = failed
	}
	if u.done != nil && (failed || len(u.queue)+u.busy == 0) {
		close(u.done)
		u.done = nil
	}
	waiting := len(u.queue)
	u.mu.Unlock()
	// Windows dropped meanwhile are not needed. Damaged ones are computed again and uploaded then.
	if !gone && (err == nil || ctx.Err() == nil) {
		u.o.OnUploaded(Uploaded{
			Window: w.Window, Bytes: size, Took: time.Since(start), Waiting: waiting, Err: err, First: first,
		})
	}
	return !failed
}

// Drain waits until everything is uploaded, an upload fails, or ctx is done. It returns how many windows are left.
func (u *Uploader) Drain(ctx context.Context) (left int) {
	u.mu.Lock()
	if len(u.queue)+u.busy > 0 && !u.failed {
		if u.done == nil {
			u.done = make(chan struct{})
		}
		done := u.done
		u.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
		}
		u.mu.Lock()
	}
	defer u.mu.Unlock()
	return len(u.queue) + u.busy
}
