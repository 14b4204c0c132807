package peg

import "slices"

// Invariants returns a basis of the linear invariants of the board over GF(2): masks m for which the parity of the pegs
// on m is the same before and after every jump. They are the masks that meet the three holes of every jump in an even
// number, the null space of the jumps' masks. On the classical boards they have dimension 4. They are the rule of three
// of Suremain de Missery (1841) and de Bruijn (A solitaire game and its relation to a finite field, 1972).
//
// The basis is in reduced echelon form: the lowest hole of each mask lies in no other mask, and those lowest holes
// ascend.
func (b *Board) Invariants() []Position {
	var masks []Position
	for _, m := range b.Layout.Invariants(Set{}) {
		masks = append(masks, Position(m[0]))
	}
	return masks
}

// Invariants is that of [Board] for a layout: of the invariants, those that have no hole of without.
func (b *Layout) Invariants(without Set) []Set {
	masks := make([]Set, 0, len(b.Jumps))
	for _, j := range b.Jumps {
		var m Set
		m.Put(int(j.From))
		m.Put(int(j.Over))
		m.Put(int(j.To))
		masks = append(masks, m)
	}
	for i := range b.Holes {
		if without.Has(i) {
			var m Set
			m.Put(i)
			masks = append(masks, m)
		}
	}
	span := echelon(masks)
	var pivots Set
	for _, v := range span {
		pivots.Put(v.First())
	}
	// Every hole that is no pivot is free: it decides the pivots, each of which occurs in one equation only.
	var null []Set
	for free := range b.Holes {
		if pivots.Has(free) {
			continue
		}
		var m Set
		m.Put(free)
		for _, v := range span {
			if v.Has(free) {
				m.Put(v.First())
			}
		}
		null = append(null, m)
	}
	return echelon(null)
}

// Parities returns the value of each invariant mask on p: bit i is the parity of the pegs of p on masks[i].
func Parities(masks []Position, p Position) uint64 {
	var v uint64
	for i, m := range masks {
		v |= uint64((p&m).Pegs()&1) << i
	}
	return v
}

// SameInvariants tells the positions that have the invariants of p: no others can be reached from it, or lead to it.
func (b *Board) SameInvariants(p Position) func(Position) bool {
	masks := b.Invariants()
	want := Parities(masks, p)
	return func(q Position) bool { return Parities(masks, q) == want }
}

// echelon returns the reduced echelon form of the span of vs over GF(2), the pivot of a vector being its first hole, in
// ascending order of the pivots.
func echelon(vs []Set) []Set {
	type row struct {
		set   Set
		pivot int
	}
	var basis []row
	for _, v := range vs {
		for i := range basis {
			if u := &basis[i]; v.Has(u.pivot) {
				v = v.Xor(u.set)
			}
		}
		pivot := v.First()
		if pivot < 0 {
			continue
		}
		for i := range basis {
			if u := &basis[i]; u.set.Has(pivot) {
				u.set = u.set.Xor(v)
			}
		}
		basis = append(basis, row{v, pivot})
	}
	slices.SortFunc(basis, func(u, v row) int { return u.pivot - v.pivot })
	list := make([]Set, len(basis))
	for i, u := range basis {
		list[i] = u.set
	}
	return list
}
