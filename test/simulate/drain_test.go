package simulate

import (
	"fmt"
	"testing"
	"time"
)

// TestDrains asks one worker after the other to leave, each with a grace in which it hands its windows over. Its disk
// is gone when it comes back. The result is that of the undisturbed run, and no committed window is computed again.
func TestDrains(t *testing.T) {
	defer tidy()()
	drained, handed, cut := 0, 0, 0
	n := *seeds / 2
	if testing.Short() {
		n = min(n, 10)
	}
	for i := range uint64(n) {
		sc := draw(*firstSeed + i)
		sc.Audit, sc.Archive, sc.Faults = 0, false, nil
		for k := range 3 {
			const every = 8 * time.Second
			sc.Faults = append(sc.Faults, fault{
				At:  4*time.Second + time.Duration(k)*every, // workers join in the third second
				For: every - time.Second, Kind: drain, A: []string{"w0", "w1"}[k%2],
			})
		}
		if *untilOne {
			fmt.Printf("begins seed %d\n", sc.Seed)
		}
		r := simulate(t, sc)
		collect()
		c := r.w.checks
		drained, handed, cut = drained+c.drained, handed+c.handed, cut+c.cut
		if len(r.broken) == 0 {
			continue
		}
		v := r.broken[0]
		t.Errorf("seed %d: at %v %s: %s", sc.Seed, v.at, v.kind, v.text)
		t.Logf("%s%s", sc, r.w.story(v.windows))
		if *untilOne {
			return
		}
	}
	t.Logf("%d workers drained, %d windows handed over, %d workers cut short", drained, handed, cut)
	if drained < n/2 || handed == 0 || cut > n/2 {
		t.Error("the test does not reach what it is for")
	}
}
