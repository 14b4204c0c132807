package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// scenario is drawn from a seed: a run, its fleet, and the faults that they meet.
type scenario struct {
	Seed      uint64
	Shape     int
	Slots     []int // of each worker
	Own       bool  // the coordinator's process works too
	Retention string
	Audit     float64
	Locality  bool

	Replication                         int
	WorkerTimeout, RejoinGrace, AckWait time.Duration
	Latency, Compute                    time.Duration // about, of a message and of a window
	Bandwidth                           float64       // bytes a second
	Cache                               uint64
	Archive                             bool
	Fetched, FetchedDisk                uint64 // bytes of others' windows that a worker keeps in memory and on disk
	Faults                              []fault

	// Reticent says that the queue keeps a process's messages from the process itself, and does not say that there is no
	// listener. NATS does neither. The first scenarios in testdata were found like that, and depend on it: a worker joins
	// after ten seconds there.
	Reticent bool
}

// fault is something that happens to the fleet.
type fault struct {
	At, For time.Duration
	Kind    string
	A, B    string  // processes
	Share   float64 // how bad it is, 0 to 1
}

func (f fault) String() string {
	return fmt.Sprintf("%v %s %s %s for %v, %.2f", f.At, f.Kind, f.A, f.B, f.For, f.Share)
}

// pick returns one of some values.
func pick[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

// between draws a time.
func between(rnd *rand.Rand, a, b time.Duration) time.Duration {
	return a + time.Duration(rnd.Int64N(int64(b-a)))
}

// draw makes the scenario of a seed.
func draw(seed uint64) *scenario {
	rnd := rand.New(rand.NewPCG(seed, 0x5eed))
	sc := &scenario{
		Seed: seed, Shape: rnd.IntN(shapes), Own: rnd.IntN(4) == 0, Retention: pick(rnd, "all", "all", "last"),
		Audit: pick(rnd, 0, 0, 0.3), Locality: rnd.IntN(2) == 0, Replication: pick(rnd, 1, 1, 2),
		WorkerTimeout: pick(rnd, 3*time.Second, 5*time.Second, 10*time.Second),
		RejoinGrace:   pick(rnd, 2*time.Second, 5*time.Second),
		AckWait:       pick(rnd, 3*time.Second, 10*time.Second, 30*time.Second),
		Latency:       between(rnd, 200*time.Microsecond, 20*time.Millisecond),
		Compute:       pick(rnd, 300*time.Millisecond, time.Second, 3*time.Second),
		Bandwidth:     pick(rnd, 1e9, 1e7, 1e6), Cache: pick(rnd, uint64(0), 1<<12, 1<<20),
	}
	for range 2 + rnd.IntN(2) {
		sc.Slots = append(sc.Slots, 1+rnd.IntN(2))
	}
	sc.Archive = rnd.IntN(2) == 0
	sc.drawFaults(rnd)
	sc.Fetched, sc.FetchedDisk = pick(rnd, uint64(1), 1<<12, 1<<20), pick(rnd, uint64(0), 1<<14, 1<<30)
	return sc
}

// drawFaults draws which kinds of faults there are, and then some of these.
func (sc *scenario) drawFaults(rnd *rand.Rand) {
	var kinds []string
	for _, k := range faultNames {
		if rnd.IntN(3) == 0 {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return
	}
	var workers []string
	for i := range sc.Slots {
		workers = append(workers, fmt.Sprintf("w%d", i))
	}
	all := append(slices.Clone(workers), "c0", "q")
	horizon := pick(rnd, 2*time.Second, 8*time.Second, 20*time.Second)
	for range 1 + rnd.IntN(10) {
		f := fault{
			At:   2*time.Second + between(rnd, 0, horizon),
			For:  between(rnd, 50*time.Millisecond, pick(rnd, time.Second, 12*time.Second)),
			Kind: pick(rnd, kinds...), Share: rnd.Float64(),
		}
		switch faultKinds[f.Kind].on {
		case onWorker:
			f.A = pick(rnd, workers...)
		case onHost:
			f.A = pick(rnd, "c0", "c0", "c1")
		case onLink:
			f.A, f.B = pick(rnd, all...), pick(rnd, all...)
		case onAny:
			f.A = pick(rnd, all...)
		}
		sc.Faults = append(sc.Faults, f)
	}
	slices.SortFunc(sc.Faults, func(a, b fault) int { return int(a.At - b.At) })
}

// healed is when the last fault is over.
func (sc *scenario) healed() (t time.Duration) {
	for _, f := range sc.Faults {
		t = max(t, f.At+f.For)
	}
	return t
}

func (sc *scenario) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: shape %d, workers with %v slots, own %t, retention %s, audits %.1f, locality %t, "+
		"replication %d,\n  worker timeout %v, rejoin grace %v, ack wait %v, latency %v, compute %v, "+
		"%.0e bytes/s, cache %d, archive %t\n",
		sc.Seed, sc.Shape, sc.Slots, sc.Own, sc.Retention, sc.Audit, sc.Locality, sc.Replication, sc.WorkerTimeout,
		sc.RejoinGrace, sc.AckWait, sc.Latency, sc.Compute, sc.Bandwidth, sc.Cache, sc.Archive)
	for _, f := range sc.Faults {
		fmt.Fprintf(&b, "  %v\n", f)
	}
	return b.String()
}
