package partition

import (
	"fmt"
	"strconv"
	"strings"
)

// A Vector holds the number of pegs in each of the four playable classes.
type Vector [4]uint8

// Pegs is the number of pegs in all.
func (v Vector) Pegs() int { return int(v[0]) + int(v[1]) + int(v[2]) + int(v[3]) }

// Key is the cell key of v, such as "12.8.8.4".
func (v Vector) Key() string {
	b := make([]byte, 0, 4*len(v))
	for i, n := range v {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	return string(b)
}

// ParseKey reads the output of Key, and nothing else.
func ParseKey(s string) (Vector, error) {
	var v Vector
	f := strings.Split(s, ".")
	if len(f) == len(v) {
		for i := range v {
			n, err := strconv.ParseUint(f[i], 10, 8)
			if err != nil {
				break
			}
			v[i] = uint8(n)
		}
		if v.Key() == s {
			return v, nil
		}
	}
	return Vector{}, fmt.Errorf("%q is not a class-count vector such as 12.8.8.4", s)
}

// plus returns v with n more pegs of class k; ok is false when the count leaves 0..limit.
func (v Vector) plus(k, n int, limit Vector) (Vector, bool) {
	c := int(v[k]) + n
	if c < 0 || c > int(limit[k]) {
		return v, false
	}
	v[k] = uint8(c)
	return v, true
}

// before orders vectors lexicographically.
func (v Vector) before(w Vector) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}
