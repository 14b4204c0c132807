package verify

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestParseShare(t *testing.T) {
	for text, want := range map[string]*big.Rat{
		"all": big.NewRat(1, 1), "1": big.NewRat(1, 1), "0.1": big.NewRat(1, 10), ".25": big.NewRat(1, 4),
		"10%": big.NewRat(1, 10), "10 %": big.NewRat(1, 10), "2.5%": big.NewRat(1, 40), "100%": big.NewRat(1, 1),
		"1/8": big.NewRat(1, 8), "0.000001": big.NewRat(1, 1000000),
	} {
		got, err := ParseShare(text)
		if err != nil || got.Cmp(want) != 0 {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "%", "0", "0%", "-0.1", "1.5", "101%", "1/0", "half", "1e-2", "1e999999999", "0x1p-2", "0b1", "NaN", "inf",
		"1_0%", "10%%", "all%", "0.11111111111111111111111111111111111111",
	} {
		if got, err := ParseShare(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func FuzzParseShare(f *testing.F) {
	for _, s := range []string{"all", "0.1", "10 %", "1/8", "1e9", "-1", "1/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseShare(s)
		if err == nil && (r.Sign() <= 0 || r.Cmp(big.NewRat(1, 1)) > 0) {
			t.Errorf("%q is read as %v", s, r)
		}
	})
}

// A draw has ceil(share n) different windows, depends on its seed alone, and misses none when it is of all.
func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		denom := rapid.Int64Range(1, 1000).Draw(t, "denom")
		num := rapid.Int64Range(1, denom).Draw(t, "num")
		d := Draw{Share: big.NewRat(num, denom), Seed: rapid.Uint64().Draw(t, "seed")}
		list := d.of(n)
		if want := (int64(n)*num + denom - 1) / denom; int64(len(list)) != want {
			t.Fatalf("%d of %d windows for %v, want %d", len(list), n, d.Share, want)
		}
		if !slices.Equal(list, d.of(n)) {
			t.Fatal("the same seed draws other windows")
		}
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Fatalf("%v: a window is drawn twice", list)
		}
		for _, i := range list {
			if i < 0 || i >= n {
				t.Fatalf("window %d of %d", i, n)
			}
		}
	})
	// The draw of a seed must not change: reports name the seed.
	if got := (&Draw{Share: big.NewRat(1, 20), Seed: 42}).of(100); !slices.Equal(got, []int{74, 52, 36, 67, 56}) {
		t.Errorf("seed 42 draws %v", got)
	}
}
