// Package proofs is the form of proofs about a problem of peg solitaire, and the checker of such proofs.
//
// A certificate is a JSON document that carries its board and its problem, one claim and one proof. [Parse] reads one,
// [Certificate.Check] verifies it. The checker is the part that has to be trusted: it is small, computes with exact
// integers, and shares nothing with the packages that find proofs. It imports the boards of package peg and no other
// package of the project. The finders import this package for the form alone.
//
// The usual way in:
//
//	c, err := proofs.Parse(data)
//	err = c.Check()
package proofs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"pagoda/internal/peg"
)

// Version is the version of the form, the value of the field "certificate".
const Version = 1

// Errors of this package wrap one of these.
var (
	// ErrForm says that a document is no certificate: not JSON, a field of the wrong kind, an unknown board or hole.
	ErrForm = errors.New("bad certificate")
	// ErrProof says that a well-formed certificate does not prove its claim.
	ErrProof = errors.New("wrong certificate")
)

// A Claim is the assertion of a certificate about the problem (P, P').
type Claim string

// The claims. L, C and EC are the combinations of the jump vectors, with -1, -1, +1 on the three holes of a jump. Their
// coefficients are integers, rational numbers >= 0, and integers >= 0.
const (
	Infeasible    Claim = "infeasible"      // no game leads from P to P'
	Feasible      Claim = "feasible"        // a game leads from P to P'
	OutOfBounds   Claim = "out of bounds"   // no game within Bounds leads from P to P'
	InLattice     Claim = "in lattice"      // P'-P is in L: the lattice criterion does not forbid the problem
	InCone        Claim = "in cone"         // P'-P is in C: no pagoda function forbids the problem
	InIntegerCone Claim = "in integer cone" // P'-P is in EC
)

// A Kind names a form of proof.
type Kind string

// The kinds of proofs, with the fields of [Proof] that each uses.
const (
	Game        Kind = "game"           // Jumps: play them
	Pegs        Kind = "pegs"           // none: the goal is not the start, and has as many pegs or more
	NoJump      Kind = "no jump"        // none: the goal is not the start, on which no jump is legal
	NoUndo      Kind = "no undone jump" // none: the start is not the goal, to which no jump can have led
	Modular     Kind = "modular"        // Modulus, Weights: congruent to 0 for all jumps, but not for P'-P
	Pagoda      Kind = "pagoda"         // Weights: no jump raises the weight of the pegs, and the goal weighs more
	LastExit    Kind = "last exit"      // Class, Corners, Empty, Reversed: see checkLastExit
	Walk        Kind = "walk"           // Cells: no walk of the numbers of pegs in the cells leads to the goal's
	Tree        Kind = "tree"           // Tree: branches on how often a jump is played, with weights at the leaves
	Search      Kind = "search"         // Pruning, Forward, Positions: all positions, without those the weights exclude
	Combination Kind = "combination"    // Multipliers: of the jumps, which sum to P'-P
	All         Kind = "all positions"  // Forward, Positions: all positions that can be reached, none of the goals
	Each        Kind = "each goal"      // Each: proofs that every goal has one of
)

// Certificate is a claim on a problem and its proof.
//
//	{
//	  "certificate": 1,
//	  "lattice": "square",
//	  "board": ".......",
//	  "start": "ooooooo",
//	  "goal": "o.o.o.o",
//	  "claim": "infeasible",
//	  "proof": {"kind": "tree", "tree": {...}}
//	}
//
// Board, start and goal are drawings in one line, as [peg.FormatLine] writes them. Holes are counted in row-major
// order, and jumps written as in [peg.FormatJump].
type Certificate struct {
	Version int    `json:"certificate"`
	Lattice string `json:"lattice"`
	// Rule says how pegs jump where that is not along the directions of the lattice: [peg.Board.WithRule] reads it.
	Rule  string `json:"rule,omitempty"`
	Board string `json:"board"`
	Start string `json:"start"`
	Goal  string `json:"goal,omitempty"`
	// Goals are in the place of Goal where the claim is about games that end in any of several positions.
	Goals *Goals `json:"goals,omitempty"`
	Claim Claim  `json:"claim"`
	// Bounds are those of the claim OutOfBounds, and of no other.
	Bounds []Bound `json:"bounds,omitempty"`
	Proof  Proof   `json:"proof"`
}

// A Bound says how often a jump is played: at least AtLeast times, and at most AtMost times unless that is nil.
type Bound struct {
	Jump    string `json:"jump"`
	AtLeast int64  `json:"at_least,omitempty"`
	AtMost  *int64 `json:"at_most,omitempty"`
}

