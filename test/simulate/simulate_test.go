package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"
)

var (
	firstSeed = flag.Uint64("seed", 1, "the first seed")
	seeds     = flag.Int("seeds", 60, "how many seeds")
	save      = flag.String("save", "", "write the scenario of the seed to this file")
	repeats   = flag.Int("repeats", 1, "how often TestRepeats repeats a seed")
	untilOne  = flag.Bool("first", false, "end with the first seed that fails, and say which seed begins")
	shrinking = flag.Bool("shrink", false, "leave out faults of a seed that fails, and print what happens then")
	verbose   = flag.Bool("trace", false, "print the trace of every seed")
)

func TestMain(m *testing.M) {
	flag.Parse()
	runtime.GOMAXPROCS(1) // one thing after the other
	shapesDir = tempDir()
	code := m.Run()
	_ = os.RemoveAll(shapesDir)
	os.Exit(code)
}

// liveness is how long after the last fault a run may take.
const liveness = 10 * time.Minute

// result is what became of a scenario.
type result struct {
	w      *world
	took   time.Duration // virtual
	broken []violation
	digest uint64
}

// simulate carries out a scenario.
func simulate(t *testing.T, sc *scenario) *result {
	sh := shapeOf(t, sc.Shape)
	cryptotest.SetGlobalRandom(t, sc.Seed)
	seedRuntime(sc.Seed)
	r := &result{}
	synctest.Test(t, func(*testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		w := newWorld(ctx, sc, sh)
		r.w = w
		w.broker.start()
		for i := range sc.Slots {
			w.stations = append(w.stations, &station{w: w, name: fmt.Sprintf("w%d", i), disk: newDisk(sc.Seed, uint64(i))})
		}
		for i := range 2 {
			w.hosts = append(w.hosts, &host{w: w, name: fmt.Sprintf("c%d", i)})
		}
		w.hosts[0].disk = newDisk(sc.Seed, 50)
		w.after(0, w.hosts[0].start)
		for _, s := range w.stations {
			w.after(w.jitter("start "+s.name, time.Second), s.start)
		}
		w.schedule()
		limit := time.NewTimer(sc.healed() + liveness)
		select {
		case <-w.over:
		case <-limit.C:
			w.violate("liveness", nil, "the run is not over %v after the last fault", liveness)
		}
		limit.Stop()
		r.took = w.now()
		w.mu.Lock()
		w.ended = true
		w.mu.Unlock()
		cancel()
		w.running.Wait()
	})
	r.broken, r.digest = r.w.broken, r.w.digest()
	return r
}

func TestSeeds(t *testing.T) {
	begun := cpuTime()
	defer tidy()()
	var virtual time.Duration
	events, messages, faults, failed := 0, 0, 0, 0
	n := *seeds
	if testing.Short() {
		n = min(n, 15)
	}
	for i := range uint64(n) {
		sc := draw(*firstSeed + i)
		if *save != "" {
			b, err := json.MarshalIndent(sc, "", "\t")
			if err = errors.Join(err, os.WriteFile(*save, append(b, '\n'), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if *untilOne {
			fmt.Printf("begins seed %d\n", sc.Seed)
		}
		r := simulate(t, sc)
		collect()
		virtual += r.took
		events += len(r.w.trace)
		messages += r.w.messages
		faults += len(sc.Faults)
		if *verbose {
			t.Logf("%s%s%d events, digest %016x", sc, r.w.story(nil), len(r.w.trace), r.digest)
		}
		if len(r.broken) > 0 {
			failed++
			v := r.broken[0]
			t.Errorf("seed %d: at %v %s: %s", sc.Seed, v.at, v.kind, v.text)
			if *shrinking {
				less := shrink(t, r)
				t.Logf("%d of %d faults are enough:\n%s", len(less.w.sc.Faults), len(sc.Faults), less.tell())
			}
			if *untilOne {
				break
			}
		}
	}
	took := cpuTime() - begun
	t.Logf("%d seeds in %v of processor time, %.0f a minute; %v of virtual time, %d faults, %d messages, %d events; "+
		"%d failed",
		n, took, float64(n)/took.Minutes(), virtual, faults, messages, events, failed)
}

// cpuTime is the processor time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// tidy has no garbage collected but between simulations: when a collection begins depends on the machine.
func tidy() (restore func()) {
	was := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(was) }
}

// collect collects garbage when there is enough of it.
func collect() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 256<<20 {
		runtime.GC()
	}
}

// TestRepeats carries out some seeds again and again, and compares what has happened.
func TestRepeats(t *testing.T) {
	if !seeded {
		t.Log("NOT RUN: only the runtime that tools/simulate builds repeats a run exactly")
		return
	}
	defer tidy()()
	same, all := 0, 0
	for i := range uint64(*seeds) {
		sc := draw(*firstSeed + i)
		first := simulate(t, sc)
		for range *repeats {
			r := simulate(t, sc)
			collect()
			all++
			if r.digest == first.digest {
				same++
				continue
			}
			if *verbose {
				a, b := first.w.trace, r.w.trace
				for k := range min(len(a), len(b)) {
					if a[k].String() != b[k].String() {
						t.Logf("seed %d, line %d:\n%v\n%v", sc.Seed, k, &a[k], &b[k])
						break
					}
				}
			}
		}
	}
	t.Logf("%d of %d repetitions had the same trace", same, all)
	if same < all {
		t.Errorf("%d of %d repetitions had another trace", all-same, all)
	}
}

// TestFound repeats the scenarios in testdata: each has found a mistake of the program, which is mended.
func TestFound(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			var sc scenario
			if err = errors.Join(err, json.Unmarshal(b, &sc)); err != nil {
				t.Fatal(err)
			}
			for _, v := range simulate(t, &sc).broken {
				t.Errorf("at %v %s: %s", v.at, v.kind, v.text)
			}
		})
	}
}
