package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/app/cli"
	"pagoda/internal/kv"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
)

// Names of tables that every run has, beside those of its puzzle.
const (
	LayersTable = "layers"
	CountsTable = "counts"
	RowsTable   = "rows" // the same: the word for puzzles whose rows are no counts of paths
)

// AllLayers is a Selection.Layer.
const AllLayers = "all"

// A Selection says which part of a run is exported, and how. The fields are the flags of export.
type Selection struct {
	Table  string // name of a table of the results, or one of those above
	Layer  string // of the rows: its number, or AllLayers
	Format string // csv, jsonl, parquet, markdown, bfile or svg
	Column string // of a b-file or picture
	Scale  string // of a picture: auto, linear or log
	Links  string // URL of a page of explore, to which a column links; "" for none
}

// Formats lists every format of an export.
func Formats() []string {
	var list []string
	for _, f := range export.Formats() {
		list = append(list, string(f))
	}
	return append(list, render.SVG)
}

// Rows reports whether stored rows are selected, not a table.
func (s *Selection) Rows() bool { return s.Table == CountsTable || s.Table == RowsTable }

// ReadsFolder reports whether the folder is read for it, beside the results.
func (s *Selection) ReadsFolder() bool {
	return s.Rows() || s.Table == WindowsTable || s.Table == LeavesTable
}

// Check returns an error if the selection alone is wrong.
func (s *Selection) Check() error {
	switch {
	case !slices.Contains(render.Scales(), s.Scale):
		return usage(fmt.Sprintf("--scale: %q is not one of %s", s.Scale, strings.Join(render.Scales(), ", ")),
			"write --scale log")
	case !slices.Contains(Formats(), s.Format):
		return usage(fmt.Sprintf("--format: %q is not csv, jsonl, parquet, markdown, bfile or svg", s.Format),
			"write --format csv")
	case s.Column != "" && s.Format != string(export.BFile) && s.Format != render.SVG:
		return usage("--column is for a b-file or a picture: "+s.Format+" has every column",
			"remove it, or write --format bfile or --format svg")
	case s.Table == LeavesTable && (s.Format != string(export.JSONL) || s.Links != ""):
		return usage("--table leaves is JSON lines, as they enter the hashes of the certificate, and nothing else",
			"write --table leaves --format jsonl, without --links")
	case s.Table == WindowsTable && s.Format == string(export.BFile):
		return usage("--format bfile: windows are not numbered one after the other, as the lines of a b-file are",
			"write --table layers, or another format")
	case s.Links != "" && (s.Format == string(export.BFile) || s.Format == render.SVG):
		return usage("--links adds a column, and "+s.Format+" has one only", "write --format csv, or remove it")
	case !s.Rows() && s.Layer != "":
		return usage("--layer belongs to --table counts", "a table of the results has all layers")
	case s.Rows() && (s.Format == string(export.BFile) || s.Format == render.SVG):
		return usage("--format "+s.Format+" shows one column of a table", "write --table layers, or another format")
	}
	if s.Layer != "" && s.Layer != AllLayers {
		if n, err := strconv.Atoi(s.Layer); err != nil || n < 0 {
			return usage(fmt.Sprintf("--layer: %q is not a layer number or all", s.Layer), "layers are numbered from 0")
		}
	}
	if s.Links == "" {
		return nil
	}
	u, err := url.Parse(s.Links)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(s.Links, "?#") {
		return usage(fmt.Sprintf("--links: %q is not the URL of a page", s.Links),
			"write what coordinator explore prints: --links http://127.0.0.1:8420/")
	}
	return nil
}

// columnLink is the column that --links adds.
const columnLink = "link"

// linked adds the column of links to rows, where it is asked for.
func (s *Stored) linked(rows export.Rows, what Selection) (export.Rows, error) {
	if what.Links == "" {
		return rows, nil
	}
	var link func([]puzzle.Value) (string, error)
	err := errors.New("its rows are not shown on a board")
	if s.Definition.Links != nil {
		link, err = s.Definition.Links(s.Config, rows.Columns)
	}
	if err != nil {
		return rows, usage(fmt.Sprintf("--links: table %s of the run has no links: %v", what.Table, err), "remove it")
	}
	page := strings.TrimRight(what.Links, "/") + "/"
	column := puzzle.Column{Name: columnLink, Kind: puzzle.Text, Doc: "address of the row on the page of explore"}
	return export.Rows{Columns: append(slices.Clip(rows.Columns), column),
		Each: func(emit func([]puzzle.Value) error) error {
			return rows.Each(func(row []puzzle.Value) error {
				to, err := link(row)
				if err != nil {
					return err
				}
				return emit(append(slices.Clip(row), puzzle.Value{S: page + to}))
			})
		}}, nil
}

