package render

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// updated is the time of the statuses of these tests.
var updated = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func ago(d time.Duration) time.Time { return updated.Add(-d) }

// layered is a status with layers of 100 windows, done as far as done says. -1 is a layer without windows.
func layered(state string, done ...int) *status.Status {
	s := &status.Status{Run: "336d5d54123e", Puzzle: "peg", State: state, Planned: true}
	for n, d := range done {
		l := plan.Progress{Layer: n, Windows: 100, Done: d, Rows: uint64(d) * 123_456, Bytes: uint64(d) * 456_789}
		if d < 0 {
			l = plan.Progress{Layer: n}
		}
		s.Layers = append(s.Layers, l)
		s.Windows += l.Windows
		s.Done += l.Done
		s.Rows += l.Rows
		s.Bytes += l.Bytes
	}
	if state == status.StateRunning {
		s.Started, s.Updated, s.Committed, s.NewRows = ago(95*time.Second), updated, s.Done, s.Rows
		s.Left = &status.Left{Low: 40, High: 125}
	}
	return s
}

func withWorkers(s *status.Status, n, windows int) *status.Status {
	s.Epoch = 1
	for i := range n {
		w := status.WorkerStatus{
			Name: fmt.Sprintf("w-%02dkz7mq4t", i), State: status.WorkerActive, Concurrency: windows, Busy: windows,
			Held: 195 + i, Moved: 12_800_000 * uint64(i+1), Address: "10.0.0.1:7070", Seen: updated,
		}
		for k := range min(windows, 16) {
			w.Doing = append(w.Doing, status.Doing{
				Window: fmt.Sprintf("%d/8.4.%d.6/%d", 17+k%2, i, k), Since: ago(time.Duration(i+40*k) * 300 * time.Millisecond),
				Copy: k == 1,
			})
		}
		s.Workers = append(s.Workers, w)
	}
	return s
}

// screens are statuses in which different parts do not fit.
func screens() []struct {
	name, trouble string
	status        *status.Status
} {
	full := slicesOf(100, 17)
	fleet := withWorkers(layered(status.StateRunning, append(append([]int{}, full...), 93, 41, 7, 0, 0, 0, 0)...), 2, 1)
	one := withWorkers(layered(status.StateRunning, 100, -1, -1, -1, 100, -1, 50, -1, -1, 0, -1), 1, 16)
	one.Waiting = &status.Waiting{For: "the holders of 12 windows", Since: ago(30 * time.Second)}
	begun := layered(status.StateRunning, 0, 0, 0)
	begun.Left, begun.Grid = nil, []string{"a", "q", "."}
	crowd := withWorkers(layered(status.StateRunning, append(append([]int{}, full...),
		99, 93, 90, 81, 70, 60, 50, 41, 32, 16, 7, 3, 2, 1, 0, 0)...), 40, 64)
	crowd.Planned, crowd.WorkersLost, crowd.Retries, crowd.Lost = false, 3, 1, 12
	crowd.Again = 1616
	crowd.Workers[1].State, crowd.Workers[1].Doing, crowd.Workers[1].Busy = status.WorkerJoining, nil, 0
	crowd.Workers[2].Doing, crowd.Workers[2].Busy = nil, 0
	crowd.Workers[3].Name, crowd.Workers[3].Doing = "計算機-in-the-cellar-of-the-institute", nil
	crowd.Waiting = &status.Waiting{For: "a worker", Since: ago(time.Minute)}
	for i := range 3 {
		crowd.Quarantined = append(crowd.Quarantined, status.QuarantinedWindow{
			Window: fmt.Sprintf("17/8.4.1.6/%d", i), Attempts: 3, Error: "parents of the window \x1b[2Jcannot be read at all",
		})
	}
	failed := layered(status.StateFailed, 100, 100, 30)
	failed.Error = "window 2/8.4.1.6/0: a count is too large for 128 bits, whatever is done about it"
	return []struct {
		name, trouble string
		status        *status.Status
	}{
		{"a fleet of two", "", fleet},
		{"one worker, empty layers", "", one},
		{"one process, as it begins", "", begun},
		{"forty workers", "https://head:7443: connection refused, asked at 03:04:09", crowd},
		{"complete", "", layered(status.StateComplete, 100, 100, -1, -1)},
		{"failed", "", failed},
		{"a process that has only just begun", "", &status.Status{Run: "336d5d54123e", Puzzle: "peg", State: "running"}},
	}
}

func slicesOf(v, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// TestScreen compares pictures with golden files, one for each size.
func TestScreen(t *testing.T) {
	for _, size := range [][2]int{{24, 50}, {32, 50}, {24, 80}, {32, 120}} {
		var b strings.Builder
		for _, s := range screens() {
			fmt.Fprintf(&b, "--- %s\n", s.name)
			lines := Screen(s.status, s.trouble, size[0], size[1])
			fits(t, lines, size[0], size[1])
			for _, line := range lines {
				b.WriteString(line + "\n")
			}
		}
		path := filepath.Join("testdata", fmt.Sprintf("screen-%dx%d.txt", size[0], size[1]))
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || b.String() != string(want) {
			t.Errorf("%s differs (%v); look at it and run with -update:\n%s", path, err, b.String())
		}
	}
}

// fits demands that lines fit on a screen.
func fits(t interface{ Errorf(string, ...any) }, lines []string, rows, columns int) {
	if len(lines) > rows {
		t.Errorf("%d lines on %d rows", len(lines), rows)
	}
	for _, line := range lines {
		if w := runewidth.StringWidth(line); w > columns || strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%d columns in %d: %q", w, columns, line)
		}
	}
}

// TestScreenFits draws statuses and sizes at random.
func TestScreenFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		done := rapid.SliceOf(rapid.IntRange(-1, 100)).Draw(t, "layers")
		s := withWorkers(layered(rapid.SampledFrom([]string{"running", "stopped"}).Draw(t, "state"), done...),
			rapid.IntRange(0, 60).Draw(t, "workers"), rapid.IntRange(0, 20).Draw(t, "windows"))
		for i := range s.Workers {
			s.Workers[i].Name = rapid.String().Draw(t, "name")
		}
		s.Error = rapid.String().Draw(t, "error")
		rows, columns := rapid.IntRange(0, 70).Draw(t, "rows"), rapid.IntRange(0, 200).Draw(t, "columns")
		fits(t, Screen(s, rapid.String().Draw(t, "trouble"), rows, columns), rows, columns)
	})
}

// TestScreenShowsEverything: with room enough every worker, and every layer that is under way, has a line.
func TestScreenShowsEverything(t *testing.T) {
	for _, s := range screens() {
		text := strings.Join(Screen(s.status, s.trouble, 1000, 400), "\n")
		for _, w := range s.status.Workers {
			if !strings.Contains(text, w.Name) && !strings.Contains(w.Name, "-in-the-cellar") {
				t.Errorf("%s: no worker %s in\n%s", s.name, w.Name, text)
			}
		}
		for _, l := range s.status.Layers {
			if label := fmt.Sprintf("layer %d ", l.Layer); l.Done > 0 && l.Done < l.Windows && !strings.Contains(text, label) {
				t.Errorf("%s: no %sin\n%s", s.name, label, text)
			}
		}
	}
}
