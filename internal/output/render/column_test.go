package render

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/uint128"
)

var update = flag.Bool("update", false, "write the golden files anew")

// layers is a table with counts of 38 and 39 digits.
func layers() *puzzle.Table {
	count := func(s string) puzzle.Value {
		n, err := uint128.Parse(s)
		if err != nil {
			panic(err)
		}
		return puzzle.Value{N: n}
	}
	return &puzzle.Table{
		Columns: []puzzle.Column{
			{Name: "jumps", Kind: puzzle.Number}, {Name: "paths", Kind: puzzle.Count}, {Name: "wide", Kind: puzzle.Count},
			{Name: "note", Kind: puzzle.Text},
		},
		Rows: [][]puzzle.Value{
			{count("0"), count("1"), count("1"), {}},
			{count("1"), count("12"), count("0"), {}},
			{count("2"), count("90"), count("340282366920938463463374607431768211455"), {}},
			{count("3"), count("0"), count("99999999999999999999999999999999999999"), {}},
		},
	}
}

func TestColumnGolden(t *testing.T) {
	for name, test := range map[string]struct {
		column, title string
		scale         Scale
	}{
		"sample.svg":     {"", "a <title>", Auto}, // at most two decades: linear
		"sample-log.svg": {"wide", "", Auto},
	} {
		var b bytes.Buffer
		if err := Column(&b, export.FromTable(layers()), test.column, test.title, test.scale); err != nil {
			t.Fatal(err)
		}
		elementsOf(t, b.String())
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s differs (%v); look at it and run with -update:\n%s", name, err, b.Bytes())
		}
	}
}

// TestColumnsAreWellFormed draws tables of any length, and demands a bar for each row.
func TestColumnsAreWellFormed(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		tab := layers()
		tab.Rows = nil
		for i := range n {
			tab.Rows = append(tab.Rows, []puzzle.Value{
				{N: uint128.From(uint64(i))}, {N: uint128.Uint128{Hi: uint64(i) << 57, Lo: 1}}, {}, {}})
		}
		for _, scale := range []Scale{Auto, Linear, Log} {
			for _, column := range []string{"paths", "wide"} {
				var b bytes.Buffer
				if err := Column(&b, export.FromTable(tab), column, "", scale); err != nil {
					t.Fatal(err)
				}
				if bars := elementsOf(t, b.String())["rect"] - 1; bars != n || strings.Contains(b.String(), "NaN") ||
					strings.Contains(b.String(), "Inf") {
					t.Errorf("%d rows, %s scale: %d bars", n, scale, bars)
				}
			}
		}
	}
}

func TestColumnRefuses(t *testing.T) {
	noNumber := layers()
	noNumber.Columns, noNumber.Rows = noNumber.Columns[1:], nil
	long := layers()
	for range maxBars {
		long.Rows = append(long.Rows, long.Rows[0])
	}
	for _, test := range []struct {
		table        *puzzle.Table
		column, want string
	}{
		{layers(), "x", `there is no column "x"`}, {layers(), "note", `there is no column "note"`},
		{noNumber, "", "does not begin with a column of small numbers"}, {long, "", "more than 4096 rows"},
	} {
		var b bytes.Buffer
		err := Column(&b, export.FromTable(test.table), test.column, "", Auto)
		if !errors.Is(err, export.ErrFormat) || !strings.Contains(err.Error(), test.want) || b.Len() > 0 {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// TestLogarithmicAxis: more than two decades, and unless it is forbidden.
func TestLogarithmicAxis(t *testing.T) {
	for _, test := range []struct {
		values []float64
		chart  figure.Chart
		want   bool
	}{
		{[]float64{1, 100}, figure.Chart{}, false}, {[]float64{1, 101}, figure.Chart{}, true},
		{[]float64{0, 0, 5}, figure.Chart{}, false}, {nil, figure.Chart{}, false},
		{[]float64{1, 1e9}, figure.Chart{Linear: true}, false}, {[]float64{1, 2}, figure.Chart{Logarithmic: true}, true},
	} {
		if got := logarithmic(&test.chart, test.values); got != test.want {
			t.Errorf("%v %+v: %v", test.values, test.chart, got)
		}
	}
	height, ticks := axis([]float64{0.02, 700}, true)
	if ticks[0] != 0.01 || height(0) != 0 || height(0.01) != 0 || height(1000) < plotHeight-1e-6 ||
		height(1) < height(0.02) {
		t.Errorf("from %v to %v: ticks %v", height(0.02), height(700), ticks)
	}
}
