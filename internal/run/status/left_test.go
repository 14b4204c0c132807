package status_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// trace is a run as it went: its plan, and the times of its commits. The files in testdata were made from the debug
// logs of real runs on two busy cores:
//
//	layer NUMBER WINDOWS EFFORT LONGEST        of the plan, efforts in thousands of steps
//	done MILLISECONDS LAYER WINDOWS EFFORT TOOK    committed by then, TOOK in microseconds
type trace struct {
	rest []plan.Rest
	done []commit
}

type commit struct {
	at             time.Duration
	layer, windows int
	effort         float64
	took           time.Duration
}

func readTrace(t *testing.T, path string) *trace {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	tr := new(trace)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var ms, us int64
		var c commit
		var r plan.Rest
		line := lines.Text()
		if strings.HasPrefix(line, "layer ") {
			_, err = fmt.Sscanf(line, "layer %d %d %g %g", &r.Layer, &r.Windows, &r.Effort, &r.Longest)
			r.Effort, r.Longest = r.Effort*1e3, r.Longest*1e3
			r.Whole = r.Effort
			tr.rest = append(tr.rest, r)
		} else {
			_, err = fmt.Sscanf(line, "done %d %d %d %g %d", &ms, &c.layer, &c.windows, &c.effort, &us)
			c.at, c.took, c.effort = time.Duration(ms)*time.Millisecond, time.Duration(us)*time.Microsecond, c.effort*1e3
			tr.done = append(tr.done, c)
		}
		if err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
	}
	return tr
}

// TestLeft replays recorded runs: the true rest lies in the range most of the time, and the range says something.
func TestLeft(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			tr := readTrace(t, file)
			begun := time.Unix(0, 0)
			f := status.NewForecast(begun)
			rest := slices.Clone(tr.rest)
			end := tr.done[len(tr.done)-1].at
			looks, known, within := 0, 0, 0
			var widths []float64
			next := 0
			for at := time.Second; at < end; at += time.Second {
				for ; next < len(tr.done) && tr.done[next].at <= at; next++ {
					c := tr.done[next]
					for range c.windows {
						f.Committed(c.layer, c.effort/float64(c.windows), c.took/time.Duration(c.windows))
					}
					r := &rest[c.layer]
					r.Windows -= c.windows
					r.Effort = max(0, r.Effort-c.effort)
				}
				looks++
				truth := (end - at).Seconds()
				left := f.Look(begun.Add(at), rest)
				if left == nil {
					t.Logf("%4.0f s: %5.1f s left, unknown", at.Seconds(), truth)
					continue
				}
				known++
				if left.Low <= truth && truth <= left.High {
					within++
				}
				widths = append(widths, (left.High+1)/(left.Low+1))
				t.Logf("%4.0f s: %5.1f s left, said %.1f to %.1f", at.Seconds(), truth, left.Low, left.High)
			}
			slices.Sort(widths)
			t.Logf("known %d of %d times, within %d times; the middle range is a factor of %.1f wide", known, looks, within,
				widths[len(widths)/2])
			if known*3 < looks*2 || within*4 < known*3 || widths[len(widths)/2] > 4 {
				t.Errorf("known %d of %d times, within %d times, half of the ranges wider than %.1f", known, looks, within,
					widths[len(widths)/2])
			}
		})
	}
}

// TestLeftUnknown: nothing is said before anything was measured, and when nothing happens any more.
func TestLeftUnknown(t *testing.T) {
	begun := time.Unix(0, 0)
	f := status.NewForecast(begun)
	rest := []plan.Rest{{Layer: 0, Windows: 10, Effort: 1e7, Whole: 1e7, Longest: 1e6}}
	at := func(s float64) *status.Left { return f.Look(begun.Add(time.Duration(s*1e9)), rest) }
	if left := at(1); left != nil {
		t.Errorf("after nothing: %+v", left)
	}
	for i := range 5 {
		f.Committed(0, 1e6, time.Second)
		rest[0].Windows--
		rest[0].Effort -= 1e6
		if left := at(float64(i + 2)); i > 0 && (left == nil || left.Low > float64(9-i) || left.High < float64(9-i)) {
			t.Errorf("after %d of 10 windows of a second each: %+v", i+1, left)
		}
	}
	if left := at(10); left == nil {
		t.Error("unknown after 4 s without a window")
	}
	for s := 20.0; s < 10_000; s *= 2 {
		if left := at(s); left != nil {
			t.Errorf("said %+v after %.0f s without a window", left, s-6)
		}
	}
	f.Committed(0, 1e6, time.Second)
	if left := at(10_001); left == nil || left.High > 100_000 {
		t.Errorf("when it goes on: %+v", left)
	}
}
