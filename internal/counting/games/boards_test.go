package games

import (
	"flag"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/puzzletest"
)

// TestSmallBoards compares whole runs with the reference: every vacancy of the small triangles, some starts of larger
// boards.
func TestSmallBoards(t *testing.T) {
	for _, name := range []string{"triangle4", "triangle5"} {
		b := countingtest.Params(t, name, "r0c0").Board
		for i := range b.Size() {
			p := counting.Params{Board: b, Start: b.Complement(1 << i), HasGoal: true, Goal: 1 << i}
			t.Run(name+"/"+b.HoleName(i), func(t *testing.T) {
				checkRun(t, p, reference.Play(b, p.Start, -1), whole)
			})
		}
	}
	for _, c := range []struct {
		board, start    string
		windowAddresses uint64
		long            bool
	}{
		{"hexagon19", "center", 0, false},
		{"hexagon19", "0x6d2b0", 0, false},
		{"square5", "0x18ffc60", 0, false},
		{"square5", "0x0f7bde", 0, false},
		{"triangle6", "r3c1", 4000, true},
	} {
		t.Run(c.board+"/"+c.start, func(t *testing.T) {
			if c.long && testing.Short() {
				t.Skip("seconds of reference: not in a short run")
			}
			p := countingtest.Params(t, c.board, c.start)
			checkRun(t, p, reference.Play(p.Board, p.Start, -1), setting{windowAddresses: c.windowAddresses, cached: true})
		})
	}
}

// TestLargeBoards compares the ends of games on every board that has a name: the first layers from a vacancy, and whole
// games from a few pegs. There the fields are wide and the mid field has up to three segments.
func TestLargeBoards(t *testing.T) {
	const mostAddresses = 40_000
	seed := rand.IntN(1 << 30)
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() != "0" {
		n, err := strconv.Atoi(f.Value.String())
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	for _, name := range peg.Names() {
		t.Run(name, func(t *testing.T) {
			b := countingtest.Params(t, name, "0x1").Board
			random := rand.New(rand.NewPCG(uint64(seed), uint64(b.Size())))
			for i := range 3 {
				p := counting.Params{Board: b}
				switch i {
				case 0: // the middle, where symmetries are
					p.Start = b.Complement(1 << (b.Size() / 2))
				case 1:
					p.Start = b.Complement(1 << random.IntN(b.Size()))
				default: // few pegs, as many as the addresses of a test allow
					j := b.Jumps[random.IntN(len(b.Jumps))]
					p.Start = j.Need()
					for _, h := range random.Perm(b.Size()) {
						more := p.Start | 1<<h
						if more.Pegs() > 9 || arrangements(b, more) > 16*mostAddresses {
							break
						}
						if h != int(j.To) {
							p.Start = more
						}
					}
				}
				g := gamesOf(t, p)
				last, addresses := 0, uint64(0)
				for n, layer := range g.Layers {
					for _, v := range layer {
						addresses += g.Space.Addresses(v)
					}
					if addresses > mostAddresses {
						break
					}
					last = n
				}
				t.Logf("start %s, group of %d, layers 0..%d of %d", peg.Hex(p.Start), len(g.Space.Group), last, len(g.Layers))
				if last == 0 {
					continue // 0 would mean all layers
				}
				checkRun(t, p, reference.Play(b, p.Start, last), setting{last: last})
			}
		})
	}
}

// arrangements is the number of positions with the class counts of p.
func arrangements(b *peg.Board, p peg.Position) int64 {
	n := big.NewInt(1)
	for _, class := range b.ClassMasks() {
		n.Mul(n, new(big.Int).Binomial(int64(class.Pegs()), int64((p&class).Pegs())))
	}
	return n.Int64()
}

// TestTriangle15 compares with the published figures of the 15-hole triangle; solutions end with one peg anywhere.
func TestTriangle15(t *testing.T) {
	for _, want := range []struct{ start, positions, solutions, games string }{
		{"r0c0", "3016", "29760", "568630"},
		{"r1c0", "2377", "14880", "294543"},
		{"r2c0", "4237", "85258", "1149568"},
		{"r2c1", "1651", "1550", "137846"},
	} {
		g := newGames(t, "triangle5", want.start, "", 0)
		m := puzzletest.Play(t, g, puzzletest.Options{Cached: true})
		last, ok := m.Layer(13)
		if solutions := last.Sum("paths").String(); !ok || solutions != want.solutions {
			t.Errorf("%s: %s solutions, want %s", want.start, solutions, want.solutions)
		}
		if got := puzzletest.Fact(t, g, m, "positions"); got != want.positions {
			t.Errorf("%s: %s positions, want %s", want.start, got, want.positions)
		}
		if got := puzzletest.Fact(t, g, m, "games"); got != want.games {
			t.Errorf("%s: %s games, want %s", want.start, got, want.games)
		}
	}
}

// TestTriangle10 plays all pairs of one vacancy and one peg of the 10-hole triangle: 14 solutions from (1,0) to (1,1)
// and its images, none elsewhere.
func TestTriangle10(t *testing.T) {
	b := countingtest.Params(t, "triangle4", "r0c0").Board
	from, _ := b.Hole(1, 0)
	to, _ := b.Hole(1, 1)
	solvable := map[[2]int]bool{}
	for _, g := range b.Symmetries() {
		solvable[[2]int{int(g[from]), int(g[to])}] = true
	}
	for s := range b.Size() {
		for e := range b.Size() {
			g := gamesOf(t, counting.Params{Board: b, Start: b.Complement(1 << s), HasGoal: true, Goal: 1 << e})
			m := puzzletest.Play(t, g, puzzletest.Options{Stored: true})
			want := "0"
			if solvable[[2]int{s, e}] {
				want = "14"
			}
			if got := puzzletest.Fact(t, g, m, "solutions"); got != want {
				t.Errorf("%s to %s: %s solutions, want %s", b.HoleName(s), b.HoleName(e), got, want)
			}
		}
	}
}

// TestFrenchFirstLayers compares with known numbers of positions on the 37-hole board from (0,2).
func TestFrenchFirstLayers(t *testing.T) {
	want := []int64{1, 2, 6, 32, 173, 919, 4742, 22820, 101116}
	g := newGames(t, "french", "r0c2", "", 0)
	m, err := puzzletest.PlayTo(t, g, puzzletest.Options{Cached: true}, len(want)-1)
	if err != nil {
		t.Fatal(err)
	}
	for n, positions := range want {
		tally, _ := m.Layer(n)
		if got := tally.Sum("positions"); got.Big().Cmp(big.NewInt(positions)) != 0 {
			t.Errorf("layer %d: %v positions, want %d", n, got, positions)
		}
	}
}
