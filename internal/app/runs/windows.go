package runs

import (
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
)

// WindowsTable is the name of the table that lists the windows.
const WindowsTable = "windows"

// windowsTable lists the committed windows in the order of the plan. Two runs hold the same rows exactly when their
// lists are the same, whichever workers computed them.
func windowsTable(results *plan.Plan, ledger *kv.Ledger) (*puzzle.Table, error) {
	records := make(map[puzzle.WindowID]kv.Record)
	err := ledger.Load(func(e kv.Entry) error {
		rec := e.Record
		rec.Tally = puzzle.Tally{} // of many windows it would fill the memory
		records[rec.ID()] = rec
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := newWindowsTable()
	for n := range results.Layers() {
		for _, c := range results.Cells(n) {
			for part := range c.Windows() {
				if rec, ok := records[puzzle.WindowID{Cell: c.Cell, Part: part}]; ok {
					t.Rows = append(t.Rows, windowRow(&rec))
				}
			}
		}
	}
	return t, nil
}

func newWindowsTable() *puzzle.Table {
	return &puzzle.Table{Name: WindowsTable, Columns: []puzzle.Column{
		{Name: "layer", Kind: puzzle.Number, Doc: "number of the layer"},
		{Name: "cell", Kind: puzzle.Text, Doc: "key of the cell"},
		{Name: "part", Kind: puzzle.Number, Doc: "number of the window in its cell"},
		{Name: "first", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "first address"},
		{Name: "addresses", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "addresses of the window"},
		{Name: "rows", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "stored rows"},
		{Name: "digest", Kind: puzzle.Text, Doc: "hash of the content"},
	}}
}

func windowRow(rec *kv.Record) []puzzle.Value {
	number := func(n uint64) puzzle.Value { return puzzle.Value{N: uint128.From(n)} }
	text := func(s string) puzzle.Value { return puzzle.Value{S: s} }
	return []puzzle.Value{
		number(uint64(rec.Layer)), text(rec.Key), number(uint64(rec.Part)), number(rec.First), number(rec.Addresses),
		number(rec.Rows), text(rec.Digest.String()),
	}
}
