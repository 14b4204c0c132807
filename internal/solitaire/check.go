package solitaire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"pagoda/internal/certificate"
	"pagoda/internal/puzzle"
	"pagoda/internal/setting"
)

const argCertificate = "CERTIFICATE"

var checkQuestion = puzzle.Question{
	Name:  "check",
	Short: "verify a certificate of peg feasible",
	Long: `Verify a certificate: a file of its JSON document, or of the whole answer of coordinator peg feasible --output
json. - is stdin. A certificate that does not prove what it claims is refused.

The checker shares no code with the programs that find proofs. docs/theory.md describes the form of certificates.`,
	Examples: []string{"verdict.json", "- < certificate.json"},
	Args: []puzzle.Argument{
		{Name: argCertificate, Doc: "a certificate, or an answer of peg feasible that has one", File: true},
	},
	Answer: answerCheck,
}

// A checked certificate is one that proves what it claims.
type checked struct {
	Valid   bool              `json:"valid"` // always true: others are refused
	Claim   certificate.Claim `json:"claim"`
	Kind    certificate.Kind  `json:"kind"`
	Lattice string            `json:"lattice"`
	Board   string            `json:"board"`
	Start   string            `json:"start"`
	Goal    string            `json:"goal"`
}

func answerCheck(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	c, err := parseCertificate([]byte(r.Args[0]))
	if err == nil {
		err = c.CheckWithin(ctx, int(r.Memory/64))
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return nil, ctxErr
	}
	if err != nil {
		return nil, &setting.Error{Setting: argCertificate, Err: err}
	}
	text := fmt.Sprintf("valid: %s\nproof  %s\nboard  %s (%s)\nstart  %s\ngoal   %s\n", c.Claim, c.Proof.Kind, c.Board,
		c.Lattice, c.Start, c.Goal)
	return &puzzle.Answer{Text: text, Document: checked{Valid: true, Claim: c.Claim, Kind: c.Proof.Kind,
		Lattice: c.Lattice, Board: c.Board, Start: c.Start, Goal: c.Goal}}, nil
}

// parseCertificate reads a certificate, alone or in an answer of feasible, whose verdict must be what it claims.
func parseCertificate(data []byte) (*certificate.Certificate, error) {
	var answer struct {
		Verdict     *string         `json:"verdict"`
		Certificate json.RawMessage `json:"certificate"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || answer.Verdict == nil {
		return certificate.Parse(data) // which says what is wrong with it
	}
	if text := string(answer.Certificate); text == "" || text == "null" {
		return nil, errors.New("the answer has no certificate: its verdict is " + setting.Quote(*answer.Verdict))
	}
	c, err := certificate.Parse(answer.Certificate)
	if err == nil && string(c.Claim) != *answer.Verdict {
		err = fmt.Errorf("the verdict is %s, and its certificate claims %s", setting.Quote(*answer.Verdict),
			setting.Quote(string(c.Claim)))
	}
	return c, err
}
