package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"pagoda/internal/fleet/ops"
	"pagoda/internal/run/life"
)

// logTally counts the lines of logs.
type logTally struct {
	Files      []string `json:"files"`
	Lines      int      `json:"lines"`
	Unreadable int      `json:"unreadable"`
	// FirstUnreadable says which line it is, and why; "" where there is none.
	FirstUnreadable string `json:"first_unreadable,omitempty"`
	OtherRuns       int    `json:"other_runs"` // lines about other runs
	// Debug says that there are lines of level debug about the run: those about assignments and computations.
	Debug bool `json:"debug"`
}

// readLogs are the logs of processes.
type readLogs struct {
	logTally
	events map[string][]life.Event // by run
	lines  map[string]int          // by run
	debug  map[string]bool         // by run
}

// stdin is the name of a log that comes over stdin.
const stdin = "-"

// readAll reads logs.
func readAll(ctx context.Context, paths []string) (*readLogs, error) {
	r := &readLogs{
		logTally: logTally{Files: paths},
		events:   make(map[string][]life.Event), lines: make(map[string]int), debug: make(map[string]bool),
	}
	for _, path := range paths {
		if err := r.readOne(ctx, path); err != nil {
			var file *fs.PathError
			if errors.As(err, &file) {
				return nil, usage(fmt.Sprintf("%s: %v", path, file.Err), "name the logs of coordinator and workers, or - for stdin")
			}
			return nil, err
		}
	}
	return r, nil
}

func (r *readLogs) readOne(ctx context.Context, path string) error {
	var in io.Reader = os.Stdin
	if path != stdin {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was read
		in = f
	}
	return ops.ReadLog(in, func(number int, l *ops.Line, bad error) error {
		r.Lines++
		if bad == nil {
			bad = r.line(l)
		}
		if bad != nil {
			r.Unreadable++
			if r.FirstUnreadable == "" {
				r.FirstUnreadable = fmt.Sprintf("line %d of %s: %v", number, path, bad)
			}
		}
		return ctx.Err()
	})
}

// line takes a line. The error says that its content is none that the programs write.
func (r *readLogs) line(l *ops.Line) error {
	run := l.Attrs[ops.RunKey]
	if run == "" {
		return nil // it is about the process
	}
	e, is, err := l.LifeEvent()
	if err != nil {
		return err
	}
	r.lines[run]++
	r.debug[run] = r.debug[run] || l.Level == "DEBUG"
	if is {
		r.events[run] = append(r.events[run], e)
	}
	return nil
}

// runs lists the runs that lines are about.
func (r *readLogs) runs() []string { return slices.Sorted(maps.Keys(r.lines)) }

// tally counts the lines, for one run.
func (r *readLogs) tally(run string) *logTally {
	t := r.logTally
	for other, n := range r.lines {
		if other != run {
			t.OtherRuns += n
		}
	}
	t.Debug = r.debug[run]
	return &t
}
