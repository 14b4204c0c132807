//go:build amd64 && !purego

package mousetrap

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// haveVectors says whether the machine has the parts of AVX-512 that the assembly uses.
var haveVectors = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ

func intersectFast(dst, src, table []uint64, sets []int32) bool {
	return intersectVectors(&dst[0], &src[0], unsafe.SliceData(table), len(src)/vectorWords,
		unsafe.SliceData(sets), len(sets)) != 0
}

func countFast(src, table []uint64, sets []int32) uint64 {
	return countVectors(&src[0], unsafe.SliceData(table), len(src)/vectorWords, unsafe.SliceData(sets), len(sets))
}

// These are intersect and countIntersection for a positive number of vectors; the first returns the number of bits
// left, or anything that is 0 just when none is.
//
//go:noescape
func intersectVectors(dst, src, table *uint64, vectors int, sets *int32, n int) uint64

//go:noescape
func countVectors(src, table *uint64, vectors int, sets *int32, n int) uint64
