//go:build amd64 && !purego

package mousetrap

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"pagoda/internal/puzzle/vector"
)

// setsBy is how sets are taken and counted on this machine.
var setsBy = vector.Best(cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ)

func intersectFast(dst, src, table []uint64, sets []int32) bool {
	first, list, n := unsafe.SliceData(table), unsafe.SliceData(sets), len(src)/vectorWords
	if setsBy == vector.AVX2 {
		return intersectAVX2(&dst[0], &src[0], first, n, list, len(sets))
	}
	return intersectVectors(&dst[0], &src[0], first, n, list, len(sets)) != 0
}

func countFast(src, table []uint64, sets []int32) uint64 {
	count := countVectors
	if setsBy == vector.AVX2 {
		count = countAVX2
	}
	return count(&src[0], unsafe.SliceData(table), len(src)/vectorWords, unsafe.SliceData(sets), len(sets))
}

// These are intersect and countIntersection for a positive number of vectors. intersectVectors returns the number of
// bits left, or anything that is 0 just when none is.
//
//go:noescape
func intersectVectors(dst, src, table *uint64, vectors int, sets *int32, n int) uint64

//go:noescape
func countVectors(src, table *uint64, vectors int, sets *int32, n int) uint64

//go:noescape
func intersectAVX2(dst, src, table *uint64, vectors int, sets *int32, n int) bool

//go:noescape
func countAVX2(src, table *uint64, vectors int, sets *int32, n int) uint64
