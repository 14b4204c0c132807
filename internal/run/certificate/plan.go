package certificate

import (
	"crypto/sha256"
	"fmt"
	"hash"

	"pagoda/internal/puzzle"
)

// A PlanHasher computes the digest of a plan: SHA-256 of a text with one line for each cell, in plan order,
//
//	cell <layer> <key> addresses <n> cuts <first,first,...> parents <layer/key,layer/key,...>
//
// where a cell without parents ends with the word parents.
type PlanHasher struct{ h hash.Hash }

// NewPlanHasher returns the hasher of a plan of which nothing was added.
func NewPlanHasher() *PlanHasher { return &PlanHasher{h: sha256.New()} }

// Add adds the next cell.
func (p *PlanHasher) Add(c *puzzle.CellPlan) {
	b := fmt.Appendf(nil, "cell %d %s addresses %d cuts", c.Layer, c.Key, c.Addresses)
	for i, first := range c.Cuts {
		b = fmt.Appendf(append(b, separator(i)), "%d", first)
	}
	b = append(b, " parents"...)
	for i, parent := range c.Parents {
		b = fmt.Appendf(append(b, separator(i)), "%d/%s", parent.Layer, parent.Key)
	}
	p.h.Write(append(b, '\n'))
}

func separator(i int) byte {
	if i == 0 {
		return ' '
	}
	return ','
}

// Sum returns the digest of the cells so far.
func (p *PlanHasher) Sum() (h Hash) {
	p.h.Sum(h[:0])
	return h
}
