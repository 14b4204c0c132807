package verify

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
)

// A Draw says which windows are computed again.
type Draw struct {
	// Share of the committed windows, above 0 and at most 1, rounded up to whole windows.
	Share *big.Rat
	// Seed draws them: the same seed draws the same windows of the same ledger.
	Seed uint64
}

// ParseShare reads a share of windows: "all", a fraction such as 0.1 or 1/8, or a percentage such as 10% or 2.5 %.
func ParseShare(s string) (*big.Rat, error) {
	const form = "write all, a fraction such as 0.1, or a percentage such as 10%"
	if s == "all" {
		return big.NewRat(1, 1), nil
	}
	if len(s) > 32 || strings.ContainsAny(s, "eEpPxXoObB_") { // 1e-999999999 would fill the memory
		return nil, errors.New(form)
	}
	text, percent := strings.CutSuffix(s, "%")
	r, ok := new(big.Rat).SetString(strings.TrimRight(text, " "))
	if !ok {
		return nil, errors.New(form)
	}
	if percent {
		r.Quo(r, big.NewRat(100, 1))
	}
	if r.Sign() <= 0 || r.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, fmt.Errorf("a share is more than 0 and at most 1; %s", form)
	}
	return r, nil
}

// All reports whether every window is drawn.
func (d *Draw) All() bool { return d.Share.Cmp(big.NewRat(1, 1)) >= 0 }

// of draws among n windows, by their place in plan order: share of them, rounded up, without repetition.
func (d *Draw) of(n int) []int {
	k := n
	if !d.All() {
		// ceil(n num / denom)
		x := new(big.Int).Mul(d.Share.Num(), big.NewInt(int64(n)))
		x.Add(x, d.Share.Denom())
		x.Sub(x, big.NewInt(1))
		k = int(x.Div(x, d.Share.Denom()).Int64())
	}
	list := rand.New(rand.NewPCG(d.Seed, 0)).Perm(n)
	return list[:k]
}
