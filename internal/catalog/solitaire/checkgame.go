package solitaire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/puzzle/plural"
)

// A toldGame is the fields of an answer that tell of its game.
type toldGame struct {
	Jumps       json.RawMessage `json:"jumps"` // a list; in answers that tell of the board, its number of jumps
	End         *string         `json:"end"`
	Bound       *int            `json:"bound"`
	Pegs        *int            `json:"pegs"`
	Proved      *bool           `json:"proved"`
	Certificate json.RawMessage `json:"bound_certificate"`
}

// readTold reads the fields of an answer with a certificate; ok is false where they do not tell of a game.
func readTold(data []byte, c *proofs.Certificate) (t toldGame, ok bool, err error) {
	if err := json.Unmarshal(data, &t); err != nil {
		if absent(t.Certificate) {
			return t, false, nil // the document was read before, and may have other fields of these names
		}
		return t, false, fmt.Errorf("the bound: %w", err)
	}
	return t, c.Claim == proofs.Feasible && c.Proof.Kind == proofs.Game, nil
}

// extreme reports whether the answer is about the most or the fewest pegs.
func (t *toldGame) extreme(c *proofs.Certificate) bool { return t.Bound != nil && c.Goals != nil }

// check compares the game that an answer tells of with that of the certificate: its jumps, its end, and how many pegs
// that has.
func (t *toldGame) check(c *proofs.Certificate) error {
	var jumps []string
	if json.Unmarshal(t.Jumps, &jumps) == nil && jumps != nil && !slices.Equal(jumps, c.Proof.Jumps) {
		return errors.New("the jumps of the answer are not those of its certificate")
	}
	end, err := c.End()
	if err != nil {
		return nil //nolint:nilerr // the check of the certificate names the fault
	}
	if t.End != nil && end != *t.End {
		return fmt.Errorf("the game ends at %s, and the answer says %.90s", end, *t.End)
	}
	if !t.extreme(c) {
		return nil
	}
	pegs, goal := strings.Count(end, "o"), c.Goals.Most
	if c.Goals.Dead {
		goal = c.Goals.Least
	}
	switch {
	case t.Pegs == nil:
		return errors.New("the answer has a bound, and lacks pegs")
	case *t.Pegs != pegs:
		return fmt.Errorf("the game leaves %s, and the answer says %d", plural.Of(pegs, "peg"), *t.Pegs)
	case *t.Pegs != goal:
		return fmt.Errorf("the answer says %s, and its certificate is about %d", plural.Of(*t.Pegs, "peg"), goal)
	case t.Proved != nil && *t.Proved != (*t.Bound == *t.Pegs):
		return fmt.Errorf("the answer says proved: %v of %s with the bound %d", *t.Proved, plural.Of(pegs, "peg"), *t.Bound)
	}
	return nil
}

// unproved is the bound of an answer that needs a proof and has none, in words; "" where there is no such bound. A
// proof may be too large for a certificate.
func unproved(data []byte, c *proofs.Certificate, startPegs int) string {
	t, ok, err := readTold(data, c)
	switch {
	case err != nil || !ok || !t.extreme(c) || !absent(t.Certificate):
		return ""
	case c.Goals.Dead && *t.Bound < startPegs:
		return "at most " + plural.Of(*t.Bound, "peg")
	case !c.Goals.Dead && *t.Bound > 1:
		return "at least " + plural.Of(*t.Bound, "peg")
	}
	return ""
}

// parseBound reads the certificate of the bound in an answer about the most or fewest pegs: that no game ends in one of
// the goals beyond the bound. It is nil where the answer has none.
func (t *toldGame) parseBound(c *proofs.Certificate) (*proofs.Certificate, error) {
	if absent(t.Certificate) {
		return nil, nil
	}
	d, err := proofs.Parse(t.Certificate)
	if err != nil {
		return nil, err
	}
	p, err := d.Problem()
	if err != nil {
		return nil, err
	}
	if t.Bound == nil || t.Pegs == nil {
		return nil, errors.New("the answer has a certificate of a bound, and lacks bound or pegs")
	}
	switch {
	case !sameStart(c, d) || d.Claim != proofs.Infeasible || c.Goals == nil || d.Goals == nil ||
		c.Goals.Patterns != nil || d.Goals.Patterns != nil || c.Goals.Dead != d.Goals.Dead:
		err = errors.New("the certificate of the bound is about another problem")
	case d.Goals.Dead && (d.Goals.Least != *t.Bound+1 || d.Goals.Most < p.Start.Pegs()),
		d.Goals.Dead && c.Goals.Least != *t.Pegs,
		!d.Goals.Dead && (d.Goals.Most != *t.Bound-1 || d.Goals.Least > 1 || c.Goals.Most != *t.Pegs):
		err = fmt.Errorf("the certificates are not about %s with the bound %d", plural.Of(*t.Pegs, "peg"), *t.Bound)
	}
	return d, err
}
