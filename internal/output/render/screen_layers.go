package render

import (
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// A phase is how far a layer is.
type phase int

const (
	empty phase = iota // it has no windows
	complete
	underWay
	notBegun
)

// layerSpan is layers one after the other that are in one phase; empty ones go with those around them.
type layerSpan struct {
	first, last, layers int
	phase               phase
	plan.Progress       // sums
}

// spans joins layers of one phase to one span each; only layers under way stand for themselves.
func spans(s *status.Status) (out []layerSpan) {
	busy := map[string]bool{}
	for i := range s.Workers {
		for _, d := range s.Workers[i].Doing {
			layer, _, _ := strings.Cut(d.Window, "/")
			busy[layer] = true
		}
	}
	for i, l := range s.Layers {
		assigned := i < len(s.Grid) && strings.Contains(s.Grid[i], "a")
		p := phaseOf(l, assigned || busy[strconv.Itoa(l.Layer)])
		one := layerSpan{l.Layer, l.Layer, 1, p, l}
		if n := len(out); n > 0 && joins(&out[n-1], p) {
			out[n-1].join(&one)
			continue
		}
		out = append(out, one)
	}
	return out
}

// phaseOf is the phase of a layer. A busy layer, with a worker on some window, is under way though no window is done.
func phaseOf(l plan.Progress, busy bool) phase {
	switch {
	case l.Windows == 0:
		return empty
	case l.Done == l.Windows:
		return complete
	case l.Done > 0 || busy:
		return underWay
	}
	return notBegun
}

// joins reports whether a layer of a phase belongs to a span that it follows.
func joins(s *layerSpan, p phase) bool {
	return s.phase != underWay && p != underWay && (s.phase == p || s.phase == empty || p == empty)
}

func (s *layerSpan) join(next *layerSpan) {
	s.last = next.last
	s.layers++
	if s.phase == empty {
		s.phase = next.phase
	}
	s.Windows += next.Windows
	s.Done += next.Done
	s.Rows += next.Rows
	s.Bytes += next.Bytes
}

// label is the number of a layer, or those of the first and the last.
func (s *layerSpan) label() string {
	if s.layers == 1 {
		return fmt.Sprintf("layer %d", s.first)
	}
	return fmt.Sprintf("layers %d-%d", s.first, s.last)
}

// layersBlock has a bar for each layer under way, and a line for the layers before, between and after these.
func layersBlock(s *status.Status, columns int) block {
	b := block{noun: "layer"}
	all := spans(s)
	labels, counts := 0, 0
	count := func(p *layerSpan) string { return fmt.Sprintf("%d/%d", p.Done, p.Windows) }
	for i := range all {
		labels = max(labels, len(all[i].label()))
		if all[i].phase == underWay {
			counts = max(counts, len(count(&all[i])))
		}
	}
	for i := range all {
		p := &all[i]
		line := fmt.Sprintf("%-*s  ", labels, p.label())
		switch p.phase {
		case empty:
			line += "empty"
		case complete:
			line += fmt.Sprintf("complete, %s, %s", people.Of(p.Windows, "window"), quantity.Bytes(p.Bytes))
		case notBegun:
			line += "not begun, " + people.Of(p.Windows, "window")
		case underWay:
			more := ""
			if columns >= wide {
				more = fmt.Sprintf("  %10s", quantity.Bytes(p.Bytes))
			}
			if columns >= widest {
				more += fmt.Sprintf("  %15s rows", people.Number(p.Rows))
			}
			room := min(columns, widest+20) - len(line) - 2 - counts - len(more)
			line += fmt.Sprintf("%s  %*s%s", bar(p.Done, p.Windows, max(room, 3)), counts, count(p), more)
		}
		b.items = append(b.items, blockItem{line, p.layers})
	}
	return b
}
