package puzzle

import (
	"errors"
	"math"
	"testing"

	"pagoda/internal/puzzle/uint128"
)

// TestAgree: a column adds up to a fact, or has the entries of a list or a map; any other value is a contradiction.
func TestAgree(t *testing.T) {
	number := func(n uint64) Value { return Value{N: uint128.From(n)} }
	summary := func(total string, facts ...Fact) *Summary {
		return &Summary{Facts: facts, Tables: []Table{{Name: "layers",
			Columns: []Column{{Name: "n"}, {Name: "paths", Kind: Count, Total: total}},
			Rows:    [][]Value{{number(0), number(2)}, {number(1), number(5)}}}}}
	}
	fact := func(name string) Fact { return Fact{Column: Column{Name: name, Kind: Count}} }
	scalar, list, entries := fact("games"), fact("hits"), fact("by")
	scalar.Value, list.List = number(7), []Value{number(2), number(5)}
	entries.Map = []MapEntry{{"a", uint128.From(2)}, {"b", uint128.From(5)}}
	for _, s := range []*Summary{summary("games", scalar), summary("hits", list), summary("by", entries), summary("games"),
		summary("", scalar)} {
		if err := s.Agree(); err != nil {
			t.Error(err)
		}
	}
	scalar.Value, list.List = number(8), []Value{number(2), number(6)}
	short := list
	short.List = list.List[:1]
	entries.Map = []MapEntry{{"a", uint128.From(1)}, {"b", uint128.From(5)}}
	for want, s := range map[string]*Summary{
		"column paths of table layers adds up to 7, and games is 8":   summary("games", scalar),
		"column paths of table layers has 5 in row 1, and hits has 6": summary("hits", list),
		"table layers has 2 rows, and hits 1 entries":                 summary("hits", short),
		"column paths of table layers has 2 in row 0, and by has 1":   summary("by", entries),
	} {
		if err := s.Agree(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	s := summary("games", scalar)
	s.Tables[0].Rows[0][1].N = uint128.Uint128{Hi: math.MaxUint64, Lo: math.MaxUint64}
	if err := s.Agree(); !errors.Is(err, ErrOverflow) {
		t.Error(err)
	}
}
