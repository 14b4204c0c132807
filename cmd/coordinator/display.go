package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
)

const (
	logEvery    = 5 * time.Second        // between two lines where there is no terminal
	redrawEvery = 200 * time.Millisecond // of the display on a terminal
)

// A display shows the progress of a run on stderr until it is closed: one line that is redrawn on a terminal,
// otherwise a log line every few seconds.
type display struct {
	log   *slog.Logger
	close func()
}

// newDisplay starts a display. p is filled by the events of the run; attrs go with every log line.
func newDisplay(stderr *os.File, environ []string, style ops.LogStyle, p *progress, attrs ...any) *display {
	if style = cli.LogStyle(style, stderr, environ); style.Form != ops.LogJSON && cli.Terminal(stderr, environ) {
		return terminalDisplay(stderr, style, p, attrs)
	}
	log := newLog(stderr, style, attrs)
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(logEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				logProgress(log, p)
			}
		}
	})
	return &display{log: log, close: sync.OnceFunc(func() {
		close(stop)
		wait.Wait()
	})}
}

func logProgress(log *slog.Logger, p *progress) {
	s, elapsed := p.snapshot()
	args := []any{"layer", s.layer, "layers", s.layers, "windows_done", s.done, "windows", s.windows, "rows", s.rows,
		"rows_per_second", int64(s.rate(elapsed)), "bytes", s.bytes}
	if s.left != nil {
		args = append(args, "left_seconds", int64(s.left.Low+0.5), "left_seconds_most", int64(s.left.High+0.5))
	}
	if s.redone > 0 {
		args = append(args, "windows_again", s.redone)
	}
	if s.waiting != "" {
		args = append(args, "waiting_for", s.waiting, "waiting_seconds", int64(s.waited.Seconds()))
	}
	log.Info("progress", args...)
}

// newLog returns a log of a style that was checked.
func newLog(w io.Writer, style ops.LogStyle, attrs []any) *slog.Logger {
	log, err := ops.NewLog(w, style)
	if err != nil {
		panic(err)
	}
	return log.With(attrs...)
}

func terminalDisplay(stderr *os.File, style ops.LogStyle, p *progress, attrs []any) *display {
	container := mpb.New(mpb.WithOutput(stderr), mpb.WithWidth(24), mpb.WithRefreshRate(redrawEvery))
	bar := container.New(0, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
			s, _ := p.snapshot()
			return fmt.Sprintf("layer %d/%d  windows %d/%d", s.layer, s.layers, s.done, s.windows)
		})),
		mpb.AppendDecorators(decor.Any(func(room decor.Statistics) string {
			s, elapsed := p.snapshot()
			return beside(&s, elapsed, room.AvailableWidth-leastBar)
		})))
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(redrawEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				bar.Abort(true)
				return
			case <-tick.C:
				s, _ := p.snapshot()
				bar.SetTotal(int64(s.windows)+1, false) // never complete: whether it is, the run decides
				bar.SetCurrent(int64(s.done))
			}
		}
	})
	// Log lines go above the bar, and straight to stderr once the bar is gone.
	log := newLog(&above{container, stderr}, style, attrs)
	return &display{log: log, close: sync.OnceFunc(func() {
		close(stop)
		wait.Wait()
		container.Wait()
	})}
}

// leastBar is the width of the bar, and of the blanks around it, that is kept where the terminal is narrow.
const leastBar = 12

// beside returns the text beside the bar: the time left, and as many other figures as there is room for.
func beside(s *state, elapsed time.Duration, room int) string {
	line := "left " + render.Left(s.left)
	if s.ending {
		line = "left " + render.Ending
	}
	more := []string{fmt.Sprintf("%s classes/s", quantity.Short(s.rate(elapsed))), quantity.Bytes(s.bytes)}
	if s.redone > 0 {
		more = append(more, plural.Of(s.redone, "window")+" again")
	}
	if s.waiting != "" {
		waiting := fmt.Sprintf("waiting for %s, for %s", s.waiting, quantity.Duration(s.waited.Seconds()))
		more = append([]string{waiting}, more...)
	}
	for _, part := range more {
		if len(line)+2+len(part) > room {
			break
		}
		line += "  " + part
	}
	return line
}

// above writes above the bar.
type above struct {
	bar  *mpb.Progress
	bare io.Writer
}

func (w *above) Write(b []byte) (int, error) {
	if n, err := w.bar.Write(b); err == nil {
		return n, nil
	}
	return w.bare.Write(b)
}
