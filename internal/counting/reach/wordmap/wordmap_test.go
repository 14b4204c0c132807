package wordmap

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/vector"
)

// bitsOf lists the bits of a mask, lowest first.
func bitsOf(mask uint64) (list []int) {
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, bits.TrailingZeros64(mask))
	}
	return list
}

// orderedMaps draws maps that keep the order of bits there and, some of them, back, as moves and as permutations.
func orderedMaps(t *rapid.T, values int) *Maps {
	m := &Maps{index: make([][64]uint8, values), mask: make([]uint64, values), moves: make([]moves, values)}
	for v := range values {
		free := rapid.Permutation(bitsOf(^uint64(0))).Draw(t, "bits")
		n := rapid.IntRange(0, 32).Draw(t, "moved")
		from, to := maskOf(free[:n]), maskOf(free[64-n:])
		m.moves[v] = moves{{from, to}}
		if rapid.Bool().Draw(t, "both ways") {
			m.moves[v] = moves{{from, to}, {to, from}}
		}
	}
	m.permuteMoves()
	m.prepare()
	return m
}

// permuteMoves makes the permutations that do the same as the moves.
func (m *Maps) permuteMoves() {
	for v := range m.moves {
		for _, mv := range m.moves[v] {
			from, to := bitsOf(mv.from), bitsOf(mv.to)
			for i := range from {
				m.index[v][to[i]] = uint8(from[i])
				m.mask[v] |= 1 << to[i]
			}
		}
	}
}

func maskOf(bits []int) (mask uint64) {
	for _, b := range bits {
		mask |= 1 << b
	}
	return mask
}

// drawPairs draws pairs of rows, with maps of so many values.
func drawPairs(t *rapid.T, to, from, values int) (list []Pair) {
	for range rapid.IntRange(0, 50).Draw(t, "pairs") {
		list = append(list, Pair{
			To:   uint16(rapid.IntRange(0, to-1).Draw(t, "to")),
			From: uint16(rapid.IntRange(0, from-1).Draw(t, "from")),
			At:   uint32(rapid.IntRange(0, values-1).Draw(t, "value") * Step),
		})
	}
	return list
}

// drawJobs draws jobs of stretches that begin in the first words, with values below the given number.
func drawJobs(t *rapid.T, values int) (list []Job) {
	for range rapid.IntRange(0, 4).Draw(t, "jobs") {
		list = append(list, Job{
			Dst:   uint32(rapid.IntRange(0, jobOffsets).Draw(t, "dst")),
			Src:   uint32(rapid.IntRange(0, jobOffsets).Draw(t, "src")),
			Value: uint32(rapid.IntRange(0, values-1).Draw(t, "value")),
		})
	}
	return list
}

const jobOffsets = 3

// permuted does the work of pull bit by bit.
func permuted(dst, src []uint64, jobs []Job, list []Pair, m *Maps) []uint64 {
	dst = slices.Clone(dst)
	for _, j := range jobs {
		for _, p := range list {
			v := p.At/Step ^ j.Value
			for i, at := range m.index[v] {
				dst[int(j.Dst)+int(p.To)] |= src[int(j.Src)+int(p.From)] >> at & 1 << i & m.mask[v]
			}
		}
	}
	return dst
}

// checkPull compares all ways of mapping bits that this machine has with the portable one and with going bit by bit.
func checkPull(t puzzletest.TB, dst, src []uint64, jobs []Job, list []Pair, m *Maps) {
	want := permuted(dst, src, jobs, list, m)
	check := func(name string, pull func(dst []uint64)) {
		got := slices.Clone(dst)
		pull(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %x, want %x", name, got, want)
		}
	}
	if m.steps != nil {
		check("portable moves", func(dst []uint64) { movePairsPortable(dst, src, jobs, list, m, 0) })
	}
	if len(list) == 0 || len(jobs) == 0 {
		return
	}
	best := permutesBy
	if best >= vector.AVX2 {
		m.bytes = byteMaps(m.index, m.mask)
		permutesBy = vector.AVX2
		check("AVX2", func(dst []uint64) { permutePairsFast(dst, src, jobs, list, m, 0) })
		permutesBy = best
	}
	if best == vector.AVX512 {
		m.masked = true
		check("permutations", func(dst []uint64) { permutePairsFast(dst, src, jobs, list, m, 0) })
		m, src = withoutMask(m), slices.Clone(src)
		for i := range src {
			src[i] &= 1<<63 - 1
		}
		want = permuted(dst, src, jobs, list, m)
		check("permutations without masks", func(dst []uint64) { permutePairsFast(dst, src, jobs, list, m, 0) })
	}
}

// withoutMask has all bits that a map does not give come from bit 63.
func withoutMask(m *Maps) *Maps {
	w := &Maps{index: slices.Clone(m.index), mask: slices.Clone(m.mask)}
	for v := range w.index {
		for i := range 64 {
			if w.mask[v]>>i&1 == 0 {
				w.index[v][i] = 63
			}
		}
	}
	return w
}

