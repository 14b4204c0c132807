package partition

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
)

// checkSuccessor plays j on p and compares the result with the lattice: from p's side the child cell, from the child's
// side the edge, its parent cell, and the symmetry by which a kernel finds the predecessor's address.
func checkSuccessor(t fatal, s *Space, p peg.Position, j peg.Jump) {
	t.Helper()
	q := j.Play(p)
	parent, parentClass, _ := s.Locate(p)
	child, _, _ := s.Locate(q)
	for _, g := range s.Group {
		// Seen from an image of p that lies in the parent's own vector, the jump removes class k.
		if s.Vector(g.Apply(p)) == parent {
			k := int(s.Board.Class[g[j.Over]])
			if out, ok := s.OutEdge(parent, k); !ok || out != child {
				t.Fatalf("%s -> %s removes class %d of %s: leads to %s %v, want %s", peg.Hex(p), peg.Hex(q), k,
					parent.Key(), out.Key(), ok, child.Key())
			}
		}
		if s.Vector(g.Apply(q)) == child {
			checkEdge(t, s, g.Apply(p), g.Jump(j), parent, child, parentClass)
		}
	}
}

// checkEdge looks for the predecessor p of a position in the child's own vector, by the child's edges.
func checkEdge(t fatal, s *Space, p peg.Position, j peg.Jump, parent, child Vector, class uint64) {
	t.Helper()
	edges := s.Edges(child)
	i := slices.IndexFunc(edges, func(e Edge) bool { return e.Removed == int(s.Board.Class[j.Over]) })
	if i < 0 || edges[i].End != parent {
		t.Fatalf("cell %s has edges %v, none from %s by class %d", child.Key(), edges, parent.Key(), s.Board.Class[j.Over])
	}
	x := s.Ordered(p)
	g := s.BestElement(edges[i].Coset)[s.Prefix.Of(x)]
	moved := s.Group[g].Apply(p)
	l := s.Layout(parent)
	at, ok := l.Address(s.Ordered(moved))
	if !ok {
		t.Fatalf("predecessor %s of cell %s: its image %s has no address", peg.Hex(p), child.Key(), peg.Hex(moved))
	}
	if _, got, _ := s.Locate(s.Position(l.Ordered(at))); got != class {
		t.Fatalf("predecessor %s: address %d is of another class", peg.Hex(p), at)
	}
}

// checkLattice plays all games from the start and checks every position and every jump.
func checkLattice(t fatal, s *Space) {
	t.Helper()
	lattice := s.Lattice()
	for n, layer := range lattice {
		for i, v := range layer {
			if rep, _ := s.Canonical(v); rep != v || v.Pegs() != s.Start.Pegs()-n {
				t.Fatalf("layer %d lists %s, which is not canonical or has %d pegs", n, v.Key(), v.Pegs())
			}
			if i > 0 && !v.before(layer[i-1]) {
				t.Fatalf("layer %d lists %s after %s", n, v.Key(), layer[i-1].Key())
			}
			if s.Layout(v).Addresses() == 0 {
				t.Fatalf("layer %d lists %s, which has no addresses", n, v.Key())
			}
		}
	}
	layers := reference.Play(s.Board, s.Start, -1)
	if len(layers) > len(lattice) {
		t.Fatalf("%d layers have positions, the lattice has %d", len(layers), len(lattice))
	}
	for n, layer := range layers {
		for p := range layer.Paths {
			v, canonical, _ := s.Locate(p)
			if !slices.Contains(lattice[n], v) {
				t.Fatalf("layer %d lacks cell %s of position %s", n, v.Key(), peg.Hex(p))
			}
			if _, ok := s.Layout(v).Address(canonical); !ok {
				t.Fatalf("position %s can be reached and has no address", peg.Hex(p))
			}
			s.Board.Moves(p, func(j peg.Jump) { checkSuccessor(t, s, p, j) })
		}
	}
}

func TestLattice(t *testing.T) {
	for _, c := range []struct{ board, start string }{
		{"triangle4", "r0c0"}, {"triangle4", "r1c0"}, {"triangle4", "r2c1"},
		{"triangle5", "r0c0"}, {"triangle5", "r1c0"}, {"triangle5", "r2c0"}, {"triangle5", "r2c1"}, {"triangle5", "r3c1"},
		{"hexagon19", "0x7f"}, {"hexagon19", "0x6d2b0"},
		{"square5", "0x1fe00"}, {"square5", "0x18ffc60"}, {"square5", "0x0739c0"},
	} {
		t.Run(c.board+"/"+c.start, func(t *testing.T) { checkLattice(t, spaceOf(t, c.board, c.start)) })
	}
}

func TestLatticeOfRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkLattice(t, drawSpace(t, 3, 9))
		checkLattice(t, drawSpace(t, 9, 14))
		checkLattice(t, drawSymmetric(t, 20))
	})
}

// A trip is a random game in a space, with the places to check on the way.
type trip struct {
	board   *peg.Board
	start   peg.Position
	group   []peg.Perm
	game    []peg.Position
	at      []int    // places in the game
	jump    []uint64 // which of the legal jumps there, modulo their number
	address []uint64 // an address in the cell there, modulo its addresses
}

func drawTrip(t *rapid.T, b *peg.Board) trip {
	x := trip{board: b, start: b.Complement(1 << rapid.IntRange(0, b.Size()-1).Draw(t, "vacancy"))}
	if rapid.IntRange(0, 3).Draw(t, "any start") == 0 {
		x.start = pegtest.Start(b).Draw(t, "start")
	}
	x.group = drawGroup(t, b, x.start)
	x.game = pegtest.Play(t, b, x.start, b.Size())
	for range 2 {
		x.at = append(x.at, rapid.IntRange(0, len(x.game)-1).Draw(t, "place"))
		x.jump = append(x.jump, rapid.Uint64().Draw(t, "jump"))
		x.address = append(x.address, rapid.Uint64().Draw(t, "address"))
	}
	return x
}

// check checks the positions of a trip: their addresses lead back to them, in the cell and through the edge that the
// lattice says.
func (x trip) check(t fatal, s *Space) {
	t.Helper()
	for i, at := range x.at {
		p := x.game[at]
		checkCanonical(t, s, p)
		checkBest(t, s, p)
		v, canonical, orbit := s.Locate(p)
		l := s.Layout(v)
		at, ok := l.Address(canonical)
		if !ok || at >= l.Addresses() || l.Ordered(at) != canonical {
			t.Fatalf("position %s: address %d %v of %d, leads back to %#x, want %#x", peg.Hex(p), at, ok, l.Addresses(),
				l.Ordered(at), canonical)
		}
		if stands, size := l.Class(l.PrefixOf(s.Prefix.Of(canonical)), canonical); !stands || size != orbit {
			t.Fatalf("position %s: the canonical form stands %v for %d, want %d", peg.Hex(p), stands, size, orbit)
		}
		if n := s.Addresses(v); n != l.Addresses() {
			t.Fatalf("cell %s has %d addresses by the census, %d by the layout", v.Key(), n, l.Addresses())
		}
		at = x.address[i] % l.Addresses() // any address of the cell, not only those of games
		if back, ok := l.Address(l.Ordered(at)); !ok || back != at {
			t.Fatalf("address %d of cell %s leads to %#x, whose address is %d %v", at, v.Key(), l.Ordered(at), back, ok)
		}
		var legal []peg.Jump
		s.Board.Moves(p, func(j peg.Jump) { legal = append(legal, j) })
		if len(legal) > 0 {
			checkSuccessor(t, s, p, legal[x.jump[i]%uint64(len(legal))])
		}
	}
}

// TestNamedBoards makes trips on every board that has a name, each from a start of its own. Layouts of the large boards
// are dear, so the number of trips is the test's own and not rapid's; the seed is printed, and -rapid.seed sets it.
func TestNamedBoards(t *testing.T) {
	seed := rand.IntN(1 << 30)
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() != "0" {
		n, err := strconv.Atoi(f.Value.String())
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	segments := map[int]bool{}
	for _, name := range peg.Names() {
		t.Run(name, func(t *testing.T) {
			b := mustBoard(t, name)
			trips := 12
			if b.Size() > 40 {
				trips = 3
			}
			draw := rapid.Custom(func(t *rapid.T) trip { return drawTrip(t, b) })
			for i := range trips {
				x := draw.Example(seed + i)
				s := mustSpace(t, b, x.group, x.start)
				segments[s.segments()] = true
				t.Logf("start %s, group of %d", peg.Hex(x.start), len(x.group))
				x.check(t, s)
			}
		})
	}
	for n := 1; n <= 3; n++ {
		if !segments[n] {
			t.Errorf("no board had a mid field of %d segments: the test does not reach what it is for", n)
		}
	}
}

// TestRandomBoards makes trips on random boards of medium size.
func TestRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(rapid.SampledFrom([]int{3, 14, 24}).Draw(t, "least"), 34).Draw(t, "board")
		x := drawTrip(t, b)
		x.check(t, mustSpace(t, b, x.group, x.start))
	})
}
