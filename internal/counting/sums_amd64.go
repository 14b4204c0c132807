//go:build amd64 && !purego

package counting

import (
	"golang.org/x/sys/cpu"

	"pagoda/internal/puzzle/vector"
)

// sumsBy is how stretches are summed up and packed on this machine.
var sumsBy = vector.Best(cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VPOPCNTDQ)

func (s *stretchSums) addFast(c *Counts, low *lowSets, high []uint64) (rows int) {
	wide, narrow, short, shortNarrow := addSums, addSumsNarrow, addShortSums, addShortSumsNarrow
	if sumsBy == vector.AVX2 {
		wide, narrow, short, shortNarrow = addSumsAVX2, addSumsNarrowAVX2, addShortSumsAVX2, addShortSumsNarrowAVX2
	}
	switch {
	case len(c.short) > 0 && low.narrow != nil:
		return shortNarrow(s, &c.short[0], len(c.short), &low.narrow[0], &high[0])
	case len(c.short) > 0:
		return short(s, &c.short[0], len(c.short), &low.wide[0], &high[0])
	case len(c.lo) > 0 && low.narrow != nil:
		return narrow(s, &c.lo[0], len(c.lo), &low.narrow[0], &high[0])
	case len(c.lo) > 0:
		return wide(s, &c.lo[0], len(c.lo), &low.wide[0], &high[0])
	}
	return 0
}

func packFast(c *Counts, occupied, out []uint64) (rows int) {
	if len(occupied) == 0 {
		return 0
	}
	occupied[len(occupied)-1] = 0
	switch {
	case sumsBy == vector.AVX2 && c.short != nil:
		return packShortCountsAVX2(&c.short[0], len(c.short), &occupied[0], &out[0], &orders)
	case sumsBy == vector.AVX2:
		return packCountsAVX2(&c.lo[0], len(c.lo), &occupied[0], &out[0], &orders)
	case c.short != nil:
		return packShortCounts(&c.short[0], len(c.short), &occupied[0], &out[0])
	}
	return packCounts(&c.lo[0], len(c.lo), &occupied[0], &out[0])
}

// orders brings together the words of a vector of four that a set leaves out, as halves of words.
var orders = func() (t [16][8]uint32) {
	for set := range t {
		at := 0
		for i := range uint32(4) {
			if set>>i&1 == 0 {
				t[set][at], t[set][at+1] = 2*i, 2*i+1
				at += 2
			}
		}
	}
	return t
}()

// These are stretchSums.add for n > 0 counts and sets of one word a class, of 32 bits where they are narrow.
//
//go:noescape
func addSums(s *stretchSums, counts *uint64, n int, low, high *uint64) (rows int)

//go:noescape
func addShortSums(s *stretchSums, counts *uint32, n int, low, high *uint64) (rows int)

//go:noescape
func addSumsNarrow(s *stretchSums, counts *uint64, n int, low *uint32, high *uint64) (rows int)

//go:noescape
func addShortSumsNarrow(s *stretchSums, counts *uint32, n int, low *uint32, high *uint64) (rows int)

//go:noescape
func addSumsAVX2(s *stretchSums, counts *uint64, n int, low, high *uint64) (rows int)

//go:noescape
func addShortSumsAVX2(s *stretchSums, counts *uint32, n int, low, high *uint64) (rows int)

//go:noescape
func addSumsNarrowAVX2(s *stretchSums, counts *uint64, n int, low *uint32, high *uint64) (rows int)

//go:noescape
func addShortSumsNarrowAVX2(s *stretchSums, counts *uint32, n int, low *uint32, high *uint64) (rows int)

// packCounts and packShortCounts are pack for n > 0 counts; they write whole vectors to out.
//
//go:noescape
func packCounts(counts *uint64, n int, occupied, out *uint64) (rows int)

//go:noescape
func packShortCounts(counts *uint32, n int, occupied, out *uint64) (rows int)

//go:noescape
func packCountsAVX2(counts *uint64, n int, occupied, out *uint64, orders *[16][8]uint32) (rows int)

//go:noescape
func packShortCountsAVX2(counts *uint32, n int, occupied, out *uint64, orders *[16][8]uint32) (rows int)
