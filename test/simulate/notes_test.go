package simulate

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// notes writes the log of a process to the trace.
type notes struct {
	w     *world
	who   string
	attrs []slog.Attr
}

func (n *notes) Enabled(context.Context, slog.Level) bool { return true }

func (n *notes) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	for _, a := range n.attrs {
		fmt.Fprintf(&b, ", %s", a)
	}
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, ", %s", a)
		return true
	})
	n.w.note(n.who, nil, "%s", &b)
	return nil
}

func (n *notes) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &notes{n.w, n.who, append(slices.Clone(n.attrs), attrs...)}
}

func (n *notes) WithGroup(string) slog.Handler { return n }
