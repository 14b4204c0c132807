package proofs_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/proofs"
)

// line is a certificate on one row of holes, made by hand.
func line(start, goal string, claim proofs.Claim, proof proofs.Proof) *proofs.Certificate {
	return &proofs.Certificate{
		Version: proofs.Version, Lattice: "square", Board: strings.Repeat(".", len(start)), Start: start, Goal: goal,
		Claim: claim, Proof: proof,
	}
}

// open is line for a goal with open holes.
func open(start, goal string, claim proofs.Claim, proof proofs.Proof) *proofs.Certificate {
	c := line(start, "", claim, proof)
	c.Goals = &proofs.Goals{Patterns: []string{goal}, Most: len(start)}
	return c
}

// The right certificates, one of each kind at least. Functions, because tests damage the certificates that they return.
var right = map[string]func() *proofs.Certificate{
	"game": func() *proofs.Certificate {
		return line("oo.o....", ".o......", proofs.Feasible,
			proofs.Proof{Kind: proofs.Game, Jumps: []string{"11x31", "41x21"}})
	},
	"empty game": func() *proofs.Certificate {
		return line("oo.", "oo.", proofs.Feasible, proofs.Proof{Kind: proofs.Game})
	},
	"pegs": func() *proofs.Certificate {
		return line("oo.", ".oo", proofs.Infeasible, proofs.Proof{Kind: proofs.Pegs})
	},
	"no jump": func() *proofs.Certificate {
		return line("ooo", "..o", proofs.Infeasible, proofs.Proof{Kind: proofs.NoJump})
	},
	"no undone jump": func() *proofs.Certificate {
		return line("ooooo...", ".o.o.o.o", proofs.Infeasible, proofs.Proof{Kind: proofs.NoUndo})
	},
	"modular": func() *proofs.Certificate {
		return line("oo......", "......o.", proofs.Infeasible, proofs.Proof{
			Kind: proofs.Modular, Modulus: 2, Weights: []int64{0, 1, 1, 0, 1, 1, 0, 1},
		})
	},
	"pagoda": func() *proofs.Certificate {
		return line("o.oo....", "o......o", proofs.Infeasible, proofs.Proof{
			Kind: proofs.Pagoda, Weights: []int64{1, 1, 0, 1, 1, 2, 3, 5},
		})
	},
	"last exit": func() *proofs.Certificate {
		return line("oo..o", "o..o.", proofs.Infeasible, proofs.Proof{
			Kind: proofs.LastExit, Class: ".o.o.", Corners: "o...o", Empty: ".....",
		})
	},
	"last exit reversed": func() *proofs.Certificate {
		return line(".oo.o", "..oo.", proofs.Infeasible, proofs.Proof{
			Kind: proofs.LastExit, Class: ".o.o.", Corners: "o...o", Empty: ".....", Reversed: true,
		})
	},
	"at least": func() *proofs.Certificate {
		c := line("oo.", "..o", proofs.OutOfBounds,
			proofs.Proof{Kind: proofs.Tree, Tree: &proofs.Node{Weights: []int64{0, 1, 0}}})
		c.Bounds = []proofs.Bound{{Jump: "11x31", AtLeast: 2}}
		return c
	},
	"at most": func() *proofs.Certificate {
		c := line("oo.", "..o", proofs.OutOfBounds,
			proofs.Proof{Kind: proofs.Tree, Tree: &proofs.Node{Weights: []int64{0, 0, 1}}})
		c.Bounds = []proofs.Bound{{Jump: "11x31", AtMost: new(int64)}}
		return c
	},
	"walk": func() *proofs.Certificate {
		return line("ooooooo.", "o.ooo...", proofs.Infeasible, proofs.Proof{
			Kind: proofs.Walk, Cells: []int{0, 1, 2, 1, 2, 1, 2, 3},
		})
	},
	"tree": func() *proofs.Certificate {
		return line("ooooooo", "o.o.o.o", proofs.Infeasible, proofs.Proof{
			Kind: proofs.Tree, Tree: &proofs.Node{
				Jump: "11x31",
				Less: &proofs.Node{Weights: []int64{0, -1, 1, 0, 1, 0, 1}},
				More: &proofs.Node{Weights: []int64{2, 1, 1, 0, 1, 0, 1}},
			},
		})
	},
	"search": func() *proofs.Certificate {
		return line("ooooo...", "oo......", proofs.Infeasible, proofs.Proof{
			Kind: proofs.Search, Pruning: [][]int64{{1, 1, 1, 0, 1, 0, 1, 1}}, Forward: 3, Positions: 3,
		})
	},
	"in lattice": func() *proofs.Certificate {
		return line("ooooooo", "o.o.o.o", proofs.InLattice, combination(
			"11x31", "2", "21x41", "-1", "31x51", "-1", "41x61", "-1", "31x11", "2", "41x21", "2"))
	},
	"in cone": func() *proofs.Certificate {
		return line("ooooooo", "o.o.o.o", proofs.InCone, combination(
			"11x31", "1/2", "31x51", "1/2", "51x71", "1/2", "31x11", "1/2", "51x31", "1/2", "71x51", "1/2"))
	},
	"in integer cone": func() *proofs.Certificate {
		return line("oo.o....", ".o......", proofs.InIntegerCone, combination("11x31", "1", "41x21", "1"))
	},
}

