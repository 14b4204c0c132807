//go:build chaos

package chaos

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"pagoda/test/testbed"
)

var (
	seed    = flag.Uint64("seed", 0, "`number` that decides the faults; 0: a new one")
	count   = flag.Int("faults", 200, "`number` of faults to put into one run")
	pace    = flag.Duration("pace", 700*time.Millisecond, "mean time between faults")
	workers = flag.Int("workers", 4, "worker processes")
	logs    = flag.String("logs", "", "`folder` in which the logs of all processes stay")
	limit   = flag.Duration("limit", 30*time.Minute, "time after which the run is given up")
	run     = flag.String("config", "configs/french.yaml", "the run: a `config and settings`, separated by spaces")
	secure  = flag.Bool("secure", false, "with keys and TLS; bits that flip in transfer then break connections")
)

// Where the repository begins, and the programs.
var root, bin string

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = 1 + rand.Uint64N(1<<32)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	if os.Geteuid() != 0 {
		_, _ = fmt.Fprintln(os.Stderr, "error: the chaos test needs root, for network namespaces and disks of its own")
		return 1
	}
	var err error
	if bin, err = os.MkdirTemp("", "pagoda-chaos-"); err == nil {
		defer func() { _ = os.RemoveAll(bin) }()
		root, err = filepath.Abs("../..")
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	if err := testbed.Build(root, bin); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return m.Run()
}

// logDir is where the processes' logs go.
func logDir(t *testing.T) string {
	t.Helper()
	dir := *logs
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "logs")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A blow is a fault that was done, and what it cost.
type blow struct {
	kind, whom string
	begin, end time.Time
}

// The run of -config on a fleet under -faults faults gives the digits, the tallies and the digests of the same run in
// one process.
func TestChaos(t *testing.T) {
	fmt.Printf("seed %d; repeat these choices with -seed %d\n", *seed, *seed)
	config := strings.Fields(*run)
	want, alone := reference(t, config)
	t.Logf("in one process, undisturbed: %.1f s", alone.Seconds())

	c := newStage(t, config)
	begin := time.Now()
	watch := watchProgress(c)
	blows, err := c.torment(t, begin)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-c.Ended:
		if e.Code != 0 {
			t.Fatalf("the coordinator ended with exit code %d\n%s", e.Code, c.Tail(c.Coordinator))
		}
	case <-time.After(time.Until(begin.Add(*limit))):
		s, _ := c.Status()
		t.Fatalf("not done after %s: %+v\n%s", *limit, s, c.Tail(c.Coordinator))
	}
	took := time.Since(begin)
	timeline := watch()
	got := outcome(t, c.Data(), c.Result.String())
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s differ from those of the undisturbed run (%d and %d bytes)", name, len(got[name]), len(text))
		}
	}
	report(t, blows, timeline, alone, took)
}

// newStage starts the fleet of the test.
func newStage(t *testing.T, config []string) *stage {
	t.Helper()
	c := &stage{dir: t.TempDir(), busy: map[*testbed.Worker]bool{}}
	var err error
	c.Fleet, err = testbed.NewFleet(testbed.FleetOptions{
		Bin: bin, Dir: c.dir, Logs: logDir(t), Root: root, Workers: *workers, Secure: *secure, DiskBytes: "1500m",
		Run:     append(config, "--set", "ack_wait=6s", "--set", "lost_after=4s"),
		Proxies: func(i int) bool { return i%2 == 1 },
	})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reference carries out the run in one process, and returns its results and how long it took.
func reference(t *testing.T, config []string) (map[string]string, time.Duration) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "alone")
	begin := time.Now()
	cmd := exec.Command(filepath.Join(bin, "coordinator"), append(append([]string{"run"}, config...),
		"--data", data, "--output", "json", "--workers", "2")...)
	cmd.Dir = root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the run in one process: %v\n%s", err, stderr.String())
	}
	took := time.Since(begin)
	return outcome(t, data, stdout.String()), took
}

