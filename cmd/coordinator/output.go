package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/output/export"
)

// An output is a file or an object that is being written: it appears complete or not at all.
type output interface {
	io.Writer
	Abort()
	Commit(ctx context.Context) error
}

// outputs are files, or objects in a bucket.
type outputs struct {
	store objects.Store // nil: files
	spill string        // folder in which objects wait until they are complete
	// replace says that files that are there are replaced. Otherwise they are an error.
	replace bool
}

// openOutputs opens the store for paths or URLs that begin with out. It checks that a bucket can be used.
func openOutputs(ctx context.Context, out string) (*outputs, error) {
	if !objects.IsURL(out) {
		return &outputs{}, nil
	}
	store, err := openStore(ctx, out)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return &outputs{store: store, spill: os.TempDir()}, nil
}

// openStore opens the bucket of a URL and asks whether it can be used.
func openStore(ctx context.Context, url string) (objects.Store, error) {
	at, err := objects.Parse(url)
	if err != nil {
		return nil, cli.Hint(&cli.UsageError{Err: err}, "write s3://bucket/prefix")
	}
	store, err := objects.Open(at)
	if err != nil {
		return nil, adviseKeys(err)
	}
	return store, adviseObject(store.Check(ctx))
}

func adviseKeys(err error) error {
	return cli.Hint(&cli.UsageError{Err: err}, "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, "+
		"for another server than Amazon's, AWS_ENDPOINT_URL=https://HOST:PORT")
}

// adviseObject adds to an error of object storage its kind and advice.
func adviseObject(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, objects.ErrExists):
		return cli.Hint(&cli.UsageError{Err: err}, "remove it or choose another name; nothing is overwritten")
	case errors.Is(err, objects.ErrDenied):
		return cli.Hint(&cli.UsageError{Err: err},
			"check bucket, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL, and what these keys may do")
	case errors.Is(err, objects.ErrFull):
		return cli.Hint(err, "make room in the bucket and give the same command again")
	case errors.Is(err, objects.ErrAway):
		return cli.Hint(err, "check AWS_ENDPOINT_URL, and give the same command again when the server is there")
	}
	return err
}

// free returns an error unless an output can be made: its folder exists, and its name is free.
func (o *outputs) free(ctx context.Context, path string) error {
	if o.store == nil {
		return advisePath(export.Free(path))
	}
	at, err := objects.Parse(path)
	if err != nil {
		return cli.Hint(&cli.UsageError{Err: err}, "write s3://bucket/prefix")
	}
	return adviseObject(objects.Free(ctx, o.store, at))
}

// create begins an output.
func (o *outputs) create(path string) (output, error) {
	if o.store == nil {
		if o.replace {
			f, err := export.CreateOver(path)
			return &fileOutput{f, f.Replace}, advisePath(err)
		}
		f, err := export.Create(path)
		return &fileOutput{f, f.Commit}, advisePath(err)
	}
	at, err := objects.Parse(path)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	w, err := objects.Create(o.store, at, o.spill)
	if o.replace {
		return &objectOutput{w, w.Replace}, err
	}
	return &objectOutput{w, w.Commit}, err
}

// write writes one output.
func (o *outputs) write(ctx context.Context, path string, write func(io.Writer) error) error {
	w, err := o.create(path)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// scratch is the folder for temporary files on the way to an output.
func (o *outputs) scratch(path string) string {
	if o.store == nil {
		return filepath.Dir(path)
	}
	return o.spill
}

// below is the path of an output in a folder, or below a URL.
func (o *outputs) below(folder, name string) string {
	if o.store == nil {
		return filepath.Join(folder, name)
	}
	return strings.TrimSuffix(folder, "/") + "/" + name
}

type fileOutput struct {
	*export.File
	commit func() error
}

func (f *fileOutput) Commit(context.Context) error { return advisePath(f.commit()) }

type objectOutput struct {
	*objects.Output
	commit func(context.Context) error
}

func (o *objectOutput) Commit(ctx context.Context) error { return adviseObject(o.commit(ctx)) }

// nameBelow names an export after its content when out is the beginning of URLs: s3://bucket/prefix/ becomes
// s3://bucket/prefix/counts-07.csv.
func nameBelow(out string, what *runs.Selection) string {
	at, err := objects.Parse(out)
	if err != nil || !at.IsFolder() {
		return out
	}
	name := what.Table
	switch what.Layer {
	case "":
	case runs.AllLayers:
		name += "-" + layerMark
	default:
		name += fmt.Sprintf("-%02s", what.Layer)
	}
	return at.String() + name + "." + extension(what.Format)
}
