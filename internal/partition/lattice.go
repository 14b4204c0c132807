package partition

import "slices"

// Lattice lists the canonical vectors that jumps can lead to from the start's, layer by layer: Lattice()[n] has the
// vectors after n jumps, largest first. A vector is listed when some jump class leads to it from a listed one and its
// layout has addresses; whether any of its positions can really be reached only the run tells.
func (s *Space) Lattice() [][]Vector {
	edges := s.edges()
	start, _ := s.Canonical(s.Vector(s.Start))
	layers := [][]Vector{{start}}
	for {
		seen := map[Vector]bool{}
		var next []Vector
		for _, v := range layers[len(layers)-1] {
			for k := range v {
				if !edges.open(v, k) {
					continue
				}
				child, ok := v.plus(k, -1, s.ClassSize)
				if !ok {
					continue
				}
				child, _ = s.Canonical(child)
				if !seen[child] {
					seen[child] = true
					if s.Addresses(child) > 0 {
						next = append(next, child)
					}
				}
			}
		}
		if len(next) == 0 {
			return layers
		}
		slices.SortFunc(next, func(a, b Vector) int {
			if b.before(a) {
				return -1
			}
			return 1
		})
		layers = append(layers, next)
	}
}

// Vectors lists the canonical vectors of all positions of the space, by pegs missing: Vectors()[n] has those with n pegs
// less than the full board, largest first.
func (s *Space) Vectors() [][]Vector {
	layers := make([][]Vector, s.Board.Size()+1)
	var v Vector
	var list func(class int)
	list = func(class int) {
		if class < len(v) {
			for n := range int(s.ClassSize[class]) + 1 {
				v[class] = s.ClassSize[class] - uint8(n)
				list(class + 1)
			}
			return
		}
		if rep, _ := s.Canonical(v); rep == v && s.Addresses(v) > 0 {
			n := s.Board.Size() - v.Pegs()
			layers[n] = append(layers[n], v)
		}
	}
	list(0)
	return layers
}

// edgeSet says which classes have jumps that remove their pegs, and with movers of which classes.
type edgeSet [4][4]bool // [removed][mover]

func (s *Space) edges() edgeSet {
	var e edgeSet
	for _, j := range s.Board.Jumps {
		e[s.Board.Class[j.Over]][s.Board.Class[j.From]] = true
	}
	return e
}

// open reports whether a position with vector v may have a jump that removes a peg of class k.
func (e *edgeSet) open(v Vector, k int) bool {
	for mover, ok := range e[k] {
		if ok && v[k] > 0 && v[mover] > 0 {
			return true
		}
	}
	return false
}

// An Edge is the jumps between a cell and a cell next to it that remove a peg of class Removed, a class of the former.
// End is the vector of the latter, canonical; Coset holds the group elements that map the former's vector, with a peg
// of class Removed more (or less, see OutEdges), to it.
type Edge struct {
	Removed int
	End     Vector
	Coset   uint64
}

// Edges lists the at most four edges into the cell of v. Whether a parent is in the lattice is not asked here.
func (s *Space) Edges(v Vector) []Edge {
	open := s.edges()
	var list []Edge
	for k := range v {
		p, ok := v.plus(k, 1, s.ClassSize)
		if !ok || !open.open(p, k) {
			continue
		}
		rep, coset := s.Canonical(p)
		list = append(list, Edge{k, rep, coset})
	}
	return list
}

// OutEdges lists the at most four edges out of the cell of v. Whether a child is in the lattice is not asked here.
func (s *Space) OutEdges(v Vector) []Edge {
	open := s.edges()
	var list []Edge
	for k := range v {
		c, ok := v.plus(k, -1, s.ClassSize)
		if !ok || !open.open(v, k) {
			continue
		}
		rep, coset := s.Canonical(c)
		list = append(list, Edge{k, rep, coset})
	}
	return list
}

// OutEdge is the canonical vector that a position of the cell of v moves to when a jump removes a peg of class k; ok is
// false when there is no peg to remove.
func (s *Space) OutEdge(v Vector, k int) (child Vector, ok bool) {
	c, ok := v.plus(k, -1, s.ClassSize)
	if !ok {
		return v, false
	}
	c, _ = s.Canonical(c)
	return c, true
}
