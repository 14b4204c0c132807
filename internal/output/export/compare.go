package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
)

// A Target is a table of a run that a reference is compared with.
type Target struct {
	Name string // before the place of a difference; "" for none
	Rows Rows
	// Partial says that the run is not complete: a row that it lacks may still come.
	Partial bool
	// Column names the column of a b-file, or several with commas between them that are read row by row.
	Column string
	// Offset is the index that a b-file has for the first value of the table; nil: its indices are the values of the first
	// column. A file that begins before it is longer than the table, such as a triangle of which the table is one row.
	// Values before and after the table are left out.
	Offset *uint64
}

// A Comparison is how a reference compares with a run.
type Comparison struct {
	Compared int // values, those among them that the run lacks
	Common   int // values that both have; without any there was nothing to compare
	// Outside counts the values of the reference that were left out: other parts of a sequence, zeros past the ends of
	// the table, and rows that a run which is not complete does not have yet.
	Outside     int
	Differences []Difference
}

// Add adds another part of the comparison.
func (c *Comparison) Add(o Comparison) {
	c.Compared += o.Compared
	c.Common += o.Common
	c.Outside += o.Outside
	c.Differences = append(c.Differences, o.Differences...)
}

// both notes a value that both have.
func (c *Comparison) both(place, have, own string) {
	c.Compared++
	c.Common++
	if have != own {
		c.Differences = append(c.Differences, Difference{place, have, own})
	}
}

// lacks notes a value that the run lacks.
func (c *Comparison) lacks(place, have string) {
	c.Compared++
	c.Differences = append(c.Differences, Difference{place, have, ""})
}

// A Difference is a value that differs from the reference.
type Difference struct {
	Place     string // "jumps 19, column paths", or the name of a fact
	Have, Own string // in the reference, in the run; "" when there is none
}

func (d Difference) String() string {
	own := d.Own
	if own == "" {
		own = "absent"
	}
	return fmt.Sprintf("%s: the reference has %s, the run %s", d.Place, d.Have, own)
}

// CompareFacts compares the facts of a document: numbers, and texts that are written with digits, such as fractions.
// Other texts, such as names of boards, have more than one right form.
func (r *Reference) CompareFacts(facts []puzzle.Fact) (c Comparison) {
	puzzle.Scalars(facts, func(name string, kind puzzle.Kind, v puzzle.Value) {
		have, given := r.facts[name]
		own := kind.Plain(v)
		if !given || own == "" || kind == puzzle.Text && strings.Trim(own, "0123456789/. ") != "" {
			return
		}
		if text, err := normal(kind, have); err == nil {
			have = text
		}
		c.both(name, have, own)
	})
	return c
}

// CompareFact compares a fact with the value of a b-file at an index; the rest of the file is about other runs.
func (r *Reference) CompareFact(name string, v puzzle.Value, index uint64) (c Comparison) {
	at := strconv.FormatUint(index, 10)
	for _, row := range r.tables[0].rows {
		if row.values[0].text == at {
			c.both(fmt.Sprintf("index %s, %s", at, name), row.values[1].text, v.N.String())
		} else {
			c.Outside++
		}
	}
	return c
}

// Compare compares a table of the reference, by its name there, with one of a run. Differences come in the order of the
// reference. Errors wrap ErrReference, or are those of the rows.
func (r *Reference) Compare(table string, o Target) (Comparison, error) {
	var c Comparison
	var err error
	i := slices.IndexFunc(r.tables, func(t referenceTable) bool { return t.name == table })
	switch {
	case i < 0:
		err = fmt.Errorf("it has no table %q", table)
	case r.Sequence && o.Offset != nil:
		c, err = compareSequence(r.tables[0].rows, &o)
	case r.Sequence:
		var chosen int
		if chosen, err = Chosen(BFile, o.Rows.Columns, o.Column); err == nil {
			t := referenceTable{
				columns: []string{o.Rows.Columns[0].Name, o.Rows.Columns[chosen].Name}, rows: r.tables[0].rows,
			}
			c, err = t.compare(&o)
		}
	default:
		c, err = r.tables[i].compare(&o)
	}
	if err != nil && !errors.Is(err, errRows) {
		err = fmt.Errorf("%w: %w", ErrReference, err)
	}
	return c, err
}

// errRows is wrapped by errors of the rows of the run, which say nothing about the reference.
var errRows = errors.New("rows of the run")

// normal is the one form of a value in which values of that kind are compared.
func normal(k puzzle.Kind, text string) (string, error) {
	switch k {
	case puzzle.Text:
		return text, nil
	case puzzle.Double:
		return normalDouble(strings.TrimSpace(text))
	}
	if text = strings.TrimSpace(text); !isDigits(text) {
		return "", fmt.Errorf("%.60q is not a whole number in all its digits", text)
	}
	return canonical(text), nil
}

