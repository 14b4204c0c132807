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
	Short: "verify a certificate, or an answer of peg feasible, space, pagoda or bounds",
	Long: `Verify a certificate: a file of its JSON document, or of the whole answer of coordinator peg feasible, space,
pagoda or bounds with --output json, in which all proofs are verified. - is stdin. A certificate that does not prove
what it claims is refused.

The checker shares no code with the programs that find proofs. docs/theory.md describes the form of certificates.`,
	Examples: []string{"verdict.json", "- < certificate.json"},
	Args: []puzzle.Argument{
		{Name: argCertificate, Doc: "a certificate, or an answer of peg feasible, space, pagoda or bounds", File: true},
	},
	Answer: answerCheck,
}

// A checked certificate is one that proves its claim.
type checked struct {
	Valid   bool         `json:"valid"` // always true: others are refused
	Claim   proofs.Claim `json:"claim"`
	Kind    proofs.Kind  `json:"kind"`
	Lattice string       `json:"lattice"`
	Board   string       `json:"board"`
	Start   string       `json:"start"`
	Goal    string       `json:"goal"`
	// Also are the other claims of an answer of feasible or space.
	Also []proofs.Claim `json:"also,omitempty"`
}

func answerCheck(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	c, others, err := parseCertificate([]byte(r.Args[0]))
	if err == nil {
		err = c.CheckWithin(ctx, int(r.Memory/64))
	}
	for _, o := range others {
		if err != nil {
			break
		}
		if err = o.CheckWithin(ctx, int(r.Memory/64)); err != nil {
			err = fmt.Errorf("claim %s: %w", setting.Quote(string(o.Claim)), err)
		}
	}
	var p peg.Problem
	if err == nil {
		p, err = c.Problem()
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return nil, ctxErr
	}
	if err != nil {
		return nil, &setting.Error{Setting: argCertificate, Err: err}
	}
	text := fmt.Sprintf("valid: %s\nproof  %s\n", c.Claim, c.Proof.Kind)
	doc := checked{Valid: true, Claim: c.Claim, Kind: c.Proof.Kind,
		Lattice: c.Lattice, Board: c.Board, Start: c.Start, Goal: c.Goal}
	for _, o := range others {
		text += fmt.Sprintf("also   %s\n", o.Claim)
		doc.Also = append(doc.Also, o.Claim)
	}
	return &puzzle.Answer{Summary: puzzle.Summary{Problem: understood(p)}, Text: text, Document: doc}, nil
}

// parseCertificate reads a certificate, alone or in an answer of feasible, pagoda, space or bounds. A verdict must be
// the claim of its certificate. others are the further certificates, which must be about the same problem.
func parseCertificate(data []byte) (c *proofs.Certificate, others []*proofs.Certificate, err error) {
	if list, ok, err := parseSpace(data); err != nil || ok {
		if err != nil {
			return nil, nil, err
		}
		return list[0], list[1:], nil
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
		return c, nil, err
	}
	if len(answer.Certificates) > 0 {
		return parseBounds(answer.Certificates)
	}
	absent := func(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
	if absent(answer.Certificate) {
		return nil, nil, errors.New("the answer has no certificate: its verdict is " + setting.Quote(*answer.Verdict))
	}
	c, err = proofs.Parse(answer.Certificate)
	if err == nil && string(c.Claim) != *answer.Verdict {
		err = fmt.Errorf("the verdict is %s, and its certificate claims %s", setting.Quote(*answer.Verdict),
			setting.Quote(string(c.Claim)))
	}
	for _, t := range answer.Tried {
		if err != nil || absent(t.Certificate) {
			continue
		}
		var o *proofs.Certificate
		if o, err = proofs.Parse(t.Certificate); err != nil {
			continue
		}
		if !sameProblem(o, c) {
			err = fmt.Errorf("the certificate of criterion %s is about another problem", setting.Quote(t.Criterion))
		}
		others = append(others, o)
	}
	return c, others, err
}

// parseBounds reads the certificates of an answer of bounds.
func parseBounds(
	list []json.RawMessage,
) (first *proofs.Certificate, others []*proofs.Certificate, err error) {
	for _, raw := range list {
		c, err := proofs.Parse(raw)
		switch {
		case err != nil:
			return nil, nil, err
		case first == nil:
			first = c
			continue
		case !sameProblem(c, first):
			return nil, nil, errors.New("the certificates are about several problems")
		}
		others = append(others, c)
	}
	return first, others, nil
}
