package runs

import (
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// TestResult takes what is one number, in its order, and nothing else.
func TestResult(t *testing.T) {
	var sum puzzle.Summary
	sum.AddText("board", "5", "")
	sum.AddCount("solutions", uint128.From(6816), "")
	sum.AddCounts("by_layer", []uint128.Uint128{uint128.From(1)}, "")
	sum.AddNumber("holes", 15, "")
	sum.Facts = append(sum.Facts,
		puzzle.Fact{Column: puzzle.Column{Name: "map"}, Map: []puzzle.MapEntry{{Key: "a"}}},
		puzzle.Fact{Column: puzzle.Column{Name: "parts"}, Fields: sum.Facts[:1]},
		puzzle.Fact{Column: puzzle.Column{Name: "mean", Kind: puzzle.Double}, Value: puzzle.Value{S: "0.5"}})
	if got := NewResult(&sum).String(); got != "solutions 6816, holes 15, mean 0.5" {
		t.Errorf("result %q", got)
	}
	if r := NewResult(&puzzle.Summary{}); r.String() != "" {
		t.Errorf("result %q of nothing", r)
	}
}
