package solitaire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// mostWeight bounds the size of a weight, so that sums of 64 fit a word.
const mostWeight = 1 << 50

var pagodaQuestion = puzzle.Question{
	Name:  "pagoda",
	Short: "say of weights of the holes whether they are a pagoda function, and what it forbids",
	Long: `Say whether --weights are a pagoda function: no jump raises the weight of the pegs. The answer has the slack of
every jump (how much it lowers the weight), whether the function is an extreme ray of the cone of all of them, and what
it forbids: the problem of two positions, start and goal, or without one the pairs of a vacancy and a last peg.

Weights are whole numbers in the order of the holes, row by row, with blanks or commas between. Slashes or line breaks
may end rows, and then each row must have as many as the board has holes there.`,
	Examples: []string{
		"--weights '0 1 0/0 0 0/0 1 0 1 0 1 0/0 0 0 0 0 0 0/0 1 0 1 0 1 0/0 0 0/0 1 0'",
		"0x7 ..o --board ooo --weights '1 0 1'",
		"--board ooooo --weights '1,0,1,1,2' --output json",
	},
	Args: []puzzle.Argument{{Name: argPosition, Doc: "start and goal of a problem; none: pairs of vacancy and last peg",
		Optional: true, Repeated: true, Completions: []string{"center"}}},
	Flags: append(slices.Clip(problemFlags), setting.Setting{Name: "weights",
		Doc: "a whole number for each hole, row by row; slashes may end rows"}),
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:  answerPagoda,
}

// A pagodaReport is the answer of pagoda.
type pagodaReport struct {
	Weights []int64 `json:"weights"`
	Pagoda  bool    `json:"pagoda"`  // no jump raises the weight
	Extreme bool    `json:"extreme"` // a pagoda function that is no sum of two others, but for multiples of itself
	Tight   int     `json:"tight"`   // jumps that do not change the weight
	Slacks  []slack `json:"slacks"`
	// StartWeight and GoalWeight are absent without a problem.
	StartWeight *int64 `json:"start_weight,omitempty"`
	GoalWeight  *int64 `json:"goal_weight,omitempty"`
	// Verdict is infeasible where the function forbids the problem, which Certificate proves; otherwise unknown.
	Verdict     string              `json:"verdict,omitempty"`
	Certificate *proofs.Certificate `json:"certificate,omitempty"`
	// Forbidden are the pairs of a vacancy and a last peg that a pagoda function forbids, and the rule of three does not;
	// ForbiddenPairs counts all that it forbids. They are absent with a problem.
	ForbiddenPairs *int         `json:"forbidden_pairs,omitempty"`
	Forbidden      []pairOfPegs `json:"forbidden,omitempty"`
}

// A slack is how much a jump lowers the weight; a negative one raises it.
type slack struct {
	Jump  string `json:"jump"`
	Slack int64  `json:"slack"`
}

type pairOfPegs struct {
	Start string `json:"start"`
	Goal  string `json:"goal"`
}

func answerPagoda(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	b, err := askedBoard(r.Flags)
	if err != nil {
		return nil, err
	}
	doc := pagodaReport{Slacks: []slack{}}
	if doc.Weights, err = readWeights(b, r.Flags.Text("weights")); err != nil {
		return nil, &setting.Error{Setting: "weights", Err: err,
			Hint: fmt.Sprintf("write %s, row by row, such as 0 1 0/1 0 1", plural.Of(b.Size(), "whole number"))}
	}
	w := feasible.Pagoda{Weights: doc.Weights}
	doc.Pagoda = true
	var tight []peg.Jump
	for _, j := range b.Jumps {
		d := w.Weights[j.From] + w.Weights[j.Over] - w.Weights[j.To]
		doc.Slacks = append(doc.Slacks, slack{peg.FormatJump(b, j), d})
		doc.Pagoda = doc.Pagoda && d >= 0
		if d == 0 {
			tight = append(tight, j)
		}
	}
	doc.Tight = len(tight)
	doc.Extreme = doc.Pagoda && feasible.Rank(b, tight) == feasible.Rank(b, b.Jumps)-1
	problem := withoutJumps(understoodBoard(b))
	figures := []figure.Figure{{Name: "weights", Title: "weights", Board: weighted(b, doc.Weights)}}
	switch {
	case len(r.Args) == 2:
		p, err := problemOn(b, r.Args[0], r.Args[1])
		if err != nil {
			return nil, &setting.Error{Setting: argPosition, Err: err, Hint: "give the start, then the goal"}
		}
		problem = withoutJumps(understood(p))
		start, goal := w.Of(p.Start), w.Of(p.Goal)
		doc.StartWeight, doc.GoalWeight, doc.Verdict = &start, &goal, feasible.Unknown
		if doc.Pagoda && goal > start {
			doc.Verdict = feasible.Infeasible
			doc.Certificate = proofs.New(p, proofs.Infeasible,
				proofs.Proof{Kind: proofs.Pagoda, Weights: doc.Weights})
		}
	case len(r.Args) > 0:
		return nil, &setting.Error{Setting: argPosition, Err: fmt.Errorf("%s given, and a problem has a start and a goal",
			plural.Of(len(r.Args), "position")), Hint: "give two positions, or none"}
	default:
		doc.pairs(b, &w)
	}
	sum := puzzle.Summary{Problem: problem, Tables: []puzzle.Table{doc.table()}}
	return &puzzle.Answer{Summary: sum, Document: doc, Text: doc.text(b), Drawn: true, Figures: figures}, nil
}

