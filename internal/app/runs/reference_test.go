package runs_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
)

const (
	board   = "puzzle: peg\nboard: triangle4\nretention: all\ncount: "
	problem = "start: r1c0\ngoal: r1c1\n" + board
)

// everyCount has a small run for every way of counting of every puzzle.
var everyCount = map[string]string{
	"games":             problem + "games\n",
	"solutions":         problem + "solutions\n",
	"ways":              problem + "solutions\nstore_ways: true\n",
	"reserve":           problem + "solutions\nreserve: true\n",
	"pairs":             board + "solutions\npairs: all\n",
	"positions":         problem + "positions\n",
	"sweeps":            problem + "sweeps\n",
	"chances":           problem + "chances\n",
	"sequences":         board + "sequences\n",
	"sequences_by_pegs": board + "sequences_by_pegs\n",
	"survey":            board + "survey\npairs: one_peg\n",
	"survey positions":  board + "survey\npairs: positions\n",
	"tiles":             "puzzle: tiles\nrows: 2\ncolumns: 3\nretention: all\n",
	"hits":              "puzzle: mousetrap\ncards: 5\ncount: hits\n",
	"winning":           "puzzle: mousetrap\ncards: 5\ncount: winning\n",
	"reformed":          "puzzle: mousetrap\ncards: 5\ncount: reformed\n",
	"baseball":          "puzzle: baseball\nbases: 3\nretention: all\n",
	"babylone":          "puzzle: babylone\ncolours: 3\nbricks: \"2\"\ncount: graph\nretention: all\n",
	"nimbers":           "puzzle: babylone\ncolours: 3\nbricks: \"2\"\ncount: nimbers\nretention: all\n",
	"winner":            "puzzle: babylone\ncolours: 3\nbricks: \"2\"\ncount: winner\nretention: all\n",
}

// TestEveryCount demands that the list above has every puzzle with every value of its setting count.
func TestEveryCount(t *testing.T) {
	for _, d := range catalog.All {
		counts := []string{""}
		for _, s := range d.Settings {
			if s.Name == "count" {
				counts = s.Choices
			}
		}
		for _, count := range counts {
			found := false
			for _, text := range everyCount {
				found = found || strings.Contains(text, "puzzle: "+d.Name+"\n") &&
					(len(counts) == 1 || strings.Contains(text, "count: "+count+"\n"))
			}
			if !found {
				t.Errorf("puzzle %s, count %s: no run", d.Name, count)
			}
		}
	}
}

// exported is a table of a run as export writes it.
type exported struct {
	table, layer string
	rows         *puzzle.Table
}

// tables are all tables of a run, those of its rows among them.
func tables(t *testing.T, s *runs.Stored) (list []exported) {
	t.Helper()
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sum.Tables {
		list = append(list, exported{table: sum.Tables[i].Name, rows: &sum.Tables[i]})
	}
	windows, err := s.Table(runs.WindowsTable)
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, exported{table: runs.WindowsTable, rows: windows})
	exporter, layers, err := s.Layers(runs.Selection{Table: runs.RowsTable, Layer: runs.AllLayers})
	if err != nil {
		return list
	}
	for _, n := range layers {
		what := runs.Selection{Table: runs.RowsTable, Layer: strconv.Itoa(n), Format: "csv", Scale: "auto"}
		var b bytes.Buffer
		if n, err := s.WriteLayer(t.Context(), &b, exporter, n, what, t.TempDir(), 1<<20, nil); err != nil || n == 0 {
			continue // nothing of this layer is stored, or shown
		}
		list = append(list, exported{runs.RowsTable, what.Layer, parsed(t, exporter.RowColumns(), b.String())})
	}
	return list
}

// parsed reads rows that were written as CSV.
func parsed(t *testing.T, columns []puzzle.Column, text string) *puzzle.Table {
	t.Helper()
	rows := &puzzle.Table{Name: runs.RowsTable, Columns: columns}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		var row []puzzle.Value
		for i, f := range line {
			v := puzzle.Value{S: f}
			if !columns[i].Kind.Worded() {
				if err := v.N.UnmarshalText([]byte(f)); err != nil {
					t.Fatal(err)
				}
				v.S = ""
			}
			row = append(row, v)
		}
		rows.Rows = append(rows.Rows, row)
	}
	return rows
}

