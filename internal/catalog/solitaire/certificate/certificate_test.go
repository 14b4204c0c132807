package certificate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/certificate"
)

// line is a certificate on one row of holes, made by hand.
func line(start, goal string, claim certificate.Claim, proof certificate.Proof) *certificate.Certificate {
	return &certificate.Certificate{
		Version: certificate.Version, Lattice: "square", Board: strings.Repeat(".", len(start)), Start: start, Goal: goal,
		Claim: claim, Proof: proof,
	}
}

// The right certificates, one of each kind at least. Functions, because tests damage the certificates that they return.
var right = map[string]func() *certificate.Certificate{
	"game": func() *certificate.Certificate {
		return line("oo.o....", ".o......", certificate.Feasible,
			certificate.Proof{Kind: certificate.Game, Jumps: []string{"11x31", "41x21"}})
	},
	"empty game": func() *certificate.Certificate {
		return line("oo.", "oo.", certificate.Feasible, certificate.Proof{Kind: certificate.Game})
	},
	"pegs": func() *certificate.Certificate {
		return line("oo.", ".oo", certificate.Infeasible, certificate.Proof{Kind: certificate.Pegs})
	},
	"no jump": func() *certificate.Certificate {
		return line("ooo", "..o", certificate.Infeasible, certificate.Proof{Kind: certificate.NoJump})
	},
	"no undone jump": func() *certificate.Certificate {
		return line("ooooo...", ".o.o.o.o", certificate.Infeasible, certificate.Proof{Kind: certificate.NoUndo})
	},
	"modular": func() *certificate.Certificate {
		return line("oo......", "......o.", certificate.Infeasible, certificate.Proof{
			Kind: certificate.Modular, Modulus: 2, Weights: []int64{0, 1, 1, 0, 1, 1, 0, 1},
		})
	},
	"pagoda": func() *certificate.Certificate {
		return line("o.oo....", "o......o", certificate.Infeasible, certificate.Proof{
			Kind: certificate.Pagoda, Weights: []int64{1, 1, 0, 1, 1, 2, 3, 5},
		})
	},
	"last exit": func() *certificate.Certificate {
		return line("oo..o", "o..o.", certificate.Infeasible, certificate.Proof{
			Kind: certificate.LastExit, Class: ".o.o.", Corners: "o...o", Empty: ".....",
		})
	},
	"last exit reversed": func() *certificate.Certificate {
		return line(".oo.o", "..oo.", certificate.Infeasible, certificate.Proof{
			Kind: certificate.LastExit, Class: ".o.o.", Corners: "o...o", Empty: ".....", Reversed: true,
		})
	},
	"at least": func() *certificate.Certificate {
		c := line("oo.", "..o", certificate.OutOfBounds,
			certificate.Proof{Kind: certificate.Tree, Tree: &certificate.Node{Weights: []int64{0, 1, 0}}})
		c.Bounds = []certificate.Bound{{Jump: "11x31", AtLeast: 2}}
		return c
	},
	"at most": func() *certificate.Certificate {
		c := line("oo.", "..o", certificate.OutOfBounds,
			certificate.Proof{Kind: certificate.Tree, Tree: &certificate.Node{Weights: []int64{0, 0, 1}}})
		c.Bounds = []certificate.Bound{{Jump: "11x31", AtMost: new(int64)}}
		return c
	},
	"walk": func() *certificate.Certificate {
		return line("ooooooo.", "o.ooo...", certificate.Infeasible, certificate.Proof{
			Kind: certificate.Walk, Cells: []int{0, 1, 2, 1, 2, 1, 2, 3},
		})
	},
	"tree": func() *certificate.Certificate {
		return line("ooooooo", "o.o.o.o", certificate.Infeasible, certificate.Proof{
			Kind: certificate.Tree, Tree: &certificate.Node{
				Jump: "11x31",
				Less: &certificate.Node{Weights: []int64{0, -1, 1, 0, 1, 0, 1}},
				More: &certificate.Node{Weights: []int64{2, 1, 1, 0, 1, 0, 1}},
			},
		})
	},
	"search": func() *certificate.Certificate {
		return line("ooooo...", "oo......", certificate.Infeasible, certificate.Proof{
			Kind: certificate.Search, Pruning: [][]int64{{1, 1, 1, 0, 1, 0, 1, 1}}, Forward: 3, Positions: 3,
		})
	},
	"in lattice": func() *certificate.Certificate {
		return line("ooooooo", "o.o.o.o", certificate.InLattice, combination(
			"11x31", "2", "21x41", "-1", "31x51", "-1", "41x61", "-1", "31x11", "2", "41x21", "2"))
	},
	"in cone": func() *certificate.Certificate {
		return line("ooooooo", "o.o.o.o", certificate.InCone, combination(
			"11x31", "1/2", "31x51", "1/2", "51x71", "1/2", "31x11", "1/2", "51x31", "1/2", "71x51", "1/2"))
	},
	"in integer cone": func() *certificate.Certificate {
		return line("oo.o....", ".o......", certificate.InIntegerCone, combination("11x31", "1", "41x21", "1"))
	},
}

