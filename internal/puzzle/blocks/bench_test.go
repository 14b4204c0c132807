package blocks

import (
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks/blockstest"
)

// benchRows is the rows in a full-sized block of the English board's middle layers.
const benchRows = 26000

func reportRows(b *testing.B, rows int) {
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkEncode(b *testing.B) {
	blk := blockstest.Sample(benchRows, 1)
	buf := Encode(nil, blk)
	b.SetBytes(int64(8 * (benchRows + len(blk.Occupied))))
	for b.Loop() {
		buf = Encode(buf[:0], blk)
	}
	b.ReportMetric(float64(len(buf))/benchRows, "bytes/row")
	b.ReportMetric(EntropyBits(blk)/8/benchRows, "entropy-bytes/row")
	reportRows(b, benchRows)
}

func BenchmarkDecode(b *testing.B) {
	blk := blockstest.Sample(benchRows, 1)
	buf := Encode(nil, blk)
	b.SetBytes(int64(8 * (benchRows + len(blk.Occupied))))
	var got puzzle.Block
	for b.Loop() {
		if err := Decode(buf, &got); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, benchRows)
}

func BenchmarkHasher(b *testing.B) {
	blk := blockstest.Sample(benchRows, 1)
	h := NewHasher(puzzle.Window{})
	b.SetBytes(int64(8 * (benchRows + len(blk.Occupied))))
	for b.Loop() {
		h.Add(blk)
	}
	reportRows(b, benchRows)
}