// whole are the formats that have all columns of a table.
func whole() []export.Format {
	return slices.DeleteFunc(export.Formats(), func(f export.Format) bool { return f == export.BFile })
}

func written(t *testing.T, f export.Format, rows *puzzle.Table, column string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := export.Write(&b, f, export.FromTable(rows), export.Options{Column: column}); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.Bytes()
}

func compared(t *testing.T, s *runs.Stored, data []byte, e runs.Expected) (export.Comparison, error) {
	t.Helper()
	r, err := export.ReadReference(data)
	if err != nil {
		return export.Comparison{}, err
	}
	return s.Compare(t.Context(), r, &e, t.TempDir(), 1<<20)
}

// TestEveryTableIsItsOwnReference exports every table of every puzzle in every format, and compares the run with it: it
// agrees, and no longer when any field of any row is another. Without the name of a table it agrees as well, or the
// tables are named that it may be.
func TestEveryTableIsItsOwnReference(t *testing.T) {
	for name, config := range everyCount {
		t.Run(name, func(t *testing.T) {
			s := stored(t, config)
			for _, x := range tables(t, s) {
				if len(x.rows.Rows) == 0 {
					continue
				}
				for _, f := range whole() {
					where := fmt.Sprintf("%s %s as %s", x.table, x.layer, f)
					own := written(t, f, x.rows, "")
					c, err := compared(t, s, own, runs.Expected{Table: x.table, Layer: x.layer})
					if err != nil || len(c.Differences) > 0 || c.Compared < len(x.rows.Rows) || c.Outside > 0 {
						t.Fatalf("%s: %v, %+v", where, err, c)
					}
					c, err = compared(t, s, own, runs.Expected{Layer: x.layer})
					if (err != nil || len(c.Differences) > 0) && !strings.Contains(fmt.Sprint(err), "may be of the tables") {
						t.Errorf("%s, without the name of the table: %v, %+v", where, err, c)
					}
				}
				demandFound(t, s, x)
				demandSequences(t, s, x)
			}
			demandDocument(t, s)
		})
	}
}

// TestRowsOfLayers: where one stored layer has the rows of two, the rows of a layer are those of its number of jumps.
func TestRowsOfLayers(t *testing.T) {
	s, layers := stored(t, everyCount["ways"]), 0
	for _, x := range tables(t, s) {
		if x.table != runs.RowsTable {
			continue
		}
		layers++
		jumps := slices.IndexFunc(x.rows.Columns, func(c puzzle.Column) bool { return c.Name == "jumps" })
		for _, row := range x.rows.Rows {
			if row[jumps].N.String() != x.layer {
				t.Errorf("layer %s has a row after %s jumps", x.layer, row[jumps].N)
			}
		}
	}
	if layers < 3 {
		t.Errorf("%d layers have rows", layers)
	}
}

// TestLinksAreCompared writes tables and rows with a link in each row: the run agrees with them in every format, and no
// longer when a link is another.
func TestLinksAreCompared(t *testing.T) {
	const page = "https://board.example/x/"
	linked := 0
	for _, name := range []string{"ways", "pairs"} {
		s := stored(t, everyCount[name])
		for _, x := range tables(t, s) {
			link, err := s.Definition.Links(s.Config, x.rows.Columns)
			if err != nil || len(x.rows.Rows) == 0 {
				continue
			}
			table := puzzle.Table{Columns: append(slices.Clone(x.rows.Columns), puzzle.Column{Name: "link", Kind: puzzle.Text})}
			for _, row := range x.rows.Rows {
				to, err := link(row)
				if err != nil {
					t.Fatal(err)
				}
				table.Rows = append(table.Rows, append(slices.Clone(row), puzzle.Value{S: page + to}))
			}
			last := &table.Rows[len(table.Rows)-1][len(table.Columns)-1].S
			own := *last
			for _, f := range whole() {
				for wrong, text := range map[int]string{0: own, 1: otherDigit(own)} {
					*last = text
					c, err := compared(t, s, written(t, f, &table, ""), runs.Expected{Table: x.table, Layer: x.layer})
					if err != nil || len(c.Differences) != wrong || c.Compared < len(table.Rows)*2 {
						t.Fatalf("%s of %s as %s, %d links wrong: %v, %+v", x.table, name, f, wrong, err, c)
					}
					linked++
				}
			}
			*last = own
		}
	}
	if linked < 20 {
		t.Errorf("%d tables with links, want several of each run", linked)
	}
}

