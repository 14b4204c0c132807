//go:build faults

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// A progressPoint is how far a run was at a moment.
type progressPoint struct {
	at   time.Time
	run  int
	done int
}

// watchProgress follows the runs until the function that it returns is called.
func watchProgress(c *testFleet) func() []progressPoint {
	quit, result := make(chan struct{}), make(chan []progressPoint)
	go func() {
		var line []progressPoint
		for {
			if s, ok := c.Status(); ok {
				line = append(line, progressPoint{time.Now(), c.Runs(), s.Done})
			}
			select {
			case <-quit:
				result <- line
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return func() []progressPoint { close(quit); return <-result }
}

// horizon is how long after a fault pauses are put down to it.
const horizon = 15 * time.Second

// stall is the longest time, within horizon after t, in which no window was committed. Where faults follow each
// other closely it is the doing of all of them. The status file is written once a second: less is not seen.
func stall(line []progressPoint, t time.Time) time.Duration {
	longest, since, last := time.Duration(0), time.Time{}, progressPoint{}
	for _, m := range line {
		if m.at.Before(t) {
			since, last = t, m
			continue
		}
		if m.run != last.run && !since.IsZero() || m.at.After(t.Add(horizon)) {
			break
		}
		if m.done != last.done || since.IsZero() {
			since, last = m.at, m
		}
		longest = max(longest, m.at.Sub(since))
	}
	return longest
}

// report logs how often each kind of fault was injected, and how long commits paused after it.
func report(t *testing.T, injected []injectedFault, line []progressPoint, alone, took time.Duration, runs int) {
	t.Helper()
	byKind := map[string][]injectedFault{}
	for _, b := range injected {
		byKind[b.kind] = append(byKind[b.kind], b)
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "fault\ttimes\tlongest pause of commits in the %.0f s after it: median\tmaximum\n",
		horizon.Seconds())
	for _, f := range faults {
		var waits []time.Duration
		for _, b := range byKind[f.name] {
			waits = append(waits, stall(line, b.begin))
		}
		if len(waits) == 0 {
			_, _ = fmt.Fprintf(w, "%s\t0\t\t\n", f.name)
			continue
		}
		slices.Sort(waits)
		_, _ = fmt.Fprintf(w, "%s\t%d\t%.1f s\t%.1f s\n", f.name, len(waits), waits[len(waits)/2].Seconds(),
			waits[len(waits)-1].Seconds())
	}
	_ = w.Flush()
	t.Logf("%d faults in %d runs, which took %.0f s; one undisturbed in one process %.0f s\n%s", len(injected), runs,
		took.Seconds(), alone.Seconds(), text.String())
}
