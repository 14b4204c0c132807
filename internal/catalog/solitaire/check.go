package solitaire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

const argCertificate = "CERTIFICATE"

var checkQuestion = puzzle.Question{
	Name:  "check",
	Short: "verify a certificate, or an answer of peg feasible, solve, space, pagoda or bounds",
	Long: `Verify a certificate: a file of its JSON document, or of the whole answer of coordinator peg feasible, space,
pagoda, bounds, or solve with several goals or on a large board, with --output json. All its proofs are verified. - is
stdin. A certificate that does not prove what it claims is refused.

The checker shares no code with the programs that find proofs. docs/theory.md describes the form of certificates.`,
	Examples: []string{"verdict.json", "- < certificate.json"},
	Args: []puzzle.Argument{
		{Name: argCertificate, File: true,
			Doc: "a certificate, or an answer of peg feasible, solve, space, pagoda or bounds"},
	},
	Answer: answerCheck,
}

// A checked certificate is one that proves its claim.
type checked struct {
	Valid   bool         `json:"valid"` // always true: others are refused
	Claim   proofs.Claim `json:"claim"`
	Kind    proofs.Kind  `json:"kind"`
	Lattice string       `json:"lattice"`
	Rule    string       `json:"rule,omitempty"`
	Board   string       `json:"board"`
	Start   string       `json:"start"`
	Goal    string       `json:"goal"`
	// Goals are in the place of a goal where the certificate is about several.
	Goals *proofs.Goals `json:"goals,omitempty"`
	// Also are the other claims of an answer of feasible or space.
	Also []proofs.Claim `json:"also,omitempty"`
	// Unproved is the bound of an answer about the most or the fewest pegs that needs a proof and has none.
	Unproved string `json:"unproved,omitempty"`
}

func answerCheck(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	list, err := parseCertificates([]byte(r.Args[0]))
	for i := 0; i < len(list) && err == nil; i++ {
		if err = list[i].CheckWithin(ctx, int(r.Memory/64)); err != nil && i > 0 {
			err = fmt.Errorf("claim %s: %w", setting.Quote(string(list[i].Claim)), err)
		}
	}
	var b *peg.Layout
	var start, goal peg.Set
	if err == nil {
		b, start, goal, err = list[0].Sets()
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return nil, ctxErr
	}
	if err != nil {
		return nil, &setting.Error{Setting: argCertificate, Err: err}
	}
	c := list[0]
	text := fmt.Sprintf("valid: %s\nproof  %s\n", c.Claim, c.Proof.Kind)
	doc := checked{Valid: true, Claim: c.Claim, Kind: c.Proof.Kind,
		Lattice: c.Lattice, Rule: c.Rule, Board: c.Board, Start: c.Start, Goal: c.Goal, Goals: c.Goals}
	for _, o := range list[1:] {
		text += fmt.Sprintf("also   %s\n", o.Claim)
		doc.Also = append(doc.Also, o.Claim)
	}
	if doc.Unproved = unproved([]byte(r.Args[0]), c, start.Pegs()); doc.Unproved != "" {
		text += "open   " + doc.Unproved + ": the answer has no certificate for that\n"
	}
	problem := understoodBoard(b)
	addStart(&problem, b, &start)
	if c.Goals != nil {
		doc.Goal = checkedGoals(c.Goals)
		problem.Add("goal", doc.Goal)
	} else {
		addGoal(&problem, b, &goal)
	}
	return &puzzle.Answer{Summary: puzzle.Summary{Problem: problem}, Text: text, Document: doc}, nil
}

// parseCertificates reads a certificate, alone or in an answer of feasible, pagoda, space or bounds. A verdict must be
// the claim of its certificate, the first of the list. All must be about the same problem.
func parseCertificates(data []byte) ([]*proofs.Certificate, error) {
	if list, ok, err := parseSpace(data); ok {
		return list, err
	}
	var answer struct {
		Verdict      *string           `json:"verdict"`
		Certificate  json.RawMessage   `json:"certificate"`
		Certificates []json.RawMessage `json:"certificates"`
		Tried        []struct {
			Criterion   string          `json:"criterion"`
			Certificate json.RawMessage `json:"certificate"`
		} `json:"tried"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || answer.Verdict == nil {
		c, err := proofs.Parse(data) // its error names the fault
		return []*proofs.Certificate{c}, err
	}
	if len(answer.Certificates) > 0 {
		return parseBounds(answer.Certificates)
	}
	if absent(answer.Certificate) {
		return nil, errors.New("the answer has no certificate: its verdict is " + setting.Quote(*answer.Verdict))
	}
	c, err := proofs.Parse(answer.Certificate)
	if err != nil {
		return nil, err
	}
	if string(c.Claim) != *answer.Verdict {
		return nil, fmt.Errorf("the verdict is %s, and its certificate claims %s", setting.Quote(*answer.Verdict),
			setting.Quote(string(c.Claim)))
	}
	told, ok, err := readTold(data, c)
	if err == nil && ok {
		err = told.check(c)
	}
	if err != nil {
		return nil, err
	}
	list := []*proofs.Certificate{c}
	if bound, err := told.parseBound(c); err != nil {
		return nil, err
	} else if bound != nil {
		list = append(list, bound)
	}
	for _, t := range answer.Tried {
		if absent(t.Certificate) {
			continue
		}
		o, err := proofs.Parse(t.Certificate)
		if err != nil {
			return nil, err
		}
		if !sameProblem(o, c) {
			return nil, fmt.Errorf("the certificate of criterion %s is about another problem", setting.Quote(t.Criterion))
		}
		list = append(list, o)
	}
	return list, nil
}

// absent reports whether a document does not have a field, or has null there.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// parseBounds reads the certificates of an answer of bounds.
func parseBounds(texts []json.RawMessage) (list []*proofs.Certificate, err error) {
	for _, raw := range texts {
		c, err := proofs.Parse(raw)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 && !sameProblem(c, list[0]) {
			return nil, errors.New("the certificates are about several problems")
		}
		list = append(list, c)
	}
	return list, nil
}
