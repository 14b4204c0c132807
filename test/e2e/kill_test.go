//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pagoda/test/midrun"
)

// A run that is killed, at whatever moment and however often, ends with the same bytes.
func TestKilledAndResumed(t *testing.T) {
	uninterrupted(t)
	r := random(t)
	wanted, perFolder := rounds(8, 20), rounds(4, 7)
	whole := shared.took // how long a run takes at most; the shortest that was seen, as the machine may be busy
	addresses := []string{"20000", "300000", "0"}
	for kills, life := 0, 1; kills < wanted; life++ {
		data := filepath.Join(t.TempDir(), "data")
		args := []string{"run", "configs/english.yaml", "--data", data, "--output", "json", "--set", "retention=all",
			"--set", "window_addresses=" + addresses[r.IntN(len(addresses))], "--concurrency", fmt.Sprint(1 + r.IntN(3))}
		for here, born := 0, time.Now(); ; here++ {
			delay := time.Duration(r.Int64N(int64(whole) / 3))
			if kills == wanted || here == perFolder {
				delay = time.Hour
			}
			c := start(t, args...)
			code := c.stopAfter(t, delay, syscall.SIGKILL)
			if code != -1 {
				c.demand(t, code, fine)
				t.Logf("folder %d %s: finished after %d kills", life, args[len(args)-3:], kills)
				whole = min(whole, time.Since(born))
				break
			}
			kills++
			t.Logf("folder %d: kill %d after %v", life, kills, delay.Round(time.Millisecond))
		}
		sameAsUninterrupted(t, data)
		must(t, fine, "verify", "--data", data)
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
	}
}

// Ctrl-C and SIGTERM stop a run so that it can go on.
func TestInterruptedAndResumed(t *testing.T) {
	uninterrupted(t)
	r := random(t)
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"run", "configs/english.yaml", "--data", data, "--set", "retention=all"}
	for _, s := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, interrupted}, {syscall.SIGTERM, stopped}} {
		windows := 1 + r.IntN(shared.windows/5)
		c, code := stopAt(t, midrun.Anywhere, windows, s.signal, args...)
		c.demand(t, code, s.code)
		t.Logf("%v after %d windows of %d", s.signal, windows, shared.windows)
	}
	must(t, fine, args...)
	sameAsUninterrupted(t, data)
	rootIsGolden(t, "english", data)
}
