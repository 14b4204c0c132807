package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// A Store has the objects of one bucket. Safe for concurrent use. Errors are *Error, or the context's.
type Store interface {
	// Check says why nothing can be read below the place that the store was opened for: no such bucket, wrong keys.
	Check(ctx context.Context) error
	// Put makes an object of size bytes of content, complete or not at all.
	Put(ctx context.Context, key string, content io.ReadSeeker, size int64, how How) error
	// Get opens an object. The content may break off, and may be wrong. ErrNotFound is wrapped when there is no object.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// List passes the objects whose names begin with prefix to fn, in the order of their names.
	List(ctx context.Context, prefix string, fn func(Object) error) error
}

// An Object describes an object of the bucket.
type Object struct {
	Key  string
	Size int64
}

// How says whether Put replaces an object of the same name.
type How int

// The ways to put an object.
const (
	Replace How = iota // it is replaced
	New                // it stays, and ErrExists is wrapped
)

var (
	// ErrNotFound is wrapped when there is no object of that name.
	ErrNotFound = errors.New("there is no such object")
	// ErrExists is wrapped when there is one already.
	ErrExists = errors.New("already exists")
	// ErrDenied is wrapped when the server refuses: wrong keys, no right to do that, or no such bucket.
	ErrDenied = errors.New("refused")
	// ErrFull is wrapped when the bucket or the server has no room left.
	ErrFull = errors.New("no room is left")
	// ErrAway is wrapped when the server cannot be reached, does not answer in time, or fails.
	ErrAway = errors.New("the server cannot be used now")
)

// An Error says what went wrong with an object or bucket. It wraps one of the sentinels above.
type Error struct {
	URL  string
	Kind error  // one of the sentinels
	Text string // what the server said, or ""
	Err  error  // the cause, may be nil
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("%s: %v", e.URL, e.Kind)
	}
	return fmt.Sprintf("%s: %v: %s", e.URL, e.Kind, e.Text)
}

// Unwrap returns the sentinel and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
