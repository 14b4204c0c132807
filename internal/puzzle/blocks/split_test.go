package blocks

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle/blocks/blockstest"
)

// TestSplitEights compares the split of eight values at a time with that of one: remaining bits of one, two and four
// values fill a word, and those of more do not.
func TestSplitEights(t *testing.T) {
	if !splits {
		t.Log("this machine or build splits one value at a time")
	}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(1, 3000)).Draw(t, "rows")
		next := blockstest.Xorshift(rapid.Uint64Min(1).Draw(t, "seed"))
		width := rapid.IntRange(1, wideExtra+minMantissa+1).Draw(t, "width")
		narrow := rapid.IntRange(0, width-1).Draw(t, "bits fewer, at most")
		rare := rapid.Uint64Range(1, 50).Draw(t, "one in so many is as wide as that")
		trailing := rapid.IntRange(0, 64-width).Draw(t, "trailing zeros")
		v, or := make([]uint64, rows), uint64(0)
		for i := range v {
			x := next() >> (64 - width)
			if next()%rare != 0 {
				x >>= narrow
			}
			v[i] = x << trailing
			or |= v[i]
		}
		if or == 0 {
			return
		}
		p := chooseScale(v, or)
		if spin := rapid.UintRange(0, maxSpin).Draw(t, "spin"); p.width > maxSpin {
			p.spin = spin
		}
		checkSplit(t, v, p)
	})
}

// checkSplit compares both ways.
func checkSplit(t rapid.TB, v []uint64, p scale) {
	t.Helper()
	symbols, out := make([]byte, len(v)), make([]byte, 8*len(v)+16)
	var k packing
	k.split(symbols, out, v, p)
	gotSymbols, gotOut := make([]byte, len(v)), make([]byte, len(out))
	n := splitNarrow(gotSymbols, gotOut, v, p)
	if n != k.bytes() || !bytes.Equal(gotSymbols, symbols) || !bytes.Equal(gotOut[:n], out[:n]) {
		t.Fatalf("%+v of %x: %d bytes %x and symbols %x, one by one %d bytes %x and %x", p, v,
			n, gotOut[:n], gotSymbols, k.bytes(), out[:k.bytes()], symbols)
	}
}

// TestSplitBorders has four values whose remaining bits fill a word, or are one bit too many, before and behind others,
// and two likewise.
func TestSplitBorders(t *testing.T) {
	p := scale{width: wideExtra + minMantissa + 1, mantissa: minMantissa}
	next := blockstest.Xorshift(1)
	fours := [][4]uint{{14, 14, 14, 14}, {14, 14, 14, 15}, {28, 28, 0, 0}, {28, 29, 0, 0}, {0, 0, 29, 28},
		{28, 28, 28, 28}, {56, 0, 0, 0}, {56, 56, 56, 56}, {0, 0, 0, 1}}
	for _, first := range fours {
		for _, second := range fours {
			for have := range uint(8) { // bits of the stream before them that are no whole byte
				var v []uint64
				for _, four := range [][4]uint{{have}, {}, first, second} {
					for _, extra := range four {
						v = append(v, 1<<(extra+minMantissa)|next()>>1>>(63-extra-minMantissa))
					}
				}
				checkSplit(t, v, p)
			}
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	v := blockstest.Sample(benchRows, 1).Columns[0]
	or, _ := unionAndIntersection(v)
	p := chooseScale(v, or)
	symbols, out := make([]byte, len(v)), make([]byte, 8*len(v)+16)
	for _, way := range []struct {
		name  string
		split func() int
	}{
		{"as this machine does", func() int { return splitNarrow(symbols, out, v, p) }},
		{"one by one", func() int {
			var k packing
			k.split(symbols, out, v, p)
			return k.bytes()
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = way.split()
			}
			b.ReportMetric(float64(n)/float64(len(v)), "bytes/row")
			reportRows(b, len(v))
		})
	}
}
