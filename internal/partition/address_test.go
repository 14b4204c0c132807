package partition

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
)

// checkBijection compares the address functions of all cells of a small board with all 2^n positions: a position of the
// start's invariants whose prefix is the smallest has an address, no other has; the addresses of a cell are
// 0..Addresses-1, each once; the inverse inverts; and the address of a class is that of its canonical form.
func checkBijection(t fatal, s *Space) {
	t.Helper()
	masks := s.Board.Invariants()
	taken := map[Vector][]bool{}
	for p := peg.Position(0); ; p++ {
		v, canonical, orbit, smallest := slowLocate(s, p)
		want := smallest && sameParities(s, masks, p)
		l := s.Layout(v)
		if taken[v] == nil {
			taken[v] = make([]bool, l.Addresses())
		}
		x := s.Ordered(p)
		at, ok := l.Address(x)
		switch {
		case ok != want:
			t.Fatalf("position %s of cell %s: has an address: %v, want %v", peg.Hex(p), v.Key(), ok, want)
		case ok && at >= l.Addresses():
			t.Fatalf("position %s: address %d in a cell of %d addresses", peg.Hex(p), at, l.Addresses())
		case ok && taken[v][at]:
			t.Fatalf("position %s: address %d of cell %s is taken by %s", peg.Hex(p), at, v.Key(),
				peg.Hex(s.Position(l.Ordered(at))))
		case ok && l.Ordered(at) != x:
			t.Fatalf("position %s: address %d leads back to %s", peg.Hex(p), at, peg.Hex(s.Position(l.Ordered(at))))
		}
		_, coset := s.Canonical(s.Vector(p))
		class, known := l.ClassAddress(s.BestElement(coset), x)
		if at, has := l.Address(canonical); class != at || known != has {
			t.Fatalf("position %s: its class has address %d, %v, want %d, %v", peg.Hex(p), class, known, at, has)
		}
		if ok {
			taken[v][at] = true
			stands, size := l.Class(l.PrefixOf(s.Prefix.Of(x)), x)
			if stands != (x == canonical) || stands && size != orbit {
				t.Fatalf("position %s: stands %v for %d, want %v for %d", peg.Hex(p), stands, size, x == canonical, orbit)
			}
		}
		if p == s.Board.Full() {
			break
		}
	}
	for v, all := range taken {
		for at, is := range all {
			if !is {
				t.Fatalf("cell %s: no position has address %d of %d", v.Key(), at, len(all))
			}
		}
	}
}

func TestAddressIsABijection(t *testing.T) {
	eachSmall(t, func(t *testing.T, s *Space) {
		if s.Board.Size() > 15 && testing.Short() {
			t.Skip("half a million positions: not in a short run")
		}
		checkBijection(t, s)
	})
}

func TestAddressIsABijectionOnRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkBijection(t, drawSpace(t, 3, 9))
		checkBijection(t, drawSpace(t, 9, 12))
		checkBijection(t, drawSymmetric(t, 16))
	})
}

// TestWholeCells walks all addresses of cells of larger boards, in order: the inverse gives a position of the cell with
// the start's invariants, whose address is where the walk is; and the walk by prefixes and stretches meets the same
// positions.
func TestWholeCells(t *testing.T) {
	for _, c := range []struct {
		board, start string
		v            Vector
	}{
		{"english", "center", Vector{12, 8, 8, 4}}, {"english", "center", Vector{9, 4, 3, 2}},
		{"english", "r0c2", Vector{9, 4, 3, 2}}, {"english", "r2c3", Vector{4, 5, 6, 1}},
		{"square5", "r0c0", Vector{4, 3, 3, 2}}, {"square6", "r0c0", Vector{3, 3, 3, 1}},
		{"square6", "r2c2", Vector{3, 3, 2, 1}}, {"french", "r0c2", Vector{9, 2, 3, 2}},
		{"wiegleb", "center", Vector{2, 1, 1, 3}}, {"square7", "center", Vector{2, 1, 1, 2}},
		{"hexagon37", "center", Vector{2, 2, 1, 1}}, {"hexagon61", "center", Vector{2, 1, 1, 0}},
	} {
		t.Run(c.board+"/"+c.start, func(t *testing.T) {
			s := spaceOf(t, c.board, c.start)
			v, _ := s.Canonical(c.v)
			l, masks := s.Layout(v), s.Board.Invariants()
			if l.Addresses() == 0 {
				t.Fatalf("cell %s has no addresses: it tests nothing", v.Key())
			}
			at := uint64(0)
			var stretches []Stretch
			for i := range l.Prefixes() {
				prefix := &l.Prefixes()[i]
				if prefix.Base != at || l.PrefixOf(prefix.Pattern) != prefix {
					t.Fatalf("prefix %#x has base %d, want %d", prefix.Pattern, prefix.Base, at)
				}
				stretches = l.Stretches(l.Node(prefix))
				for _, r := range stretches {
					if prefix.Base+r.Off != at || r.Size != len(s.LowPatterns(r.LowType)) {
						t.Fatalf("stretch of prefix %#x, mid %#x is at %d+%d, want %d", prefix.Pattern, r.Mid, prefix.Base, r.Off, at)
					}
					for _, low := range s.LowPatterns(r.LowType) {
						x := prefix.Pattern<<s.Prefix.Shift | r.Mid<<s.Mid.Shift | uint64(low)<<s.Low.Shift
						p := s.Position(x)
						if got, ok := l.Address(x); !ok || got != at || l.Ordered(at) != x {
							t.Fatalf("address %d: Address gives %d %v, Ordered %#x, want %#x", at, got, ok, l.Ordered(at), x)
						}
						if slowVector(s.Board, p) != v || !sameParities(s, masks, p) {
							t.Fatalf("address %d: position %s is not of cell %s", at, peg.Hex(p), v.Key())
						}
						at++
					}
				}
			}
			if at != l.Addresses() {
				t.Fatalf("%d addresses in the stretches, %d addresses", at, l.Addresses())
			}
		})
	}
}

