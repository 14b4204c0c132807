package solitaire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// Bounds of the work of position.
const (
	goalNodes     = 50         // of branch and bound, for each single peg
	smallestTries = 20_000_000 // sets of holes, for the smallest position
	playedOut     = 1 << 16    // positions, for each count of a neighbour
)

var positionQuestion = puzzle.Question{
	Name:  "position",
	Short: "describe a position: pegs by class, invariants, single pegs it can end on, jumps forwards and backwards",
	Long: `Describe POSITION: its pegs by playable class, its invariants of the rule of three and the smallest position
with the same ones, the single pegs on which a game from it can end by each criterion, the jumps from it and those that
can have led to it, and its weights by the pagoda functions of classes and corners.

With --data, --config or --url, a run with count: solutions and store_ways: true, the jumps have their counts, and the
board is that of the run.`,
	Examples: []string{"center", "1 --board triangle5 --output json",
		"start --data runs/english-0123456789ab"},
	Args:    []puzzle.Argument{{Name: argPosition, Doc: problemArgs[0].Doc, Completions: []string{"center"}}},
	Flags:   problemFlags,
	Needs:   puzzle.MayReadRows,
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerPosition,
}

// A positionReport is the answer of position.
type positionReport struct {
	Position string   `json:"position"`
	Hex      string   `json:"hex"`
	Pegs     []string `json:"pegs"`    // labels of the holes with a peg
	Classes  []int    `json:"classes"` // pegs by playable class
	// Invariants are those of the rule of three; see invariants.
	Invariants []invariant `json:"invariants"`
	// Smallest is the position with the fewest pegs, at least one, that agrees in all invariants of the board: the first
	// in the order of holes. It is nil when it has more pegs than are tried.
	Smallest *string `json:"smallest"`
	// SinglePegGoals are the single pegs that no criterion forbids; Criteria says it of each criterion.
	SinglePegGoals []singlePeg   `json:"single_peg_goals"`
	Criteria       []endsBy      `json:"criteria"`
	Successors     []neighbour   `json:"successors"`
	Predecessors   []neighbour   `json:"predecessors"`
	Weights        []weightOf    `json:"weights"`
	Counts         *countsOfPegs `json:"counts,omitempty"`

	size int // of the board
}

// An invariant is the sum of x^(row+column), or x^(row-column), over the pegs. The field has the elements 0, 1, x and
// x+1, and x*x is x+1 (de Bruijn 1972).
type invariant struct {
	Exponent string `json:"exponent"`
	Value    string `json:"value"`
}

// A singlePeg is a hole in which the last peg may be; undecided names the criteria that reached their limit.
type singlePeg struct {
	Hole      string   `json:"hole"`
	Label     string   `json:"label"`
	Undecided []string `json:"undecided,omitempty"`
}

// endsBy lists the holes of the last peg that one criterion allows.
type endsBy struct {
	Criterion string   `json:"criterion"`
	Holes     []string `json:"holes"`
	Undecided []string `json:"undecided,omitempty"`
}

// A neighbour is a position one jump later or earlier. Its counts are absent without a run, and where they are unknown.
type neighbour struct {
	Jump     string `json:"jump"`
	Position string `json:"position"`
	// Paths lead from the start of the run to it, Ways from it to the goal.
	Paths *uint128.Uint128 `json:"paths,omitempty"`
	Ways  *uint128.Uint128 `json:"ways,omitempty"`

	at peg.Position // Position
}

// A weightOf is a pagoda function and the weight of the position.
type weightOf struct {
	Name    string  `json:"name"`
	Weights []int64 `json:"weights"`
	Weight  int64   `json:"weight"`
}

// countsOfPegs are the counts of the position in the run, absent where they are unknown.
type countsOfPegs struct {
	Paths     *uint128.Uint128 `json:"paths,omitempty"`
	Ways      *uint128.Uint128 `json:"ways,omitempty"`
	Solutions *uint128.Uint128 `json:"solutions,omitempty"`
}

