package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/puzzle"
)

// Bounds of an answer that is computed from the arguments of a question alone. Such a question can ask for work without
// end, and a client must not occupy the process with it.
const (
	boundTime   = 20 * time.Second
	boundMemory = 64 << 20
)

// errBound is the cause of the end of a context that Bound made.
var errBound = cli.Hint(errors.New("the answer takes longer than this server computes for a request: "+
	boundTime.String()), "ask the command on the command line, where nothing bounds it")

// Bound bounds the time of an answer, and in r its memory, when the question needs no run. The context also ends with
// ctx, which is that of the HTTP request, and so when the client goes away.
func Bound(ctx context.Context, q *puzzle.Question, r *puzzle.Request) (context.Context, context.CancelFunc) {
	if q.NeedsRun() {
		return ctx, func() {}
	}
	r.Memory = boundMemory
	return context.WithTimeoutCause(ctx, boundTime, errBound)
}

// Overdue is the error of an answer that ended because of its bound, and otherwise nil. Its HTTP status is 503.
func Overdue(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errBound) {
		return errBound
	}
	return nil
}

// ask has a question answered within its bounds, and refuses it where it is not answered.
func (p *Server) ask(
	ctx context.Context, w http.ResponseWriter, q *puzzle.Question, r puzzle.Request,
	answer func(context.Context, *puzzle.Question, puzzle.Request) (*puzzle.Answer, error),
) *puzzle.Answer {
	if !q.NeedsRun() {
		select {
		case p.computing <- struct{}{}:
			defer func() { <-p.computing }()
		default:
			refuse(w, http.StatusServiceUnavailable, errBusy)
			return nil
		}
	}
	ctx, cancel := Bound(ctx, q, &r)
	defer cancel()
	a, err := answer(ctx, q, r)
	switch overdue := Overdue(ctx, err); {
	case overdue != nil:
		refuse(w, http.StatusServiceUnavailable, overdue)
		return nil
	case err != nil:
		refuse(w, httpStatus(err), err)
		return nil
	}
	return a
}