// normalDouble is the shortest form of a double. Other programs write 17 digits. Any other text stays as it is, also
// when it reads as the double of the run: one of its digits is wrong.
func normalDouble(text string) (string, error) {
	f, err := strconv.ParseFloat(text, 64)
	exact, ok := new(big.Rat), len(text) <= 32 && math.Abs(f) < 1e32 && (f == 0 || math.Abs(f) > 1e-32)
	if ok {
		_, ok = exact.SetString(text)
	}
	if err != nil || !ok {
		return "", fmt.Errorf("%.60q is not a number", text)
	}
	short := strconv.FormatFloat(f, 'g', -1, 64)
	for _, form := range []string{short, strconv.FormatFloat(f, 'g', 17, 64)} {
		if x, ok := new(big.Rat).SetString(form); ok && x.Cmp(exact) == 0 {
			return short, nil
		}
	}
	return text, nil
}

// A match compares the rows of a reference with those of a run that have the same key: the values of the first columns,
// of as many as tell the rows apart.
type match struct {
	*Target
	columns []puzzle.Column
	rows    []referenceRow // in normal form, in the order of columns
	keys    int
	index   map[string]int // rows by key
	hit     []bool
	given   []bool // the columns that the reference has
	// first and last are the least and the greatest number in the first column of the run's rows.
	first, last uint64
	any         bool
}

// compare compares by keys.
func (t *referenceTable) compare(o *Target) (Comparison, error) {
	m := match{Target: o, columns: o.Rows.Columns}
	if err := m.bind(t); err != nil {
		return Comparison{}, err
	}
	wanting := "" // why the key needs one more column
	for m.keys = 1; ; m.keys++ {
		if m.keys > len(m.columns) {
			return Comparison{}, errors.New(wanting)
		}
		if name := m.columns[m.keys-1].Name; !m.given[m.keys-1] {
			return Comparison{}, errors.New(cmp.Or(wanting, "no column "+name))
		}
		if twice := m.indexRows(); twice >= 0 {
			wanting = fmt.Sprintf("line %d: row %s is there twice", m.rows[twice].line, m.place(twice))
			continue
		}
		c, ambiguous, err := m.pass()
		switch {
		case err != nil:
			return c, fmt.Errorf("%w: %w", errRows, err)
		case !ambiguous:
			m.absent(&c)
			return c, nil
		}
		wanting = "two rows of the run have " + columnNames(m.columns[:m.keys]) + " in common, and it has no other column"
	}
}

// bind puts the values into the order of the columns of the run, in normal form.
func (m *match) bind(t *referenceTable) error {
	m.given = make([]bool, len(m.columns))
	to := make([]int, len(t.columns))
	for i, name := range t.columns {
		to[i] = slices.IndexFunc(m.columns, func(c puzzle.Column) bool { return c.Name == name })
		if to[i] < 0 {
			return fmt.Errorf("the table has no column %.60q; it has %s", name, columnNames(m.columns))
		}
		m.given[to[i]] = true
	}
	for _, row := range t.rows {
		out := referenceRow{line: row.line, values: make([]field, len(m.columns))}
		for i, f := range row.values {
			c := m.columns[to[i]]
			if !f.given || f.text == "" && c.Kind != puzzle.Text {
				continue
			}
			text, err := normal(c.Kind, f.text)
			if err != nil {
				return fmt.Errorf("line %d: %s: %w", row.line, c.Name, err)
			}
			out.values[to[i]] = field{text, true}
		}
		m.rows = append(m.rows, out)
	}
	return nil
}