// opened are right certificates about a goal with open holes.
var opened = map[string]func() *proofs.Certificate{
	"open pegs": func() *proofs.Certificate {
		return open("oo...", "?oo..", proofs.Infeasible, proofs.Proof{Kind: proofs.Pegs})
	},
	"open, no jump": func() *proofs.Certificate {
		return open("ooo", "?.o", proofs.Infeasible, proofs.Proof{Kind: proofs.NoJump})
	},
	"open, no undone jump": func() *proofs.Certificate {
		return open("oooooooo", "oo?oo.oo", proofs.Infeasible, proofs.Proof{Kind: proofs.NoUndo})
	},
	"open modular": func() *proofs.Certificate {
		return open("oo......", "?..?..o.", proofs.Infeasible, proofs.Proof{
			Kind: proofs.Modular, Modulus: 2, Weights: []int64{0, 1, 1, 0, 1, 1, 0, 1},
		})
	},
	"open pagoda": func() *proofs.Certificate {
		return open("o.oo....", "?......o", proofs.Infeasible, proofs.Proof{
			Kind: proofs.Pagoda, Weights: []int64{-1, 1, 0, 1, 1, 2, 3, 5},
		})
	},
	"open game": func() *proofs.Certificate {
		return open("oo.o....", ".?......", proofs.Feasible,
			proofs.Proof{Kind: proofs.Game, Jumps: []string{"11x31", "41x21"}})
	},
}

// rightOnes are both kinds.
func rightOnes() map[string]func() *proofs.Certificate {
	all := maps.Clone(right)
	maps.Copy(all, opened)
	return all
}

func combination(list ...string) proofs.Proof {
	p := proofs.Proof{Kind: proofs.Combination}
	for i := 0; i < len(list); i += 2 {
		p.Multipliers = append(p.Multipliers, proofs.Multiplier{Jump: list[i], Times: list[i+1]})
	}
	return p
}

