package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/status"
)

// Columns of every table of a batch, before those of the keys and the totals.
const (
	memberColumn = "member"
	runColumn    = "run"
)

// MembersTable is the name of the table of results.
const MembersTable = "members"

// Table joins the results of the complete members. MembersTable has a row for each, with the keys of the matrix and the
// totals of its run. Any other table has the rows of the tables of that name. waiting is how many members are not
// complete.
func (b *Batch) Table(ctx context.Context, name string) (t *puzzle.Table, waiting int, err error) {
	standings, err := b.Standings(ctx)
	if err != nil {
		return nil, 0, err
	}
	x := joined{batch: b}
	rows := appended{batch: b, name: name}
	for i, m := range b.Members {
		if standings[i].State != status.StateComplete {
			waiting++
			continue
		}
		sum, err := b.results(ctx, m)
		if err != nil {
			return nil, 0, err
		}
		if name == MembersTable {
			x.add(m, sum)
		} else if err := rows.add(m, sum); err != nil {
			return nil, 0, err
		}
	}
	if name == MembersTable {
		return x.table(), waiting, nil
	}
	return rows.table(), waiting, nil
}

// Unfinished lists the members that are not complete, with the keys of the matrix.
func (b *Batch) Unfinished(ctx context.Context) (*puzzle.Table, error) {
	standings, err := b.Standings(ctx)
	if err != nil {
		return nil, err
	}
	t := &puzzle.Table{Name: "unfinished", Columns: b.heads()}
	t.Columns = append(t.Columns,
		puzzle.Column{Name: "state", Kind: puzzle.Text},
		puzzle.Column{Name: "done", Kind: puzzle.Number, Doc: "windows that are computed"},
		puzzle.Column{Name: "windows", Kind: puzzle.Number, Doc: "windows that are planned so far"},
		puzzle.Column{Name: "error", Kind: puzzle.Text})
	for i, m := range b.Members {
		if s := &standings[i]; s.State != status.StateComplete {
			t.Rows = append(t.Rows, append(m.head(), puzzle.Value{S: s.State}, puzzle.Value{N: uint128.From(uint64(s.Done))},
				puzzle.Value{N: uint128.From(uint64(s.Windows))}, puzzle.Value{S: s.Error}))
		}
	}
	return t, nil
}

// heads are the columns of every table of the members: their names, runs and keys.
func (b *Batch) heads() (list []puzzle.Column) {
	for _, name := range append([]string{memberColumn, runColumn}, b.Keys...) {
		list = append(list, puzzle.Column{Name: name, Kind: puzzle.Text})
	}
	return list
}

// head begins a row of a member, with the values of these columns.
func (m *Member) head() []puzzle.Value {
	row := []puzzle.Value{{S: m.Name}, {S: m.ID}}
	for _, v := range m.Values {
		row = append(row, puzzle.Value{S: v})
	}
	return row
}

// results reads the results of a complete member.
func (b *Batch) results(ctx context.Context, m *Member) (*puzzle.Summary, error) {
	s, err := b.loader.Results(ctx, m.Dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		return nil, cli.Hint(fmt.Errorf("member %s: %w", m.Name, err), "verify the run: it says what is damaged")
	}
	return &sum, nil
}

// joined are the totals of members, whose questions may differ.
type joined struct {
	batch   *Batch
	members []*Member
	columns []puzzle.Column
	totals  []map[string]puzzle.Value // of each member, by the names of the columns
}

// add takes the totals of a member over: facts that are lists or have parts are not totals.
func (x *joined) add(m *Member, sum *puzzle.Summary) {
	totals := make(map[string]puzzle.Value)
	for i := range sum.Facts {
		f := &sum.Facts[i]
		if !f.Scalar() || slices.Contains(x.batch.Keys, f.Name) || f.Name == memberColumn || f.Name == runColumn {
			continue
		}
		totals[f.Name] = f.Value
		k := slices.IndexFunc(x.columns, func(c puzzle.Column) bool { return c.Name == f.Name })
		switch {
		case k < 0:
			x.columns = append(x.columns, f.Column)
			k = len(x.columns) - 1
			if len(x.members) > 0 {
				x.words(k) // the members before lack it
			}
		case x.columns[k].Kind != f.Kind:
			x.words(k)
		}
		if x.columns[k].Kind == puzzle.Text {
			totals[f.Name] = puzzle.Value{S: f.Kind.Plain(f.Value)}
		}
	}
	for k, c := range x.columns {
		if _, has := totals[c.Name]; !has {
			x.words(k)
		}
	}
	x.members, x.totals = append(x.members, m), append(x.totals, totals)
}

