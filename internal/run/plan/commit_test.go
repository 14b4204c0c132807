package plan

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// checked allows no window of one row. As a diamond it has cell a of two windows in layer 0, and b and c in layer 1,
// which read it. Cell d in layer 2 has two windows, reads b and c, and counts flows.
type checked struct{ plantest.Paper }

func (*checked) CheckTally(_ puzzle.Window, rows uint64, _ *puzzle.Tally) error {
	if rows == 1 {
		return errors.New("one row")
	}
	return nil
}

var cellA, cellB, cellC, cellD = puzzle.Cell{Key: "a"}, puzzle.Cell{Layer: 1, Key: "b"},
	puzzle.Cell{Layer: 1, Key: "c"}, puzzle.Cell{Layer: 2, Key: "d"}

func diamond(t *testing.T) *Plan {
	t.Helper()
	p, err := New(&checked{plantest.Paper{Layers: [][]puzzle.CellPlan{
		{{Cell: cellA, Addresses: 10, Cuts: []uint64{0, 6}, Work: 2e4}},
		{
			{Cell: cellB, Addresses: 10, Cuts: []uint64{0}, Parents: []puzzle.Cell{cellA}, Work: 1e4},
			{Cell: cellC, Addresses: 10, Cuts: []uint64{0}, Parents: []puzzle.Cell{cellA}, Work: 3e4},
		},
		{{
			Cell: cellD, Addresses: 10, Cuts: []uint64{0, 5}, Parents: []puzzle.Cell{cellB, cellC}, Flows: true, Work: 4e4,
		}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// record is the record of a window, with one row in every address.
func record(p *Plan, cell puzzle.Cell, part int) kv.Record {
	w := p.Index[cell].Window(part)
	return kv.Record{Run: planRun, Window: w, Rows: w.Addresses, Blocks: 1, Bytes: 7}
}

// hold commits the windows of cells, and has a worker hold them.
func hold(t *testing.T, p *Plan, worker string, cells ...puzzle.Cell) {
	t.Helper()
	for _, cell := range cells {
		for part := range p.Index[cell].Parts {
			holdPart(t, p, worker, cell, part)
		}
	}
}

func holdPart(t *testing.T, p *Plan, worker string, cell puzzle.Cell, part int) puzzle.WindowID {
	t.Helper()
	rec := record(p, cell, part)
	if err := errors.Join(p.CommitRecord(&rec), p.AddReplica(rec.ID(), worker)); err != nil {
		t.Fatal(err)
	}
	return rec.ID()
}

var largest = uint128.Uint128{Hi: 1<<64 - 1, Lo: 1<<64 - 1}

// TestRecords changes a right record in one place at a time. The texts are of the error, "" for a record that is right
// still.
func TestRecords(t *testing.T) {
	one := uint128.From(1)
	for _, test := range []struct {
		name, want string
		cell       puzzle.Cell
		change     func(*kv.Record)
	}{
		{"right", "", cellD, func(*kv.Record) {}},
		{"of another run", "is of run \"x\", not " + planRun, cellD, func(r *kv.Record) { r.Run = "x" }},
		{"of no cell", "is not in the plan", cellD, func(r *kv.Record) { r.Key = "e" }},
		{"of a part below 0", "is not in the plan", cellD, func(r *kv.Record) { r.Part = -1 }},
		{"of a part past the last", "is not in the plan", cellD, func(r *kv.Record) { r.Part = 2 }},
		{"of other addresses", "covers 4 slots from 0", cellD, func(r *kv.Record) { r.Addresses-- }},
		{"of a shifted window", "covers 5 slots from 1", cellD, func(r *kv.Record) { r.First++ }},
		{"rows without blocks", "0 blocks for 5 rows", cellD, func(r *kv.Record) { r.Blocks, r.Bytes = 0, 0 }},
		{"numbers that contradict each other", "contradict each other: one row", cellD, func(r *kv.Record) { r.Rows = 1 }},
		{"a flow from a parent", "", cellD, func(r *kv.Record) { r.Tally.In = []puzzle.Flow{{Cell: cellB, Amount: one}} }},
		{"a flow from elsewhere", "takes from cell 0/a", cellD, func(r *kv.Record) {
			r.Tally.In = []puzzle.Flow{{Cell: cellA, Amount: one}}
		}},
		{"a flow from elsewhere into a cell that need not count it", "", cellB, func(r *kv.Record) {
			r.Tally.In = []puzzle.Flow{{Cell: cellC, Amount: one}}
		}},
		{"a flow to a child", "", cellC, func(r *kv.Record) { r.Tally.Out = []puzzle.Flow{{Cell: cellD, Amount: one}} }},
		{"a flow past the children", "passes to cell 2/d", cellA, func(r *kv.Record) {
			r.Tally.Out = []puzzle.Flow{{Cell: cellD, Amount: one}}
		}},
		{"a flow to a cell that need not count it", "", cellB, func(r *kv.Record) {
			r.Tally.Out = []puzzle.Flow{{Cell: cellC, Amount: one}}
		}},
		{"a flow to no cell", "", cellA, func(r *kv.Record) {
			r.Tally.Out = []puzzle.Flow{{Cell: puzzle.Cell{Layer: 9, Key: "z"}, Amount: one}}
		}},
	} {
		p := diamond(t)
		rec := record(p, test.cell, 0)
		test.change(&rec)
		c, w, err := p.CheckRecord(planRun, &rec)
		if err == nil {
			if c != p.Index[test.cell] || w != &c.Parts[0] {
				t.Errorf("%s: its cell is %v", test.name, c)
			}
			err = p.CheckContent(c, &rec)
		}
		if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "window ")) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestFits adds a record to a plan and a batch in which so much is counted already: a sum or a flow fits to the last
// unit of 128 bits.
func TestFits(t *testing.T) {
	sum := func(n uint128.Uint128) puzzle.Tally {
		return puzzle.Tally{Sums: []puzzle.Scalar{{Name: "n", Value: n}}}
	}
	in := func(n uint128.Uint128) puzzle.Tally { return puzzle.Tally{In: []puzzle.Flow{{Cell: cellB, Amount: n}}} }
	out := func(n uint128.Uint128) puzzle.Tally {
		return puzzle.Tally{Out: []puzzle.Flow{{Cell: cellB, Amount: n}}}
	}
	less, _ := largest.Sub(uint128.From(2))
	for _, test := range []struct {
		name    string
		planned puzzle.Cell // of the record in the plan; that of the batch is of window 1 of d, the tried one of window 0
		tally   func(uint128.Uint128) puzzle.Tally
		rest    uint64 // what is left
	}{
		{"sum of the cell", cellD, sum, 1},
		{"flow into the cell", cellD, in, 1},
		{"flow out of the cell", cellD, out, 1},
		{"sum in another layer", cellA, sum, largest.Lo},
		{"flow of another cell", cellB, in, largest.Lo},
	} {
		for _, more := range []uint64{0, 1, 2} {
			p, b := diamond(t), &Batch{}
			c := p.Index[cellD]
			rec := record(p, test.planned, 0)
			rec.Tally = test.tally(less)
			if _, err := p.Account(&rec); err != nil {
				t.Fatal(err)
			}
			second := record(p, cellD, 1)
			second.Tally = test.tally(uint128.From(1))
			if !p.Fits(b, c, &second) {
				t.Errorf("%s: the first of the batch does not fit", test.name)
			}
			tried := record(p, cellD, 0)
			tried.Tally = test.tally(uint128.From(more))
			if got := p.Fits(b, c, &tried); got != (more <= test.rest) {
				t.Errorf("%s, of which %d are left: %d more fit: %t", test.name, test.rest, more, got)
			}
		}
	}
	// The cells of a layer together.
	p, b := diamond(t), &Batch{}
	for i, cell := range []puzzle.Cell{cellB, cellC} {
		rec := record(p, cell, 0)
		rec.Tally = sum(less)
		if got := p.Fits(b, p.Index[cell], &rec); got != (i == 0) {
			t.Errorf("record %d fits into its layer: %t", i, got)
		}
	}
	for i, cell := range []puzzle.Cell{cellB, cellC} {
		rec := record(p, cell, 0)
		rec.Tally = sum(less)
		if err := p.CommitRecord(&rec); (err == nil) != (i == 0) || i == 1 && !strings.Contains(err.Error(), "over layer 1") {
			t.Errorf("record %d: %v", i, err)
		}
	}
}

// TestResults commits the windows of random plans in any order, and compares all that the plan then says of them with
// sums of its own. A record that comes again changes nothing.
func TestResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paper := plantest.Random(t)
		paper.Undecided = 0
		p, err := New(paper)
		if err != nil {
			t.Fatal(err)
		}
		var ids []puzzle.WindowID
		progress := make([]Progress, len(paper.Layers))
		addresses := uint64(0)
		for n, layer := range paper.Layers {
			progress[n].Layer = n
			for i := range layer {
				addresses += layer[i].Addresses
				for part := range layer[i].Cuts {
					progress[n].Windows++
					ids = append(ids, puzzle.WindowID{Cell: layer[i].Cell, Part: part})
				}
			}
		}
		records := make(map[puzzle.WindowID]kv.Record)
		cells, layers := make(map[puzzle.Cell]*puzzle.Tally), make(map[int]*puzzle.Tally)
		for k, id := range rapid.Permutation(ids).Draw(t, "order") {
			rec := record(p, id.Cell, id.Part)
			rec.Rows, rec.Bytes = rapid.Uint64Range(0, 9).Draw(t, "rows"), rapid.Uint64Range(0, 9).Draw(t, "bytes")
			rec.Blocks, rec.Digest[0] = uint64(k), byte(k)
			number := uint128.From(rapid.Uint64Range(1, 99).Draw(t, "number"))
			rec.Tally = puzzle.Tally{
				Sums:   []puzzle.Scalar{{Name: "s", Value: number}},
				Maxima: []puzzle.Scalar{{Name: "m", Value: number}},
				Out:    []puzzle.Flow{{Cell: puzzle.Cell{Layer: 99, Key: "z"}, Amount: number}},
			}
			for range 2 {
				if err := p.CommitRecord(&rec); err != nil {
					t.Fatal(err)
				}
			}
			records[id] = rec
			if cells[id.Cell] == nil {
				cells[id.Cell] = &puzzle.Tally{}
			}
			if layers[id.Layer] == nil {
				layers[id.Layer] = &puzzle.Tally{}
			}
			totals := rec.Tally.Totals()
			if err := errors.Join(cells[id.Cell].Merge(&rec.Tally), layers[id.Layer].Merge(&totals)); err != nil {
				t.Fatal(err)
			}
			progress[id.Layer].Done++
			progress[id.Layer].Rows += rec.Rows
			progress[id.Layer].Bytes += rec.Bytes
			if p.Complete() != (len(records) == len(ids)) || !slices.Equal(p.Progress(), progress) {
				t.Fatalf("%d windows of %d: complete %t, %v", len(records), len(ids), p.Complete(), p.Progress())
			}
			_, whole := p.Layer(id.Layer)
			if want := progress[id.Layer].Done == progress[id.Layer].Windows; whole != want {
				t.Fatalf("layer %d is whole: %t, %v", id.Layer, whole, progress[id.Layer])
			}
			_, whole = p.Cell(id.Cell)
			_, err := p.LocateCell(planRun, id.Cell)
			want := true
			for part := range p.Index[id.Cell].Parts {
				_, committed := records[puzzle.WindowID{Cell: id.Cell, Part: part}]
				want = want && committed
			}
			if whole != want || (err == nil) != want || err != nil && !errors.Is(err, puzzle.ErrMissing) {
				t.Fatalf("cell %v is whole: %t, located: %v", id.Cell, whole, err)
			}
		}
		decided, all := p.Size()
		if !decided || all != addresses || p.Layers() != len(paper.Layers) {
			t.Fatalf("%d layers with %d addresses, want %d with %d", p.Layers(), all, len(paper.Layers), addresses)
		}
		for n := -1; n <= len(paper.Layers); n++ {
			var want puzzle.Tally
			known := n >= 0 && n < len(paper.Layers)
			if layers[n] != nil {
				want = *layers[n]
			}
			if got, ok := p.Layer(n); ok != known || !reflect.DeepEqual(got, want) {
				t.Fatalf("layer %d: %v, %t, want %v", n, got, ok, want)
			}
			if known && !reflect.DeepEqual(p.Cells(n), paper.Layers[n]) || !known && p.Cells(n) != nil {
				t.Fatalf("layer %d: %v", n, p.Cells(n))
			}
		}
		for cell, want := range cells {
			got, err := p.LocateCell(planRun, cell)
			if tally, ok := p.Cell(cell); !ok || !reflect.DeepEqual(tally, *want) || err != nil ||
				!reflect.DeepEqual(got.Tally, want.Totals()) || got.Cell != cell {
				t.Fatalf("cell %v: %v, located %v, %v, want %v", cell, tally, got, err, want)
			}
			for part, w := range got.Windows {
				rec := records[puzzle.WindowID{Cell: cell, Part: part}]
				rec.Tally = puzzle.Tally{}
				if !reflect.DeepEqual(w, protocol.LocatedWindow{Record: rec}) {
					t.Fatalf("window %d of %v: %v, want %v", part, cell, w, rec)
				}
			}
		}
	})
}
