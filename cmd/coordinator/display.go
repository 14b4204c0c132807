package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"

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
	if style = cli.LogStyle(style, stderr, environ); style.Form == ops.LogJSON || !cli.Terminal(stderr, environ) {
		log := newLog(stderr, style, attrs)
		return &display{log, repeat(logEvery, func() { logProgress(log, p) })}
	}
	s := &screen{terminal: stderr, lines: func(_, columns int) []string { return []string{p.line(columns)} }}
	stop := repeat(redrawEvery, func() { _ = s.draw() }) // a run goes on without its terminal
	return &display{newLog(s, style, attrs), func() {
		stop()
		_ = s.close()
	}}
}

// repeat calls fn again and again until stop is called.
func repeat(every time.Duration, fn func()) (stop func()) {
	over := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				fn()
			}
		}
	})
	return sync.OnceFunc(func() {
		close(over)
		wait.Wait()
	})
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
	if s.leaving > 0 {
		args = append(args, "workers_leaving", s.leaving, "windows_to_copy", s.toCopy)
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

// mostBar is the width of the bar where there is room. leastBar is the width that a narrow terminal keeps for the bar
// and the blanks around it.
const (
	mostBar  = 24
	leastBar = 12
)

// line is the progress in one line of a width.
func (p *progress) line(width int) string {
	s, elapsed := p.snapshot()
	line := fmt.Sprintf("layer %d/%d  windows %d/%d", s.layer, s.layers, s.done, s.windows)
	after := beside(&s, elapsed, width-len(line)-leastBar)
	line += " " + bar(s.done, s.windows+1, width-len(line)-len(after)-2) + " " + after // full when the run says so
	return runewidth.Truncate(line, width, "…")
}

// bar is a bar of so many columns at most, brackets included, of which done of all is filled.
func bar(done, all, width int) string {
	room := min(width, mostBar) - 2
	if room < 0 {
		return ""
	}
	filled := ""
	if n := int(math.Round(float64(room) * float64(done) / float64(all))); n > 0 {
		filled = strings.Repeat("=", min(n, room)-1) + ">"
	}
	return "[" + filled + strings.Repeat("-", room-len(filled)) + "]"
}

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
	if s.leaving > 0 {
		leaving := plural.Of(s.leaving, "worker") + " leaving, " + plural.Of(s.toCopy, "window") + " to copy"
		more = append([]string{leaving}, more...)
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
