// Package cli holds the common ground of both programs: exit codes, messages for people, signals, logging.
package cli

import (
	"context"
	"errors"
	"syscall"

	"pagoda/internal/config"
	"pagoda/internal/kv"
	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/rundir"
)

// Exit codes. They are a contract, documented in docs/cli.md.
const (
	OK          = 0
	Failed      = 1   // an error that no other code names
	Usage       = 2   // bad input: the command line, the config, or a path it names; nothing was created or changed
	Stopped     = 3   // resumable: the run stopped before its end, or the disk is full
	Fenced      = 4   // another coordinator has taken the run over
	Alone       = 5   // worker: it has found no run, or no coordinator, within its patience
	SomeFailed  = 6   // batch: members have failed, and the others are complete
	Differs     = 12  // the data folder belongs to a run with other parameters
	Unverified  = 13  // verification found something wrong
	No          = 20  // with --exit-code: there is no such game or solution
	Undecided   = 21  // with --exit-code: it is not known whether there is one
	Interrupted = 130 // Ctrl-C; a run can be resumed
)

var (
	// ErrUnverified is wrapped when verification found something wrong.
	ErrUnverified = errors.New("verification failed")
	// ErrAlone is wrapped when a worker has waited in vain for a run or its coordinator.
	ErrAlone = errors.New("there is no run to work for")
	// ErrSomeFailed is wrapped when members of a batch have failed, and the others are complete.
	ErrSomeFailed = errors.New("members have failed")
	// ErrInterrupted is the cause of a context that Ctrl-C ended. To errors.Is it is context.Canceled too, for callers
	// that only ask whether nothing is wrong.
	ErrInterrupted error = &stop{"interrupted"}
	// ErrTerminated is the same for SIGTERM.
	ErrTerminated error = &stop{"asked to stop by SIGTERM"}
)

type stop struct{ text string }

func (e *stop) Error() string        { return e.text }
func (e *stop) Is(target error) bool { return target == context.Canceled }

// A UserError is an error with advice.
type UserError struct {
	Err  error
	Hint string
}

func (e *UserError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UserError) Unwrap() error { return e.Err }

// Advice returns the advice, in one line.
func (e *UserError) Advice() string { return e.Hint }

// RunIDHint describes the ID of a run, for a text that can be no ID.
const RunIDHint = "it has 12 hexadecimal digits, such as 0123456789ab; coordinator plan CONFIG prints it"

// Hint adds advice to an error.
func Hint(err error, hint string) error { return &UserError{err, hint} }

// A UsageError is a mistake in the user's request.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// A StoppedError ends a run that can be resumed.
type StoppedError struct{ Err error }

func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *StoppedError) Unwrap() error { return e.Err }

// A RemoteError is an error of another process, with the exit code that it has there.
type RemoteError struct {
	Err  error
	Exit int
}

func (e *RemoteError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RemoteError) Unwrap() error { return e.Err }

// DiskFull reports whether a disk, or the share of it that a user may take, had no room. Room must be made either way,
// whether a run filled it or found it full when it began.
func DiskFull(err error) bool {
	return errors.Is(err, kv.ErrDiskFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Code returns the exit code for the error that a command ended with.
func Code(err error) int {
	var (
		remote  *RemoteError
		usage   *UsageError
		stopped *StoppedError
		setting *config.Error
		differs *rundir.DiffersError
		size    *puzzle.SizeError
	)
	switch {
	case err == nil:
		return OK
	case errors.Is(err, ErrInterrupted):
		return Interrupted
	case errors.As(err, &remote) && remote.Exit != OK:
		return remote.Exit
	case errors.As(err, &differs), errors.Is(err, kv.ErrRun):
		return Differs
	case errors.Is(err, coordinator.ErrFenced):
		return Fenced
	case errors.Is(err, ErrAlone):
		return Alone
	case errors.Is(err, ErrSomeFailed):
		return SomeFailed
	case errors.Is(err, ErrUnverified):
		return Unverified
	case errors.As(err, &stopped), errors.Is(err, ErrTerminated), DiskFull(err):
		return Stopped
	case errors.As(err, &usage), errors.As(err, &setting), errors.As(err, &size), errors.Is(err, export.ErrExists),
		errors.Is(err, export.ErrFormat), errors.Is(err, kv.ErrFormat), errors.Is(err, kv.ErrLocked):
		return Usage
	}
	return Failed
}

// DecisionCode returns the exit code for an answer in one word.
func DecisionCode(d puzzle.Decision) int {
	return map[puzzle.Decision]int{puzzle.Yes: OK, puzzle.No: No, puzzle.Undecided: Undecided}[d]
}

// Cause returns why ctx ended when that is all that err says, and err itself otherwise.
func Cause(ctx context.Context, err error) error {
	if errors.Is(err, ErrInterrupted) || errors.Is(err, ErrTerminated) || !errors.Is(err, context.Canceled) ||
		ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}
