package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"pagoda/internal/cli"
	"pagoda/internal/puzzle"
)

// readFiles puts what files hold in the place of those arguments that name them.
func readFiles(ctx context.Context, q *puzzle.Question, args []string) ([]string, error) {
	out := append([]string{}, args...)
	for i := range out {
		if a := &q.Args[min(i, len(q.Args)-1)]; a.File {
			text, err := await(ctx, func() (string, error) { return readArgument(out[i]) })
			if err != nil {
				return nil, err
			}
			out[i] = text
		}
	}
	return out, nil
}

// readArgument reads a file, or stdin where its name is -. An error is one about the command line.
func readArgument(name string) (string, error) {
	in := os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return "", usage(name+": no such file", "name a file, or - for stdin")
		}
		if err != nil {
			return "", &cli.UsageError{Err: err}
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, puzzle.MaxFile+1))
	switch {
	case err != nil:
		return "", &cli.UsageError{Err: err}
	case len(data) > puzzle.MaxFile:
		return "", usage(fmt.Sprintf("%s: it holds more than %d MiB", name, puzzle.MaxFile>>20), "name another file")
	}
	return string(data), nil
}
