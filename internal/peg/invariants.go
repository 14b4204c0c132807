package peg

import (
	"math/bits"
	"slices"
)

// Invariants returns a basis of the linear invariants of the board over GF(2): masks m for which the parity of the pegs
// on m is the same before and after every jump. They are the masks that meet the three holes of every jump in an even
// number, the null space of the jumps' masks. On the classical boards they have dimension 4. They are the rule of three
// of Suremain de Missery (1841) and de Bruijn (A solitaire game and its relation to a finite field, 1972).
//
// The basis is in reduced echelon form: the lowest hole of each mask lies in no other mask, and those lowest holes
// ascend.
func (b *Board) Invariants() []Position {
	masks := make([]Position, 0, len(b.Jumps))
	for _, j := range b.Jumps {
		masks = append(masks, j.Mask())
	}
	span := echelon(masks)
	var pivots Position
	for _, v := range span {
		pivots |= v & -v
	}
	// Every hole that is no pivot is free: it decides the pivots, each of which occurs in one equation only.
	var null []Position
	for free := range b.Size() {
		if pivots.Has(free) {
			continue
		}
		m := Position(1) << free
		for _, v := range span {
			if v.Has(free) {
				m |= v & -v
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

// echelon returns the reduced echelon form of the span of vs over GF(2), the pivot of a vector being its lowest bit, in
// ascending order of the pivots.
func echelon(vs []Position) []Position {
	var basis []Position
	for _, v := range vs {
		for _, u := range basis {
			if v&(u&-u) != 0 {
				v ^= u
			}
		}
		if v == 0 {
			continue
		}
		for i, u := range basis {
			if u&(v&-v) != 0 {
				basis[i] ^= v
			}
		}
		basis = append(basis, v)
	}
	slices.SortFunc(basis, func(u, v Position) int {
		return bits.TrailingZeros64(uint64(u)) - bits.TrailingZeros64(uint64(v))
	})
	return basis
}
