// Package vector says which vector instructions of amd64 the assembly of a kernel may use. All kernels give the same
// bytes by each of them, and without.
package vector

// A Level is a set of instructions; a higher one has those of the lower ones.
type Level int

// The levels that kernels are written for.
const (
	None Level = iota // Go alone
	AVX2
	AVX512
)

// All are the levels, lowest first.
var All = []Level{None, AVX2, AVX512}

// String is the name of a level for people.
func (l Level) String() string { return [...]string{"Go", "AVX2", "AVX-512"}[l] }