func columnNames(columns []puzzle.Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// indexRows finds the keys of all rows. It returns the first row whose key another has as well, or -1.
func (m *match) indexRows() int {
	m.index = make(map[string]int, len(m.rows))
	m.hit = make([]bool, len(m.rows))
	for i := range m.rows {
		var key []byte
		for _, f := range m.rows[i].values[:m.keys] {
			key = append(append(key, f.text...), 0)
		}
		if _, taken := m.index[string(key)]; taken {
			return i
		}
		m.index[string(key)] = i
	}
	return -1
}

// pass compares the rows of the run with those of the reference. ambiguous says that two rows of the run have a key.
func (m *match) pass() (c Comparison, ambiguous bool, err error) {
	differ := make(map[int][]Difference)
	m.any = false
	err = m.Rows.Each(func(row []puzzle.Value) error {
		if n := row[0].N.Lo; m.columns[0].Kind == puzzle.Number {
			m.first, m.last = min(n, m.first), max(n, m.last)
			if !m.any {
				m.any, m.first, m.last = true, n, n
			}
		}
		var key []byte
		for i, k := range m.columns[:m.keys] {
			key = append(append(key, k.Kind.Plain(row[i])...), 0)
		}
		i, ok := m.index[string(key)]
		if !ok {
			return nil
		}
		if m.hit[i] {
			ambiguous = true
			return errEnough
		}
		m.hit[i] = true
		var one Comparison
		for k, f := range m.rows[i].values[m.keys:] {
			if f.given {
				k += m.keys
				one.both(m.cell(i, k), f.text, m.columns[k].Kind.Plain(row[k]))
			}
		}
		if m.keysAlone() {
			one.both(m.place(i), "", "") // that there is such a row
		}
		differ[i], one.Differences = one.Differences, nil
		c.Add(one)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	for i := range m.rows {
		c.Differences = append(c.Differences, differ[i]...)
	}
	return c, ambiguous, err
}

// keysAlone reports whether the reference has no columns beside the keys: it says which rows there are.
func (m *match) keysAlone() bool { return !slices.Contains(m.given[m.keys:], true) }

// place names a row by its key, as in "jumps 19".
func (m *match) place(i int) string {
	var parts []string
	if m.Name != "" {
		parts = append(parts, "table "+m.Name)
	}
	for k, f := range m.rows[i].values[:min(m.keys, len(m.columns))] {
		parts = append(parts, m.columns[k].Name+" "+f.text)
	}
	return strings.Join(parts, ", ")
}

func (m *match) cell(i, column int) string { return m.place(i) + ", column " + m.columns[column].Name }

// absent adds the rows that the run lacks.
func (m *match) absent(c *Comparison) {
	zeros := m.zeros()
	for i := range m.rows {
		if m.hit[i] {
			continue
		}
		n := 0
		for k, f := range m.rows[i].values[m.keys:] {
			if !f.given {
				continue
			}
			n++
			if !m.Partial && !zeros[i] {
				c.lacks(m.cell(i, m.keys+k), f.text)
			}
		}
		switch {
		case m.Partial || zeros[i]:
			c.Outside += max(1, n)
		case m.keysAlone():
			c.lacks(m.place(i), "the row")
		}
	}
}

// zeros finds the rows of zeros that go on after the last row of the run, or lead to its first one: a sequence may say
// that there is nothing there. They must follow that row in the file, number by number.
func (m *match) zeros() []bool {
	ok := make([]bool, len(m.rows))
	if m.keys != 1 || !m.any {
		return ok
	}
	number := func(i int) uint64 {
		n, err := strconv.ParseUint(m.rows[i].values[0].text, 10, 63)
		if err != nil {
			return 1 << 63 // no number of a row
		}
		return n
	}
	for i := 1; i < len(m.rows); i++ {
		ok[i] = !m.hit[i] && m.zero(i) && number(i) == number(i-1)+1 &&
			(ok[i-1] || m.hit[i-1] && number(i-1) == m.last)
	}
	for i := len(m.rows) - 2; i >= 0; i-- {
		ok[i] = ok[i] || !m.hit[i] && m.zero(i) && number(i)+1 == number(i+1) &&
			(ok[i+1] || m.hit[i+1] && number(i+1) == m.first)
	}
	return ok
}

// zero reports whether a row has zeros beside its number, and nothing else.
func (m *match) zero(i int) bool {
	n := 0
	for k, f := range m.rows[i].values[1:] {
		if !f.given {
			continue
		}
		n++
		if m.columns[1+k].Kind.Worded() || f.text != "0" {
			return false
		}
	}
	return n > 0
}

// compareSequence compares the values of a b-file with those of some columns, row after row, from an index on.
func compareSequence(rows []referenceRow, o *Target) (c Comparison, err error) {
	var chosen []int
	for name := range strings.SplitSeq(o.Column, ",") {
		i := slices.IndexFunc(o.Rows.Columns, func(c puzzle.Column) bool { return c.Name == name && !c.Kind.Worded() })
		if i < 0 {
			return c, fmt.Errorf("%s: there is no column %.60q of numbers; the table has %s: %w", BFile, name,
				columnNames(o.Rows.Columns), ErrFormat)
		}
		chosen = append(chosen, i)
	}
	have := make(map[string]string, len(rows))
	for _, row := range rows {
		have[row.values[0].text] = row.values[1].text
	}
	at := *o.Offset
	err = o.Rows.Each(func(row []puzzle.Value) error {
		for _, i := range chosen {
			index := strconv.FormatUint(at, 10)
			if text, ok := have[index]; ok {
				place := fmt.Sprintf("index %s (%s %s), column %s", index, o.Rows.Columns[0].Name,
					o.Rows.Columns[0].Kind.Plain(row[0]), o.Rows.Columns[i].Name)
				c.both(place, text, row[i].N.String())
				delete(have, index)
			}
			at++
		}
		return nil
	})
	if err != nil {
		return c, fmt.Errorf("%w: %w", errRows, err)
	}
	longer := len(rows) > 0 && longer(strconv.FormatUint(*o.Offset, 10), rows[0].values[0].text)
	next := strconv.FormatUint(at, 10)
	for _, row := range rows {
		index, text := row.values[0].text, row.values[1].text
		if _, left := have[index]; !left {
			continue
		}
		if goesOn := text == "0" && index == next; longer || o.Partial || goesOn {
			c.Outside++
			if goesOn {
				at++
				next = strconv.FormatUint(at, 10)
			}
			continue
		}
		c.lacks("index "+index, text)
	}
	return c, nil
}
