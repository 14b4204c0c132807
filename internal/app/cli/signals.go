package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Signals returns a context that ends with the first SIGINT or SIGTERM, the cause being ErrInterrupted or
// ErrTerminated. At the second one it calls quit with the exit code, which should end the process at once: committed
// windows are safe in any case.
func Signals(parent context.Context, quit func(code int)) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-caught:
			cancel(cause(s))
		case <-done:
			return
		}
		select {
		case s := <-caught:
			quit(Code(cause(s)))
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		close(done)
		cancel(nil)
	}
}

func cause(s os.Signal) error {
	if s == os.Interrupt {
		return ErrInterrupted
	}
	return ErrTerminated
}
