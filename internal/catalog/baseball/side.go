package baseball

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// A side is a breadth-first search from one configuration to another. Configurations are numbered as they are found.
type side struct {
	bases  int
	homes  homes // of the configuration that is searched
	apart  [][]int
	seed   maphash.Seed
	tokens []byte   // 2 x bases of each
	parent []uint32 // of each, itself for the first
	table  []uint64 // open addressing, see slot; 0 for none
	layers []int    // the first number of each layer, and the number of all
}

func newSide(from, to Configuration, apart [][]int) *side {
	s := &side{
		bases: from.Bases(), homes: to.homes(), apart: apart, seed: maphash.MakeSeed(), table: make([]uint64, 1<<6),
	}
	s.add(from.key(nil), 0)
	s.layers = []int{0, 1}
	return s
}

// key appends the tokens of c, 2 for each base.
func (c *Configuration) key(to []byte) []byte {
	for i := range int(c.bases) {
		to = append(to, c.tokens[i][0], c.tokens[i][1])
	}
	return to
}

// last is the size of the last layer.
func (s *side) last() int { return s.layers[len(s.layers)-1] - s.layers[len(s.layers)-2] }

// slot returns where in the table a key is or belongs, and its entry: the upper half of the key's hash, which saves
// most comparisons of keys, and below it the number + 1, here 0.
func (s *side) slot(key []byte) (at, entry uint64) {
	mask := uint64(len(s.table) - 1)
	hash := maphash.Bytes(s.seed, key)
	entry = hash &^ (1<<32 - 1)
	for at = hash & mask; s.table[at] != 0; at = (at + 1) & mask {
		if s.table[at]&^(1<<32-1) == entry && bytes.Equal(s.at(int(uint32(s.table[at]))-1), key) {
			break
		}
	}
	return at, entry
}

func (s *side) at(i int) []byte { return s.tokens[2*s.bases*i : 2*s.bases*(i+1)] }

// find returns the number of a configuration, -1 when it has not been found.
func (s *side) find(key []byte) int {
	at, _ := s.slot(key)
	return int(uint32(s.table[at])) - 1
}

// add numbers a configuration unless it has a number.
func (s *side) add(key []byte, parent int) {
	at, entry := s.slot(key)
	if s.table[at] != 0 {
		return
	}
	s.tokens = append(s.tokens, key...)
	s.parent = append(s.parent, uint32(parent))
	s.table[at] = entry | uint64(len(s.parent))
	if 2*len(s.parent) > len(s.table) {
		s.table = make([]uint64, 2*len(s.table))
		for i := range s.parent {
			at, entry := s.slot(s.at(i))
			s.table[at] = entry | uint64(i+1)
		}
	}
}

// configuration returns the configuration of a number.
func (s *side) configuration(i int) Configuration {
	c := Configuration{bases: uint8(s.bases)}
	t := s.at(i)
	for b := range s.bases {
		c.tokens[b] = [2]uint8{t[2*b], t[2*b+1]}
		if t[2*b+1] == free {
			c.hole = uint8(b)
		}
	}
	return c
}

// trail returns the way from the first configuration to one.
func (s *side) trail(i int) []Configuration {
	var out []Configuration
	for {
		out = append(out, s.configuration(i))
		if i == 0 {
			break
		}
		i = int(s.parent[i])
	}
	slices.Reverse(out)
	return out
}
