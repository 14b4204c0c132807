//go:build amd64 && !purego

package counting

import "golang.org/x/sys/cpu"

// haveSumsFast says whether the machine has the parts of AVX-512 that the assembly uses.
var haveSumsFast = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VPOPCNTDQ &&
	cpu.X86.HasPOPCNT

func (s *stretchSums) addFast(c *Counts, low *lowSets, high []uint64) (rows int) {
	switch {
	case len(c.short) > 0 && low.narrow != nil:
		return addShortSumsNarrow(s, &c.short[0], len(c.short), &low.narrow[0], &high[0])
	case len(c.short) > 0:
		return addShortSums(s, &c.short[0], len(c.short), &low.wide[0], &high[0])
	case len(c.lo) > 0 && low.narrow != nil:
		return addSumsNarrow(s, &c.lo[0], len(c.lo), &low.narrow[0], &high[0])
	case len(c.lo) > 0:
		return addSums(s, &c.lo[0], len(c.lo), &low.wide[0], &high[0])
	}
	return 0
}

func packFast(c *Counts, occupied, out []uint64) (rows int) {
	if len(occupied) == 0 {
		return 0
	}
	occupied[len(occupied)-1] = 0
	if c.short != nil {
		return packShortCounts(&c.short[0], len(c.short), &occupied[0], &out[0])
	}
	return packCounts(&c.lo[0], len(c.lo), &occupied[0], &out[0])
}

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

// packCounts and packShortCounts are pack for n > 0 counts; they write whole vectors to out.
//
//go:noescape
func packCounts(counts *uint64, n int, occupied, out *uint64) (rows int)

//go:noescape
func packShortCounts(counts *uint32, n int, occupied, out *uint64) (rows int)
