package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pagoda/internal/fleet/objects"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/protocol"
)

// An Archive has windows of one run. Safe for concurrent use.
type Archive struct {
	store  objects.Store
	prefix objects.Location // of the archive, which may have other runs
	at     objects.Location // the beginning of the names of the run's objects, with a slash at its end
	run    string
}

// Open returns the archive of a run at a URL of the form s3://BUCKET/PREFIX, with keys and endpoint from the
// environment. It makes no request.
func Open(url, run string) (*Archive, error) {
	at, err := objects.Parse(url)
	if err != nil {
		return nil, err
	}
	store, err := objects.Open(at)
	if err != nil {
		return nil, err
	}
	return New(store, at, run), nil
}

// New returns the archive of a run below a place in a store.
func New(store objects.Store, at objects.Location, run string) *Archive {
	return &Archive{store: store, prefix: at, at: at.Below(run + "/"), run: run}
}

// String implements transfer.Archive.
func (a *Archive) String() string { return a.at.String() }

// Check says why nothing can be read: errors are those of objects.Store.
func (a *Archive) Check(ctx context.Context) error { return a.store.Check(ctx) }

// name is the name of a window's object.
func (a *Archive) name(id puzzle.WindowID, d blocks.Digest) string {
	return a.at.Below(id.String() + "-" + d.String()).Key
}

// parse reads what name writes, and nothing else.
func (a *Archive) parse(key string) (w protocol.Archived, ok bool) {
	rest, ok := strings.CutPrefix(key, a.at.Key)
	i := strings.LastIndexByte(rest, '-')
	if !ok || i < 0 {
		return w, false
	}
	id, err := puzzle.ParseWindowID(rest[:i])
	if err != nil || w.Digest.UnmarshalText([]byte(rest[i+1:])) != nil {
		return w, false
	}
	w.Window = id
	return w, true
}

// Open implements transfer.Archive.
func (a *Archive) Open(ctx context.Context, rec *kv.Record) (io.ReadCloser, error) {
	body, err := a.store.Get(ctx, a.name(rec.ID(), rec.Digest))
	switch {
	case errors.Is(err, objects.ErrNotFound):
		return nil, fmt.Errorf("%w: %w", kv.ErrNotFound, err)
	case errors.Is(err, objects.ErrDenied):
		return nil, fmt.Errorf("%w: %w", transfer.ErrRefused, err)
	case err != nil:
		return nil, err
	}
	return body, nil
}

// Put uploads a window that source has, in place of an object of that name. It waits in a file without a name in folder
// dir. It returns the size of the object. Errors are those of source, of the folder, and of objects.Store.
func (a *Archive) Put(ctx context.Context, source transfer.Source, rec *kv.Record, dir string) (uint64, error) {
	at := a.at
	at.Key = a.name(rec.ID(), rec.Digest)
	out, err := objects.Create(a.store, at, dir)
	if err != nil {
		return 0, err
	}
	defer out.Abort()
	counted := &counter{w: out}
	if err := transfer.WriteStream(ctx, source, rec, counted); err != nil {
		return 0, err
	}
	return counted.n, out.Replace(ctx)
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n uint64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += uint64(n)
	return n, err
}

const (
	// listPage is how many windows List passes at a time.
	listPage = 1000
	// listPatience is how long it waits for the next of them.
	listPatience = 20 * time.Second
)

// errSilent says that the archive stopped answering while it was listed.
var errSilent = fmt.Errorf("it said nothing for %v", listPatience)

// List passes the windows that are there to fn, in groups and in no order. Names of another form are passed over.
// Errors are those of objects.Store, and of an archive that stands still.
func (a *Archive) List(ctx context.Context, fn func([]protocol.Archived)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(listPatience, func() { cancel(fmt.Errorf("%s: %w: %w", a, objects.ErrAway, errSilent)) })
	defer watch.Stop()
	page := make([]protocol.Archived, 0, listPage)
	err := a.store.List(ctx, a.at.Key, func(o objects.Object) error {
		w, ok := a.parse(o.Key)
		if !ok {
			return nil
		}
		if page = append(page, w); len(page) == listPage {
			fn(page)
			page = make([]protocol.Archived, 0, listPage)
			watch.Reset(listPatience)
		}
		return nil
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if len(page) > 0 && err == nil {
		fn(page)
	}
	return err
}
