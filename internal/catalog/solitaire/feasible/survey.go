package feasible

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
)

// A Survey says how far the criteria go on a set of problems whose truth is known.
type Survey struct {
	Problems int `json:"problems"`
	Solvable int `json:"solvable"`
	// Undecided is the number of problems without a game that no criterion but the search forbids.
	Undecided int         `json:"undecided"`
	Rows      []SurveyRow `json:"rows"`
}

// A SurveyRow is a criterion. Problems without a game are counted only.
type SurveyRow struct {
	Criterion string `json:"criterion"`
	Alone     int    `json:"alone"`  // problems that it forbids
	First     int    `json:"first"`  // problems that it forbids and no cheaper one does
	Unique    int    `json:"unique"` // problems that it forbids and no other one does
	GaveUp    int    `json:"gave_up,omitempty"`
}

// Survey applies every criterion but the search to each problem. It fails when one of them forbids a problem that is
// solvable: then that criterion or the truth is wrong.
func (f *Prover) Survey(
	ctx context.Context, problems iter.Seq[peg.Problem], solvable func(peg.Problem) bool, limits Limits,
) (*Survey, error) {
	limits = limits.withDefaults()
	criteria := slices.DeleteFunc(f.criteria(), func(c criterion) bool { return c.name == Search })
	s := &Survey{Rows: make([]SurveyRow, len(criteria))}
	for i, c := range criteria {
		s.Rows[i].Criterion = c.name
	}
	// What depends on P'-P alone is found once for each difference.
	linear := []string{Classes, RuleOfThree, Lattice, Corners, Cone, IntegerCone}
	type answers struct{ forbids, gaveUp uint32 } // a bit for each criterion
	known := map[difference]answers{}
	apply := func(p peg.Problem, isLinear bool) (a answers) {
		for i, c := range criteria {
			if slices.Contains(linear, c.name) != isLinear {
				continue
			}
			r := c.apply(ctx, p, limits)
			if r.claim == proofs.Infeasible {
				a.forbids |= 1 << i
			}
			if r.gaveUp {
				a.gaveUp |= 1 << i
			}
		}
		return a
	}
	for p := range problems {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := difference{p.Start &^ p.Goal, p.Goal &^ p.Start}
		a, ok := known[d]
		if !ok {
			a = apply(p, true)
			known[d] = a
		}
		b := apply(p, false)
		a.forbids, a.gaveUp = a.forbids|b.forbids, a.gaveUp|b.gaveUp
		s.Problems++
		if solvable(p) {
			s.Solvable++
			if a.forbids != 0 {
				return nil, fmt.Errorf("criterion %s forbids %s to %s on board %s, which has a game",
					criteria[bits.TrailingZeros32(a.forbids)].name, peg.FormatLine(f.board, p.Start),
					peg.FormatLine(f.board, p.Goal), f.board.Name)
			}
			continue
		}
		s.count(a.forbids, a.gaveUp)
	}
	return s, nil
}

func (s *Survey) count(forbids, gaveUp uint32) {
	if forbids == 0 {
		s.Undecided++
	}
	for i := range s.Rows {
		row, bit := &s.Rows[i], uint32(1)<<i
		if gaveUp&bit != 0 {
			row.GaveUp++
		}
		if forbids&bit == 0 {
			continue
		}
		row.Alone++
		if forbids&(bit-1) == 0 {
			row.First++
		}
		if forbids == bit {
			row.Unique++
		}
	}
}
