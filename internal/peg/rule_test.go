package peg_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestRuleNames: a rule is named by its jumps on a board, and the name is read back.
func TestRuleNames(t *testing.T) {
	square, triangle := pegtest.Named(t, "square5"), pegtest.Named(t, "triangle4")
	for _, c := range []struct {
		board      *peg.Board
		rule, want string
		jumps      int
	}{
		{square, "", "", 60},
		{square, "0,1 1,0", "", 60},
		{square, "[[1,0],[0,1]]", "", 60},
		{square, ">0,1, >0,-1; 1,0 0,9", "", 60},
		{square, "Diagonal", "diagonal", 96},
		{square, "1,1 0,1 -1,1 1,0", "diagonal", 96},
		{square, "[[1, 0], [0, 1], [2, 1]]", "0,1 1,0 2,1", 66},
		{square, "-2,-1 2,1 >2,1", "2,1", 6},
		{square, ">0,-1", ">0,-1", 15},
		{square, "c1-b1-a1, b2>c2>d2", "a1-b1-c1 b2>c2>d2", 3},
		{square, "41-r2c2-d5", "d1-c3-d5", 2},
		{square, "1-r0c2-5", "a1-c1-e1", 2},
		{square, "a1-c3-e5", "2,2", 2},
		{triangle, "0,1 1,0 1,1", "", 18},
		{triangle, "0,1 1,0", "0,1 1,0", 12},
	} {
		b, err := c.board.WithRule(c.rule)
		if err != nil {
			t.Errorf("%q: %v", c.rule, err)
			continue
		}
		if b.Rule != c.want || len(b.Jumps) != c.jumps {
			t.Errorf("%q is the rule %q with %d jumps, want %q with %d", c.rule, b.Rule, len(b.Jumps), c.want, c.jumps)
		}
		if same := b.SameAs(); (same != "") != (b.Rule == "") {
			t.Errorf("%q: the same board as %q", c.rule, same)
		}
	}
}

