package batch

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/status"
)

// Columns of every table of a batch, before those of the keys and the totals.
const (
	memberColumn = "member"
	runColumn    = "run"
)

// MembersTable is the name of the table of results.
const MembersTable = "members"

// Table is the table of results: a row for each complete member, with the keys of the matrix and the totals of its run.
// waiting is how many members have none yet.
func (b *Batch) Table(ctx context.Context) (t *puzzle.Table, waiting int, err error) {
	standings, err := b.Standings(ctx)
	if err != nil {
		return nil, 0, err
	}
	x := joined{batch: b}
	for i, m := range b.Members {
		if standings[i].State != status.StateComplete {
			waiting++
			continue
		}
		sum, err := b.results(ctx, m)
		if err != nil {
			return nil, 0, err
		}
		x.add(m, sum)
	}
	return x.table(), waiting, nil
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
	t := &puzzle.Table{Name: MembersTable}
	for _, name := range append([]string{memberColumn, runColumn}, x.batch.Keys...) {
		t.Columns = append(t.Columns, puzzle.Column{Name: name, Kind: puzzle.Text})
	}
	t.Columns = append(t.Columns, x.columns...)
	for i, m := range x.members {
		row := []puzzle.Value{{S: m.Name}, {S: m.ID}}
		for _, v := range m.Values {
			row = append(row, puzzle.Value{S: v})
		}
		for _, c := range x.columns {
			row = append(row, x.totals[i][c.Name])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Origin is the origin of the table of results, for formats that have a place for it.
func (b *Batch) Origin() []export.Note {
	return []export.Note{{Name: "batch", Text: b.Name}, {Name: "table", Text: MembersTable}}
}
