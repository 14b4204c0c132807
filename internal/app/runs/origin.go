package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strconv"

	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
)

// origin returns a file's notes on its source, for a table of the results or the rows of a layer. They are the run with
// all its parameters, the table and the layer, and the digest if all of that is committed. The rows of the layer are
// stored in layer stored of the plan.
func (s *Stored) origin(what Selection, layer *int, stored int) ([]export.Note, error) {
	if what.Format != string(export.Parquet) {
		return nil, nil // no other format has a place for it
	}
	var list []export.Note
	add := func(name, text string) { list = append(list, export.Note{Name: name, Text: text}) }
	id := s.Puzzle.Identity()
	add("run", s.ID)
	add("puzzle", id.Puzzle)
	for _, p := range id.Params {
		add(p.Name, p.Value)
	}
	add("table", what.Table)
	if layer != nil {
		add("layer", strconv.Itoa(*layer))
	}
	if layer == nil && !s.Results.Complete() {
		return list, nil
	}
	if layer != nil {
		layer = &stored
	}
	digest, err := s.digest(layer)
	if err == nil {
		add("digest", digest)
	}
	return list, err
}

// digest is the SHA-256 of the table of windows as CSV: of the whole of it, or of its lines about one layer.
func (s *Stored) digest(layer *int) (string, error) {
	t := newWindowsTable()
	first, end := 0, s.Results.Layers()
	if layer != nil {
		first, end = *layer, *layer+1
	}
	h := sha256.New()
	var w io.Writer = h
	if layer != nil {
		w = &headless{w: h}
	}
	rows := export.Rows{Columns: t.Columns, Each: func(emit func([]puzzle.Value) error) error {
		for n := first; n < end; n++ {
			for _, c := range s.Results.Cells(n) {
				l, err := s.Results.LocateCell(s.ID, c.Cell)
				if err != nil {
					return err
				}
				for i := range l.Windows {
					if err := emit(windowRow(&l.Windows[i].Record)); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}}
	err := export.Write(w, export.CSV, rows, export.Options{})
	return hex.EncodeToString(h.Sum(nil)), err
}

// headless drops the first line of its input.
type headless struct {
	w    io.Writer
	body bool
}

func (h *headless) Write(b []byte) (int, error) {
	n := len(b)
	if !h.body {
		_, rest, found := bytes.Cut(b, []byte("\n"))
		h.body, b = found, rest
	}
	_, err := h.w.Write(b)
	return n, err
}

// rowColumns are the columns of exported rows. A column has one type in all files of a run. Where nothing else bounds a
// count, the tallies of all committed layers tell whether it may need more than a decimal of 38 digits: some tally has
// added up the counts of each row. Otherwise the rows decide.
func rowColumns(exporter puzzle.Exporter, known puzzle.Results) []puzzle.Column {
	columns := slices.Clone(exporter.RowColumns())
	open := func(c puzzle.Column) bool { return c.Kind == puzzle.Count && c.Bits == 0 }
	if !slices.ContainsFunc(columns, open) {
		return columns
	}
	longest := 0
	for n := range known.Layers() {
		t, ok := known.Layer(n)
		if !ok {
			continue
		}
		for _, list := range [][]puzzle.Scalar{t.Sums, t.Maxima} {
			for _, v := range list {
				longest = max(longest, v.Value.Big().BitLen())
			}
		}
	}
	if longest > export.DecimalBits {
		for i := range columns {
			if open(columns[i]) {
				columns[i].Bits = longest
			}
		}
	}
	return columns
}
