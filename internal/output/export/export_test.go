package export

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"pagoda/internal/output/build"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var update = flag.Bool("update", false, "write the golden files anew")

func number(n uint64) puzzle.Value { return puzzle.Value{N: uint128.From(n)} }

func count(s string) puzzle.Value {
	v, err := uint128.Parse(s)
	if err != nil {
		panic(err)
	}
	return puzzle.Value{N: v}
}

func text(s string) puzzle.Value { return puzzle.Value{S: s} }

const maxCount = "340282366920938463463374607431768211455"

// sample has every kind of column, counts of 38 and 39 digits, and text that each format must escape.
func sample() *puzzle.Table {
	return &puzzle.Table{
		Name: "layers",
		Columns: []puzzle.Column{
			{Name: "jumps", Kind: puzzle.Number}, {Name: "paths", Kind: puzzle.Count}, {Name: "wide", Kind: puzzle.Count},
			{Name: "a_note", Kind: puzzle.Text},
		},
		Rows: [][]puzzle.Value{
			{number(0), count("1"), count("1"), text("plain")},
			{number(1), count("18534301625596903968"), count("0"), text(`a "b", <c> & é`)},
			{number(2), count("99999999999999999999999999999999999999"), count(maxCount), text("two\nlines ")},
			{number(3), count("0"), count("12"), text("")},
		},
	}
}

func render(t testing.TB, f Format, rows Rows, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, rows, o); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, test := range map[string]struct {
		format Format
		o      Options
	}{
		"sample.csv":     {CSV, Options{}},
		"sample.jsonl":   {JSONL, Options{}},
		"sample.md":      {Markdown, Options{}},
		"sample.bfile":   {BFile, Options{Column: "wide"}},
		"sample.parquet": {Parquet, Options{Origin: []Note{{"run", "0123456789ab"}}}},
	} {
		got := render(t, test.format, FromTable(sample()), test.o)
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from its golden file; got:\n%.2000s", name, got)
		}
	}
}

// table draws a table with the given kinds of columns.
func table(t *rapid.T) *puzzle.Table {
	tab := &puzzle.Table{Columns: []puzzle.Column{{Name: "n", Kind: puzzle.Number}}}
	kind := rapid.SampledFrom([]puzzle.Kind{puzzle.Number, puzzle.Count, puzzle.Text, puzzle.Double})
	for i, k := range rapid.SliceOfN(kind, 1, 4).Draw(t, "kinds") {
		c := puzzle.Column{Name: fmt.Sprintf("%c%d", 'z'-i, i), Kind: k}
		if k == puzzle.Count {
			c.Bits = rapid.SampledFrom([]int{0, puzzle.Enumerated, 64, DecimalBits, 127, 128}).Draw(t, "bits")
		}
		tab.Columns = append(tab.Columns, c)
	}
	high := rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64())
	for i := range rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(1000, 2100)).Draw(t, "rows") {
		row := []puzzle.Value{number(uint64(i))}
		for _, c := range tab.Columns[1:] {
			switch {
			case i >= 8: // a long table repeats its first rows
				row = append(row, tab.Rows[i%8][len(row)])
			case c.Kind == puzzle.Number:
				row = append(row, number(rapid.Uint64Max(maxNumber).Draw(t, "number")))
			case c.Kind == puzzle.Count:
				row = append(row, puzzle.Value{N: fitting(c, rapid.Uint64().Draw(t, "lo"), high.Draw(t, "hi"))})
			case c.Kind == puzzle.Double:
				row = append(row, puzzle.Nearest(big.NewRat(rapid.Int64Min(0).Draw(t, "part"), rapid.Int64Min(1).Draw(t, "whole"))))
			default:
				row = append(row, text(rapid.StringMatching("[ -~é\n\"]{0,9}").Draw(t, "text")))
			}
		}
		tab.Rows = append(tab.Rows, row)
	}
	return tab
}

// fitting is a number with at most as many bits as a column says.
func fitting(c puzzle.Column, lo, hi uint64) uint128.Uint128 {
	switch {
	case c.Bits == 0:
	case c.Bits <= 64:
		lo, hi = lo>>(64-c.Bits), 0
	default:
		hi >>= 128 - c.Bits
	}
	return uint128.Uint128{Lo: lo, Hi: hi}
}

