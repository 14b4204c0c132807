package render

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/status"
)

// Widths of a screen, in columns, from which on lines say more.
const (
	wide   = 72
	widest = 100
)

// people is the style of a screen. Lines are cut off at its width, and so they have no escape sequences.
var people = Style{Grouped: true}

// Screen is a status for a terminal of so many rows and columns: at most that many lines, each at most that wide, with
// no control characters. trouble is why the status may be an old one, "" for nothing. When the lines do not fit, the
// longest block loses some, and a line says how many.
func Screen(s *status.Status, trouble string, rows, columns int) []string {
	head := screenHead(s, trouble, columns)
	blocks := []block{layersBlock(s, columns), workersBlock(s, columns), quarantinedBlock(s)}
	lines := head
	for _, b := range fit(blocks, rows-len(head)) {
		lines = append(lines, b...)
	}
	lines = lines[:min(len(lines), max(rows, 0))]
	for i := range lines {
		lines[i] = oneLine(lines[i], columns)
	}
	return lines
}

// oneLine cuts a text off after width columns, and makes control characters question marks.
func oneLine(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text)
	tail := "..."
	if width < len(tail) {
		tail = ""
	}
	return strings.TrimRight(runewidth.Truncate(text, width, tail), " ")
}

// screenHead is the head of the screen, about the whole run.
func screenHead(s *status.Status, trouble string, columns int) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("run %s  %s  %s", s.Run, s.Puzzle, s.State)
	if s.Error != "" {
		add("error: %s", s.Error)
	}
	if trouble != "" {
		add("trouble: %s", trouble)
	}
	so := ""
	if !s.Planned {
		so = " planned so far"
	}
	add("%s of %s%s, %s, %s", people.Number(s.Done), people.Of(s.Windows, "window"), so, quantity.Bytes(s.Bytes),
		people.Of(s.Rows, "row"))
	if s.Windows > 0 {
		lines = append(lines, bar(s.Done, s.Windows, min(columns, widest))) // of the whole width
	}
	if text := audits(s); text != "" {
		add("audits: %s", text)
	}
	if s.Unexported && s.State != status.StateExporting {
		add("all windows are committed, and the export is not done")
	}
	if !live(s) {
		return lines
	}
	add("running for %s, left %s, %s", quantity.Duration(s.Updated.Sub(s.Started).Seconds()), left(s), people.rate(s))
	if w := s.Waiting; w != nil {
		add("waiting for %s, for %s", w.For, quantity.Duration(s.Updated.Sub(w.Since).Seconds()))
	}
	if d := s.Disks; d != nil && !d.Fits {
		add("disks: %s", lack(d))
	}
	if s.Again > 0 {
		add("%s to be computed again: rows are lost", plural.Of(s.Again, "window"))
	}
	if s.Retries+s.Lost > 0 {
		add("%s, %s lost", plural.Of(s.Retries, "failed attempt"), plural.Of(s.Lost, "window"))
	}
	return lines
}

// bar is a bar of a width, brackets included, of which done of all is filled.
func bar(done, all, width int) string {
	room := max(width-2, 1)
	full := 0
	if all > 0 {
		full = int(float64(min(done, all)) / float64(all) * float64(room)) // full only when everything is done
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(" ", room-full) + "]"
}

// A block is a part of a screen: a title, which may be missing, and items below each other.
type block struct {
	title string
	items []blockItem
	noun  string // of the things that items stand for
}

// A blockItem is one line that stands for n things.
type blockItem struct {
	text string
	n    int
}

// height is how many lines the whole block takes.
func (b *block) height() int {
	if b.title != "" {
		return 1 + len(b.items)
	}
	return len(b.items)
}

// lines is the block in n lines at most.
func (b *block) lines(n int) (out []string) {
	if n > 0 && b.title != "" {
		out = append(out, b.title)
		n--
	}
	shown, hidden := len(b.items), 0
	if n < shown {
		shown = max(0, n-1) // the last line counts the hidden ones
		for _, it := range b.items[shown:] {
			hidden += it.n
		}
	}
	for _, it := range b.items[:shown] {
		out = append(out, it.text)
	}
	if hidden > 0 && n > 0 {
		out = append(out, fmt.Sprintf("and %d more %s", hidden, plural.Noun(b.noun)))
	}
	return out
}

// fit brings blocks into so many rows, with blank lines before them where there is room. The longest give way first.
func fit(blocks []block, rows int) (out [][]string) {
	heights := make([]int, len(blocks))
	total, blank := 0, 0
	for i := range blocks {
		heights[i] = blocks[i].height()
		total += heights[i]
		if heights[i] > 0 {
			blank++
		}
	}
	spaced := total+blank <= rows
	for ; total > max(rows, 0); total-- {
		longest := 0
		for i := range heights {
			if heights[i] > heights[longest] {
				longest = i
			}
		}
		heights[longest]--
	}
	for i := range blocks {
		lines := blocks[i].lines(heights[i])
		if spaced && len(lines) > 0 {
			lines = append([]string{""}, lines...)
		}
		out = append(out, lines)
	}
	return out
}

// quarantinedBlock lists the windows that were set aside.
func quarantinedBlock(s *status.Status) block {
	b := block{noun: "window"}
	if n := len(s.Quarantined); n > 0 {
		b.title = plural.Of(n, "window") + " set aside"
	}
	for _, q := range s.Quarantined {
		b.items = append(b.items, blockItem{
			fmt.Sprintf("%s after %s: %s", q.Window, plural.Of(q.Attempts, "attempt"), q.Error), 1,
		})
	}
	return b
}
