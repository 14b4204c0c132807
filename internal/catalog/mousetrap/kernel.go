package mousetrap

import (
	"math/bits"

	"pagoda/internal/puzzle/vector"
)

// intersect sets dst to src and the sets of table that begin at the given words, and reports whether anything is left.
// dst is as long as src, a positive multiple of vectorWords.
func intersect(dst, src, table []uint64, sets []int32) bool {
	if setsBy != vector.None {
		return intersectFast(dst, src, table, sets)
	}
	return intersectPortable(dst, src, table, sets)
}

// countIntersection counts the bits that are in src and in all sets of table that begin at the given words.
func countIntersection(src, table []uint64, sets []int32) uint64 {
	if setsBy != vector.None {
		return countFast(src, table, sets)
	}
	return countPortable(src, table, sets)
}

func intersectPortable(dst, src, table []uint64, sets []int32) bool {
	dst = dst[:len(src)]
	copy(dst, src)
	for _, first := range sets {
		for i, w := range table[first:][:len(src)] {
			dst[i] &= w
		}
	}
	var some uint64
	for _, w := range dst {
		some |= w
	}
	return some != 0
}

// countPortable takes up to three sets at once: most steps forbid no more.
func countPortable(src, table []uint64, sets []int32) uint64 {
	n := 0
	switch len(sets) {
	case 0:
		for _, w := range src {
			n += bits.OnesCount64(w)
		}
	case 1:
		a := table[sets[0]:][:len(src)]
		for i, w := range src {
			n += bits.OnesCount64(w & a[i])
		}
	case 2:
		a, b := table[sets[0]:][:len(src)], table[sets[1]:][:len(src)]
		for i, w := range src {
			n += bits.OnesCount64(w & a[i] & b[i])
		}
	default:
		a, b, c := table[sets[0]:][:len(src)], table[sets[1]:][:len(src)], table[sets[2]:][:len(src)]
		for i, w := range src {
			w &= a[i] & b[i] & c[i]
			for _, first := range sets[3:] {
				w &= table[int(first)+i]
			}
			n += bits.OnesCount64(w)
		}
	}
	return uint64(n)
}