func answerPosition(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	b, p, run, err := askedPosition(r)
	if err != nil {
		return nil, err
	}
	prover := feasible.New(b)
	doc := positionReport{Position: peg.FormatLine(b, p), Hex: b.Hex(p), Pegs: b.Labels(p), Classes: classCounts(b, p),
		Invariants: invariants(b, p), SinglePegGoals: []singlePeg{}, Successors: []neighbour{}, Predecessors: []neighbour{},
		Weights: []weightOf{}, size: b.Size()}
	if q, ok := smallest(b, p); ok {
		text := peg.FormatLine(b, q)
		doc.Smallest = &text
	}
	if err := doc.ends(ctx, prover, p); err != nil {
		return nil, err
	}
	for _, f := range prover.Functions() {
		doc.Weights = append(doc.Weights, weightOf{f.Name, f.Weights, f.Of(p)})
	}
	for _, j := range b.Jumps {
		q := p ^ j.Mask() // after the jump, or before it
		n := neighbour{Jump: peg.FormatJump(b, j), Position: peg.FormatLine(b, q), at: q}
		if j.Legal(p) {
			doc.Successors = append(doc.Successors, n)
		}
		if j.Legal(b.Complement(p)) {
			doc.Predecessors = append(doc.Predecessors, n)
		}
	}
	if run != nil {
		if err := doc.count(ctx, p, run, r.Run.Rows); err != nil {
			return nil, err
		}
	}
	problem := withoutJumps(understoodBoard(b))
	problem.Add("position", doc.Position+", "+plural.Of(p.Pegs(), "peg"))
	return &puzzle.Answer{Summary: puzzle.Summary{Problem: problem}, Document: doc, Text: doc.text(), Drawn: true,
		Figures: []figure.Figure{{Name: "position", Title: doc.Position, Board: drawing(b, p)}}}, nil
}

// askedPosition reads the board, that of the run when there is one, and the position on it.
func askedPosition(r puzzle.Request) (*peg.Board, peg.Position, *ways.Puzzle, error) {
	if r.Run.Puzzle != nil {
		run, err := runWithProblem(r)
		if err != nil {
			return nil, 0, nil, err
		}
		p, err := position(run.Problem(), r.Args[0])
		return run.Problem().Board, p, run, err
	}
	b, err := askedBoard(r.Flags)
	if err != nil {
		return nil, 0, nil, err
	}
	p, err := peg.ParseStart(b, r.Args[0])
	if err != nil {
		return nil, 0, nil, &setting.Error{Setting: argPosition, Err: err,
			Hint: "write a hole, such as " + b.HoleText(0) + ", a drawing or a hexadecimal number"}
	}
	return b, p, nil, nil
}

// runWithProblem is the run that is named. The flags that could say another problem are refused.
func runWithProblem(r puzzle.Request, others ...string) (*ways.Puzzle, error) {
	if err := runHas(r, others...); err != nil {
		return nil, err
	}
	return solutionsThrough(r.Run)
}

// runHas refuses flags that a run has its own values of: the board, and others.
func runHas(r puzzle.Request, others ...string) error {
	for _, name := range append([]string{"board", "lattice", "rule"}, others...) {
		if r.Flags.Given(name) {
			return &setting.Error{Setting: name, Err: errors.New("the run has its own"),
				Hint: "remove it, or do not name a run"}
		}
	}
	return nil
}

// ends asks every criterion about every single peg.
func (doc *positionReport) ends(ctx context.Context, prover *feasible.Prover, p peg.Position) error {
	b := prover.Board()
	for h := range b.Holes {
		goal := singlePeg{Hole: b.HoleName(h), Label: b.Label(h)}
		s, err := prover.Space(ctx, peg.Problem{Board: b, Start: p, Goal: 1 << h},
			feasible.Limits{Nodes: goalNodes})
		if err != nil {
			return err
		}
		allowed, k := true, 0
		s.Each(func(name string, m *feasible.Membership) {
			if k == len(doc.Criteria) {
				doc.Criteria = append(doc.Criteria, endsBy{Criterion: name, Holes: []string{}})
			}
			c := &doc.Criteria[k]
			k++
			switch {
			case m.Member == nil:
				c.Undecided = append(c.Undecided, goal.Label)
				goal.Undecided = append(goal.Undecided, name)
			case *m.Member:
				c.Holes = append(c.Holes, goal.Label)
			default:
				allowed = false
			}
		})
		if allowed {
			doc.SinglePegGoals = append(doc.SinglePegGoals, goal)
		}
	}
	return nil
}

// invariants are the sums over the pegs by r+c, and on the square lattice by r-c: on the triangular one a jump along
// the third direction leaves r-c as it is. With some rules a jump changes one of them or both, and then it is none.
func invariants(b *peg.Board, p peg.Position) []invariant {
	elements := [4]string{"0", "1", "x", "x+1"}
	sum := func(exponent func(peg.Hole) int) string {
		v := 0 // bit 0 is the coefficient of 1, bit 1 that of x
		for i, h := range b.Holes {
			if p.Has(i) {
				v ^= exponent(h)%3 + 1 // 1, x, and x*x, which is x+1
			}
		}
		return elements[v]
	}
	list := []invariant{}
	add := func(name string, exponent func(peg.Hole) int) {
		for _, j := range b.Jumps {
			from, over := exponent(b.Holes[j.From])%3, exponent(b.Holes[j.Over])%3
			if to := exponent(b.Holes[j.To]) % 3; from == over || over == to || from == to {
				return
			}
		}
		list = append(list, invariant{name, sum(exponent)})
	}
	add("row+column", func(h peg.Hole) int { return h.Row + h.Col })
	if b.Lattice == peg.Square {
		add("row-column", func(h peg.Hole) int { return h.Row + 2*h.Col })
	}
	return list
}

