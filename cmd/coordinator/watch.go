package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/api"
	"pagoda/internal/cli"
	"pagoda/internal/render"
	"pagoda/internal/status"
)

// clearScreen puts what follows in the place of what a terminal shows.
const clearScreen = "\x1b[H\x1b[2J"

// watchStatus prints the status again and again: in the place of the one before on a terminal, one after the other
// elsewhere, and with --output json one document a line. It returns nil when the run is complete, and the run's error
// when it has failed. A coordinator that does not answer is asked again.
func (a *app) watchStatus(
	ctx context.Context, f *statusFlags, source func(context.Context) (*api.Status, error),
) error {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	terminal := cli.Terminal(a.stdout, a.environ)
	for first := true; ; first = false {
		s, err := source(ctx)
		var misuse *cli.UsageError
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && (first || f.url == "" || errors.As(err, &misuse)):
			return err
		case err != nil:
			cli.Report(a.stderr, cli.Colour(a.stderr, a.environ), err)
		default:
			if err := a.showStatus(s, f.output, terminal, first); err != nil {
				return err
			}
			if done, err := over(s); done {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func (a *app) showStatus(s *api.Status, output string, terminal, first bool) error {
	switch {
	case output == render.JSON:
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return a.print(append(b, '\n'))
	case terminal:
		return a.print(append([]byte(clearScreen), statusText(&s.Status)...))
	case !first:
		if err := a.print([]byte{'\n'}); err != nil {
			return err
		}
	}
	return a.print(statusText(&s.Status))
}

// over reports whether a status is a run's last, and the error that the run has ended with.
func over(s *api.Status) (done bool, err error) {
	switch s.State {
	case status.StateComplete:
		return true, nil
	case status.StateFailed:
		return true, cli.Hint(fmt.Errorf("the run has failed: %s", s.Error), s.Hint)
	}
	return false, nil
}
