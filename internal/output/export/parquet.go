package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"pagoda/internal/output/build"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
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

// A form is how a column of a Parquet file holds its values.
type form int

const (
	asInteger form = iota // INT64
	asDecimal             // DECIMAL(38,0) in 16 bytes
	asText                // UTF8
	asDouble              // DOUBLE
)

// notePrefix begins the names of the notes of a file about itself: programs that rewrite a file add their own notes.
const notePrefix = "pagoda."

const (
	// DecimalBits is the greatest length at which every count fits DECIMAL(38,0), in bits.
	DecimalBits = 126
	integerBits = 63
)

// writeParquet writes a Number as INT64, a Text as UTF8, a Double as DOUBLE, and a Count as its bits tell. A Count of
// any length is DECIMAL(38,0), or UTF8 where one of its values has 39 digits; to know that it reads the rows twice.
func writeParquet(w io.Writer, rows Rows, origin []Note) error {
	forms, err := formsOf(rows)
	if err != nil {
		return err
	}
	schema, err := parquetSchema(rows.Columns, forms)
	if err != nil {
		return err
	}
	version := build.Read()
	options := []parquet.WriterOption{schema, createdBy(version),
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowGroupRows)}
	for _, n := range append([]Note{{"version", version.Version}}, origin...) {
		options = append(options, parquet.KeyValueMetadata(notePrefix+n.Name, n.Text))
	}
	out := parquet.NewGenericWriter[any](w, options...)
	b := batch{rows: make([]parquet.Row, 0, batchRows)}
	err = rows.Each(func(row []puzzle.Value) error {
		if err := b.add(rows.Columns, forms, row); err != nil {
			return err
		}
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

// createdBy names the program in the form that the format prescribes, in which parentheses are not for versions.
func createdBy(b build.Info) parquet.WriterOption {
	return parquet.CreatedBy("pagoda", strings.Trim(b.Version, "()"), b.Revision)
}

var errEnough = errors.New("all columns are known")

// formsOf decides how each column is written.
func formsOf(rows Rows) ([]form, error) {
	forms := make([]form, len(rows.Columns))
	open := 0
	for i, c := range rows.Columns {
		switch {
		case c.Kind == puzzle.Text, c.Kind == puzzle.Count && c.Bits > DecimalBits:
			forms[i] = asText
		case c.Kind == puzzle.Double:
			forms[i] = asDouble
		case c.Kind == puzzle.Count && (c.Bits == 0 || c.Bits > integerBits):
			forms[i] = asDecimal
		}
		if unknown(c) {
			open++
		}
	}
	err := rows.Each(func(row []puzzle.Value) error {
		for i, c := range rows.Columns {
			if unknown(c) && forms[i] == asDecimal && row[i].N.Cmp(maxDecimal) > 0 {
				forms[i] = asText
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
	return forms, err
}

// unknown reports whether only its values tell how a column is written.
func unknown(c puzzle.Column) bool { return c.Kind == puzzle.Count && c.Bits == 0 }

func parquetSchema(columns []puzzle.Column, forms []form) (*parquet.Schema, error) {
	group := ordered{Group: parquet.Group{}}
	for i, c := range columns {
		if _, twice := group.Group[c.Name]; twice {
			return nil, fmt.Errorf("parquet: two columns are named %s: %w", c.Name, ErrFormat)
		}
		var node parquet.Node
		switch forms[i] {
		case asInteger:
			node = parquet.Int(64)
		case asDecimal:
			node = parquet.Decimal(0, 38, parquet.FixedLenByteArrayType(16))
		case asDouble:
			node = parquet.Leaf(parquet.DoubleType)
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

func (b *batch) add(columns []puzzle.Column, forms []form, row []puzzle.Value) error {
	n := len(b.rows)
	if n < cap(b.rows) {
		b.rows = b.rows[:n+1]
	}
	out := b.rows[n][:0]
	for i, c := range columns {
		var v parquet.Value
		from := len(b.bytes)
		switch forms[i] {
		case asInteger:
			if row[i].N.Hi != 0 || row[i].N.Lo > math.MaxInt64 {
				return fmt.Errorf("parquet: %s is %v, too large for its column: %w", c.Name, row[i].N, ErrFormat)
			}
			v = parquet.Int64Value(int64(row[i].N.Lo))
		case asDouble:
			f, err := strconv.ParseFloat(row[i].S, 64)
			if err != nil {
				return fmt.Errorf("parquet: %s: %w", c.Name, err)
			}
			v = parquet.DoubleValue(f)
		case asDecimal:
			if row[i].N.Cmp(maxDecimal) > 0 {
				return fmt.Errorf("parquet: %s is %v, too large for its column: %w", c.Name, row[i].N, ErrFormat)
			}
			b.bytes = binary.BigEndian.AppendUint64(b.bytes, row[i].N.Hi)
			b.bytes = binary.BigEndian.AppendUint64(b.bytes, row[i].N.Lo)
			v = parquet.FixedLenByteArrayValue(b.bytes[from:])
		default:
			if c.Kind == puzzle.Text {
				b.bytes = append(b.bytes, row[i].S...)
			} else {
				b.bytes = row[i].N.AppendText10(b.bytes)
			}
			v = parquet.ByteArrayValue(b.bytes[from:])
		}
		out = append(out, v.Level(0, 0, i))
	}
	b.rows[n] = out
	return nil
}

func (b *batch) flush(w *parquet.GenericWriter[any]) error {
	_, err := w.WriteRows(b.rows)
	b.rows, b.bytes = b.rows[:0], b.bytes[:0]
	return err
}
