package puzzle

import (
	"fmt"

	"pagoda/internal/puzzle/uint128"
)

// Agree reports the first column of a table that contradicts the fact which its Total names: the sum of the column is
// not the fact, or its values are not the entries of a fact that is a list or a map. A summary without that fact, as
// that of a run which is not complete, agrees.
func (s *Summary) Agree() error {
	for i := range s.Tables {
		t := &s.Tables[i]
		for col, c := range t.Columns {
			for k := range s.Facts {
				if f := &s.Facts[k]; f.Name == c.Total {
					if err := agree(t, col, f); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func agree(t *Table, col int, f *Fact) error {
	if f.Scalar() {
		var sum uint128.Uint128
		for _, row := range t.Rows {
			var ok bool
			if sum, ok = sum.Add(row[col].N); !ok {
				return ErrOverflow
			}
		}
		if sum != f.Value.N {
			return fmt.Errorf("column %s of table %s adds up to %v, and %s is %v", t.Columns[col].Name, t.Name, sum, f.Name,
				f.Value.N)
		}
		return nil
	}
	want := f.List
	for _, e := range f.Map {
		want = append(want, Value{N: e.Value})
	}
	if len(want) != len(t.Rows) {
		return fmt.Errorf("table %s has %d rows, and %s %d entries", t.Name, len(t.Rows), f.Name, len(want))
	}
	for i, row := range t.Rows {
		if row[col].N != want[i].N {
			return fmt.Errorf("column %s of table %s has %v in row %d, and %s has %v", t.Columns[col].Name, t.Name,
				row[col].N, i, f.Name, want[i].N)
		}
	}
	return nil
}