// Proof is one kind of proof with its fields; the others are absent.
type Proof struct {
	Kind Kind `json:"kind"`
	// Jumps is a game, such as "46x44".
	Jumps []string `json:"jumps,omitempty"`
	// Modulus is at least 2.
	Modulus int64 `json:"modulus,omitempty"`
	// Weights is one integer for each hole.
	Weights []int64 `json:"weights,omitempty"`
	// Class, Corners and Empty are sets of holes, drawn with o as positions are.
	Class   string `json:"class,omitempty"`
	Corners string `json:"corners,omitempty"`
	Empty   string `json:"empty,omitempty"`
	// Reversed says that the proof is one for the problem played backwards: from the complement of P' to that of P.
	Reversed bool `json:"reversed,omitempty"`
	// Cells is the number of the cell of each hole, from 0.
	Cells []int `json:"cells,omitempty"`
	// Tree is the root of a branch-and-bound tree.
	Tree *Node `json:"tree,omitempty"`
	// Pruning is a list of pagoda functions, one integer for each hole.
	Pruning [][]int64 `json:"pruning,omitempty"`
	// Forward is the number of jumps that the search plays from the start; the others it undoes from the goal.
	Forward int `json:"forward,omitempty"`
	// Positions is how many positions the search visits on both sides, start and goal included.
	Positions int `json:"positions,omitempty"`
	// Multipliers is how often each jump is taken; jumps that are not named are taken 0 times.
	Multipliers []Multiplier `json:"multipliers,omitempty"`
	// Each is a list of proofs, each for one goal or for several.
	Each []GoalProof `json:"each,omitempty"`
}

// A Multiplier is how often a jump is taken: an integer or a fraction, such as "2", "-1" or "1/2".
type Multiplier struct {
	Jump  string `json:"jump"`
	Times string `json:"times"`
}

// A Node of a branch-and-bound tree is either a leaf, with weights, or a branch: the number of times that Jump is
// played is at most AtMost (node Less), or at least AtMost+1 (node More).
type Node struct {
	Weights []int64 `json:"weights,omitempty"`
	Jump    string  `json:"jump,omitempty"`
	AtMost  int64   `json:"at_most,omitempty"`
	Less    *Node   `json:"less,omitempty"`
	More    *Node   `json:"more,omitempty"`
}

// New makes a certificate for problem p.
func New(p peg.Problem, claim Claim, proof Proof) *Certificate {
	return NewOpen(&p.Board.Layout, p.Start.Set(), p.Goal.Set(), peg.Set{}, claim, proof)
}

// NewOpen makes a certificate for the problem from start to the positions with pegs on pegs, perhaps on free, and on no
// other hole, on a board of any size.
func NewOpen(b *peg.Layout, start, pegs, free peg.Set, claim Claim, proof Proof) *Certificate {
	c := &Certificate{Version: Version, Lattice: b.Lattice.String(), Rule: b.Rule, Board: b.Line(new(peg.Set)),
		Start: b.Line(&start), Claim: claim, Proof: proof}
	if free == (peg.Set{}) {
		c.Goal = b.Line(&pegs)
	} else {
		c.Goals = &Goals{Patterns: []string{b.PatternLine(pegs, free)}, Most: b.Size()}
	}
	return c
}

// Parse reads a certificate: one JSON object, without unknown fields and with nothing after it. The error wraps
// ErrForm.
func Parse(data []byte) (*Certificate, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	c := new(Certificate)
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: there is more after the closing brace", ErrForm)
	}
	if c.Version != Version {
		return nil, fmt.Errorf("%w: version %d: this program knows version %d", ErrForm, c.Version, Version)
	}
	return c, nil
}

// Problem returns the problem of the certificate on a board made from its drawing. Of one with several goals it has no
// Goal. The error wraps ErrForm, also where the board has more than [peg.MaxHoles] holes.
func (c *Certificate) Problem() (peg.Problem, error) {
	l, err := c.read()
	if err != nil {
		return peg.Problem{}, err
	}
	b, ok := l.board.Small()
	if !ok {
		return peg.Problem{}, fmt.Errorf("%w: %w", ErrForm, peg.ErrLarge)
	}
	p := peg.Problem{Board: b, Start: peg.Position(l.start[0])}
	if c.Goals == nil {
		p.Goal = peg.Position(l.target.patterns[0].pegs[0])
	}
	return p, nil
}

// Sets returns the board of the certificate, of any size, its start and its goal, which is empty for several goals. The
// error wraps ErrForm.
func (c *Certificate) Sets() (b *peg.Layout, start, goal peg.Set, err error) {
	l, err := c.read()
	if err == nil && c.Goals == nil {
		goal = l.target.patterns[0].pegs
	}
	return l.board, l.start, goal, err
}

// read reads the board, the start and the goals.
func (c *Certificate) read() (*linear, error) {
	l := new(linear)
	lattice, err := peg.ParseLattice(c.Lattice)
	if err == nil {
		l.board, err = peg.ReadLine("drawn", lattice, c.Board, c.Rule)
	}
	if err != nil {
		return l, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if l.start, err = readSet(l.board, "start", c.Start); err != nil {
		return l, err
	}
	l.target, err = c.readTarget(l.board)
	return l, err
}

// readSet reads a set of holes drawn in one line. Names such as center, which mean one thing for a start and another
// for a goal, are no drawings.
func readSet(b *peg.Layout, field, drawing string) (peg.Set, error) {
	for _, r := range drawing {
		if r != 'o' && r != '.' && r != '-' && r != '/' {
			return peg.Set{}, fmt.Errorf("%w: %s %.90q: want a drawing of o . - and /", ErrForm, field, drawing)
		}
	}
	p, err := b.GoalSet(drawing)
	if err != nil {
		return p, fmt.Errorf("%w: %s: %w", ErrForm, field, err)
	}
	return p, nil
}