// Write writes rows in the selected format. title is that of a picture, origin the notes of a Parquet file on itself.
func (s *Selection) Write(w io.Writer, rows export.Rows, title string, origin []export.Note) error {
	if s.Format != render.SVG {
		err := export.Write(w, export.Format(s.Format), rows, export.Options{Column: s.Column, Origin: origin})
		if errors.Is(err, export.ErrFormat) && s.Format == string(export.BFile) {
			err = cli.Hint(&cli.UsageError{Err: err}, "write --column with one of them, or another --format")
		}
		return err
	}
	if s.Column != "" {
		title += ": " + s.Column
	}
	return render.Column(w, rows, s.Column, title, render.Scale(s.Scale))
}

// WriteTable writes a table of the results, or the leaves.
func (s *Stored) WriteTable(w io.Writer, what Selection) error {
	if what.Table == LeavesTable {
		return s.writeLeaves(w)
	}
	t, err := s.Table(what.Table)
	if err != nil {
		return err
	}
	origin, err := s.origin(what, nil, 0)
	if err != nil {
		return err
	}
	rows, err := s.linked(export.FromTable(t), what)
	if err != nil {
		return err
	}
	return what.Write(w, rows, s.Config.Text("name"), origin)
}

// Table returns the table of the results of that name.
func (s *Stored) Table(name string) (*puzzle.Table, error) {
	if name == WindowsTable {
		return windowsTable(s.Results, s.Folder.Ledger)
	}
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		return nil, err
	}
	names := []string{CountsTable, RowsTable, WindowsTable}
	for i := range sum.Tables {
		if sum.Tables[i].Name == name {
			return &sum.Tables[i], nil
		}
		names = append(names, sum.Tables[i].Name)
	}
	return nil, usage(fmt.Sprintf("--table: the run has no table %q", name), "it has "+strings.Join(names, ", "))
}

// Layers returns the exporter that makes rows of blocks, and the layers of rows that are selected: complete ones only,
// and of all layers those with rows.
func (s *Stored) Layers(what Selection) (puzzle.Exporter, []int, error) {
	exporter, ok := s.Puzzle.(puzzle.Exporter)
	if !ok {
		return nil, nil, usage(fmt.Sprintf("puzzle %s stores no rows that could be shown", s.Definition.Name),
			"try --table layers")
	}
	progress := s.rowLayers(exporter)
	if what.Layer == "" && len(progress) != 1 {
		return nil, nil, usage("--table "+what.Table+" needs a layer",
			"write --layer 19, or --layer all with --out counts-{layer}.csv")
	}
	if what.Layer == AllLayers {
		var layers []int
		for _, p := range progress {
			if p.Done < p.Windows {
				return nil, nil, Incomplete(p)
			}
			if p.Rows > 0 {
				layers = append(layers, p.Layer)
			}
		}
		return exporter, layers, nil
	}
	if len(progress) == 0 {
		return nil, nil, usage("the run has no rows to show", "try --table layers")
	}
	n, err := strconv.Atoi(cmp.Or(what.Layer, "0"))
	if err != nil || n >= len(progress) {
		return nil, nil, usage(fmt.Sprintf("--layer: there is no layer %s", what.Layer),
			fmt.Sprintf("the run has layers 0 to %d", len(progress)-1))
	}
	if p := progress[n]; p.Done < p.Windows {
		return nil, nil, Incomplete(p)
	}
	return exporter, []int{n}, nil
}

