package render

import (
	"fmt"
	"io"

	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
)

// maxBars bounds the rows of a table that is drawn.
const maxBars = 4096

// Scale says which vertical axis a chart has.
type Scale string

// The scales.
const (
	Auto   Scale = "auto" // logarithmic when the positive values span more than two decades
	Linear Scale = "linear"
	Log    Scale = "log"
)

// Scales lists every scale.
func Scales() []string { return []string{string(Auto), string(Linear), string(Log)} }

// Column draws one column of a table over its first, which must be small numbers: a bar for each row, whose exact value
// is its tooltip. Without a column it is the first of exact counts. Errors wrap export.ErrFormat.
func Column(w io.Writer, rows export.Rows, column, title string, scale Scale) error {
	col, err := export.Chosen("svg", rows.Columns, column)
	if err != nil {
		return err
	}
	x, y := rows.Columns[0].Name, rows.Columns[col].Name
	chart := &figure.Chart{X: x, Y: y, Linear: scale == Linear, Logarithmic: scale == Log}
	var points []figure.Point
	err = rows.Each(func(row []puzzle.Value) error {
		if len(points) == maxBars {
			return fmt.Errorf("svg: more than %d rows: %w", maxBars, export.ErrFormat)
		}
		n := row[col].N
		points = append(points, figure.Point{X: float64(row[0].N.Lo), Y: float64(n.Hi)*0x1p64 + float64(n.Lo),
			Exact: n.String()})
		return nil
	})
	if err != nil {
		return err
	}
	chart.Series = []figure.Series{{Name: y, Points: points}}
	if title == "" {
		title = y + " by " + x
	}
	_, err = w.Write(Picture(title, []figure.Figure{{Name: y, Title: title, Chart: chart}}))
	return err
}
