package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"pagoda/internal/app/cli"
	"pagoda/internal/puzzle"
	"pagoda/internal/readfile"
)

// readFiles replaces each argument that names a file by the file's text.
func readFiles(ctx context.Context, q *puzzle.Question, args []string) ([]string, error) {
	out := append([]string{}, args...)
	for i := range out {
		if a := &q.Args[min(i, len(q.Args)-1)]; a.File {
			text, err := readArgument(ctx, out[i])
			if err != nil {
				return nil, err
			}
			out[i] = text
		}
	}
	return out, nil
}

// readArgument reads a file, or stdin where its name is -. An error is one about the command line.
func readArgument(ctx context.Context, name string) (string, error) {
	var data []byte
	var err error
	if name == "-" {
		data, err = readfile.Stream(ctx, os.Stdin, puzzle.MaxFile)
	} else {
		data, err = readfile.Read(ctx, name, puzzle.MaxFile)
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return "", usage(name+": no such file", "name a file, or - for stdin")
	case errors.Is(err, readfile.ErrTooLarge):
		return "", usage(name+": "+err.Error(), "name another file")
	case err != nil:
		return "", &cli.UsageError{Err: err}
	}
	return string(data), nil
}