// demandFound changes one field at a time.
func demandFound(t *testing.T, s *runs.Stored, x exported) {
	t.Helper()
	step := max(1, len(x.rows.Rows)/7)
	formats := whole()
	n := 0
	for i := 0; i < len(x.rows.Rows); i += step {
		for k, column := range x.rows.Columns {
			changed := puzzle.Table{Columns: x.rows.Columns, Rows: slices.Clone(x.rows.Rows)}
			row := slices.Clone(x.rows.Rows[i])
			changed.Rows[i] = row
			if column.Kind.Worded() {
				row[k].S = otherDigit(row[k].S)
			} else if err := row[k].N.UnmarshalText([]byte(otherDigit(row[k].N.String()))); err != nil {
				t.Fatal(err)
			}
			f := formats[n%len(formats)]
			n++
			c, err := compared(t, s, written(t, f, &changed, ""), runs.Expected{Table: x.table, Layer: x.layer})
			twice := err != nil && strings.Contains(err.Error(), "is there twice")
			if errors.Is(err, export.ErrReference) && (len(x.rows.Rows) == 1 || twice) {
				continue // a part of the key: nothing is left to compare, or another row is just this
			}
			if err != nil || len(c.Differences) == 0 {
				t.Errorf("%s %s as %s: row %d, column %s changed: %v, %+v", x.table, x.layer, f, i, column.Name, err, c)
				continue
			}
			text := row[k].S
			if text == "" {
				text = row[k].N.String()
			}
			if column.Kind == puzzle.Double {
				text = "" // Parquet has the double that is nearest
			}
			if d := c.Differences[0]; !strings.Contains(d.String(), column.Name) || !strings.Contains(d.String(), text) {
				t.Errorf("%s %s as %s: row %d, column %s changed to %s: %v", x.table, x.layer, f, i, column.Name, text, d)
			}
		}
	}
}

// otherDigit changes the last digit of a text, or adds one.
func otherDigit(s string) string {
	i := strings.LastIndexAny(s, "0123456789")
	if i < 0 {
		return s + "7"
	}
	return s[:i] + string('0'+(s[i]-'0'+1)%10) + s[i+1:]
}

// demandSequences compares every column of numbers as a b-file: as it is exported, and from an offset on with other
// terms around it.
func demandSequences(t *testing.T, s *runs.Stored, x exported) {
	t.Helper()
	for k, column := range x.rows.Columns {
		if column.Kind.Worded() {
			continue
		}
		e := runs.Expected{Table: x.table, Layer: x.layer, Column: column.Name}
		if err := export.Suits(export.BFile, x.rows.Columns, export.Options{Column: column.Name}); err == nil {
			var b bytes.Buffer
			err := export.Write(&b, export.BFile, export.FromTable(x.rows), export.Options{Column: column.Name})
			if err == nil {
				c, err := compared(t, s, b.Bytes(), e)
				if err != nil || len(c.Differences) > 0 || c.Compared != len(x.rows.Rows) {
					t.Errorf("%s %s, b-file of %s: %v, %+v", x.table, x.layer, column.Name, err, c)
				}
			}
		}
		const offset = 40
		e.Offset = new(uint64(offset))
		var b strings.Builder
		fmt.Fprintf(&b, "# a comment\n\n%d 12345\n", offset-1)
		for i, row := range x.rows.Rows {
			fmt.Fprintf(&b, "%d %s\r\n", offset+i, row[k].N)
		}
		end := offset + len(x.rows.Rows)
		fmt.Fprintf(&b, "%d 54321\n", end)
		c, err := compared(t, s, []byte(b.String()), e)
		if err != nil || len(c.Differences) > 0 || c.Compared != len(x.rows.Rows) || c.Outside != 2 {
			t.Errorf("%s %s, %s from %d on: %v, %+v", x.table, x.layer, column.Name, offset, err, c)
		}
		last := x.rows.Rows[len(x.rows.Rows)-1][k].N.String()
		wrong := fmt.Sprintf("%d %s\n", end-1, otherDigit(last))
		if c, err = compared(t, s, []byte(wrong), e); err != nil || len(c.Differences) != 1 ||
			!strings.Contains(c.Differences[0].String(), fmt.Sprintf("index %d ", end-1)) {
			t.Errorf("%s %s, %s, wrong: %v, %+v", x.table, x.layer, column.Name, err, c)
		}
	}
}

