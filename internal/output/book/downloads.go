package book

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"

	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/quantity"
)

// mostCharts bounds the charts of a page, mostBars the rows of a table that is drawn on it.
const (
	mostCharts = 3
	mostBars   = 64
)

// downloads are the files beside a page, and those of them that it shows as well.
type downloads struct {
	folder string
	files  []File
	list   []download
	charts map[string][]template.HTML // by the names of their tables
	boards []template.HTML
}

// A download is a line of the list of files.
type download struct{ File, About, Size string }

func (d *downloads) add(name, about string, data []byte) {
	d.files = append(d.files, File{d.folder + "/" + name, data})
	d.list = append(d.list, download{name, about, quantity.Bytes(uint64(len(data)))})
}

// downloads makes the files beside the page of a record.
func (r *Record) downloads() (*downloads, error) {
	d := &downloads{folder: r.Folder(), charts: map[string][]template.HTML{}}
	record, err := r.Encode()
	if err != nil {
		return nil, err
	}
	certificate, err := r.Certificate.Encode()
	if err != nil {
		return nil, err
	}
	d.add("record.json", "all that this page shows; coordinator publish --record makes the page from it", record)
	d.add("certificate.json", "the certificate of the run", certificate)
	d.add("config.yaml", "the settings that define the run", []byte(r.Config))
	for i := range r.Boards {
		f := r.Boards[i].figure()
		svg := render.Picture(f.Title, []figure.Figure{f})
		d.boards = append(d.boards, template.HTML(svg)) //nolint:gosec // render escapes texts
		d.add("board-"+f.Name+".svg", f.Title+", drawn", svg)
	}
	for i := range r.summary.Tables {
		if err := d.table(&r.summary.Tables[i]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// table adds a table in several formats, and draws columns of the first one that can be drawn.
func (d *downloads) table(t *puzzle.Table) error {
	for _, f := range []struct {
		format export.Format
		about  string
	}{{export.CSV, "table %s"}, {export.JSONL, "table %s, an object on each line"}} {
		b, err := written(f.format, t, "")
		if err != nil {
			return err
		}
		d.add(t.Name+"."+string(f.format), fmt.Sprintf(f.about, t.Name), b)
	}
	draw := len(d.charts) == 0 && ascends(t) && len(t.Rows) <= mostBars
	for _, c := range t.Columns {
		if c.Kind != puzzle.Count || len(t.Rows) < 2 {
			continue
		}
		name, about := t.Name+"-"+c.Name, c.Name+" by "+t.Columns[0].Name
		b, err := written(export.BFile, t, c.Name)
		if err == nil {
			d.add(name+".b.txt", about+", as an OEIS b-file", b)
		} else if !errors.Is(err, export.ErrFormat) { // such a table is not numbered from row to row
			return err
		}
		if draw && len(d.charts[t.Name]) < mostCharts {
			var svg bytes.Buffer
			if err := render.Column(&svg, export.FromTable(t), c.Name, about, render.Auto); err != nil {
				return err
			}
			d.charts[t.Name] = append(d.charts[t.Name], template.HTML(svg.String())) //nolint:gosec // render escapes texts
			d.add(name+".svg", about+", drawn", svg.Bytes())
		}
	}
	return nil
}

// ascends reports whether the first column of a table is small numbers in ascending order.
func ascends(t *puzzle.Table) bool {
	for n := 1; n < len(t.Rows); n++ {
		if t.Rows[n][0].N.Cmp(t.Rows[n-1][0].N) <= 0 {
			return false
		}
	}
	return t.Columns[0].Kind == puzzle.Number
}

// written is a table in a format.
func written(format export.Format, t *puzzle.Table, column string) ([]byte, error) {
	var b bytes.Buffer
	err := export.Write(&b, format, export.FromTable(t), export.Options{Column: column})
	return b.Bytes(), err
}
