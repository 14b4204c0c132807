package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

const (
	// rowGroupRows bounds the rows that the writer holds in memory; readers work on row groups in parallel.
	rowGroupRows = 1 << 17
	batchRows    = 1 << 10
)

// maxDecimal is 10^38 - 1, the largest value of DECIMAL(38,0), the widest decimal of DuckDB, Arrow and Spark.
var maxDecimal = func() uint128.Uint128 {
	v, err := uint128.Parse("99999999999999999999999999999999999999")
	if err != nil {
		panic(err)
	}
	return v
}()

// writeParquet writes a Number as INT64, a Text as UTF8, and a Count as DECIMAL(38,0) in 16 bytes, or as UTF8 where one
// of its values has 39 digits. To know that beforehand it reads the rows twice.
func writeParquet(w io.Writer, rows Rows) error {
	wide, err := wideColumns(rows)
	if err != nil {
		return err
	}
	schema, err := parquetSchema(rows.Columns, wide)
	if err != nil {
		return err
	}
	// CreatedBy is fixed: the default tells the build, and the same rows must give the same bytes.
	out := parquet.NewGenericWriter[any](w, schema, parquet.CreatedBy("pagoda", "1", ""),
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowGroupRows))
	b := batch{rows: make([]parquet.Row, 0, batchRows)}
	err = rows.Each(func(row []puzzle.Value) error {
		b.add(rows.Columns, wide, row)
		if len(b.rows) < batchRows {
			return nil
		}
		return b.flush(out)
	})
	if err == nil {
		err = b.flush(out)
	}
	if err != nil {
		return err
	}
	return out.Close()
}

var errEnough = errors.New("all columns are known")

// wideColumns finds the columns of counts that do not fit DECIMAL(38,0).
func wideColumns(rows Rows) ([]bool, error) {
	wide := make([]bool, len(rows.Columns))
	open := 0
	for _, c := range rows.Columns {
		if c.Kind == puzzle.Count {
			open++
		}
	}
	err := rows.Each(func(row []puzzle.Value) error {
		for i, c := range rows.Columns {
			if c.Kind == puzzle.Count && !wide[i] && row[i].N.Cmp(maxDecimal) > 0 {
				wide[i] = true
				open--
			}
		}
		if open == 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return wide, err
}

func parquetSchema(columns []puzzle.Column, wide []bool) (*parquet.Schema, error) {
	group := ordered{Group: parquet.Group{}}
	for i, c := range columns {
		if _, twice := group.Group[c.Name]; twice {
			return nil, fmt.Errorf("parquet: two columns are named %s: %w", c.Name, ErrFormat)
		}
		var node parquet.Node
		switch {
		case c.Kind == puzzle.Number:
			node = parquet.Int(64)
		case c.Kind == puzzle.Count && !wide[i]:
			node = parquet.Decimal(0, 38, parquet.FixedLenByteArrayType(16))
		default:
			node = parquet.String()
		}
		group.Group[c.Name] = node
		group.order = append(group.order, c.Name)
	}
	return parquet.NewSchema("row", group), nil
}

// ordered is a group whose fields stay in the order of the table; parquet.Group sorts them by name.
type ordered struct {
	parquet.Group
	order []string
}

func (g ordered) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(g.order, a.Name()) - slices.Index(g.order, b.Name())
	})
	return fields
}

// batch collects rows for the writer, with the bytes of their values.
type batch struct {
	rows  []parquet.Row
	bytes []byte
}

func (b *batch) add(columns []puzzle.Column, wide []bool, row []puzzle.Value) {
	n := len(b.rows)
	if n < cap(b.rows) {
		b.rows = b.rows[:n+1]
	}
	out := b.rows[n][:0]
	for i, c := range columns {
		var v parquet.Value
		from := len(b.bytes)
		switch {
		case c.Kind == puzzle.Number:
			v = parquet.Int64Value(int64(row[i].N.Lo)) // at most 2^53-1: checked
		case c.Kind == puzzle.Text:
			b.bytes = append(b.bytes, row[i].S...)
			v = parquet.ByteArrayValue(b.bytes[from:])
		case wide[i]:
			b.bytes = row[i].N.AppendText10(b.bytes)
			v = parquet.ByteArrayValue(b.bytes[from:])
		default:
			b.bytes = binary.BigEndian.AppendUint64(b.bytes, row[i].N.Hi)
			b.bytes = binary.BigEndian.AppendUint64(b.bytes, row[i].N.Lo)
			v = parquet.FixedLenByteArrayValue(b.bytes[from:])
		}
		out = append(out, v.Level(0, 0, i))
	}
	b.rows[n] = out
}

func (b *batch) flush(w *parquet.GenericWriter[any]) error {
	_, err := w.WriteRows(b.rows)
	b.rows, b.bytes = b.rows[:0], b.bytes[:0]
	return err
}
