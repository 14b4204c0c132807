package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/status"
)

// workersBlock lists the workers of a fleet, with their windows.
func workersBlock(s *status.Status, columns int) block {
	b := block{noun: "worker"}
	if len(s.Workers)+s.WorkersLost == 0 {
		return b
	}
	var moved uint64
	names := 0
	for i := range s.Workers {
		moved += s.Workers[i].Moved
		names = max(names, runewidth.StringWidth(s.Workers[i].Name))
	}
	names = min(names, max(columns/4, 8))
	b.title = fmt.Sprintf("%s, %s moved between them", plural.Of(len(s.Workers), "worker"), quantity.Bytes(moved))
	if s.WorkersLost > 0 {
		b.title = fmt.Sprintf("%s, %d lost, %s moved", plural.Of(len(s.Workers), "worker"), s.WorkersLost,
			quantity.Bytes(moved))
	}
	for i := range s.Workers {
		w := &s.Workers[i]
		line := runewidth.FillRight(runewidth.Truncate(w.Name, names, ""), names) +
			fmt.Sprintf("  %*s", 5, fmt.Sprintf("%d/%d", w.Busy, w.Concurrency))
		if columns >= wide {
			line += fmt.Sprintf("  %9s", quantity.Bytes(w.Moved))
		}
		if columns >= widest {
			line += fmt.Sprintf("  %13s", plural.Of(w.Held, "window"))
		}
		line += "  "
		b.items = append(b.items, blockItem{line + doing(w, s.Updated, columns-runewidth.StringWidth(line)), 1})
	}
	return b
}

// doing lists the windows of a worker, in about so many columns: the window that it has had longest comes first.
func doing(w *status.WorkerStatus, now time.Time, room int) string {
	var text strings.Builder
	if w.State != status.WorkerActive {
		text.WriteString(w.State)
	}
	for i, d := range w.Doing {
		one := d.Window
		if d.Copy {
			one = "copies " + one
		}
		one += " " + briefly(now.Sub(d.Since))
		if text.Len() > 0 {
			one = ", " + one
		}
		rest := ""
		if n := len(w.Doing) - i; n > 0 {
			rest = fmt.Sprintf(" +%d", n)
		}
		last := i == len(w.Doing)-1
		if i > 0 && text.Len()+len(one)+len(rest) > room && (!last || text.Len()+len(one) > room) {
			text.WriteString(rest)
			break
		}
		text.WriteString(one)
	}
	switch {
	case text.Len() > 0:
		return text.String()
	case w.Busy > 0:
		return "computes" // its last heartbeat did not say what
	}
	return "idle"
}

// briefly is a time in as few letters as it takes.
func briefly(d time.Duration) string {
	if d < time.Second {
		return "<1s"
	}
	return quantity.Duration(d.Seconds())
}
