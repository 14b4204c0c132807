package solitaire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/puzzle/setting"
)

// spaceForms are the criteria of an answer of space: the claim of the witness for yes, "" where the witness is no
// certificate, and the kinds of proof for no.
var spaceForms = []struct {
	field string
	claim proofs.Claim
	kinds []proofs.Kind
}{
	{"rule_of_three", "", []proofs.Kind{proofs.Modular}},
	{"lattice", proofs.InLattice, []proofs.Kind{proofs.Modular}},
	{"cone", proofs.InCone, []proofs.Kind{proofs.Pagoda}},
	{"integer_cone", proofs.InIntegerCone,
		[]proofs.Kind{proofs.Modular, proofs.Pagoda, proofs.Tree}},
	{"classes", "", []proofs.Kind{proofs.Pagoda}},
	{"corners", "", []proofs.Kind{proofs.Pagoda}},
	{"trivial", "", []proofs.Kind{proofs.Pegs, proofs.NoJump, proofs.NoUndo}},
	{"last_corner", "", []proofs.Kind{proofs.LastExit}},
	{"class_walk", "", []proofs.Kind{proofs.Walk}},
}

// parseSpace reads the certificates of an answer of space; ok is false for other documents. Each criterion must answer
// what its certificate proves. The numbers that allow a problem by the rule of three, classes, corners and trivial
// criteria are not looked at: they prove nothing.
func parseSpace(data []byte) (list []*proofs.Certificate, ok bool, err error) {
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
		var texts []json.RawMessage
		claim := proofs.Infeasible
		switch {
		case m.Member == nil:
			continue
		case !*m.Member:
			texts = append(m.Others, m.Certificate)
		case form.claim != "":
			claim, texts = form.claim, append(texts, m.Witness)
		}
		for _, raw := range texts {
			c, err := proofs.Parse(raw)
			if err == nil && c.Claim != claim {
				err = fmt.Errorf("member is %v, and the certificate claims %s", *m.Member, setting.Quote(string(c.Claim)))
			}
			if err == nil && claim == proofs.Infeasible && !slices.Contains(form.kinds, c.Proof.Kind) {
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
func sameProblem(c, d *proofs.Certificate) bool {
	return sameStart(c, d) && c.Goal == d.Goal && reflect.DeepEqual(c.Goals, d.Goals)
}

// sameStart reports whether the problems of two certificates begin at one position of one board.
func sameStart(c, d *proofs.Certificate) bool {
	return c.Lattice == d.Lattice && c.Rule == d.Rule && c.Board == d.Board && c.Start == d.Start
}
