package batch

import (
	"reflect"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// summary has totals of two kinds, a list, and a fact with the name of a key of the matrix.
func summary(n uint64, count bool) *puzzle.Summary {
	var s puzzle.Summary
	s.AddText("start", "elsewhere", "")
	s.AddNumber("n", n, "")
	s.AddCounts("list", []uint128.Uint128{uint128.From(n)}, "")
	if count {
		s.AddCount("games", uint128.Uint128{Hi: 1, Lo: n}, "")
	}
	return &s
}

// TestJoined: totals that all members have keep their kind. One that a member lacks is empty there and a text in all
// rows, whichever member it is.
func TestJoined(t *testing.T) {
	b := &Batch{Keys: []string{"start"}}
	member := func(name string) *Member {
		return &Member{ID: "id-" + name, Name: name, Values: []string{"at-" + name}}
	}
	const wide = "18446744073709551617" // 2^64 + 1
	for _, c := range []struct {
		counts []bool
		kind   puzzle.Kind
		want   []puzzle.Value
	}{
		{[]bool{true, true}, puzzle.Count,
			[]puzzle.Value{{N: uint128.Uint128{Hi: 1, Lo: 1}}, {N: uint128.Uint128{Hi: 1, Lo: 2}}}},
		{[]bool{true, false}, puzzle.Text, []puzzle.Value{{S: wide}, {}}},
		{[]bool{false, true}, puzzle.Text, []puzzle.Value{{}, {S: "18446744073709551618"}}},
		{[]bool{true, false, true}, puzzle.Text, []puzzle.Value{{S: wide}, {}, {S: "18446744073709551619"}}},
	} {
		x := joined{batch: b}
		for i, count := range c.counts {
			x.add(member(string(rune('a'+i))), summary(uint64(i+1), count))
		}
		got := x.table()
		var names []string
		for _, col := range got.Columns {
			names = append(names, col.Name)
		}
		if !reflect.DeepEqual(names, []string{"member", "run", "start", "n", "games"}) || got.Columns[4].Kind != c.kind ||
			got.Columns[3].Kind != puzzle.Number {
			t.Errorf("%v: columns %+v", c.counts, got.Columns)
		}
		for i, row := range got.Rows {
			name := string(rune('a' + i))
			want := []puzzle.Value{{S: name}, {S: "id-" + name}, {S: "at-" + name}, {N: uint128.From(uint64(i + 1))}, c.want[i]}
			if !reflect.DeepEqual(row, want) {
				t.Errorf("%v: row %+v, want %+v", c.counts, row, want)
			}
		}
	}
}

func TestPlanTotals(t *testing.T) {
	p := Plan{AtATime: 2, Fits: true, Cost: &estimate.Cost{}, Members: []MemberPlan{
		{Windows: 1, MemoryBytes: 5, DiskBytes: 10, CPUSeconds: 2, Seconds: 1, Fits: true, Cost: &estimate.Cost{Total: 3}},
		{Windows: 2, MemoryBytes: 9, DiskBytes: 20, CPUSeconds: 8, Seconds: 6, Fits: true, More: true,
			Cost: &estimate.Cost{Total: 4}},
		{Windows: 3, MemoryBytes: 7, DiskBytes: 30, Fits: true},
		{Member: "x", MemoryBytes: 1, Obstacle: "too large"},
	}}
	p.total()
	want := p
	want.Windows, want.MemoryBytes, want.DiskBytes, want.CPUSeconds, want.Seconds = 6, 16, 60, 10, 6
	want.Cost = &estimate.Cost{Total: 7}
	want.Untimed, want.More, want.Fits, want.Obstacle = 1, 1, false, "member x: too large"
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, want %+v", p, want)
	}
}

// TestAppended: the rows of members stand one below the other, and a key that the tables have stands there alone.
func TestAppended(t *testing.T) {
	b := &Batch{Keys: []string{"board", "start"}}
	table := func(bits int, kind puzzle.Kind, rows ...string) *puzzle.Summary {
		t := puzzle.Table{Name: "pairs", Columns: []puzzle.Column{{Name: "start", Kind: puzzle.Text},
			{Name: "n", Kind: kind, Bits: bits}}}
		for i, start := range rows {
			t.Rows = append(t.Rows, []puzzle.Value{{S: start}, {N: uint128.From(uint64(i))}})
		}
		return &puzzle.Summary{Tables: []puzzle.Table{{Name: "other"}, t}}
	}
	member := func(name string) *Member {
		return &Member{ID: "id-" + name, Name: name, Values: []string{"on-" + name, "x"}}
	}
	x := appended{batch: b, name: "pairs"}
	if err := x.add(member("a"), table(63, puzzle.Count, "r0c0", "r0c1")); err != nil {
		t.Fatal(err)
	}
	if err := x.add(member("b"), table(0, puzzle.Count, "r1c0")); err != nil {
		t.Fatal(err)
	}
	got := x.table()
	want := [][]puzzle.Value{
		{{S: "a"}, {S: "id-a"}, {S: "on-a"}, {S: "r0c0"}, {}},
		{{S: "a"}, {S: "id-a"}, {S: "on-a"}, {S: "r0c1"}, {N: uint128.From(1)}},
		{{S: "b"}, {S: "id-b"}, {S: "on-b"}, {S: "r1c0"}, {}},
	}
	if !reflect.DeepEqual(got.Rows, want) || len(got.Columns) != 5 || got.Columns[2].Name != "board" ||
		got.Columns[4] != (puzzle.Column{Name: "n", Kind: puzzle.Count}) {
		t.Errorf("%+v", got)
	}
	for want, sum := range map[string]*puzzle.Summary{
		`--table: member c has no table "pairs"`:                                              {},
		"--table: table pairs of member c has other columns than those of the members before": table(0, puzzle.Number),
	} {
		if err := x.add(member("c"), sum); err == nil || err.Error() != want || cli.Code(err) != cli.Usage {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