// rowLayers returns the progress of the layers that exported rows have. They may differ from the plan's.
func (s *Stored) rowLayers(exporter puzzle.Exporter) []plan.Progress {
	planned := s.Results.Progress()
	r, ok := exporter.(puzzle.Regrouper)
	if !ok {
		return planned
	}
	list := make([]plan.Progress, r.RowLayers())
	for n := range list {
		list[n] = plan.Progress{Layer: n, Windows: 1} // of a layer that is not planned yet
		if k := r.RowLayer(n); k < len(planned) {
			list[n] = planned[k]
			list[n].Layer = n
		}
	}
	return list
}

// StoredRows counts the stored rows that a layer is made from, as people count layers: no more are exported. It returns
// 0 for a missing layer.
func (s *Stored) StoredRows(layer int) uint64 {
	exporter, ok := s.Puzzle.(puzzle.Exporter)
	if !ok {
		return 0
	}
	if list := s.rowLayers(exporter); 0 <= layer && layer < len(list) {
		return list[layer].Rows
	}
	return 0
}

// WriteLayer writes the rows of a layer, sorted, and says how many there are: a layer whose rows serve the computation
// alone has none to show. count, when not nil, is told before the first byte is written. Rows that do not fit in
// memory, in bytes, are sorted in files in tmp.
func (s *Stored) WriteLayer(
	ctx context.Context, w io.Writer, exporter puzzle.Exporter, layer int, what Selection, tmp string, memory int,
	count func(uint64),
) (n uint64, err error) {
	stored := layer
	if r, ok := exporter.(puzzle.Regrouper); ok {
		stored = r.RowLayer(layer)
	}
	if _, err := s.linked(export.Rows{Columns: exporter.RowColumns()}, what); err != nil {
		return 0, err // before the rows are sorted
	}
	origin, err := s.origin(what, &layer, stored)
	if err != nil {
		return 0, err
	}
	sorter, n, err := s.layerRows(ctx, exporter, layer, tmp, memory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	if err != nil {
		return 0, err
	}
	rows, err := s.linked(sorter.Rows(), what)
	if err != nil {
		return n, err
	}
	if count != nil {
		count(n)
	}
	return n, what.Write(w, rows, "", origin)
}

// layerRows sorts the rows of a layer, and says how many there are. The sorter must be closed, also after an error.
func (s *Stored) layerRows(
	ctx context.Context, exporter puzzle.Exporter, layer int, tmp string, memory int,
) (sorter *export.Sorter, n uint64, err error) {
	stored, column := layer, -1
	if r, ok := exporter.(puzzle.Regrouper); ok {
		stored, column = r.RowLayer(layer), r.RowLayerColumn()
	}
	sorter = export.NewSorter(rowColumns(exporter, s.Results), tmp, memory)
	rows := s.Rows()
	own := uint128.From(uint64(layer))
	add := func(row []puzzle.Value) error {
		if column >= 0 && row[column].N != own {
			return nil
		}
		n++
		return sorter.Add(row)
	}
	for _, c := range s.Results.Cells(stored) {
		err := scan(ctx, rows, c.Cell, func(b *puzzle.Block) error {
			return exporter.ExportRows(c.Cell, b, add)
		})
		if err != nil {
			return sorter, 0, notKept(err, layer)
		}
	}
	return sorter, n, nil
}

// scan passes the rows of a cell to fn, in address order.
func scan(ctx context.Context, rows puzzle.Source, c puzzle.Cell, fn func(*puzzle.Block) error) error {
	windows, err := rows.Windows(c)
	if err != nil {
		return err
	}
	for _, w := range windows {
		if err := rows.Blocks(ctx, w, w.First, w.Addresses, fn); err != nil {
			return err
		}
	}
	return nil
}

// notKept adds advice to the error of reading rows.
func notKept(err error, layer int) error {
	switch {
	case errors.Is(err, kv.ErrCorrupt):
		return cli.Hint(err, "verify the run: it marks what is damaged, and running the config again computes it anew")
	case errors.Is(err, puzzle.ErrMissing):
		return cli.Hint(fmt.Errorf("layer %d: %w", layer, err),
			"rows that worker processes computed are with them: export --url asks the coordinator while it runs or lingers;"+
				" otherwise run the config with retention=all in a new folder")
	}
	return fmt.Errorf("layer %d: %w", layer, err)
}

// usage makes a usage error.
func usage(text, hint string) error {
	return cli.Hint(&cli.UsageError{Err: errors.New(text)}, hint)
}
