package feasible

import (
	"math/big"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// A lattice is L, the integer combinations of the jump vectors of a board, in Hermite normal form: a basis in echelon
// form, the pivot of a vector being its first entry that is not 0, positive, and no two vectors with the same pivot.
type lattice struct {
	basis []*latticeVector // by pivot; nil where no vector has it
}

// A latticeVector is an element of L; how is the combination of the jumps that makes it, nil when not tracked.
type latticeVector struct{ at, how []big.Int }

// hermite adds the jump vectors one by one, and the unit vectors of the holes of free. With tracked, it notes the
// combinations of the jumps.
func hermite(b *peg.Layout, free peg.Set, tracked bool) *lattice {
	l := &lattice{basis: make([]*latticeVector, b.Size())}
	for i := range b.Holes {
		if free.Has(i) {
			v := &latticeVector{at: make([]big.Int, b.Size())}
			v.at[i].SetInt64(1)
			l.add(v)
		}
	}
	for i, j := range b.Jumps {
		v := &latticeVector{at: make([]big.Int, b.Size())}
		v.at[j.From].SetInt64(-1)
		v.at[j.Over].SetInt64(-1)
		v.at[j.To].SetInt64(1)
		if tracked {
			v.how = make([]big.Int, len(b.Jumps))
			v.how[i].SetInt64(1)
		}
		l.add(v)
	}
	return l
}

func (l *lattice) add(v *latticeVector) {
	var q big.Int
	for c := range v.at {
		if v.at[c].Sign() == 0 {
			continue
		}
		if l.basis[c] == nil {
			if v.at[c].Sign() < 0 {
				v.scale(-1)
			}
			l.basis[c] = v
			l.shorten(v, c)
			return
		}
		// Euclid's algorithm on the two entries; the vector that keeps the pivot stays.
		for u := l.basis[c]; v.at[c].Sign() != 0; u, v = v, u {
			q.Quo(&u.at[c], &v.at[c])
			u.subtract(&q, v)
			l.basis[c] = v
			if u.at[c].Sign() == 0 {
				v = u
				break
			}
		}
		if l.basis[c].at[c].Sign() < 0 {
			l.basis[c].scale(-1)
		}
		l.shorten(l.basis[c], c)
		l.shorten(v, c)
	}
}

// shorten makes the entries of v after c small, as multiples of the basis vectors allow: without it they grow to
// thousands of digits on large boards.
func (l *lattice) shorten(v *latticeVector, c int) {
	var q, r big.Int
	for i := c + 1; i < len(v.at); i++ {
		u := l.basis[i]
		if u == nil || v.at[i].Sign() == 0 {
			continue
		}
		// Round to the nearest: the rest is at most half the pivot.
		q.Rsh(&u.at[i], 1)
		if q.DivMod(q.Add(&q, &v.at[i]), &u.at[i], &r); q.Sign() != 0 {
			v.subtract(&q, u)
		}
	}
}

func (v *latticeVector) scale(f int64) {
	for _, list := range [][]big.Int{v.at, v.how} {
		for i := range list {
			list[i].Mul(&list[i], big.NewInt(f))
		}
	}
}

func (v *latticeVector) subtract(q *big.Int, w *latticeVector) {
	var t big.Int
	for i := range v.at {
		if w.at[i].Sign() != 0 {
			v.at[i].Sub(&v.at[i], t.Mul(q, &w.at[i]))
		}
	}
	for i := range v.how {
		if w.how[i].Sign() != 0 {
			v.how[i].Sub(&v.how[i], t.Mul(q, &w.how[i]))
		}
	}
}

// reduce subtracts multiples of the basis from v until it is 0, and returns -1, or until a hole is left that the basis
// cannot make 0, and returns it.
func (l *lattice) reduce(v *latticeVector) int {
	var q, r big.Int
	for c := range v.at {
		if v.at[c].Sign() == 0 {
			continue
		}
		u := l.basis[c]
		if u == nil {
			return c
		}
		if q.QuoRem(&v.at[c], &u.at[c], &r); r.Sign() != 0 {
			return c
		}
		v.subtract(&q, u)
	}
	return -1
}

// latticeCriterion asks whether P'-P is in L. If not, there are weights and a modulus to which every jump is congruent
// 0 and P'-P is not. With modulus 2 alone that is the rule of three; it says less on boards where some holes can only
// be jumped from or into, such as the line of three.
func (f *Prover) latticeCriterion(p peg.Problem) finding {
	return f.lattice.outside(f.difference(p))
}

// outside is the finding for a vector P'-P.
func (l *lattice) outside(difference []int64) finding {
	rest := make([]big.Int, len(difference))
	for i, v := range difference {
		rest[i].SetInt64(v)
	}
	if c := l.reduce(&latticeVector{at: rest}); c >= 0 {
		return l.excluded(difference, c)
	}
	return finding{}
}

// excluded makes the proof for a vector that leaves a rest at hole c which the lattice cannot remove. It finds weights
// y, 0 after c: y.u = 0 for the basis vectors u with pivots before c, and y.u = 1 for that with pivot c if there is
// one. So y is an integer on L, and on P'-P it is the coefficient of the last vector, a fraction. If there is none, y
// is 0 on L and not 0 on P'-P, so that any modulus will do that does not divide it.
func (l *lattice) excluded(difference []int64, c int) finding {
	y := make([]big.Rat, len(difference))
	y[c].SetInt64(1)
	if u := l.basis[c]; u != nil {
		y[c].SetFrac(big.NewInt(1), &u.at[c])
	}
	var t big.Rat
	for k := c - 1; k >= 0; k-- {
		u := l.basis[k]
		if u == nil {
			continue
		}
		for i := k + 1; i <= c; i++ {
			t.SetInt(&u.at[i])
			y[k].Sub(&y[k], t.Mul(&t, &y[i]))
		}
		y[k].Quo(&y[k], t.SetInt(&u.at[k]))
	}
	modulus := big.NewInt(1)
	for i := range y {
		d := y[i].Denom()
		g := new(big.Int).GCD(nil, nil, modulus, d)
		modulus.Mul(modulus, g.Quo(d, g))
	}
	scale := new(big.Rat).SetInt(modulus)
	total := new(big.Int)
	weights := make([]big.Int, len(y))
	for i := range y {
		weights[i].Set(t.Mul(&y[i], scale).Num())
		if difference[i] != 0 {
			total.Add(total, new(big.Int).Mul(&weights[i], big.NewInt(difference[i])))
		}
	}
	if l.basis[c] == nil {
		modulus.Add(total.Abs(total), big.NewInt(1))
	}
	proof := proofs.Proof{Kind: proofs.Modular, Modulus: modulus.Int64()}
	if !modulus.IsInt64() {
		return finding{gaveUp: true, note: "the modulus does not fit 64 bits"}
	}
	for i := range weights {
		proof.Weights = append(proof.Weights, weights[i].Mod(&weights[i], modulus).Int64())
	}
	return forbids(proof)
}

// LatticeMember returns the proof that P'-P is in L: an integer for each jump, negative ones too. ok is false when it
// is not in L.
func (f *Prover) LatticeMember(p peg.Problem) (c *proofs.Certificate, ok bool) {
	l := f.tracked()
	rest := &latticeVector{at: make([]big.Int, f.board.Size()), how: make([]big.Int, len(f.board.Jumps))}
	for i, v := range f.difference(p) {
		rest.at[i].SetInt64(v)
	}
	if l.reduce(rest) >= 0 {
		return nil, false
	}
	proof := proofs.Proof{Kind: proofs.Combination}
	for i := range rest.how {
		if x := rest.how[i].Neg(&rest.how[i]); x.Sign() != 0 {
			proof.Multipliers = append(proof.Multipliers,
				proofs.Multiplier{Jump: peg.FormatJump(f.board, f.board.Jumps[i]), Times: x.String()})
		}
	}
	p.Board = f.board
	return proofs.New(p, proofs.InLattice, proof), true
}