// words makes a column one of texts, in which a total that a member does not have is empty: it is not 0.
func (x *joined) words(k int) {
	c := &x.columns[k]
	if c.Kind == puzzle.Text {
		return
	}
	for _, t := range x.totals {
		if v, has := t[c.Name]; has {
			t[c.Name] = puzzle.Value{S: c.Kind.Plain(v)}
		}
	}
	c.Kind, c.Bits = puzzle.Text, 0
}

func (x *joined) table() *puzzle.Table {
	t := &puzzle.Table{Name: MembersTable, Columns: append(x.batch.heads(), x.columns...)}
	for i, m := range x.members {
		row := m.head()
		for _, c := range x.columns {
			row = append(row, x.totals[i][c.Name])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// appended are the tables of one name of several members, one below the other.
type appended struct {
	batch   *Batch
	name    string
	columns []puzzle.Column // of the tables
	rows    [][]puzzle.Value
}

// add takes over the rows of a member, whose columns must be those of the others.
func (x *appended) add(m *Member, sum *puzzle.Summary) error {
	names := []string{MembersTable}
	var t *puzzle.Table
	for i := range sum.Tables {
		if names = append(names, sum.Tables[i].Name); sum.Tables[i].Name == x.name {
			t = &sum.Tables[i]
		}
	}
	if t == nil {
		return cli.Hint(&cli.UsageError{Err: fmt.Errorf("--table: member %s has no table %q", m.Name, x.name)},
			"there are "+strings.Join(names, ", "))
	}
	if x.columns == nil {
		x.columns = slices.Clone(t.Columns)
	}
	for i := range x.columns {
		if len(t.Columns) != len(x.columns) || t.Columns[i].Name != x.columns[i].Name ||
			t.Columns[i].Kind != x.columns[i].Kind {
			return cli.Hint(&cli.UsageError{Err: fmt.Errorf("--table: table %s of member %s has other columns than those of "+
				"the members before", x.name, m.Name)}, "export the members one by one")
		}
		if t.Columns[i].Bits != x.columns[i].Bits {
			x.columns[i].Bits = 0
		}
	}
	for _, row := range t.Rows {
		x.rows = append(x.rows, append(x.head(m), row...))
	}
	return nil
}

// keys are the keys of the matrix that are no columns of the tables.
func (x *appended) keys() (list []int) {
	for i, key := range x.batch.Keys {
		if !slices.ContainsFunc(x.columns, func(c puzzle.Column) bool { return c.Name == key }) {
			list = append(list, i)
		}
	}
	return list
}

// head begins a row of a member.
func (x *appended) head(m *Member) []puzzle.Value {
	row := []puzzle.Value{{S: m.Name}, {S: m.ID}}
	for _, i := range x.keys() {
		row = append(row, puzzle.Value{S: m.Values[i]})
	}
	return row
}

func (x *appended) table() *puzzle.Table {
	t := &puzzle.Table{Name: x.name, Rows: x.rows}
	for _, name := range []string{memberColumn, runColumn} {
		t.Columns = append(t.Columns, puzzle.Column{Name: name, Kind: puzzle.Text})
	}
	for _, i := range x.keys() {
		t.Columns = append(t.Columns, puzzle.Column{Name: x.batch.Keys[i], Kind: puzzle.Text})
	}
	t.Columns = append(t.Columns, x.columns...)
	return t
}

// Origin is the origin of a table, for formats that have a place for it.
func (b *Batch) Origin(table string) []export.Note {
	return []export.Note{{Name: "batch", Text: b.Name}, {Name: "table", Text: table}}
}
