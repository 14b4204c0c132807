//go:build amd64 && !purego

package blocks

import (
	"golang.org/x/sys/cpu"

	"pagoda/internal/puzzle/vector"
)

// splits says whether this machine splits eight values at a time.
var splits = vector.Best(cpu.X86.HasAVX512F && cpu.X86.HasAVX512CD && cpu.X86.HasBMI2) == vector.AVX512

// splitEights is [packing.split] for a multiple of eight values.
func splitEights(symbols, out []byte, v []uint64, p scale, k *packing) {
	if len(v) == 0 {
		return
	}
	s := splitting{
		packing: *k, shift: uint64(p.shift), drop: uint64(p.shift + p.spin), rest: uint64(p.width - p.spin),
		spun: 1<<p.spin - 1, tail: 63 - uint64(p.mantissa), mantissa: uint64(p.mantissa),
	}
	split512(&v[0], len(v), &symbols[0], &out[0], &s)
	*k = s.packing
}

// splitting is the parameters of split512, and the stream that it goes on with.
type splitting struct {
	packing
	shift, drop, rest, spun uint64
	tail                    uint64 // bits of a word behind the leading one and its mantissa
	mantissa                uint64
}

// split512 splits n values, a multiple of eight and more than none.
//
//go:noescape
func split512(v *uint64, n int, symbols, out *byte, s *splitting)
