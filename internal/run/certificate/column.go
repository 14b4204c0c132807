package certificate

import (
	"crypto/sha256"
	"fmt"
	"io"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
)

// A Column binds a column of a table of the results, as exports have it.
type Column struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Rows   int    `json:"rows"`
	Digest Hash   `json:"digest"` // SHA-256 of the values from the first row to the last, a line feed after each
}

// ColumnsOf are the columns of tables, in order.
func ColumnsOf(tables []puzzle.Table) (list []Column) {
	for i := range tables {
		t := &tables[i]
		for n, c := range t.Columns {
			h := sha256.New()
			for _, row := range t.Rows {
				io.WriteString(h, c.Kind.Plain(row[n])+"\n") //nolint:errcheck // a hash takes everything
			}
			list = append(list, Column{t.Name, c.Name, len(t.Rows), Hash(h.Sum(nil))})
		}
	}
	return list
}

func (c *Column) place() string { return fmt.Sprintf("table %.80s, column %.80s", c.Table, c.Column) }

func (c *Column) String() string {
	return plural.Of(c.Rows, "row") + " with digest " + c.Digest.String()
}

// A columnName tells the columns of a run apart.
type columnName struct{ table, column string }

func (c *Column) name() columnName { return columnName{c.Table, c.Column} }

// checkColumns returns the first column that is without a name, there twice, or has rows below 0.
func checkColumns(list []Column) error {
	seen := make(map[columnName]bool, len(list))
	for i := range list {
		c := &list[i]
		if seen[c.name()] || c.Table == "" || c.Column == "" || c.Rows < 0 {
			return fmt.Errorf("%s is without a name, there twice, or has rows below 0", c.place())
		}
		seen[c.name()] = true
	}
	return nil
}

// compareColumns names the first column of theirs that ours lacks or has otherwise. One that theirs lacks is of a later
// version of the program.
func compareColumns(ours, theirs []Column) *Difference {
	have := make(map[columnName]string, len(ours))
	for i := range ours {
		have[ours[i].name()] = ours[i].String()
	}
	for i := range theirs {
		c := &theirs[i]
		if d := (Difference{Place: c.place(), Ours: have[c.name()], Theirs: c.String()}); d.Ours != d.Theirs {
			return &d
		}
	}
	return nil
}

// CheckTables says where tables are not those of c: a table, a column or a value is another. Certificates of older
// versions of the program bind no table.
func (c *Certificate) CheckTables(tables []puzzle.Table) error {
	if c.Columns == nil {
		return nil
	}
	have := ColumnsOf(tables)
	for i := range max(len(have), len(c.Columns)) {
		switch {
		case i >= len(c.Columns) || i < len(have) && have[i].name() != c.Columns[i].name():
			return fmt.Errorf("%s: its certificate has another there, or none", have[i].place())
		case i >= len(have):
			return fmt.Errorf("it lacks %s, and its certificate has it", c.Columns[i].place())
		case have[i] != c.Columns[i]:
			return fmt.Errorf("%s has %s, and %s in its certificate", have[i].place(), &have[i], &c.Columns[i])
		}
	}
	return nil
}
