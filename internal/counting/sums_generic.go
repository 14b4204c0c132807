//go:build !amd64 || purego

package counting

const haveSumsFast = false

func (s *stretchSums) addFast(c *counts, low *lowSets, high []uint64) (rows int) {
	panic("not on this machine")
}

func packFast(c *counts, occupied, out []uint64) (rows int) { panic("not on this machine") }
