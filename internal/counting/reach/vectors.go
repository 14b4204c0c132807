package reach

import (
	"encoding/binary"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
)

// image is the vector that group element g maps v to.
func (s *scheme) image(g int, v partition.Vector) (w partition.Vector) {
	for c, n := range v {
		w[s.toClass[g][c]] = n
	}
	return w
}

// canonical returns the largest of the images of v under the elements that keep the word class. It stands for v. back
// is one of those elements that maps the representative to v.
func (s *scheme) canonical(v partition.Vector) (rep partition.Vector, back int) {
	rep = v
	most := binary.BigEndian.Uint32(v[:])
	for _, g := range s.keep[1:] {
		w := s.image(g, v)
		if n := binary.BigEndian.Uint32(w[:]); n > most {
			rep, back, most = w, s.inverse[g], n
		}
	}
	return rep, back
}

// complement is the vector of the complements of v's positions.
func (s *scheme) complement(v partition.Vector) (u partition.Vector) {
	for c, r := range s.role {
		u[c] = uint8(len(s.class[r].holes)) - v[c]
	}
	return u
}

// orbit is the distinct images of v under the elements that keep the word class, v first.
func (s *scheme) orbit(v partition.Vector) []partition.Vector {
	list := []partition.Vector{v}
	for _, g := range s.keep {
		if w := s.image(g, v); !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// stabiliser lists the elements of the group that map v to itself.
func (s *scheme) stabiliser(v partition.Vector) (list []int) {
	for g := range s.group {
		if s.image(g, v) == v {
			list = append(list, g)
		}
	}
	return list
}

// folding lists the elements under which a cell is folded: those that map its vector, its word and its stretch class to
// themselves.
func (s *scheme) folding(v partition.Vector) (list []int) {
	for _, g := range s.stabiliser(v) {
		if s.toRole[g][word] == word && s.toRole[g][stretch] == stretch {
			list = append(list, g)
		}
	}
	return list
}

// multiply tabulates the products of elements and their inverses.
func (s *scheme) multiply() {
	s.product, s.inverse = make([][]int, len(s.group)), make([]int, len(s.group))
	for f := range s.group {
		s.product[f] = make([]int, len(s.group))
		for g := range s.group {
			c := s.group[f].Compose(s.group[g])
			at := slices.IndexFunc(s.group, func(p peg.Perm) bool { return slices.Equal(p, c) })
			s.product[f][g] = at
			if at == 0 {
				s.inverse[f] = g
			}
		}
	}
}
