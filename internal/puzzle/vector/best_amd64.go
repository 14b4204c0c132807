//go:build amd64 && !purego

package vector

import "golang.org/x/sys/cpu"

// Best is the highest level of this machine and build; avx512 says whether the machine has the parts of AVX-512 that
// the caller's assembly uses.
func Best(avx512 bool) Level {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasPOPCNT:
		return None
	case !avx512:
		return AVX2
	}
	return AVX512
}