// feasible counts the positions with vector v and the start's invariants, without symmetry, by characters. It is the
// mean over all combinations m of the invariant masks of (-1)^parity(start on m) times a coefficient: that of x^v in
// the product over holes of (1 - x) where m has the hole and (1 + x) elsewhere.
func feasible(b *peg.Board, start peg.Position, v Vector) *big.Int {
	masks, classes := b.Invariants(), b.ClassMasks()
	sum := new(big.Int)
	for choice := range 1 << len(masks) {
		var m peg.Position
		for i, mask := range masks {
			if choice>>i&1 != 0 {
				m ^= mask
			}
		}
		term := big.NewInt(1)
		if (m&start).Pegs()%2 != 0 {
			term.Neg(term)
		}
		for k, class := range classes {
			minus := (class & m).Pegs()
			term.Mul(term, coefficient(class.Pegs()-minus, minus, int(v[k])))
		}
		sum.Add(sum, term)
	}
	return sum.Rsh(sum, uint(len(masks)))
}

// coefficient is that of x^n in (1+x)^plus (1-x)^minus.
func coefficient(plus, minus, n int) *big.Int {
	sum := new(big.Int)
	for i := 0; i <= min(minus, n); i++ {
		c := new(big.Int).Binomial(int64(minus), int64(i))
		c.Mul(c, new(big.Int).Binomial(int64(plus), int64(n-i)))
		if i%2 != 0 {
			c.Neg(c)
		}
		sum.Add(sum, c)
	}
	return sum
}

// checkWeights compares a cell with feasible: its addresses, each times the share of its prefix's orbit, are all
// feasible positions of the vector.
func checkWeights(t fatal, s *Space, v Vector) {
	t.Helper()
	v, _ = s.Canonical(v)
	l := s.Layout(v)
	var vectors, sum uint64
	for _, g := range s.Group {
		moved := Vector{}
		for c, n := range v { // a class is where its holes are
			for h, class := range s.Board.Class {
				if int(class) == c {
					moved[s.Board.Class[g[h]]] = n
					break
				}
			}
		}
		if moved == v {
			vectors++
		}
	}
	addresses := uint64(0)
	for i := range l.Prefixes() {
		prefix := &l.Prefixes()[i]
		fixed := uint64(0)
		for c := prefix.Fixed; c != 0; c &= c - 1 {
			fixed++
		}
		if vectors%fixed != 0 {
			t.Fatalf("prefix %#x of cell %s: fixed by %d of %d elements", prefix.Pattern, v.Key(), fixed, vectors)
		}
		sum += prefix.Addresses * (vectors / fixed)
		addresses += prefix.Addresses
	}
	if want := feasible(s.Board, s.Start, v); !want.IsUint64() || want.Uint64() != sum {
		t.Fatalf("cell %s stands for %d positions, want %v", v.Key(), sum, want)
	}
	if addresses != l.Addresses() {
		t.Fatalf("cell %s: %d addresses in its prefixes, %d in all", v.Key(), addresses, l.Addresses())
	}
}

func TestAddressesCountFeasiblePositions(t *testing.T) {
	eachSmall(t, func(t *testing.T, s *Space) {
		n := s.ClassSize
		for a := range n[0] + 1 {
			for b := range n[1] + 1 {
				for c := range n[2] + 1 {
					for d := range n[3] + 1 {
						checkWeights(t, s, Vector{a, b, c, d})
					}
				}
			}
		}
	})
}

func TestAddressesCountFeasiblePositionsOnRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSymmetric(t, 30)
		if rapid.Bool().Draw(t, "no symmetry") {
			s = drawSpace(t, rapid.SampledFrom([]int{3, 10, 16, 22}).Draw(t, "least"), 28)
		}
		if len(s.Board.Invariants()) > 14 {
			t.Skip("the oracle takes a step for each combination of invariants")
		}
		var v Vector
		for k, n := range s.ClassSize {
			v[k] = rapid.Uint8Range(0, n).Draw(t, "count")
		}
		checkWeights(t, s, v)
	})
}

// TestManyLowTypes has a board on which hardly any jump is possible, so that nearly every pattern of the low field is a
// type of its own: more than 16 bits number.
func TestManyLowTypes(t *testing.T) {
	drawing := strings.Repeat("..--", 9) + "\n..." + strings.Repeat("-..-", 8)
	b, err := peg.Draw("scattered", peg.Square, drawing)
	if err != nil {
		t.Fatal(err)
	}
	start := b.Complement(1 << b.Jumps[0].To)
	s := mustSpace(t, b, b.Symmetries()[:1], start)
	if s.LowTypes() <= 1<<16 {
		t.Fatalf("only %d low types: the board is not what the test needs", s.LowTypes())
	}
	for _, p := range []peg.Position{start, b.Jumps[0].Play(start)} {
		v, x, _ := s.Locate(p)
		l := s.Layout(v)
		if at, ok := l.Address(x); !ok || l.Ordered(at) != x {
			t.Errorf("position %s: address %d %v", peg.Hex(p), at, ok)
		}
	}
}