// smallest returns the first of the positions with the fewest pegs, one or more, that have the invariants of p.
func smallest(b *peg.Board, p peg.Position) (q peg.Position, ok bool) {
	masks := b.Invariants()
	want, holes := peg.Parities(masks, p), make([]uint64, b.Size())
	for h := range holes {
		holes[h] = peg.Parities(masks, 1<<h)
	}
	tries := 0
	var search func(from, pegs int, left uint64) bool
	search = func(from, pegs int, left uint64) bool {
		if pegs == 0 {
			return left == 0
		}
		for h := from; h+pegs <= len(holes); h++ {
			if tries++; tries > smallestTries {
				return false
			}
			if search(h+1, pegs-1, left^holes[h]) {
				q |= 1 << h
				return true
			}
		}
		return false
	}
	for pegs := 1; pegs <= b.Size() && tries <= smallestTries; pegs++ {
		if search(0, pegs, want) {
			return q, true
		}
	}
	return 0, false
}

// count adds what the run knows of the position and its neighbours.
func (doc *positionReport) count(ctx context.Context, p peg.Position, run *ways.Puzzle, rows puzzle.Source) error {
	known := func(n uint128.Uint128, known bool) *uint128.Uint128 {
		if !known {
			return nil
		}
		return &n
	}
	x, err := run.Position(ctx, rows, p, searchPositions)
	if err != nil {
		return err
	}
	doc.Counts = &countsOfPegs{known(x.Paths, x.PathsKnown), known(x.Ways, x.WaysKnown),
		known(x.Solutions, x.SolutionsKnown)}
	for _, list := range [][]neighbour{doc.Successors, doc.Predecessors} {
		for i := range list {
			x, err := run.Position(ctx, rows, list[i].at, playedOut)
			if err != nil {
				return err
			}
			list[i].Paths, list[i].Ways = known(x.Paths, x.PathsKnown), known(x.Ways, x.WaysKnown)
		}
	}
	return nil
}

func (doc *positionReport) text() string {
	var text strings.Builder
	line := func(name, value string) { fmt.Fprintf(&text, "%-12s%s\n", name, value) }
	listed := func(labels []string) string {
		return strings.TrimSuffix(fmt.Sprintf("%d: %s", len(labels), strings.Join(labels, " ")), ": ")
	}
	line("hex", doc.Hex)
	line("pegs", listed(doc.Pegs))
	line("classes", strings.Trim(fmt.Sprint(doc.Classes), "[]"))
	for _, v := range doc.Invariants {
		line("invariant", fmt.Sprintf("%s: sum of x^(%s)", v.Value, v.Exponent))
	}
	if doc.Smallest != nil {
		line("smallest", *doc.Smallest+" has the same invariants")
	} else {
		line("smallest", "not known: more pegs than are tried")
	}
	for _, w := range doc.Weights {
		line("weight", fmt.Sprintf("%d: %s", w.Weight, w.Name))
	}
	line("ends on", listed(labels(doc.SinglePegGoals))+" by all criteria")
	for _, c := range doc.Criteria {
		value := listed(c.Holes)
		if len(c.Holes) == doc.size {
			value = fmt.Sprintf("all %d", doc.size)
		}
		value += " by the criterion " + c.Criterion
		if len(c.Undecided) > 0 {
			value += "; undecided " + listed(c.Undecided)
		}
		line("", value)
	}
	for _, side := range []struct {
		name string
		list []neighbour
	}{{"forwards", doc.Successors}, {"backwards", doc.Predecessors}} {
		names := make([]string, len(side.list))
		for i, n := range side.list {
			names[i] = n.Jump
		}
		line(side.name, listed(names))
		if doc.Counts != nil {
			for _, n := range side.list {
				line("", fmt.Sprintf("%s: paths %s, ways %s", n.Jump, counted128(n.Paths), counted128(n.Ways)))
			}
		}
	}
	if c := doc.Counts; c != nil {
		line("paths", counted128(c.Paths))
		line("ways", counted128(c.Ways))
		line("solutions", counted128(c.Solutions))
	}
	return text.String()
}

func counted128(n *uint128.Uint128) string {
	if n == nil {
		return unknown
	}
	return n.String()
}

func labels(goals []singlePeg) []string {
	list := make([]string, 0, len(goals))
	for _, g := range goals {
		list = append(list, g.Label)
	}
	return list
}
