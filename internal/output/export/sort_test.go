package export

import (
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

func TestSorterAgainstSortInMemory(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]puzzle.Kind{puzzle.Number, puzzle.Count, puzzle.Text}).Draw(t, "kind")
		columns := []puzzle.Column{{Name: "k", Kind: kind}, {Name: "i", Kind: puzzle.Number}, {Name: "s", Kind: puzzle.Text}}
		var rows [][]puzzle.Value
		for i := range rapid.IntRange(0, 200).Draw(t, "rows") {
			key := puzzle.Value{N: uint128.Uint128{Lo: rapid.Uint64Max(9).Draw(t, "lo")}}
			switch kind {
			case puzzle.Count:
				key.N.Hi = rapid.Uint64().Draw(t, "hi")
			case puzzle.Text:
				key = text(rapid.StringMatching("[0-9a-c]{0,3}").Draw(t, "key"))
			}
			rows = append(rows, []puzzle.Value{key, number(uint64(i)), text("row")})
		}
		s := NewSorter(columns, dir, rapid.SampledFrom([]int{1, 100, 1000, 1 << 20}).Draw(t, "limit"))
		for _, r := range rows {
			if err := s.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortStableFunc(rows, func(a, b []puzzle.Value) int {
			return cmp.Or(a[0].N.Cmp(b[0].N), cmp.Compare(len(a[0].S), len(b[0].S)), cmp.Compare(a[0].S, b[0].S))
		})
		sorted := s.Rows()
		for range 2 { // Parquet reads twice
			i := 0
			err := sorted.Each(func(row []puzzle.Value) error {
				if i >= len(rows) || !slices.Equal(row, rows[i]) {
					t.Fatalf("row %d is %v", i, row)
				}
				i++
				return nil
			})
			if err != nil || i != len(rows) {
				t.Fatalf("%d rows, want %d: %v", i, len(rows), err)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("a killed process would leave %v, %v", left, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSorterErrors(t *testing.T) {
	columns := []puzzle.Column{{Name: "k", Kind: puzzle.Number}}
	s := NewSorter(columns, t.TempDir()+"/missing", 1)
	err := s.Add([]puzzle.Value{number(1)})
	if err == nil {
		err = s.Add([]puzzle.Value{number(2)})
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder that does not exist: %v", err)
	}
	s = NewSorter(columns, t.TempDir(), 1)
	for i := range uint64(3) {
		if err := s.Add([]puzzle.Value{number(i)}); err != nil {
			t.Fatal(err)
		}
	}
	rows := s.Rows()
	if err := rows.Each(func([]puzzle.Value) error { return errBroken }); !errors.Is(err, errBroken) {
		t.Errorf("error of the reader: %v", err)
	}
	for _, size := range []int64{7, s.runs[0].bytes, 0} { // in a row, between two rows, before the first
		if err := s.file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		err = rows.Each(func([]puzzle.Value) error { return nil })
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("file cut to %d bytes: %v", size, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