func TestRuleErrors(t *testing.T) {
	square, triangle := pegtest.Named(t, "square5"), pegtest.Named(t, "triangle4")
	for _, c := range []struct {
		board      *peg.Board
		rule, want string
	}{
		{triangle, "diagonal", "no diagonals"},
		{square, "sideways", `"sideways": want diagonal, vectors`},
		{square, "0,1 sideways", `"sideways": want diagonal, vectors`},
		{square, "[[0,1],[1]", "want diagonal, vectors"},
		{square, "diagonal 0,2", "diagonal stands alone: with other vectors write 0,1 1,0 1,1 1,-1"},
		{square, "0,2 Diagonal", "diagonal stands alone: with other vectors write 0,1 1,0 1,1 1,-1"},
		{square, "[]", "want diagonal, vectors"},
		{square, "[[0,1],[1]]", "want diagonal, vectors"},
		{square, "[[0,1,2],[1,0]]", "want diagonal, vectors"},
		{square, "[[0,1],null]", "want diagonal, vectors"},
		{square, "[[0, 1 0],[1,1]]", "want diagonal, vectors"},
		{square, "0,0", "ends where it began"},
		{square, "0,3", "no jump is possible with it"},
		{square, "a1-b1", "want diagonal, vectors"},
		{square, "a1-b1-c1 a1-b1", `triplet "a1-b1": want three holes`},
		{square, "a1>b1-c1", `triplet "a1>b1-c1": want three holes`},
		{square, "a1-b1-a1", "names a hole twice"},
		{square, "a1-b1-f1", "the board has no hole f1"},
		{square, "22-23-24", "hole 22 has two readings: write letter and number, as b5 or b2"},
		{square, "a1-b1-c1 a1-b2-c1", "triplets a1>b1>c1 and a1>b2>c1 have the same ends"},
	} {
		_, err := c.board.WithRule(c.rule)
		if !errors.Is(err, peg.ErrBoard) || !errors.Is(err, peg.ErrRule) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.rule, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"a1-b1-44":      "names holes by letter and number",
		"b1-c1-d1":      "no hole is in column a",
		"a1-b1-r1024c0": "must be below 1024",
		"a1-b1-c1 a1":   "want three holes",
	} {
		if _, err := peg.Triplets("drawn", text); !errors.Is(err, peg.ErrBoard) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	large, err := peg.Draw("drawn", peg.Square, strings.Repeat("oooooooo/", 8))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := large.WithRule("diagonal"); err != nil || len(b.Jumps) != 336 {
		t.Errorf("8x8 with diagonals: %v", err)
	}
}

// TestTriplets makes a board that is drawn nowhere: the ten holes of a star of five lines, four to a line.
func TestTriplets(t *testing.T) {
	const star = "c1-b2-b3, b2-b3-a5; c1-d2-d3 d2-d3-e5 a2-b2-d2 b2-d2-e2 a2-b3-c4 b3-c4-e5 e2-d3-c4 d3-c4-a5"
	if !peg.IsTriplets(star) || peg.IsTriplets("ooo/ooo") || peg.IsTriplets("english") || peg.IsTriplets("") {
		t.Error("a list of triplets is not told from other boards")
	}
	b, err := peg.Triplets("star", star)
	if err != nil {
		t.Fatal(err)
	}
	if b.Size() != 10 || b.Triplets() != 10 || len(b.Jumps) != 20 || len(b.Symmetries()) != 2 {
		t.Errorf("%d holes, %d triplets, %d jumps, %d symmetries", b.Size(), b.Triplets(), len(b.Jumps), len(b.Symmetries()))
	}
	plain, err := peg.Triplets("row", "a1-b1-c1 b1-c1-d1")
	if err != nil || plain.Rule != "" || peg.FormatLine(plain, plain.Full()) != "oooo" {
		t.Errorf("a row as triplets: %v, rule %q", err, plain.Rule)
	}
}

// TestRules checks random boards with random rules: a drawing and the rule make the board again, also where no two
// holes are neighbours, and positions are read back; classes, symmetries and jumps agree with each other.
func TestRules(t *testing.T) {
	kinds := map[string]bool{}
	pegtest.CheckUntil(t, func() bool { return len(kinds) == 4 },
		func(t *rapid.T) {
			b := pegtest.Board(3, 30).Draw(t, "board")
			if b.Rule == "" {
				return
			}
			switch {
			case b.Rule == peg.Diagonal:
				kinds["diagonal"] = true
			case peg.IsTriplets(b.Rule):
				kinds["triplets"] = true
			default:
				kinds["vectors"] = true
			}
			again, err := peg.DrawRule(b.Name, b.Lattice, peg.FormatLine(b, b.Full()), b.Rule)
			if err != nil || again.Rule != b.Rule || !slices.Equal(again.Jumps, b.Jumps) || !slices.Equal(again.Holes, b.Holes) {
				t.Fatalf("read back: %v", err)
			}
			for _, j := range b.Jumps {
				if b.Class[j.From] != b.Class[j.To] {
					t.Fatalf("jump %v changes the class of its peg", j)
				}
			}
			for _, g := range b.Symmetries() {
				var image [4]map[uint8]bool
				for i, to := range g {
					if c := b.Class[i]; image[c] == nil {
						image[c] = map[uint8]bool{}
					}
					image[b.Class[i]][b.Class[to]] = true
				}
				for _, classes := range image {
					if len(classes) > 1 {
						t.Fatalf("symmetry %v takes a class apart", g)
					}
				}
			}
			// The holes of its jumps alone, which need not be neighbours.
			if peg.IsTriplets(b.Rule) {
				return
			}
			j := b.Jumps[0]
			line := strings.ReplaceAll(peg.FormatLine(b, j.Mask()), ".", "-")
			few, err := peg.DrawRule("few", b.Lattice, line, b.Rule)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			kinds["apart"] = true
			p := pegtest.Position(few).Draw(t, "position")
			for _, text := range []string{peg.FormatLine(few, p), peg.FormatPosition(few, p)} {
				if got, err := peg.ParseGoal(few, text); err != nil || got != p {
					t.Fatalf("position %q: %v", text, err)
				}
			}
		})
}

// TestApart reads boards with holes apart back, with their positions and sets of goals. The rule of most is that of the
// lattice, and so none. The drawing alone is refused: it has another reading.
func TestApart(t *testing.T) {
	alone := false
	pegtest.CheckUntil(t, func() bool { return alone }, func(t *rapid.T) {
		b := pegtest.Apart(20).Draw(t, "board")
		same := func(c *peg.Layout, err error) {
			if err != nil || c.Rule != b.Rule || !slices.Equal(c.Jumps, b.Jumps) || !slices.Equal(c.Holes, b.Holes) {
				t.Fatalf("%s with rule %q, read back: %v", b.FullLine(), b.Rule, err)
			}
		}
		none := peg.Position(0)
		same(peg.ReadLine("again", b.Lattice, b.Line(none), b.Rule))
		same(peg.ReadLine("again", b.Lattice, b.FullLine(), b.Rule))
		same(peg.DrawLayout("again", b.Lattice, b.FullLine(), b.LineRule()))
		if b.Rule == "" && b.LineRule() != "" {
			alone = true
			_, err := peg.Draw("again", b.Lattice, b.FullLine())
			if err == nil || !strings.Contains(err.Error(), "no two holes of a row are neighbours") {
				t.Fatalf("%s without a rule: %v", b.FullLine(), err)
			}
		}
		p, q := pegtest.Position(b).Draw(t, "position"), pegtest.Position(b).Draw(t, "free")
		picture := strings.Join(strings.Split(peg.FormatPosition(b, p), ""), " ")
		picture = strings.ReplaceAll(picture, "\n ", "\n") // two characters for a column, as answers show it
		for _, text := range []string{peg.FormatLine(b, p), peg.FormatPosition(b, p), picture} {
			if got, err := peg.ParseGoal(b, text); err != nil || got != p {
				t.Fatalf("position %q: %v", text, err)
			}
		}
		text := b.PatternLine((p &^ q).Set(), q.Set())
		if pegs, free, err := b.PatternSets(text); err != nil || pegs != (p&^q).Set() || free != q.Set() {
			t.Fatalf("goals %q: %v", text, err)
		}
	})
}

// TestLineRule: boards whose drawing alone is read need no rule that they do not have.
func TestLineRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 64).Draw(t, "board")
		if got := b.LineRule(); got != b.Rule {
			t.Fatalf("%s on the %v lattice: rule %q, in a line %q", b.FullLine(), b.Lattice, b.Rule, got)
		}
	})
}

// TestVectors compares the jumps of vectors with all triples of holes.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := pegtest.Plain(3, 24).Draw(t, "board")
		row, col := rapid.IntRange(-2, 2).Draw(t, "rows"), rapid.IntRange(1, 2).Draw(t, "columns")
		b, err := plain.WithRule(fmt.Sprintf("%d,%d 1,0 >0,1", row, col))
		if err != nil {
			return // no jump is possible
		}
		steps := map[peg.Hole]bool{{Row: row, Col: col}: true, {Row: -row, Col: -col}: true, {Row: 1}: true, {Row: -1}: true,
			{Col: 1}: true}
		var want []peg.Jump
		for f, from := range b.Holes {
			for o, over := range b.Holes {
				for e, to := range b.Holes {
					step := peg.Hole{Row: over.Row - from.Row, Col: over.Col - from.Col}
					if step == (peg.Hole{Row: to.Row - over.Row, Col: to.Col - over.Col}) && steps[step] {
						want = append(want, peg.Jump{From: uint16(f), Over: uint16(o), To: uint16(e)})
					}
				}
			}
		}
		if !slices.Equal(b.Jumps, want) {
			t.Fatalf("jumps %v, want %v", b.Jumps, want)
		}
	})
}
