package solitaire

import (
	"encoding/json"
	"strings"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
)

// TestSpaceIsChecked has check verify the documents of problems on every named board, and refuse them where a criterion
// says the opposite of its certificate.
func TestSpaceIsChecked(t *testing.T) {
	for _, name := range peg.Names() {
		b := pegtest.Named(t, name)
		last := b.Hex(b.Full() &^ (1 << (b.Size() - 1)))
		for _, goal := range []string{b.Hex(1), b.Hex(1 << (b.Size() - 1)), b.Hex(b.Full() >> 1 &^ 1)} {
			a := puzzletest.Ask(t, &spaceQuestion, map[string]string{"board": name}, last, goal)
			data, err := json.Marshal(a.Document)
			if err != nil {
				t.Fatal(err)
			}
			puzzletest.Ask(t, &checkQuestion, nil, string(data))
			s := a.Document.(*feasible.Space)
			for _, m := range []*feasible.Membership{&s.Lattice, &s.Cone, &s.IntegerCone} {
				if m.Member == nil {
					continue
				}
				*m.Member = !*m.Member
				turned, err := json.Marshal(s)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := parseSpace(turned); err == nil {
					t.Errorf("%s to %s: check does not notice that an answer is turned: %+v", name, goal, m)
				}
				*m.Member = !*m.Member
			}
		}
	}
}

// TestSpaceByGame demands that a game is the witness where branch and bound does not end.
func TestSpaceByGame(t *testing.T) {
	a := puzzletest.Ask(t, &spaceQuestion, map[string]string{"board": "hexagon61"}, "center", "center")
	m := a.Document.(*feasible.Space).IntegerCone
	c, ok := m.Witness.(*proofs.Certificate)
	if !ok || m.Member == nil || !*m.Member || c.Claim != proofs.InIntegerCone || c.Check() != nil {
		t.Errorf("%+v", m)
	}
	if !strings.Contains(a.Text, "integer cone      yes  ") {
		t.Error(a.Text)
	}
}

// TestSpaceRefused damages a document: check names the criterion at fault.
func TestSpaceRefused(t *testing.T) {
	for want, damage := range map[string]func(*feasible.Space){
		"cone: a proof of kind \"no jump\" says nothing": func(s *feasible.Space) {
			no := false
			s.Cone = feasible.Membership{Member: &no, Certificate: s.Trivial.Certificate}
		},
		"lattice: member is true, and the certificate claims \"in cone\"": func(s *feasible.Space) {
			s.Lattice.Witness = s.Cone.Witness
		},
		"class_walk: the certificate is about another problem": func(s *feasible.Space) {
			s.ClassWalk.Certificate.Start = "oooooo."
		},
	} {
		a := puzzletest.Ask(t, &spaceQuestion, map[string]string{"board": "ooooooo"}, "ooooooo", "o.o.o.o")
		damage(a.Document.(*feasible.Space))
		data, err := json.Marshal(a.Document)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseCertificates(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