// texts is the table as each reader should see it.
func texts(tab *puzzle.Table) [][]string {
	var out [][]string
	for _, r := range tab.Rows {
		var line []string
		for i, c := range tab.Columns {
			if c.Kind.Worded() {
				line = append(line, r[i].S)
			} else {
				line = append(line, r[i].N.Big().String())
			}
		}
		out = append(out, line)
	}
	return out
}

func compare(t *rapid.T, format Format, got, want [][]string) {
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", format, len(got), len(want))
	}
	for i := range want {
		for j := range want[i] {
			if len(got[i]) != len(want[i]) || got[i][j] != want[i][j] {
				t.Fatalf("%s: row %d is %q, want %q", format, i, got[i], want[i])
			}
		}
	}
}

func TestReadersSeeWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := table(t)
		want := texts(tab)
		for format, read := range map[Format]func(*rapid.T, *puzzle.Table, []byte) [][]string{
			CSV: readCSV, JSONL: readJSONL, Parquet: readParquet,
		} {
			var a, b bytes.Buffer
			if err := Write(&a, format, FromTable(tab), Options{}); err != nil {
				t.Fatal(err)
			}
			if err := Write(&b, format, FromTable(tab), Options{}); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Fatalf("%s: written twice, the bytes differ (%v)", format, err)
			}
			compare(t, format, read(t, tab, a.Bytes()), want)
		}
	})
}

func readCSV(t *rapid.T, tab *puzzle.Table, data []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range tab.Columns {
		if rows[0][i] != c.Name {
			t.Fatalf("csv: header %q", rows[0])
		}
	}
	return rows[1:]
}

