package export

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parseParquet reads the rows of a Parquet file. A damaged file can make the library panic, which is an error here.
func parseParquet(data []byte) (r *Reference, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("parquet: the file is damaged: %v", p)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	fields := f.Root().Columns()
	t := referenceTable{}
	for _, c := range fields {
		if !c.Leaf() || c.Repeated() {
			return nil, fmt.Errorf("parquet: column %s holds more than one value in a row", c.Name())
		}
		t.columns = append(t.columns, c.Name())
	}
	if n := f.NumRows(); n < 0 || n > maxFields/int64(max(1, len(fields))) {
		return nil, fmt.Errorf("parquet: too large: %d rows", n)
	}
	for _, g := range f.RowGroups() {
		if err := t.addGroup(g, fields); err != nil {
			return nil, fmt.Errorf("parquet: %w", err)
		}
	}
	return &Reference{tables: []referenceTable{t}}, nil
}

func (t *referenceTable) addGroup(g parquet.RowGroup, fields []*parquet.Column) (err error) {
	rows := g.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buffer := make([]parquet.Row, batchRows)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			out := referenceRow{line: len(t.rows) + 1, values: make([]field, len(fields))}
			for _, v := range row {
				if v.IsNull() {
					continue
				}
				text, err := parquetText(fields[v.Column()], v)
				if err != nil {
					return err
				}
				out.values[v.Column()] = field{text, true}
			}
			t.rows = append(t.rows, out)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// parquetText is a value as CSV has it. A double that is no whole number below 2^53 is written as a double, so that no
// digit is made up: such a value is refused in a column of whole numbers.
func parquetText(c *parquet.Column, v parquet.Value) (string, error) {
	signed := true
	if logical := c.Type().LogicalType(); logical != nil {
		switch t := logical.Value.(type) {
		case *format.DecimalType:
			return decimalText(c, t, v)
		case *format.IntType:
			signed = t.IsSigned
		}
	}
	switch v.Kind() {
	case parquet.Boolean, parquet.Int96:
	case parquet.Int32, parquet.Int64:
		if !signed {
			return strconv.FormatUint(v.Uint64(), 10), nil
		}
		return strconv.FormatInt(v.Int64(), 10), nil
	case parquet.Float:
		return strconv.FormatFloat(float64(v.Float()), 'g', -1, 64), nil
	case parquet.Double:
		if x := v.Double(); x == math.Trunc(x) && math.Abs(x) <= maxNumber {
			return strconv.FormatFloat(x, 'f', -1, 64), nil
		}
		return strconv.FormatFloat(v.Double(), 'g', -1, 64), nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray()), nil
	}
	return "", fmt.Errorf("column %s is neither of numbers nor of text", c.Name())
}

// decimalText is a decimal without a fraction.
func decimalText(c *parquet.Column, d *format.DecimalType, v parquet.Value) (string, error) {
	if d.Scale != 0 {
		return "", fmt.Errorf("column %s is decimal with %d digits of a fraction: want whole numbers", c.Name(), d.Scale)
	}
	switch v.Kind() {
	case parquet.Int32, parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10), nil
	}
	b := v.ByteArray()
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 { // two's complement
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n.String(), nil
}
