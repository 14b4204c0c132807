package solitaire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/catalog/solitaire/certificate"
	"pagoda/internal/puzzle/setting"
)

// spaceForms are the criteria of an answer of space: the claim of the witness for yes, "" where the witness is no
// certificate, and the kinds of proof for no.
var spaceForms = []struct {
	field string
	claim certificate.Claim
	kinds []certificate.Kind
}{
	{"rule_of_three", "", []certificate.Kind{certificate.Modular}},
	{"lattice", certificate.InLattice, []certificate.Kind{certificate.Modular}},
	{"cone", certificate.InCone, []certificate.Kind{certificate.Pagoda}},
	{"integer_cone", certificate.InIntegerCone,
		[]certificate.Kind{certificate.Modular, certificate.Pagoda, certificate.Tree}},
	{"classes", "", []certificate.Kind{certificate.Pagoda}},
	{"corners", "", []certificate.Kind{certificate.Pagoda}},
	{"trivial", "", []certificate.Kind{certificate.Pegs, certificate.NoJump, certificate.NoUndo}},
	{"last_corner", "", []certificate.Kind{certificate.LastExit}},
	{"class_walk", "", []certificate.Kind{certificate.Walk}},
}

// parseSpace reads the certificates of an answer of space; ok is false for other documents. Each criterion must answer
// what its certificate proves. The numbers that allow a problem by the rule of three, classes, corners and trivial
// criteria are not looked at: they prove nothing.
func parseSpace(data []byte) (list []*certificate.Certificate, ok bool, err error) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(data, &fields) // another document than an object has no fields
	for _, form := range spaceForms {
		if fields[form.field] == nil {
			return nil, false, nil
		}
	}
	for _, form := range spaceForms {
		var m struct {
			Member      *bool             `json:"member"`
			Witness     json.RawMessage   `json:"witness"`
			Certificate json.RawMessage   `json:"certificate"`
			Others      []json.RawMessage `json:"others"`
		}
		if err := json.Unmarshal(fields[form.field], &m); err != nil {
			return nil, true, fmt.Errorf("%s: %w", form.field, err)
		}
		var proofs []json.RawMessage
		claim := certificate.Infeasible
		switch {
		case m.Member == nil:
			continue
		case !*m.Member:
			proofs = append(m.Others, m.Certificate)
		case form.claim != "":
			claim, proofs = form.claim, append(proofs, m.Witness)
		}
		for _, raw := range proofs {
			c, err := certificate.Parse(raw)
			if err == nil && c.Claim != claim {
				err = fmt.Errorf("member is %v, and the certificate claims %s", *m.Member, setting.Quote(string(c.Claim)))
			}
			if err == nil && claim == certificate.Infeasible && !slices.Contains(form.kinds, c.Proof.Kind) {
				err = fmt.Errorf("a proof of kind %.40q says nothing about this criterion", c.Proof.Kind)
			}
			if err == nil && len(list) > 0 && !sameProblem(c, list[0]) {
				err = errors.New("the certificate is about another problem")
			}
			if err != nil {
				return nil, true, fmt.Errorf("%s: %w", form.field, err)
			}
			list = append(list, c)
		}
	}
	if list == nil {
		return nil, true, errors.New("the answer has no certificate")
	}
	return list, true, nil
}

// sameProblem reports whether two certificates are about one problem.
func sameProblem(c, d *certificate.Certificate) bool {
	return c.Lattice == d.Lattice && c.Board == d.Board && c.Start == d.Start && c.Goal == d.Goal
}
