package puzzle

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle/uint128"
)

// drawTally draws a tally with few names, so that names meet.
func drawTally(t *rapid.T, label string) Tally {
	var tally Tally
	n := rapid.IntRange(0, 12).Draw(t, label)
	for i := range n {
		name := rapid.SampledFrom([]string{"a", "b", "c", "finals/8", "finals/10"}).Draw(t, "name")
		cell := Cell{rapid.IntRange(0, 2).Draw(t, "layer"), name[:1]}
		v := uint128.From(rapid.Uint64().Draw(t, "value"))
		var err error
		switch i % 4 {
		case 0:
			err = tally.AddSum(name, v)
		case 1:
			err = tally.AddMax(name, v)
		case 2:
			err = tally.AddIn(cell, v)
		case 3:
			err = tally.AddOut(cell, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return tally
}

// Merging in any order gives the same canonical tally, and every sum is the sum of the parts.
func TestMergeInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := make([]Tally, rapid.IntRange(1, 6).Draw(t, "parts"))
		for i := range parts {
			parts[i] = drawTally(t, fmt.Sprint("part ", i))
		}
		merged := func(order []int) Tally {
			var sum Tally
			for _, i := range order {
				if err := sum.Merge(&parts[i]); err != nil {
					t.Fatal(err)
				}
			}
			if !sum.Canonical() {
				t.Fatalf("%+v is not canonical", sum)
			}
			return sum
		}
		order := make([]int, len(parts))
		for i := range order {
			order[i] = i
		}
		first := merged(order)
		if second := merged(rapid.Permutation(order).Draw(t, "order")); !reflect.DeepEqual(first, second) {
			t.Fatalf("%+v in one order, %+v in another", first, second)
		}
		for _, s := range first.Sums {
			want := new(big.Int)
			for i := range parts {
				want.Add(want, parts[i].Sum(s.Name).Big())
			}
			if s.Value.Big().Cmp(want) != 0 {
				t.Fatalf("%s: %v, want %v", s.Name, s.Value, want)
			}
		}
		for _, s := range first.Maxima {
			if !slices.ContainsFunc(parts, func(p Tally) bool { return p.Max(s.Name) == s.Value }) {
				t.Fatalf("%s: no part has the maximum %v", s.Name, s.Value)
			}
		}
	})
}

func TestSumOverflow(t *testing.T) {
	var tally Tally
	top := uint128.Uint128{Lo: ^uint64(0), Hi: ^uint64(0)}
	if err := tally.AddSum("paths", top); err != nil {
		t.Fatal(err)
	}
	if err := tally.AddSum("paths", uint128.From(1)); !errors.Is(err, ErrOverflow) {
		t.Errorf("2^128: %v", err)
	}
	if tally.Sum("paths") != top {
		t.Errorf("after the refusal: %v", tally.Sum("paths"))
	}
	if err := tally.AddMax("paths", top); err != nil {
		t.Errorf("a maximum cannot overflow: %v", err)
	}
}

func TestCanonicalRefuses(t *testing.T) {
	one := uint128.From(1)
	for name, tally := range map[string]Tally{
		"unsorted sums":  {Sums: []Scalar{{"b", one}, {"a", one}}},
		"a sum twice":    {Sums: []Scalar{{"a", one}, {"a", one}}},
		"unsorted flows": {In: []Flow{{Cell{2, "a"}, one}, {Cell{1, "b"}, one}}},
		"a flow twice":   {Out: []Flow{{Cell{1, "a"}, one}, {Cell{1, "a"}, one}}},
	} {
		if tally.Canonical() {
			t.Errorf("%s: taken for canonical", name)
		}
	}
}

// TestValidName goes through the characters that stores and messages refuse.
func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"sweeps_18": true, "at_least.01": true, "~!#$%'()*+,-.:;=?@[]^_`{|}": true, strings.Repeat("a", 128): true,
		"": false, strings.Repeat("a", 129): false, "a b": false, "a/b": false, `a\b`: false, `"a`: false, "<": false,
		">": false, "&": false, "\x7f": false, "\n": false, "ü": false,
	} {
		if ValidName(name) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
}
