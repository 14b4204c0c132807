//go:build !amd64 || purego

package counting

import "pagoda/internal/puzzle/vector"

var sumsBy = vector.None

func (s *stretchSums) addFast(c *Counts, low *lowSets, high []uint64) (rows int) {
	panic("not on this machine")
}

func packFast(c *Counts, occupied, out []uint64) (rows int) { panic("not on this machine") }