// TestOrWords compares adding words with adding them one by one.
func TestOrWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dst := rapid.SliceOfN(rapid.Uint64(), 0, 40).Draw(t, "dst")
		src := rapid.SliceOfN(rapid.Uint64(), len(dst), len(dst)+9).Draw(t, "src")
		want, portable := slices.Clone(dst), slices.Clone(dst)
		for i := range want {
			want[i] |= src[i]
		}
		OrWords(dst, src)
		orWordsPortable(portable, src)
		if !slices.Equal(dst, want) || !slices.Equal(portable, want) {
			t.Fatalf("added %x, portable %x, want %x", dst, portable, want)
		}
	})
}

// TestOrderedMaps compares maps that keep the order of bits as this machine does them, portably, and bit by bit.
func TestOrderedMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const values = 4
		m := orderedMaps(t, values)
		dst := rapid.SliceOfN(rapid.Uint64(), 1+jobOffsets, 40).Draw(t, "dst")
		src := rapid.SliceOfN(rapid.Uint64(), 1+jobOffsets, 40).Draw(t, "src")
		list := drawPairs(t, len(dst)-jobOffsets, len(src)-jobOffsets, values)
		checkPull(t, dst, src, drawJobs(t, values), list, m)
	})
}

// TestOrPairs compares adding rows as they are with adding them one by one.
func TestOrPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dst := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "dst")
		src := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "src")
		list := drawPairs(t, len(dst), len(src), 1)
		want, portable := slices.Clone(dst), slices.Clone(dst)
		for _, p := range list {
			want[p.To] |= src[p.From]
		}
		OrPairs(dst, src, list)
		orPairsPortable(portable, src, list)
		if !slices.Equal(dst, want) || !slices.Equal(portable, want) {
			t.Fatalf("added %x, portable %x, want %x", dst, portable, want)
		}
	})
}

// TestPermutations is TestOrderedMaps for maps that do not keep the order.
func TestPermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const values = 4
		m := &Maps{index: make([][64]uint8, values), mask: make([]uint64, values)}
		for v := range values {
			m.mask[v] = rapid.Uint64().Draw(t, "mask")
			for i, at := range rapid.Permutation(bitsOf(^uint64(0))).Draw(t, "index") {
				m.index[v][i] = uint8(at)
			}
		}
		dst := rapid.SliceOfN(rapid.Uint64(), 1+jobOffsets, 40).Draw(t, "dst")
		src := rapid.SliceOfN(rapid.Uint64(), 1+jobOffsets, 40).Draw(t, "src")
		list := drawPairs(t, len(dst)-jobOffsets, len(src)-jobOffsets, values)
		checkPull(t, dst, src, drawJobs(t, values), list, m)
	})
}

// FuzzPull compares the ways of mapping bits on words and masks as they come.
func FuzzPull(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint64(3), uint64(1<<63|5), uint64(6), uint8(1))
	f.Add(^uint64(0), ^uint64(0), uint64(0xff00ff00ff00ff00), uint64(0x00ff00ff00ff00ff), uint64(0), uint8(0))
	f.Fuzz(func(t *testing.T, x, y, from, to, old uint64, value uint8) {
		for bits.OnesCount64(from) > bits.OnesCount64(to) {
			from &= from - 1
		}
		for bits.OnesCount64(to) > bits.OnesCount64(from) {
			to &= to - 1
		}
		m := &Maps{index: make([][64]uint8, 2), mask: make([]uint64, 2), moves: make([]moves, 2)}
		back := move{}
		if from&to == 0 {
			back = move{to, from}
		}
		m.moves[1] = moves{{from, to}, back}
		m.moves[0] = moves{{to, from}, {}}
		m.permuteMoves()
		m.prepare()
		list := []Pair{{0, 1, 0}, {1, 0, Step}, {1, 1, 0}, {0, 0, Step}}
		jobs := []Job{{0, 0, uint32(value & 1)}, {1, 1, uint32(value >> 1 & 1)}}
		checkPull(t, []uint64{old, 0, 0}, []uint64{x, y, ^x}, jobs, list, m)
	})
}

// TestShuffle compares permutations of bits with going bit by bit.
func TestShuffle(t *testing.T) {
	puzzletest.EachVector(t, &permutesBy, func(t *testing.T) { rapid.Check(t, checkShuffle) })
}

func checkShuffle(t *rapid.T) {
	const values = 4
	s := NewShuffle(0, 0, values)
	for v := range s.index {
		s.mask[v] = rapid.Uint64().Draw(t, "mask")
		for i, at := range rapid.Permutation(bitsOf(^uint64(0))).Draw(t, "index") {
			s.index[v][i] = uint8(at)
		}
	}
	s.Done()
	src := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "src")
	dst := rapid.SliceOfN(rapid.Uint64(), 1, 40).Draw(t, "dst")
	targets := make([]Target, rapid.IntRange(0, len(src)).Draw(t, "rows"))
	for i := range targets {
		targets[i].Offset = uint32(rapid.IntRange(0, len(dst)-1).Draw(t, "offset"))
		targets[i].Value = uint32(rapid.IntRange(0, values-1).Draw(t, "value"))
	}
	value := uint32(rapid.IntRange(0, values-1).Draw(t, "value of the head"))
	want := slices.Clone(dst)
	for i, to := range targets {
		v := to.Value ^ value
		for b, at := range s.index[v] {
			want[to.Offset] |= src[i] >> at & 1 << b & s.mask[v]
		}
	}
	if s.Words(dst, src, targets, value); !slices.Equal(dst, want) {
		t.Fatalf("permuted %x, want %x", dst, want)
	}
}