func combination(list ...string) certificate.Proof {
	p := certificate.Proof{Kind: certificate.Combination}
	for i := 0; i < len(list); i += 2 {
		p.Multipliers = append(p.Multipliers, certificate.Multiplier{Jump: list[i], Times: list[i+1]})
	}
	return p
}

// TestRight: the right certificates are accepted, before and after a round through JSON.
func TestRight(t *testing.T) {
	for name, c := range right {
		if err := c().Check(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := json.Marshal(c())
		if err != nil {
			t.Fatal(err)
		}
		again, err := certificate.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := again.Check(); err != nil {
			t.Errorf("%s, parsed: %v", name, err)
		}
	}
}

// TestWrong damages the right certificates, each in one way, and demands the error that says how.
func TestWrong(t *testing.T) {
	type c = certificate.Certificate
	for _, w := range []struct {
		name   string
		damage func(*c)
		kind   error
		want   string
	}{
		{"game", func(c *c) { c.Lattice = "cubic" }, certificate.ErrForm, "unknown lattice"},
		{"game", func(c *c) { c.Board = "x" }, certificate.ErrForm, "bad board"},
		{"game", func(c *c) { c.Start = "center" }, certificate.ErrForm, "want a drawing"},
		{"game", func(c *c) { c.Goal = "r0c1" }, certificate.ErrForm, "want a drawing"},
		{"game", func(c *c) { c.Goal = ".o" }, certificate.ErrForm, "lacks hole"},
		{"game", func(c *c) { c.Claim = certificate.Infeasible }, certificate.ErrForm, "no proof of kind"},
		{"game", func(c *c) { c.Proof.Kind = "oracle" }, certificate.ErrForm, "no proof of kind"},
		{"game", func(c *c) { c.Proof.Jumps[0] = "11x41" }, certificate.ErrForm, "no jump"},
		{"game", func(c *c) { c.Proof.Jumps[1] = "51x31" }, certificate.ErrProof, "jump 2, 51x31, cannot be played"},
		{"game", func(c *c) { c.Start = "oo.oo..." }, certificate.ErrProof, "the game ends at"},
		{"game", func(c *c) { c.Proof.Jumps = c.Proof.Jumps[:1] }, certificate.ErrProof, "the game ends at"},
		{"empty game", func(c *c) { c.Goal = "..o" }, certificate.ErrProof, "the game ends at"},
		{"pegs", func(c *c) { c.Goal = "..o" }, certificate.ErrProof, "fewer pegs"},
		{"pegs", func(c *c) { c.Goal = "oo." }, certificate.ErrProof, "the goal is the start"},
		{"no jump", func(c *c) { c.Start = "oo." }, certificate.ErrProof, "11x31 can be played"},
		{"no jump", func(c *c) { c.Goal = "ooo" }, certificate.ErrProof, "the goal is the start"},
		{"no undone jump", func(c *c) { c.Goal = ".o.o...o" }, certificate.ErrProof, "61x41 can have led to the goal"},
		{"no undone jump", func(c *c) { c.Start = c.Goal }, certificate.ErrProof, "the goal is the start"},
		{"modular", func(c *c) { c.Proof.Modulus = 1 }, certificate.ErrProof, "modulus 1"},
		{"modular", func(c *c) { c.Proof.Modulus = 3 }, certificate.ErrProof, "no multiple of 3"},
		{"modular", func(c *c) { c.Proof.Weights[0] = 1 }, certificate.ErrProof, "no multiple of 2"},
		{"modular", func(c *c) { c.Goal = ".....o.." }, certificate.ErrProof, "a multiple of 2"},
		{"modular", func(c *c) { c.Proof.Weights = c.Proof.Weights[1:] }, certificate.ErrForm, "7 weights for 8 holes"},
		{"pagoda", func(c *c) { c.Proof.Weights[7] = 6 }, certificate.ErrProof, "61x81 raises the weight by 1"},
		{"pagoda", func(c *c) { c.Goal = "o...o..." }, certificate.ErrProof, "must weigh more"},
		{"pagoda", func(c *c) { c.Proof.Weights = nil }, certificate.ErrForm, "0 weights for 8 holes"},
		{"pagoda", func(c *c) { c.Proof.Weights = []int64{0, 0, 0, -1 << 63, -1 << 63, 1, 0, 0} },
			certificate.ErrProof, "raises the weight"},
		{"last exit", func(c *c) { c.Proof.Class = "o.o.o" }, certificate.ErrProof, "over a hole outside the class"},
		{"last exit", func(c *c) { c.Proof.Class = ".o.oo" }, certificate.ErrProof, "adds a peg to a class"},
		{"last exit", func(c *c) { c.Proof.Class = "....." }, certificate.ErrProof, "over a hole outside the class"},
		{"last exit", func(c *c) { c.Proof.Class = "oo" }, certificate.ErrForm, "lacks hole"},
		{"last exit", func(c *c) { c.Proof.Corners = "oo..." }, certificate.ErrProof, "goes over a corner"},
		{"last exit", func(c *c) { c.Proof.Corners = "....." }, certificate.ErrProof, "1 pegs of the class and 0 to leave"},
		{"last exit", func(c *c) { c.Start = "oo.oo" }, certificate.ErrProof, "2 pegs of the class and 1 to leave"},
		{"last exit", func(c *c) { c.Start, c.Goal = "....o", "....." }, certificate.ErrProof, "0 pegs of the class and 1"},
		{"last exit", func(c *c) { c.Goal = "o.o.." }, certificate.ErrProof, "51x31, out of a corner, can have led"},
		{"last exit", func(c *c) { c.Proof.Empty = "..o.." }, certificate.ErrProof, "adds a peg to a class"},
		{"last exit", func(c *c) { c.Proof.Empty = "o...." }, certificate.ErrProof, "should be empty"},
		{"last exit reversed", func(c *c) { c.Proof.Reversed = false }, certificate.ErrProof, "can have led"},
		{"walk", func(c *c) { c.Proof.Cells = make([]int, 8) }, certificate.ErrProof, "can become those of the goal"},
		{"walk", func(c *c) { c.Goal = "o.oo...." }, certificate.ErrProof, "can become those of the goal"},
		{"walk", func(c *c) { c.Proof.Cells[3] = 8 }, certificate.ErrForm, "cell 8"},
		{"walk", func(c *c) { c.Proof.Cells[3] = -1 }, certificate.ErrForm, "cell -1"},
		{"walk", func(c *c) { c.Proof.Cells = c.Proof.Cells[1:] }, certificate.ErrForm, "7 cells for 8 holes"},
		{"tree", func(c *c) { c.Proof.Tree = nil }, certificate.ErrForm, "the tree is missing"},
		{"tree", func(c *c) { c.Proof.Tree.Less = nil }, certificate.ErrForm, "lacks one of its two nodes"},
		{"tree", func(c *c) { c.Proof.Tree.Weights = []int64{1} }, certificate.ErrForm, "both weights and branches"},
		{"tree", func(c *c) { c.Proof.Tree.Jump = "11x21" }, certificate.ErrForm, "no jump"},
		{"tree", func(c *c) { c.Proof.Tree.AtMost = -1 }, certificate.ErrForm, "a branch at -1 times"},
		{"tree", func(c *c) { c.Proof.Tree.AtMost = 1 }, certificate.ErrProof, "the weight has to rise"},
		{"tree", func(c *c) { c.Proof.Tree = c.Proof.Tree.Less }, certificate.ErrProof, "nothing bounds"},
		{"tree", func(c *c) { c.Proof.Tree.More.Weights[1] = 0 }, certificate.ErrProof, "nothing bounds"},
		{"tree", func(c *c) { c.Proof.Tree.More.Weights = nil }, certificate.ErrForm, "0 weights for 7 holes"},
		{"at least", func(c *c) { c.Bounds[0].AtLeast = 1 }, certificate.ErrProof, "the weight has to rise by -1"},
		{"at least", func(c *c) { c.Bounds[0].AtLeast = -1 }, certificate.ErrForm, "want 0 to"},
		{"at least", func(c *c) { c.Bounds[0].Jump = "11x21" }, certificate.ErrForm, "no jump"},
		{"at least", func(c *c) { c.Claim = certificate.Infeasible }, certificate.ErrForm, "bounds belong to the claim"},
		{"at most", func(c *c) { *c.Bounds[0].AtMost = 1 }, certificate.ErrProof, "the weight has to rise by 1"},
		{"at most", func(c *c) { *c.Bounds[0].AtMost = 1 << 21 }, certificate.ErrForm, "want 0 to"},
		{"at most", func(c *c) { c.Bounds = nil }, certificate.ErrProof, "nothing bounds"},
		{"search", func(c *c) { c.Proof.Positions++ }, certificate.ErrProof, "visits 3 positions, the certificate says 4"},
		{"search", func(c *c) { c.Goal = ".oooo..." }, certificate.ErrForm, "3 jumps forward"},
		{"search", func(c *c) { c.Goal, c.Proof.Forward = ".o......", 5 }, certificate.ErrForm, "5 jumps forward"},
		{"search", func(c *c) { c.Start, c.Goal, c.Proof.Forward = "oo.o....", ".o......", 1 },
			certificate.ErrProof, "meets at"},
		{"search", func(c *c) { c.Goal = c.Start }, certificate.ErrProof, "nothing to search"},
		{"search", func(c *c) { c.Proof.Pruning[0][0] = -9 }, certificate.ErrProof, "raises the weight"},
		{"search", func(c *c) { c.Proof.Pruning[0] = nil }, certificate.ErrForm, "0 weights for 8 holes"},
		{"search", func(c *c) { c.Proof.Pruning = make([][]int64, 1001) }, certificate.ErrForm, "1001 pagoda functions"},
		{"search", func(c *c) {
			for i := range c.Proof.Pruning[0] {
				c.Proof.Pruning[0][i] = 1 << 61
			}
		}, certificate.ErrForm, "too large"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "3" }, certificate.ErrProof, "the jumps sum to"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "1/2" }, certificate.ErrProof, "must be an integer"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "1e9" }, certificate.ErrForm, "no integer or fraction"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "1/0" }, certificate.ErrForm, "no integer or fraction"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[1].Jump = "11x31" }, certificate.ErrForm, "two multipliers"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[1].Jump = "11" }, certificate.ErrForm, "no jump"},
		{"in lattice", func(c *c) { c.Claim = certificate.InCone }, certificate.ErrProof, "must not be negative"},
		{"in lattice", func(c *c) { c.Claim = certificate.InIntegerCone }, certificate.ErrProof, "must not be negative"},
		{"in cone", func(c *c) { c.Claim = certificate.InIntegerCone }, certificate.ErrProof, "must be an integer"},
		{"in cone", func(c *c) { c.Proof.Multipliers = c.Proof.Multipliers[1:] }, certificate.ErrProof, "the jumps sum to"},
		{"in integer cone", func(c *c) { c.Goal = "..o....." }, certificate.ErrProof, "the jumps sum to"},
		{"in integer cone", func(c *c) { c.Claim = certificate.Feasible }, certificate.ErrForm, "no proof of kind"},
	} {
		damaged := right[w.name]()
		w.damage(damaged)
		err := damaged.Check()
		if !errors.Is(err, w.kind) || !strings.Contains(err.Error(), w.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %v: ...%s", w.name, err, w.kind, w.want)
		}
	}
}

