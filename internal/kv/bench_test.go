package kv

import (
	"context"
	"math"
	"math/bits"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle"
)

// benchRows is the rows in a full-sized block of the English board's middle layers.
const benchRows = 26000

// entropyBits estimates the entropy of a block in bits: the bitmap's slots and the values taken one by one. The
// distribution of values is known at the grain of their magnitude (a twentieth of an octave) and divisibility, and
// taken as flat below that.
func entropyBits(b *puzzle.Block) float64 {
	rows := float64(b.Rows())
	p := rows / float64(b.Slots)
	total := 0.0
	if p < 1 {
		total = float64(b.Slots) * (-p*math.Log2(p) - (1-p)*math.Log2(1-p))
	}
	type class struct{ magnitude, zeros int }
	for _, col := range b.Columns {
		count := map[class]float64{}
		for _, v := range col {
			c := class{-1, min(bits.TrailingZeros64(v), 3)}
			if v > 0 {
				c.magnitude = int(20 * math.Log2(float64(v)))
			}
			count[c]++
		}
		for c, n := range count {
			// The number of values that a class can hold, at least one.
			size := max(1, math.Exp2(float64(c.magnitude)/20)*(math.Exp2(1./20)-1)/float64(int(1)<<min(c.zeros+1, 3)))
			total += n * (math.Log2(rows/n) + math.Log2(size))
		}
	}
	return total
}

func reportRows(b *testing.B, rows int) {
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkEncodeBlock(b *testing.B) {
	blk := sampleBlock(benchRows, 1)
	buf := EncodeBlock(nil, blk)
	b.SetBytes(int64(8 * (benchRows + len(blk.Occupied))))
	for b.Loop() {
		buf = EncodeBlock(buf[:0], blk)
	}
	b.ReportMetric(float64(len(buf))/benchRows, "bytes/row")
	b.ReportMetric(entropyBits(blk)/8/benchRows, "entropy-bytes/row")
	reportRows(b, benchRows)
}

func BenchmarkDecodeBlock(b *testing.B) {
	blk := sampleBlock(benchRows, 1)
	buf := EncodeBlock(nil, blk)
	b.SetBytes(int64(8 * (benchRows + len(blk.Occupied))))
	var got puzzle.Block
	for b.Loop() {
		if err := DecodeBlock(buf, &got); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, benchRows)
}

func BenchmarkHasher(b *testing.B) {
	blk := sampleBlock(benchRows, 1)
	h := NewHasher(puzzle.Window{})
	b.SetBytes(int64(8 * (benchRows + len(blk.Occupied))))
	for b.Loop() {
		h.Add(blk)
	}
	reportRows(b, benchRows)
}

// benchWindow is a window of four blocks.
func benchWindow(part int) (puzzle.Window, []*puzzle.Block) {
	w := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Part: part, Slots: 4 * puzzle.BlockSlots}
	var blocks []*puzzle.Block
	for i := range 4 {
		b := sampleBlock(benchRows, uint64(i+1))
		b.First = uint64(i) * puzzle.BlockSlots
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
		if err := s.Blocks(context.Background(), rec, w.First, w.Slots, none); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, len(blocks)*benchRows)
}