// outcome is everything that two equal runs have in common: the printed document, and the digest of every window.
func outcome(t *testing.T, data, document string) map[string]string {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "coordinator"), "export", "--data", data, "--what", "windows",
		"--format", "csv")
	windows, err := cmd.Output()
	if err != nil {
		failed := new(exec.ExitError)
		errors.As(err, &failed)
		t.Fatalf("export of the windows: %v\n%s", err, failed.Stderr)
	}
	return map[string]string{"documents": document, "windows": string(windows)}
}

// torment does the faults, one every -pace on the average and several at a time where they last.
func (c *stage) torment(t *testing.T, begin time.Time) ([]blow, error) {
	t.Helper()
	r := rand.New(rand.NewPCG(*seed, 1))
	var (
		mu    sync.Mutex
		blows []blow
		wrong []error
		busy  sync.WaitGroup
	)
	defer busy.Wait()
	room := make(chan struct{}, 3)
	for done := 0; done < *count; {
		if time.Since(begin) > *limit {
			return blows, fmt.Errorf("only %d faults within %s", done, *limit)
		}
		time.Sleep(*pace/2 + jitter(r, *pace))
		select {
		case e := <-c.Ended:
			return blows, fmt.Errorf("the coordinator ended with exit code %d after %d of %d faults: %s\n%s",
				e.Code, done, *count, "choose a longer run where that is 0", c.Tail(c.Coordinator))
		default:
		}
		f, own := draw(r), rand.New(rand.NewPCG(*seed, r.Uint64()))
		room <- struct{}{}
		result := make(chan error, 1)
		busy.Go(func() {
			defer func() { <-room }()
			b := blow{kind: f.name, begin: time.Now()}
			var err error
			b.whom, err = f.do(c, own)
			b.end = time.Now()
			result <- err
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				blows = append(blows, b)
			} else if !errors.Is(err, errIdle) {
				wrong = append(wrong, fmt.Errorf("%s %s: %w", f.name, b.whom, err))
			}
		})
		select { // a fault that found nothing to harm does not count
		case err := <-result:
			if err == nil {
				done++
			}
		case <-time.After(2 * *pace):
			done++
		}
		mu.Lock()
		err := errors.Join(wrong...)
		mu.Unlock()
		if err != nil {
			return blows, err
		}
	}
	busy.Wait()
	t.Logf("%d faults in %.0f s", len(blows), time.Since(begin).Seconds())
	return blows, nil
}

// A moment is how far the run was.
type moment struct {
	at   time.Time
	done int
}

// watchProgress follows the run until the function that it returns is called.
func watchProgress(c *stage) func() []moment {
	quit, result := make(chan struct{}), make(chan []moment)
	go func() {
		var line []moment
		for {
			if s, ok := c.Status(); ok {
				line = append(line, moment{time.Now(), s.Done})
			}
			select {
			case <-quit:
				result <- line
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return func() []moment { close(quit); return <-result }
}

// standstill is the longest time, within some seconds after t, in which no window was committed. Where faults follow
// each other closely it is the doing of all of them. The status file is written once a second: less is not seen.
func standstill(line []moment, t time.Time) time.Duration {
	const horizon = 15 * time.Second
	longest, since, done := time.Duration(0), time.Time{}, 0
	for _, m := range line {
		if m.at.Before(t) {
			since, done = t, m.done
			continue
		}
		if m.done > done || since.IsZero() {
			since, done = m.at, m.done
		}
		if m.at.After(t.Add(horizon)) {
			break
		}
		longest = max(longest, m.at.Sub(since))
	}
	return longest
}

// report says what was done and what each kind of fault cost.
func report(t *testing.T, blows []blow, line []moment, alone, took time.Duration) {
	t.Helper()
	byKind := map[string][]blow{}
	for _, b := range blows {
		byKind[b.kind] = append(byKind[b.kind], b)
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "fault\ttimes\tlongest pause of commits in the 15 s after it: median\tmaximum")
	for _, f := range faults {
		var waits []time.Duration
		for _, b := range byKind[f.name] {
			waits = append(waits, standstill(line, b.begin))
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
	t.Logf("%d faults; the run took %.0f s, undisturbed in one process %.0f s\n%s", len(blows), took.Seconds(),
		alone.Seconds(), text.String())
}