// demandDocument compares the run with the document that it prints, which has all tables and facts.
func demandDocument(t *testing.T, s *runs.Stored) {
	t.Helper()
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.Summary(&sum, "json", render.Style{}))
	rows := 0
	for i := range sum.Tables {
		rows += len(sum.Tables[i].Rows)
	}
	c, err := compared(t, s, []byte(text), runs.Expected{})
	if err != nil || len(c.Differences) > 0 || c.Compared < rows {
		t.Errorf("document: %v, %+v, want at least %d rows", err, c, rows)
	}
	for _, f := range sum.Facts {
		if f.Kind.Worded() || f.List != nil || f.Map != nil || f.Fields != nil {
			continue
		}
		begin := strings.Index(text, strconv.Quote(f.Name)+": ")
		own := f.Value.N.String()
		at := begin + strings.Index(text[begin:], own)
		wrong := text[:at] + otherDigit(own) + text[at+len(own):]
		if c, err := compared(t, s, []byte(wrong), runs.Expected{}); err != nil || len(c.Differences) != 1 ||
			c.Differences[0].Place != f.Name {
			t.Errorf("document with another %s: %v, %+v", f.Name, err, c)
		}
	}
}

// TestPublishedSequences compares rows of a triangle read one after the other, one term of a sequence about many runs,
// and a sequence with nothing left after the last layer.
func TestPublishedSequences(t *testing.T) {
	hits := stored(t, "puzzle: mousetrap\ncards: 8\ncount: hits\n")
	games := stored(t, problem+"games\n")
	for _, test := range []struct {
		run              *runs.Stored
		file             string
		e                runs.Expected
		compared, differ int
		outside          int
		refused          string
	}{
		{hits, "b028305.txt", runs.Expected{Column: "decks", Offset: new(uint64(36))}, 9, 0, 36, ""},
		{hits, "b028305.txt", runs.Expected{Column: "decks", Offset: new(uint64(35))}, 9, 9, 36, ""},
		{hits, "b028305.txt", runs.Expected{Column: "decks", Offset: new(uint64(45))}, 0, 0, 0, "nothing of it is"},
		{hits, "b028305.txt", runs.Expected{Column: "hits"}, 0, 0, 0, "there is no column"},
		{hits, "b007709.txt", runs.Expected{Column: "winning", Offset: new(uint64(8))}, 1, 0, 11, ""},
		{hits, "b007709.txt", runs.Expected{Column: "winning", Offset: new(uint64(9))}, 1, 1, 11, ""},
		{hits, "b007709.txt", runs.Expected{Column: "winning", Offset: new(uint64(99))}, 0, 0, 0, "nothing of it is"},
		{hits, "b007709.txt", runs.Expected{Column: "winning"}, 0, 0, 0, "one value of a b-file"},
		{hits, "b007709.txt", runs.Expected{Column: "losing"}, 0, 0, 0, "no table of the run has the columns losing"},
		{games, "triangle4.txt", runs.Expected{Column: "classes"}, 9, 0, 2, ""},
		{games, "triangle4.txt", runs.Expected{Column: "classes", Offset: new(uint64(0))}, 9, 0, 2, ""},
		{games, "triangle4.txt", runs.Expected{}, 0, 0, 0, "one column must be named"},
	} {
		data, err := os.ReadFile("testdata/" + test.file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := compared(t, test.run, data, test.e)
		if test.refused != "" {
			if err == nil || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("%s, %+v: %v, want %q", test.file, test.e, err, test.refused)
			}
			continue
		}
		if err != nil || c.Compared != test.compared || len(c.Differences) != test.differ || c.Outside != test.outside {
			t.Errorf("%s, %+v: %v, %+v", test.file, test.e, err, c)
		}
	}
}
