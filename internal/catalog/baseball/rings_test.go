package baseball

import (
	"math/big"
	"strings"
	"testing"
)

// TestRingOfSeven checks the distances that a run of 15 seconds found: they add up to all configurations, and the
// nearest are found again.
func TestRingOfSeven(t *testing.T) {
	const distances = "1 2 4 8 16 34 71 142 282 558 1090 2122 4069 7712 14169 25574 45019 77720 129896 210910 " +
		"331046 500569 724875 1003989 1322763 1642235 1886085 1991021 1902973 1647777 1294472 " +
		"914790 579226 327676 162670 69786 24752 6854 1320 112"
	most := 17
	if testing.Short() {
		most = 11
	}
	near, all := make([]int64, most+1), new(big.Int)
	for _, d := range within(most, 7, Ring) {
		near[d]++
	}
	for d, text := range strings.Fields(distances) {
		n, ok := new(big.Int).SetString(text, 10)
		if !ok || d <= most && n.Cmp(big.NewInt(near[d])) != 0 {
			t.Errorf("distance %d: %s configurations, want %d", d, text, near[min(d, most)])
			continue
		}
		all.Add(all, n)
	}
	if want := Configurations(7); all.Cmp(want) != 0 {
		t.Errorf("%v configurations in all, want %v", all, want)
	}
}
