package simulate

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/fleet/objects/objectstest"
	"pagoda/internal/kv"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// bucket is where the archive is: object storage that outlives all processes, is away at times, and has damaged
// objects.
type bucket struct {
	w      *world
	memory objectstest.Memory

	mu   sync.Mutex
	away int // number of faults that keep it away
}

// setAway adds to the number of faults that keep the bucket away.
func (b *bucket) setAway(by int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away += by
}

func (b *bucket) isAway() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away > 0
}

// damage cuts or changes a share of the objects, and removes some.
func (b *bucket) damage(share float64) {
	for _, key := range b.memory.Keys() {
		if b.w.draw("damage "+key) >= share {
			continue
		}
		content, _ := b.memory.Content(key)
		switch bad := append([]byte(nil), content...); {
		case b.w.draw("damage "+key) < 0.3:
			b.memory.Remove(key)
		case b.w.draw("damage "+key) < 0.5:
			b.memory.Set(key, bad[:len(bad)/2])
		default:
			bad[int(b.w.draw("damage "+key)*float64(len(bad)))] ^= 1
			b.memory.Set(key, bad)
		}
	}
}

// openArchive is the archive as a process reaches it, nil where the run has none.
func (w *world) openArchive(p *process) *archive.Archive {
	if !w.sc.Archive {
		return nil
	}
	return archive.New(&access{w.bucket, p}, objects.Location{Bucket: "archive"}, w.shape.run)
}

// access is a process's way to the bucket. It implements objects.Store.
type access struct {
	b *bucket
	p *process
}

// errAway is the error of a bucket that is away.
var errAway = &objects.Error{URL: "s3://archive", Kind: objects.ErrAway}

// ask takes the time of a request.
func (a *access) ask(ctx context.Context, what string) error {
	w := a.b.w
	if err := pause.For(ctx, w.jitter(what+" "+a.p.name, 4*w.sc.Latency)); err != nil {
		return err
	}
	if err := a.p.held(ctx); err != nil {
		return err
	}
	if a.b.isAway() {
		// Some servers say at once that they cannot, others say nothing.
		if w.draw(what+" "+a.p.name) < 0.5 {
			return errAway
		}
		if err := pause.For(ctx, 5*time.Second); err != nil {
			return err
		}
		return errAway
	}
	return nil
}

func (a *access) Check(ctx context.Context) error { return a.ask(ctx, "check") }

func (a *access) Put(ctx context.Context, key string, content io.ReadSeeker, size int64, how objects.How) error {
	if err := a.ask(ctx, "put"); err != nil {
		return err
	}
	return a.b.memory.Put(ctx, key, content, size, how)
}

func (a *access) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := a.ask(ctx, "get"); err != nil {
		return nil, err
	}
	a.b.w.note(a.p.name, nil, "reads %s from the archive", key[:strings.LastIndexByte(key, '-')])
	return a.b.memory.Get(ctx, key)
}

func (a *access) List(ctx context.Context, prefix string, fn func(objects.Object) error) error {
	if err := a.ask(ctx, "list"); err != nil {
		return err
	}
	return a.b.memory.List(ctx, prefix, fn)
}

// uploads uploads what a worker commits, as worker.Session does.
func (w *world) uploads(p *process, store *kv.Store, e *compute.Events) (end func()) {
	a := w.openArchive(p)
	if a == nil {
		return func() {}
	}
	up := archive.NewUploader(a, archive.UploaderOptions{Source: store, OnUploaded: func(u archive.Uploaded) {
		if u.Err == nil && !p.isDead() {
			w.note(p.name, nil, "uploads %s", u.Window)
		}
	}})
	ctx, cancel := context.WithCancel(p.ctx)
	var running sync.WaitGroup
	running.Go(func() { up.Run(ctx) })
	joined := e.Joined
	e.Joined = func(j compute.Joined) {
		joined(j)
		if j.Again {
			return
		}
		running.Go(func() {
			var held []protocol.Archived
			err := store.Records(func(r kv.Record) error {
				if r.Rows > 0 {
					held = append(held, protocol.Archived{Window: r.ID(), Digest: r.Digest})
				}
				return nil
			})
			if err != nil && !errors.Is(err, kv.ErrClosed) {
				w.note(p.name, nil, "the store cannot be listed: %v", err)
			}
			up.AddMissing(ctx, held)
		})
	}
	e.Committed = func(windows []protocol.Archived) { up.Add(windows...) }
	return func() {
		cancel()
		running.Wait()
	}
}