// TestLargeTree: a tree that is right and too large is refused, and one whose check is cancelled is not believed.
func TestLargeTree(t *testing.T) {
	c := right["pagoda"]()
	tree := &certificate.Node{Weights: c.Proof.Weights}
	c.Proof = certificate.Proof{Kind: certificate.Tree, Tree: tree}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		c.Proof.Tree = &certificate.Node{Jump: "11x31", Less: c.Proof.Tree, More: c.Proof.Tree}
	}
	err := c.Check()
	if !errors.Is(err, certificate.ErrProof) || !strings.Contains(err.Error(), "more than 1000000 nodes") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.CheckWithin(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSearched counts the positions of searches on a line of eight holes by a slow search, from both sides, with all
// divisions between them. A right number is accepted where the searches do not meet, and no other number.
func TestSearched(t *testing.T) {
	jumps := lineJumps(8)
	steps := func(from string, n int, before, after string) (layer map[string]bool, visited int) {
		layer = map[string]bool{from: true}
		for visited = 1; n > 0; n-- {
			next := map[string]bool{}
			for q := range layer {
				for _, j := range jumps {
					if q[j.from] == before[0] && q[j.over] == before[1] && q[j.to] == before[2] {
						r := []byte(q)
						r[j.from], r[j.over], r[j.to] = after[0], after[1], after[2]
						next[string(r)] = true
					}
				}
			}
			layer = next
			visited += len(next)
		}
		return layer, visited
	}
	met, missed := 0, 0
	for _, start := range []string{"ooooo...", "oo.oo.oo", ".oo.oo.."} {
		for pair := range 7 * 8 {
			goal := []byte("........")
			goal[pair%7], goal[7-pair/7] = 'o', 'o'
			if pair%7 >= 7-pair/7 {
				continue
			}
			n := strings.Count(start, "o") - 2
			for forward := range n + 1 {
				reached, one := steps(start, forward, "oo.", "..o")
				winnable, two := steps(string(goal), n-forward, "..o", "oo.")
				meet := false
				for q := range reached {
					meet = meet || winnable[q]
				}
				for _, more := range []int{-1, 0, 1} {
					c := line(start, string(goal), certificate.Infeasible, certificate.Proof{
						Kind: certificate.Search, Forward: forward, Positions: one + two + more,
					})
					if err := c.Check(); (err == nil) != (!meet && more == 0) {
						t.Errorf("%s to %s, %d forward, %d positions and %d more: %v", start, goal, forward, one+two, more, err)
					}
				}
				if meet {
					met++
				} else {
					missed++
				}
			}
		}
	}
	if met == 0 || missed == 0 {
		t.Errorf("%d searches meet, %d do not", met, missed)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "EOF"},
		{"[]", "cannot unmarshal array"},
		{`{"certificate": 2}`, "version 2"},
		{`{"certificate": 1, "colour": 3}`, "unknown field"},
		{`{"certificate": 1, "proof": {"kind": "pagoda", "weights": [1.5]}}`, "cannot unmarshal number"},
		{`{"certificate": 1, "proof": {"kind": "pagoda", "weights": [9223372036854775808]}}`, "cannot unmarshal number"},
		{`{"certificate": 1} {}`, "after the closing brace"},
	} {
		_, err := certificate.Parse([]byte(c.text))
		if !errors.Is(err, certificate.ErrForm) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}