func readJSONL(t *rapid.T, tab *puzzle.Table, data []byte) [][]string {
	var rows [][]string
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for d.More() {
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, c := range tab.Columns {
			if n, isNumber := object[c.Name].(json.Number); isNumber != (c.Kind == puzzle.Number || c.Kind == puzzle.Double) {
				t.Fatalf("jsonl: %s is %v", c.Name, object[c.Name])
			} else if isNumber {
				row = append(row, n.String())
			} else {
				row = append(row, object[c.Name].(string))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func readParquet(t *rapid.T, tab *puzzle.Table, data []byte) [][]string {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, field := range f.Schema().Fields() {
		if field.Name() != tab.Columns[i].Name {
			t.Fatalf("parquet: column %d is %s", i, field.Name())
		}
	}
	var rows [][]string
	r := parquet.NewReader(f)
	buf := make([]parquet.Row, 1)
	for {
		n, err := r.ReadRows(buf)
		if n == 1 {
			var row []string
			for i, v := range buf[0] {
				switch field := f.Schema().Fields()[i]; {
				case field.Type().Kind() == parquet.Int64:
					row = append(row, fmt.Sprint(v.Int64()))
				case field.Type().Kind() == parquet.Double:
					row = append(row, strconv.FormatFloat(v.Double(), 'g', -1, 64))
				case field.Type().LogicalType().String() == "DECIMAL(38,0)":
					row = append(row, new(big.Int).SetBytes(v.ByteArray()).String())
					if binary.BigEndian.Uint64(v.ByteArray())>>63 != 0 {
						t.Fatal("parquet: a decimal reads as negative")
					}
				default:
					row = append(row, string(v.ByteArray()))
				}
			}
			rows = append(rows, row)
		}
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestParquetTypes pins the types that other programs see. The type of a count whose bits are known does not depend on
// the rows.
func TestParquetTypes(t *testing.T) {
	tab := sample()
	tab.Columns = append(tab.Columns,
		puzzle.Column{Name: "share", Kind: puzzle.Double},
		puzzle.Column{Name: "c63", Kind: puzzle.Count, Bits: 63}, puzzle.Column{Name: "c64", Kind: puzzle.Count, Bits: 64},
		puzzle.Column{Name: "c126", Kind: puzzle.Count, Bits: 126},
		puzzle.Column{Name: "c127", Kind: puzzle.Count, Bits: 127})
	for i := range tab.Rows {
		tab.Rows[i] = append(tab.Rows[i], puzzle.Nearest(big.NewRat(1, 3)), number(1), number(1), number(1), number(1))
	}
	data := render(t, Parquet, FromTable(tab), Options{})
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := "message row {\n\trequired int64 jumps (INT(64,true));\n" +
		"\trequired fixed_len_byte_array(16) paths (DECIMAL(38,0));\n" +
		"\trequired binary wide (STRING);\n\trequired binary a_note (STRING);\n" +
		"\trequired double share;\n" +
		"\trequired int64 c63 (INT(64,true));\n" +
		"\trequired fixed_len_byte_array(16) c64 (DECIMAL(38,0));\n" +
		"\trequired fixed_len_byte_array(16) c126 (DECIMAL(38,0));\n\trequired binary c127 (STRING);\n}"
	if got := f.Schema().String(); got != want {
		t.Errorf("schema:\n%s\nwant:\n%s", got, want)
	}
	for bits, large := range map[int]string{63: "9223372036854775808", 126: "100000000000000000000000000000000000000"} {
		tab := &puzzle.Table{Columns: []puzzle.Column{{Name: "c", Kind: puzzle.Count, Bits: bits}},
			Rows: [][]puzzle.Value{{count(large)}}}
		err := Write(io.Discard, Parquet, FromTable(tab), Options{})
		if want := "c is " + large + ", too large"; !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestParquetSaysWhereItComesFrom reads the metadata back, and the program in the form that the format prescribes.
func TestParquetSaysWhereItComesFrom(t *testing.T) {
	data := render(t, Parquet, FromTable(sample()), Options{Origin: []Note{{"run", "0123"}, {"layer", "7"}}})
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pagoda.run": "0123", "pagoda.layer": "7", "pagoda.version": build.Read().Version,
	} {
		if got, ok := f.Lookup(name); !ok || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	form := regexp.MustCompile(`^pagoda version [^()]+\(build [^()]+\)$`)
	if by := f.Metadata().CreatedBy; !form.MatchString(by) {
		t.Errorf("created by %q", by)
	}
}

// TestParquetRowGroups writes more rows than one row group holds, and reads the least and the largest value of each.
func TestParquetRowGroups(t *testing.T) {
	const n = rowGroupRows + 5
	rows := Rows{Columns: []puzzle.Column{{Name: "n", Kind: puzzle.Number}, {Name: "c", Kind: puzzle.Count}},
		Each: func(emit func([]puzzle.Value) error) error {
			for i := range uint64(n) {
				if err := emit([]puzzle.Value{number(i), number(i * i)}); err != nil {
					return err
				}
			}
			return nil
		}}
	data := render(t, Parquet, rows, Options{})
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != n || len(f.RowGroups()) != 2 {
		t.Errorf("%d rows in %d row groups", f.NumRows(), len(f.RowGroups()))
	}
	for g, want := range [][2]uint64{{0, rowGroupRows - 1}, {rowGroupRows, n - 1}} {
		for c, width := range []int{8, 16} {
			s := f.Metadata().RowGroups[g].Columns[c].MetaData.Statistics
			for i, b := range [][]byte{s.MinValue, s.MaxValue} {
				v := want[i]
				if c == 0 {
					slices.Reverse(b) // integers are little-endian, decimals are not
				} else {
					v *= v
				}
				if len(b) != width || binary.BigEndian.Uint64(b[width-8:]) != v {
					t.Errorf("row group %d, column %d: %x, want %d in %d bytes", g, c, b, v, width)
				}
			}
		}
	}
}

func TestUnsuitable(t *testing.T) {
	tab := sample()
	gap := sample()
	gap.Rows = append(gap.Rows[:1], gap.Rows[2:]...)
	large := sample()
	large.Rows[1][0] = number(maxNumber + 1)
	noNumber := sample()
	noNumber.Columns[0].Kind = puzzle.Text
	tests := []struct {
		tab     *puzzle.Table
		format  Format
		o       Options
		message string
	}{
		{tab, "xml", Options{}, `format "xml" is not one of`},
		{tab, BFile, Options{}, "bfile: one column must be named; choose one of paths, wide"},
		{tab, BFile, Options{Column: "a_note"}, `there is no column "a_note"; choose one of paths, wide`},
		{gap, BFile, Options{Column: "paths"}, "jumps goes from 0 to 2"},
		{large, CSV, Options{}, "row 1: jumps is 9007199254740992, too large"},
	}
	for _, test := range tests {
		err := Write(io.Discard, test.format, FromTable(test.tab), test.o)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s %v: %v, want %q", test.format, test.o, err, test.message)
		}
	}
	short := sample()
	short.Rows[0] = short.Rows[0][:2]
	if err := Write(io.Discard, CSV, FromTable(short), Options{}); err == nil {
		t.Error("a row without all its fields was written")
	}
}
