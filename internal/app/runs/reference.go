package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
)

// An Expected names the subject of a reference. The fields are the flags of verify.
type Expected struct {
	Table  string  // of the run; "" is the one that has the columns of the reference
	Layer  string  // of the rows: its number
	Column string  // of a b-file: a column, several with commas between them, or the name of a fact
	Offset *uint64 // of a b-file, see export.Target
}

// Check returns an error if the flags alone are wrong.
func (e *Expected) Check() error {
	what := Selection{Table: e.Table, Layer: e.Layer, Format: string(export.CSV), Scale: "auto"}
	if e.Layer == AllLayers {
		return usage("--layer: a reference is about one layer", "write --layer 7")
	}
	return what.Check()
}

// Compare compares the run with a reference. The error wraps export.ErrReference when they have nothing in common. The
// rows of a layer are sorted in files in tmp when they take more than memory bytes.
func (s *Stored) Compare(
	ctx context.Context, r *export.Reference, e *Expected, tmp string, memory int,
) (c export.Comparison, err error) {
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		return c, err
	}
	target := export.Target{Partial: !s.Results.Complete(), Column: e.Column, Offset: e.Offset}
	rows := Selection{Table: e.Table}
	if names := r.Tables(); !r.Sequence && !slices.Contains(names, "") {
		c, err = compareDocument(r, &sum, e.Table, target)
	} else if name, fact := numeric(sum.Facts, e.Column); r.Sequence && fact != nil && e.Table == "" &&
		!slices.ContainsFunc(sum.Tables, func(t puzzle.Table) bool { return hasColumns(t.Columns, name) }) {
		if e.Offset == nil {
			return c, usage(fmt.Sprintf("--column %s is one number of the run, and one value of a b-file", name),
				"write --offset with the index of that value")
		}
		c = r.CompareFact(name, *fact, *e.Offset)
	} else if rows.Table, err = s.expectedTable(r, &sum, e); err != nil {
		return c, err
	} else if rows.Rows() {
		c, err = s.compareRows(ctx, r, Selection{Table: rows.Table, Layer: e.Layer}, target, tmp, memory)
	} else {
		var t *puzzle.Table
		if t, err = s.Table(rows.Table); err != nil {
			return c, err
		}
		if target.Rows, err = s.asLinked(export.FromTable(t), rows.Table, r); err == nil {
			c, err = r.Compare("", target)
		}
	}
	if err == nil && c.Common == 0 {
		err = fmt.Errorf("%w: nothing of it is in the run, so that there is nothing to compare", export.ErrReference)
	}
	return c, err
}

// numeric finds a fact that is a number.
func numeric(facts []puzzle.Fact, name string) (string, *puzzle.Value) {
	var found *puzzle.Value
	puzzle.Scalars(facts, func(own string, kind puzzle.Kind, v puzzle.Value) {
		if own == name && !kind.Worded() {
			found = &v
		}
	})
	return name, found
}

// compareDocument compares the facts of a document, and of its tables those that the run has, or one.
func compareDocument(
	r *export.Reference, sum *puzzle.Summary, only string, target export.Target,
) (c export.Comparison, err error) {
	if only != "" && !slices.Contains(r.Tables(), only) {
		return c, fmt.Errorf("%w: it has no table %q", export.ErrReference, only)
	}
	for i := range sum.Tables {
		t := &sum.Tables[i]
		if !slices.Contains(r.Tables(), t.Name) || only != "" && only != t.Name {
			continue
		}
		target.Rows, target.Name = export.FromTable(t), t.Name
		if t.Name == LayersTable {
			target.Name = ""
		}
		part, err := r.Compare(t.Name, target)
		if err != nil {
			return c, err
		}
		c.Add(part)
	}
	if !target.Partial { // facts of a run that is not complete are those of its first layers
		c.Add(r.CompareFacts(sum.Facts))
	}
	return c, nil
}

// expectedTable is the name of the table that a reference is about: the one that is named, or that has its columns.
func (s *Stored) expectedTable(r *export.Reference, sum *puzzle.Summary, e *Expected) (string, error) {
	if e.Table != "" {
		return e.Table, nil
	}
	columns := slices.DeleteFunc(slices.Clone(r.Columns("")), func(name string) bool { return name == columnLink })
	if r.Sequence {
		columns = strings.Split(e.Column, ",")
		if e.Column == "" {
			columns = nil // of every table: which is wanted is said by the error about the column
		}
	}
	tables := append(slices.Clone(sum.Tables), *newWindowsTable())
	exporter, stores := s.Puzzle.(puzzle.Exporter)
	if stores {
		tables = append(tables, puzzle.Table{Name: RowsTable, Columns: exporter.RowColumns()})
	}
	var fit, has []string
	for i := range tables {
		t := &tables[i]
		var names []string
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
		has = append(has, fmt.Sprintf("%s (%s)", t.Name, strings.Join(names, ", ")))
		if hasColumns(t.Columns, columns...) {
			fit = append(fit, t.Name)
		}
	}
	switch {
	case e.Layer != "" && slices.Contains(fit, RowsTable):
		return RowsTable, nil
	case slices.Contains(fit, LayersTable) || len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return "", usage(fmt.Sprintf("the reference may be of the tables %s", strings.Join(fit, ", ")),
			"name one with --table")
	}
	err := fmt.Errorf("%w: no table of the run has the columns %s", export.ErrReference, strings.Join(columns, ", "))
	return "", cli.Hint(&cli.UsageError{Err: err}, "the run has "+strings.Join(has, ", "))
}

func hasColumns(columns []puzzle.Column, names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(columns, func(c puzzle.Column) bool { return c.Name == name }) {
			return false
		}
	}
	return true
}

// compareRows compares the rows of a layer.
func (s *Stored) compareRows(
	ctx context.Context, r *export.Reference, what Selection, target export.Target, tmp string, memory int,
) (c export.Comparison, err error) {
	exporter, layers, err := s.Layers(what)
	if err != nil {
		return c, err
	}
	sorter, _, err := s.layerRows(ctx, exporter, layers[0], tmp, memory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	if err != nil {
		return c, err
	}
	target.Partial = false
	if target.Rows, err = s.asLinked(sorter.Rows(), what.Table, r); err != nil {
		return c, err
	}
	return r.Compare("", target)
}

// asLinked adds the column of links to rows where a reference has it, with the page that its first link is of.
func (s *Stored) asLinked(rows export.Rows, table string, r *export.Reference) (export.Rows, error) {
	if !slices.Contains(r.Columns(""), columnLink) {
		return rows, nil
	}
	page, _, ok := strings.Cut(r.First("", columnLink), "#")
	if !ok {
		return rows, fmt.Errorf("%w: its first link is no address of a row on a page", export.ErrReference)
	}
	return s.linked(rows, Selection{Table: table, Links: page})
}