// readWeights reads a number for each hole.
func readWeights(b *peg.Board, text string) ([]int64, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("no weights are given")
	}
	text = strings.Trim(strings.TrimSpace(text), "[]/\r\n")
	var weights []int64
	lines := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("/\r\n", c) })
	rows := map[int]int{} // holes by row
	var order []int
	for _, h := range b.Holes {
		if rows[h.Row]++; rows[h.Row] == 1 {
			order = append(order, h.Row)
		}
	}
	if len(lines) > 1 && len(lines) != len(order) {
		return nil, fmt.Errorf("they have %s, and board %s has %d", plural.Of(len(lines), "row"), b.Name, len(order))
	}
	for i, line := range lines {
		words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t,;[]", c) })
		for _, word := range words {
			v, err := strconv.ParseInt(word, 10, 64)
			if err != nil || v > mostWeight || v < -mostWeight {
				return nil, fmt.Errorf("row %d: %s is not a whole number of at most %d in size", i+1, setting.Quote(word),
					int64(mostWeight))
			}
			weights = append(weights, v)
		}
		if want := rows[order[i]]; len(lines) > 1 && len(words) != want {
			return nil, fmt.Errorf("row %d has %s, and board %s %d there", i+1, plural.Of(len(words), "weight"), b.Name, want)
		}
	}
	if len(weights) != b.Size() {
		return nil, fmt.Errorf("there are %d, and board %s has %s", len(weights), b.Name, plural.Of(b.Size(), "hole"))
	}
	return weights, nil
}

// pairs finds the pairs that the function forbids.
func (doc *pagodaReport) pairs(b *peg.Board, w *feasible.Pagoda) {
	n, masks := 0, b.Invariants()
	for s := range b.Holes {
		for g := range b.Holes {
			p := peg.Pair{Start: uint8(s), Goal: uint8(g)}.Problem(b)
			if !doc.Pagoda || w.Of(p.Goal) <= w.Of(p.Start) {
				continue
			}
			n++
			if peg.Parities(masks, p.Start) == peg.Parities(masks, p.Goal) {
				doc.Forbidden = append(doc.Forbidden, pairOfPegs{b.HoleName(s), b.HoleName(g)})
			}
		}
	}
	doc.ForbiddenPairs = &n
}

func (doc *pagodaReport) table() puzzle.Table {
	t := puzzle.Table{Name: "slacks", Columns: []puzzle.Column{
		{Name: "jump", Kind: puzzle.Text, Doc: "a jump"},
		{Name: "slack", Kind: puzzle.Text, Doc: "how much it lowers the weight of the pegs; negative where it raises it"},
	}}
	for _, s := range doc.Slacks {
		t.Rows = append(t.Rows, []puzzle.Value{{S: s.Jump}, {S: strconv.FormatInt(s.Slack, 10)}})
	}
	return t
}

func (doc *pagodaReport) text(b *peg.Board) string {
	var text strings.Builder
	line := func(name, value string) { fmt.Fprintf(&text, "%-9s%s\n", name, value) }
	by := map[int64][]string{}
	var sizes []int64
	for _, s := range doc.Slacks {
		if by[s.Slack] == nil {
			sizes = append(sizes, s.Slack)
		}
		by[s.Slack] = append(by[s.Slack], s.Jump)
	}
	slices.Sort(sizes)
	if doc.Pagoda {
		line("pagoda", "yes: no jump raises the weight of the pegs")
		extreme := "no: it is a sum of other pagoda functions"
		if doc.Extreme {
			extreme = "yes: an extreme ray of the cone of pagoda functions"
		}
		line("extreme", extreme)
	} else {
		raising := 0
		for _, size := range sizes {
			if size < 0 {
				raising += len(by[size])
			}
		}
		line("pagoda", "no: "+plural.Of(raising, "jump")+" can raise the weight of the pegs")
	}
	for _, size := range sizes {
		line("slack", fmt.Sprintf("%d: %s", size, strings.Join(by[size], " ")))
	}
	switch {
	case doc.Verdict != "" && doc.Pagoda:
		forbids := map[bool]string{true: "yes", false: "no"}[doc.Verdict == feasible.Infeasible]
		line("forbids", fmt.Sprintf("%s: the pegs weigh %d at the start and %d at the goal", forbids, *doc.StartWeight,
			*doc.GoalWeight))
	case doc.Verdict != "":
		line("forbids", "no: it proves nothing")
	default:
		line("forbids", fmt.Sprintf("%d of the %d pairs of a vacancy and a last peg, %d of them allowed by the rule of three",
			*doc.ForbiddenPairs, b.Size()*b.Size(), len(doc.Forbidden)))
	}
	return text.String()
}
