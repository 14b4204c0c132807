package book

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Column describes numbers or texts, as [puzzle.Column].
type Column struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // number, count, text or double
	Doc   string `json:"doc"`
	Total string `json:"total,omitempty"`
}

// A Fact is one result, as [puzzle.Fact]. Without List, Map and Fields it is Value.
type Fact struct {
	Column
	Value string `json:"value,omitempty"`
	// Shown is what people read in place of Value, where that is another text.
	Shown  string   `json:"shown,omitempty"`
	List   []string `json:"list,omitempty"`
	Map    []Entry  `json:"map,omitempty"`
	Fields []Fact   `json:"fields,omitempty"`
	// Empty names the form of a fact without entries: list, map or fields.
	Empty string `json:"empty,omitempty"`
}

// An Entry is one of a Fact that is a map.
type Entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Table is one of the results, as [puzzle.Table].
type Table struct {
	Name    string     `json:"name"`
	Columns []Column   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// kinds are the names of puzzle.Kind.
var kinds = []string{puzzle.Number: "number", puzzle.Count: "count", puzzle.Text: "text", puzzle.Double: "double"}

func newColumn(c puzzle.Column) Column {
	return Column{Name: c.Name, Kind: kinds[c.Kind], Doc: c.Doc, Total: c.Total}
}

func newFacts(facts []puzzle.Fact) []Fact {
	list := []Fact{} // an array, never null
	for i := range facts {
		f := &facts[i]
		fact := Fact{Column: newColumn(f.Column)}
		switch {
		case f.List != nil:
			fact.Empty = ifNone(len(f.List), "list")
			for _, v := range f.List {
				fact.List = append(fact.List, f.Kind.Plain(v))
			}
		case f.Map != nil:
			fact.Empty = ifNone(len(f.Map), "map")
			for _, e := range f.Map {
				fact.Map = append(fact.Map, Entry{e.Key, e.Value.String()})
			}
		case f.Fields != nil:
			fact.Empty = ifNone(len(f.Fields), "fields")
			fact.Fields = newFacts(f.Fields)
		default:
			fact.Value, fact.Shown = f.Kind.Plain(f.Value), f.Value.Shown
		}
		list = append(list, fact)
	}
	return list
}

func ifNone(n int, form string) string {
	if n == 0 {
		return form
	}
	return ""
}

func newTables(tables []puzzle.Table) []Table {
	list := []Table{}
	for i := range tables {
		t := Table{Name: tables[i].Name, Columns: []Column{}, Rows: [][]string{}}
		for _, c := range tables[i].Columns {
			t.Columns = append(t.Columns, newColumn(c))
		}
		for _, row := range tables[i].Rows {
			line := make([]string, len(row))
			for k, v := range row {
				line[k] = tables[i].Columns[k].Kind.Plain(v)
			}
			t.Rows = append(t.Rows, line)
		}
		list = append(list, t)
	}
	return list
}

// summarise reads the results back.
func (r *Record) summarise() (s puzzle.Summary, err error) {
	s.Problem.Lines, s.Notes = r.Problem, r.Notes
	if s.Facts, err = readFacts(r.Facts); err != nil {
		return s, err
	}
	for i := range r.Tables {
		t, err := r.Tables[i].read()
		if err != nil {
			return s, fmt.Errorf("table %.60s: %w", r.Tables[i].Name, err)
		}
		if slices.ContainsFunc(s.Tables, func(o puzzle.Table) bool { return o.Name == t.Name }) {
			return s, fmt.Errorf("table %s is there twice", t.Name)
		}
		s.Tables = append(s.Tables, t)
	}
	return s, nil
}

// identifier is the form of the names of facts, tables and columns, which become names of files.
var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (c *Column) read() (puzzle.Column, error) {
	kind := slices.Index(kinds, c.Kind)
	switch {
	case !identifier.MatchString(c.Name):
		return puzzle.Column{}, fmt.Errorf("%.60q is no name of lower-case letters, digits and _", c.Name)
	case kind < 0:
		return puzzle.Column{}, fmt.Errorf("%s is of the unknown kind %.40q", c.Name, c.Kind)
	}
	return puzzle.Column{Name: c.Name, Kind: puzzle.Kind(kind), Doc: c.Doc, Total: c.Total}, nil
}

// maxNumber bounds small numbers, as exports do.
var maxNumber = uint128.From(1<<53 - 1)

// readValue reads a value of a kind as newFacts writes it.
func readValue(k puzzle.Kind, text string) (v puzzle.Value, err error) {
	switch k {
	case puzzle.Text:
		v.S = text
	case puzzle.Double:
		v.S = text
		if f, err := strconv.ParseFloat(text, 64); err != nil || strconv.FormatFloat(f, 'g', -1, 64) != text {
			return v, fmt.Errorf("%.60q is no double in its shortest form", text)
		}
	default:
		if v.N, err = uint128.Parse(text); err != nil || v.N.String() != text {
			return v, fmt.Errorf("%.60q is no whole number of up to 128 bits", text)
		}
		if k == puzzle.Number && v.N.Cmp(maxNumber) > 0 {
			return v, fmt.Errorf("%s is too large for a small number", text)
		}
	}
	return v, nil
}

func readFacts(facts []Fact) (list []puzzle.Fact, err error) {
	for i := range facts {
		f, err := facts[i].read()
		if err != nil {
			return nil, fmt.Errorf("fact %.60s: %w", facts[i].Name, err)
		}
		list = append(list, f)
	}
	return list, nil
}

func (f *Fact) read() (fact puzzle.Fact, err error) {
	if fact.Column, err = f.Column.read(); err != nil {
		return fact, err
	}
	forms := 0
	for _, there := range []bool{len(f.List) > 0, len(f.Map) > 0, len(f.Fields) > 0, f.Empty != ""} {
		if there {
			forms++
		}
	}
	if forms > 1 || forms == 1 && f.Value+f.Shown != "" {
		return fact, errors.New("it has several forms")
	}
	switch {
	case f.List != nil || f.Empty == "list":
		fact.List = []puzzle.Value{}
		for _, text := range f.List {
			v, err := readValue(fact.Kind, text)
			if err != nil {
				return fact, err
			}
			fact.List = append(fact.List, v)
		}
	case f.Map != nil || f.Empty == "map":
		fact.Map = []puzzle.MapEntry{}
		for _, e := range f.Map {
			v, err := readValue(puzzle.Count, e.Value)
			if err != nil {
				return fact, err
			}
			fact.Map = append(fact.Map, puzzle.MapEntry{Key: e.Key, Value: v.N})
		}
	case f.Fields != nil:
		fact.Fields, err = readFacts(f.Fields)
	case f.Empty == "fields":
		fact.Fields = []puzzle.Fact{}
	case f.Empty != "":
		err = fmt.Errorf("%.40q is no form", f.Empty)
	default:
		fact.Value, err = readValue(fact.Kind, f.Value)
		fact.Value.Shown = f.Shown
	}
	return fact, err
}

func (t *Table) read() (table puzzle.Table, err error) {
	table.Name = t.Name
	if !identifier.MatchString(t.Name) || len(t.Columns) == 0 || t.Rows == nil {
		return table, errors.New("it has no name of lower-case letters, digits and _, no columns, or no list of rows")
	}
	for i := range t.Columns {
		c, err := t.Columns[i].read()
		if err != nil {
			return table, err
		}
		table.Columns = append(table.Columns, c)
	}
	for n, line := range t.Rows {
		if len(line) != len(table.Columns) {
			return table, fmt.Errorf("row %d has %d fields for %d columns", n, len(line), len(table.Columns))
		}
		row := make([]puzzle.Value, len(line))
		for k, text := range line {
			if row[k], err = readValue(table.Columns[k].Kind, text); err != nil {
				return table, fmt.Errorf("row %d, %s: %w", n, table.Columns[k].Name, err)
			}
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}