// TestRight: the right certificates are accepted, before and after a round through JSON.
func TestRight(t *testing.T) {
	for name, c := range rightOnes() {
		if err := c().Check(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := json.Marshal(c())
		if err != nil {
			t.Fatal(err)
		}
		again, err := proofs.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := again.Check(); err != nil {
			t.Errorf("%s, parsed: %v", name, err)
		}
	}
}

// TestWrong damages the right certificates, each in one way, and demands the error that says how.
func TestWrong(t *testing.T) {
	type c = proofs.Certificate
	for _, w := range []struct {
		name   string
		damage func(*c)
		kind   error
		want   string
	}{
		{"game", func(c *c) { c.Lattice = "cubic" }, proofs.ErrForm, "unknown lattice"},
		{"game", func(c *c) { c.Board = "x" }, proofs.ErrForm, "bad board"},
		{"game", func(c *c) { c.Start = "center" }, proofs.ErrForm, "want a drawing"},
		{"game", func(c *c) { c.Goal = "r0c1" }, proofs.ErrForm, "want a drawing"},
		{"game", func(c *c) { c.Goal = ".o" }, proofs.ErrForm, "lacks hole"},
		{"game", func(c *c) { c.Claim = proofs.Infeasible }, proofs.ErrForm, "no proof of kind"},
		{"game", func(c *c) { c.Proof.Kind = "oracle" }, proofs.ErrForm, "no proof of kind"},
		{"game", func(c *c) { c.Proof.Jumps[0] = "11x41" }, proofs.ErrForm, "no jump"},
		{"game", func(c *c) { c.Proof.Jumps[1] = "51x31" }, proofs.ErrProof, "jump 2, 51x31, cannot be played"},
		{"game", func(c *c) { c.Start = "oo.oo..." }, proofs.ErrProof, "the game ends at"},
		{"game", func(c *c) { c.Proof.Jumps = c.Proof.Jumps[:1] }, proofs.ErrProof, "the game ends at"},
		{"empty game", func(c *c) { c.Goal = "..o" }, proofs.ErrProof, "the game ends at"},
		{"open pegs", func(c *c) { c.Goals.Patterns[0] = "??o.." }, proofs.ErrProof, "the goal has fewer pegs"},
		{"open pegs", func(c *c) { c.Goals.Patterns[0] = "oo..." }, proofs.ErrProof, "the start is a goal"},
		{"open, no jump", func(c *c) { c.Start = "oo." }, proofs.ErrProof, "jump 11x31 can be played"},
		{"open, no undone jump", func(c *c) { c.Goals.Patterns[0] = "oo???.oo" }, proofs.ErrProof, "can have led to"},
		{"open modular", func(c *c) { c.Goals.Patterns[0] = "??....o." }, proofs.ErrProof,
			"hole 21 may have a peg or not, and weighs 1"},
		{"open modular", func(c *c) { c.Goals.Patterns = append(c.Goals.Patterns, ".o.....") }, proofs.ErrForm, "lacks hole"},
		{"open modular", func(c *c) { c.Goals.Patterns = append(c.Goals.Patterns, "..oo....") }, proofs.ErrProof,
			"the weight changes by 0"},
		{"open pagoda", func(c *c) { c.Goals.Patterns[0] = "?......?" }, proofs.ErrProof, "the goal must weigh more"},
		{"open pagoda", func(c *c) { c.Goals.Patterns = append(c.Goals.Patterns, "o.......") }, proofs.ErrProof,
			"the goal must weigh more"},
		{"open pagoda", func(c *c) { c.Proof.Weights[0], c.Proof.Weights[3] = -6, 9 }, proofs.ErrProof, "raises the weight"},
		{"open game", func(c *c) { c.Goals.Patterns[0] = "?......." }, proofs.ErrProof, "none of the goals"},
		{"open game", func(c *c) { c.Claim, c.Proof.Kind = proofs.InCone, proofs.Combination }, proofs.ErrForm,
			"no proof of kind"},
		{"pegs", func(c *c) { c.Goal = "..o" }, proofs.ErrProof, "fewer pegs"},
		{"pegs", func(c *c) { c.Goal = "oo." }, proofs.ErrProof, "the goal is the start"},
		{"no jump", func(c *c) { c.Start = "oo." }, proofs.ErrProof, "11x31 can be played"},
		{"no jump", func(c *c) { c.Goal = "ooo" }, proofs.ErrProof, "the goal is the start"},
		{"no undone jump", func(c *c) { c.Goal = ".o.o...o" }, proofs.ErrProof, "61x41 can have led to the goal"},
		{"no undone jump", func(c *c) { c.Start = c.Goal }, proofs.ErrProof, "the goal is the start"},
		{"modular", func(c *c) { c.Proof.Modulus = 1 }, proofs.ErrProof, "modulus 1"},
		{"modular", func(c *c) { c.Proof.Modulus = 3 }, proofs.ErrProof, "no multiple of 3"},
		{"modular", func(c *c) { c.Proof.Weights[0] = 1 }, proofs.ErrProof, "no multiple of 2"},
		{"modular", func(c *c) { c.Goal = ".....o.." }, proofs.ErrProof, "a multiple of 2"},
		{"modular", func(c *c) { c.Proof.Weights = c.Proof.Weights[1:] }, proofs.ErrForm, "7 weights for 8 holes"},
		{"pagoda", func(c *c) { c.Proof.Weights[7] = 6 }, proofs.ErrProof, "61x81 raises the weight by 1"},
		{"pagoda", func(c *c) { c.Goal = "o...o..." }, proofs.ErrProof, "must weigh more"},
		{"pagoda", func(c *c) { c.Proof.Weights = nil }, proofs.ErrForm, "0 weights for 8 holes"},
		{"pagoda", func(c *c) { c.Proof.Weights = []int64{0, 0, 0, -1 << 63, -1 << 63, 1, 0, 0} },
			proofs.ErrProof, "raises the weight"},
		{"last exit", func(c *c) { c.Proof.Class = "o.o.o" }, proofs.ErrProof, "over a hole outside the class"},
		{"last exit", func(c *c) { c.Proof.Class = ".o.oo" }, proofs.ErrProof, "adds a peg to a class"},
		{"last exit", func(c *c) { c.Proof.Class = "....." }, proofs.ErrProof, "over a hole outside the class"},
		{"last exit", func(c *c) { c.Proof.Class = "oo" }, proofs.ErrForm, "lacks hole"},
		{"last exit", func(c *c) { c.Proof.Corners = "oo..." }, proofs.ErrProof, "goes over a corner"},
		{"last exit", func(c *c) { c.Proof.Corners = "....." }, proofs.ErrProof, "1 pegs of the class and 0 to leave"},
		{"last exit", func(c *c) { c.Start = "oo.oo" }, proofs.ErrProof, "2 pegs of the class and 1 to leave"},
		{"last exit", func(c *c) { c.Start, c.Goal = "....o", "....." }, proofs.ErrProof, "0 pegs of the class and 1"},
		{"last exit", func(c *c) { c.Goal = "o.o.." }, proofs.ErrProof, "51x31, out of a corner, can have led"},
		{"last exit", func(c *c) { c.Proof.Empty = "..o.." }, proofs.ErrProof, "adds a peg to a class"},
		{"last exit", func(c *c) { c.Proof.Empty = "o...." }, proofs.ErrProof, "should be empty"},
		{"last exit reversed", func(c *c) { c.Proof.Reversed = false }, proofs.ErrProof, "can have led"},
		{"walk", func(c *c) { c.Proof.Cells = make([]int, 8) }, proofs.ErrProof, "can become those of the goal"},
		{"walk", func(c *c) { c.Goal = "o.oo...." }, proofs.ErrProof, "can become those of the goal"},
		{"walk", func(c *c) { c.Proof.Cells[3] = 8 }, proofs.ErrForm, "cell 8"},
		{"walk", func(c *c) { c.Proof.Cells[3] = -1 }, proofs.ErrForm, "cell -1"},
		{"walk", func(c *c) { c.Proof.Cells = c.Proof.Cells[1:] }, proofs.ErrForm, "7 cells for 8 holes"},
		{"tree", func(c *c) { c.Proof.Tree = nil }, proofs.ErrForm, "the tree is missing"},
		{"tree", func(c *c) { c.Proof.Tree.Less = nil }, proofs.ErrForm, "lacks one of its two nodes"},
		{"tree", func(c *c) { c.Proof.Tree.Weights = []int64{1} }, proofs.ErrForm, "both weights and branches"},
		{"tree", func(c *c) { c.Proof.Tree.Jump = "11x21" }, proofs.ErrForm, "no jump"},
		{"tree", func(c *c) { c.Proof.Tree.AtMost = -1 }, proofs.ErrForm, "a branch at -1 times"},
		{"tree", func(c *c) { c.Proof.Tree.AtMost = 1 }, proofs.ErrProof, "the weight has to rise"},
		{"tree", func(c *c) { c.Proof.Tree = c.Proof.Tree.Less }, proofs.ErrProof, "nothing bounds"},
		{"tree", func(c *c) { c.Proof.Tree.More.Weights[1] = 0 }, proofs.ErrProof, "nothing bounds"},
		{"tree", func(c *c) { c.Proof.Tree.More.Weights = nil }, proofs.ErrForm, "0 weights for 7 holes"},
		{"at least", func(c *c) { c.Bounds[0].AtLeast = 1 }, proofs.ErrProof, "the weight has to rise by -1"},
		{"at least", func(c *c) { c.Bounds[0].AtLeast = -1 }, proofs.ErrForm, "want 0 to"},
		{"at least", func(c *c) { c.Bounds[0].Jump = "11x21" }, proofs.ErrForm, "no jump"},
		{"at least", func(c *c) { c.Claim = proofs.Infeasible }, proofs.ErrForm, "bounds belong to the claim"},
		{"at most", func(c *c) { *c.Bounds[0].AtMost = 1 }, proofs.ErrProof, "the weight has to rise by 1"},
		{"at most", func(c *c) { *c.Bounds[0].AtMost = 1 << 21 }, proofs.ErrForm, "want 0 to"},
		{"at most", func(c *c) { c.Bounds = nil }, proofs.ErrProof, "nothing bounds"},
		{"search", func(c *c) { c.Proof.Positions++ }, proofs.ErrProof, "visits 3 positions, the certificate says 4"},
		{"search", func(c *c) { c.Goal = ".oooo..." }, proofs.ErrForm, "3 jumps forward"},
		{"search", func(c *c) { c.Goal, c.Proof.Forward = ".o......", 5 }, proofs.ErrForm, "5 jumps forward"},
		{"search", func(c *c) { c.Start, c.Goal, c.Proof.Forward = "oo.o....", ".o......", 1 },
			proofs.ErrProof, "meets at"},
		{"search", func(c *c) { c.Goal = c.Start }, proofs.ErrProof, "nothing to search"},
		{"search", func(c *c) { c.Proof.Pruning[0][0] = -9 }, proofs.ErrProof, "raises the weight"},
		{"search", func(c *c) { c.Proof.Pruning[0] = nil }, proofs.ErrForm, "0 weights for 8 holes"},
		{"search", func(c *c) { c.Proof.Pruning = make([][]int64, 1001) }, proofs.ErrForm, "1001 pagoda functions"},
		{"search", func(c *c) {
			for i := range c.Proof.Pruning[0] {
				c.Proof.Pruning[0][i] = 1 << 61
			}
		}, proofs.ErrForm, "too large"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "3" }, proofs.ErrProof, "the jumps sum to"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "1/2" }, proofs.ErrProof, "must be an integer"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "1e9" }, proofs.ErrForm, "no integer or fraction"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[0].Times = "1/0" }, proofs.ErrForm, "no integer or fraction"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[1].Jump = "11x31" }, proofs.ErrForm, "two multipliers"},
		{"in lattice", func(c *c) { c.Proof.Multipliers[1].Jump = "11" }, proofs.ErrForm, "no jump"},
		{"in lattice", func(c *c) { c.Claim = proofs.InCone }, proofs.ErrProof, "must not be negative"},
		{"in lattice", func(c *c) { c.Claim = proofs.InIntegerCone }, proofs.ErrProof, "must not be negative"},
		{"in cone", func(c *c) { c.Claim = proofs.InIntegerCone }, proofs.ErrProof, "must be an integer"},
		{"in cone", func(c *c) { c.Proof.Multipliers = c.Proof.Multipliers[1:] }, proofs.ErrProof, "the jumps sum to"},
		{"in integer cone", func(c *c) { c.Goal = "..o....." }, proofs.ErrProof, "the jumps sum to"},
		{"in integer cone", func(c *c) { c.Claim = proofs.Feasible }, proofs.ErrForm, "no proof of kind"},
	} {
		damaged := rightOnes()[w.name]()
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
	tree := &proofs.Node{Weights: c.Proof.Weights}
	c.Proof = proofs.Proof{Kind: proofs.Tree, Tree: tree}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		c.Proof.Tree = &proofs.Node{Jump: "11x31", Less: c.Proof.Tree, More: c.Proof.Tree}
	}
	err := c.Check()
	if !errors.Is(err, proofs.ErrProof) || !strings.Contains(err.Error(), "more than 1000000 nodes") {
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
					c := line(start, string(goal), proofs.Infeasible, proofs.Proof{
						Kind: proofs.Search, Forward: forward, Positions: one + two + more,
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
		_, err := proofs.Parse([]byte(c.text))
		if !errors.Is(err, proofs.ErrForm) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}
