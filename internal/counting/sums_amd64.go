//go:build amd64 && !purego

package counting

import "golang.org/x/sys/cpu"

// haveSumsFast says whether the machine has the parts of AVX-512 that the assembly uses.
var haveSumsFast = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VPOPCNTDQ &&
	cpu.X86.HasPOPCNT

func (s *runSums) addFast(counts, low, high []uint64) (rows int) {
	if len(counts) == 0 {
		return 0
	}
	return addSums(s, &counts[0], len(counts), &low[0], &high[0])
}

func packFast(counts, occupied, out []uint64) (rows int) {
	occupied[len(occupied)-1] = 0
	return packCounts(&counts[0], len(counts), &occupied[0], &out[0])
}

// addSums is runSums.add for n > 0 counts and sets of one word a class.
//
//go:noescape
func addSums(s *runSums, counts *uint64, n int, low, high *uint64) (rows int)

// packCounts is pack for n > 0 counts; it writes whole vectors to out.
//
//go:noescape
func packCounts(counts *uint64, n int, occupied, out *uint64) (rows int)
