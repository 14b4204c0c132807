package objects

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// An Output is an object that is being written. It waits in a file without a name, and [Output.Commit] or
// [Output.Replace] puts it in one piece. An abandoned Output leaves nothing behind, on the disk or in the bucket.
type Output struct {
	store Store
	at    Location
	file  *os.File
	buf   *bufio.Writer
}

// Create begins an object, which waits in a file of folder dir, "" for the system's folder.
func Create(store Store, at Location, dir string) (*Output, error) {
	f, err := os.CreateTemp(dir, "pagoda-object-*")
	if err != nil {
		return nil, fmt.Errorf("output %s: make room for it: %w", at, err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("output %s: make room for it: %w", at, err)
	}
	return &Output{store: store, at: at, file: f, buf: bufio.NewWriterSize(f, 1<<18)}, nil
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.buf.Write(p)
	if err != nil {
		err = fmt.Errorf("output %s: keep it in %s: %w", o.at, o.file.Name(), err)
	}
	return n, err
}

// Abort forgets the bytes written. After Commit it does nothing, so that it can be deferred.
func (o *Output) Abort() {
	if o.file != nil {
		_ = o.file.Close()
		o.file = nil
	}
}

// Commit puts the object, which must not be there yet. When it fails, there is none.
func (o *Output) Commit(ctx context.Context) error { return o.put(ctx, New) }

// Replace puts the object, in place of one that is there. When it fails, that one stays.
func (o *Output) Replace(ctx context.Context) error { return o.put(ctx, Replace) }

func (o *Output) put(ctx context.Context, how How) error {
	defer o.Abort()
	err := o.buf.Flush()
	if err != nil {
		return fmt.Errorf("output %s: keep it in %s: %w", o.at, o.file.Name(), err)
	}
	size, err := o.file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = o.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("output %s: read it again: %w", o.at, err)
	}
	return o.store.Put(ctx, o.at.Key, o.file, size, how)
}

// Free says whether an object can be made: the bucket can be read, and nothing is there. Errors wrap ErrExists, or are
// the store's.
func Free(ctx context.Context, store Store, at Location) error {
	err := store.List(ctx, at.Key, func(o Object) error {
		if o.Key == at.Key {
			return &Error{URL: at.String(), Kind: ErrExists}
		}
		return errEnough // others come later: they are longer
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
