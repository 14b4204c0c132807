package ops

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"pagoda/internal/puzzle/quantity"
)

// people is a slog.Handler that writes lines for people: the time of day, what happened, and the attributes that are
// not empty. Attributes that all lines of a log have, such as the run, are left out.
type people struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Level
}

func newPeople(w io.Writer, level slog.Level) *people { return &people{new(sync.Mutex), w, level} }

// Enabled implements slog.Handler.
func (p *people) Enabled(_ context.Context, level slog.Level) bool { return level >= p.level }

// WithAttrs implements slog.Handler.
func (p *people) WithAttrs([]slog.Attr) slog.Handler { return p }

// WithGroup implements slog.Handler.
func (p *people) WithGroup(string) slog.Handler { return p }

// Handle implements slog.Handler.
func (p *people) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Time.Format(time.TimeOnly) + "  ")
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString("error: ")
	case r.Level >= slog.LevelWarn:
		b.WriteString("warning: ")
	}
	b.WriteString(r.Message)
	sep := ": "
	var write func(a slog.Attr) bool
	write = func(a slog.Attr) bool {
		v := a.Value.Resolve()
		if v.Kind() == slog.KindGroup {
			for _, a := range v.Group() {
				write(a)
			}
		} else if text := told(v); text != "" {
			b.WriteString(sep + strings.ReplaceAll(a.Key, "_", " ") + " " + text)
			sep = ", "
		}
		return true
	}
	r.Attrs(write)
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, b.String())
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.w, line+"\n")
	return err
}

// told is a value for people: "" for none, for zero and for false, and long whole numbers with commas.
func told(v slog.Value) string {
	text := v.String()
	switch v.Kind() {
	case slog.KindBool:
		if !v.Bool() {
			return ""
		}
	case slog.KindInt64, slog.KindUint64:
		if text == "0" {
			return ""
		}
		return quantity.Grouped(text)
	case slog.KindDuration:
		return v.Duration().Round(time.Millisecond).String()
	case slog.KindFloat64:
		return strconv.FormatFloat(v.Float64(), 'g', 4, 64)
	}
	return text
}
