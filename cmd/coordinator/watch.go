package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
	"pagoda/internal/run/status"
)

// A statusView shows one status after the other.
type statusView interface {
	// show shows a status.
	show(s *api.Status) error
	// trouble says why there is no newer status.
	trouble(err error) error
	// redraw shows the last one again where that is needed, such as on a terminal that has another size now.
	redraw() error
	// close ends the view: the last status stays.
	close() error
}

// watchStatus shows the status again and again: in the place of the one before on a terminal, one after the other
// elsewhere, and with --output json one document a line. It returns nil when the run is complete, and the run's error
// when it has failed. A coordinator that does not answer is asked again.
func (a *app) watchStatus(
	ctx context.Context, f *statusFlags, source func(context.Context) (*api.Status, error),
) (err error) {
	var v statusView = &statusLines{app: a, output: f.output}
	if f.output == render.Text && cli.Terminal(a.stdout, a.environ) {
		v = newStatusScreen(a.stdout)
	}
	defer func() { err = errors.Join(err, v.close()) }()
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	again := time.NewTicker(redrawEvery)
	defer again.Stop()
	for first := true; ; first = false {
		s, err := source(ctx)
		var misuse *cli.UsageError
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && (first || f.url == "" || errors.As(err, &misuse)):
			return err
		case err != nil:
			if err := v.trouble(err); err != nil {
				return err
			}
		default:
			if err := v.show(s); err != nil {
				return err
			}
			if done, err := over(s); done {
				return err
			}
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-again.C:
				if err := v.redraw(); err != nil {
					return err
				}
			case <-tick.C:
				waiting = false
			}
		}
	}
}

// statusLines is a view on a file or a pipe.
type statusLines struct {
	*app
	output string
	later  bool // something was shown
}

func (v *statusLines) show(s *api.Status) error {
	if v.output == render.JSON {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return v.print(append(b, '\n'))
	}
	text := render.Status(&s.Status, v.style())
	if v.later {
		text = append([]byte{'\n'}, text...)
	}
	v.later = true
	return v.print(text)
}

func (v *statusLines) trouble(err error) error {
	cli.Report(v.stderr, cli.Colour(v.stderr, v.environ), err)
	return nil
}

func (*statusLines) redraw() error { return nil }
func (*statusLines) close() error  { return nil }

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
