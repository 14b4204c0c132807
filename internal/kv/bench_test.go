package kv

import (
	"context"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks/blockstest"
)

// benchRows is the rows in a full-sized block of the English board's middle layers.
const benchRows = 26000

func reportRows(b *testing.B, rows int) {
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// benchWindow is a window of four blocks.
func benchWindow(part int) (puzzle.Window, []*puzzle.Block) {
	w := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Part: part, Addresses: 4 * puzzle.BlockAddresses}
	var blocks []*puzzle.Block
	for i := range 4 {
		b := blockstest.Sample(benchRows, uint64(i+1))
		b.First = uint64(i) * puzzle.BlockAddresses
		blocks = append(blocks, b)
	}
	return w, blocks
}

// BenchmarkWriter writes windows of four blocks to the disk under the temporary folder, syncs included.
func BenchmarkWriter(b *testing.B) {
	s, err := Open(b.TempDir(), testRun, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer closed(b, s)
	w, blocks := benchWindow(0)
	b.SetBytes(int64(len(blocks) * 8 * (benchRows + len(blocks[0].Occupied))))
	for b.Loop() {
		w.Part++
		mustWrite(b, s, w, blocks, puzzle.Tally{})
	}
	reportRows(b, len(blocks)*benchRows)
}

// BenchmarkCommit makes and commits 64 windows of 20 rows at a time on the disk under the temporary folder: each by a
// goroutine of its own, or all by one call.
func BenchmarkCommit(b *testing.B) {
	const windows = 64
	for _, c := range []struct {
		name   string
		commit func(*Store, []*Finished)
	}{
		{"each", func(_ *Store, all []*Finished) {
			var wg sync.WaitGroup
			for _, f := range all {
				wg.Go(func() { f.Record, f.Err = f.Writer.Commit(f.Tally) })
			}
			wg.Wait()
		}},
		{"together", func(s *Store, all []*Finished) { s.CommitAll(all...) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, err := Open(b.TempDir(), testRun, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer closed(b, s)
			part := 0
			for b.Loop() {
				var all []*Finished
				for range windows {
					part++
					w := testWindow(1, part, 1)
					all = append(all, finish(b, s, w, testBlocks(w, 20, 1), testTally(1)))
				}
				c.commit(s, all)
				for _, f := range all {
					if f.Err != nil {
						b.Fatal(f.Err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*windows), "ns/window")
		})
	}
}

// BenchmarkReader reads a window of four blocks from memory.
func BenchmarkReader(b *testing.B) {
	s := openTest(b, vfs.NewMem())
	defer closed(b, s)
	w, blocks := benchWindow(1)
	rec := mustWrite(b, s, w, blocks, puzzle.Tally{})
	if err := s.db.Flush(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(blocks) * 8 * (benchRows + len(blocks[0].Occupied))))
	none := func(*puzzle.Block) error { return nil }
	for b.Loop() {
		if err := s.Blocks(context.Background(), rec, w.First, w.Addresses, none); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, len(blocks)*benchRows)
}
