package sweeps

import (
	"fmt"
	"strconv"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var sweepsColumns = []puzzle.Column{
	{Name: "sweeps", Kind: puzzle.Number, Doc: "sweeps of a solution"},
	{Name: "solutions", Kind: puzzle.Count, Total: "solutions", Doc: "solutions of so many sweeps"},
}

// Summarise gives the summary of package ways, and the distribution by sweeps.
func (s *Puzzle) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	sum, err := s.Puzzle.Summarise(known)
	if err != nil || len(s.sides) == 0 || s.last() >= known.Layers() {
		return sum, err
	}
	t, ok := known.Layer(s.last())
	if !ok {
		return sum, nil
	}
	var total uint128.Uint128
	least, counts := 0, []puzzle.MapEntry(nil)
	for n := 1; n <= s.jumps; n++ {
		x := t.Sum(sumSweeps(n))
		if x.IsZero() {
			continue
		}
		if least == 0 {
			least = n
		}
		if total, ok = total.Add(x); !ok {
			return sum, fmt.Errorf("solutions: %w", puzzle.ErrOverflow)
		}
		counts = append(counts, puzzle.MapEntry{Key: strconv.Itoa(n), Value: x})
	}
	for _, f := range sum.Facts {
		if f.Name == "solutions" && f.Value.N != total {
			return sum, fmt.Errorf("%v solutions by sweeps, but %v by positions", total, f.Value.N)
		}
	}
	if least == 0 {
		return sum, nil
	}
	some := t.Sum(sumSweeps(least))
	sum.AddCount("least_sweeps", uint128.From(uint64(least)), "least number of sweeps of a solution")
	sum.AddCount("least_sweeps_solutions", some, "solutions of so many sweeps")
	classes, err := s.upToSymmetry(least, some)
	if err != nil {
		return sum, err
	}
	sum.AddCount("least_sweeps_solutions_up_to_symmetry", classes,
		"those, up to the symmetries of the board that fix start and goal")
	longest := map[string]uint128.Uint128{}
	for n := s.near().first; n <= s.last(); n++ {
		t, ok := known.Layer(n)
		if !ok {
			return sum, nil
		}
		for _, name := range []string{maxSweep, maxFirst, maxLast} {
			if m := t.Max(name); m.Cmp(longest[name]) > 0 {
				longest[name] = m
			}
		}
	}
	sum.AddCount(maxSweep, longest[maxSweep], "jumps of the longest sweep of a solution")
	sum.AddCount(maxFirst, longest[maxFirst], "jumps of the longest sweep that begins a solution")
	sum.AddCount(maxLast, longest[maxLast], "jumps of the longest sweep that ends a solution")
	sum.Facts = append(sum.Facts, puzzle.Fact{
		Column: puzzle.Column{Name: "solutions_by_sweeps", Kind: puzzle.Count, Doc: "solutions by their number of sweeps"},
		Map:    counts,
	})
	table := puzzle.Table{Name: "by_sweeps", Columns: sweepsColumns}
	for _, c := range counts {
		n, _ := strconv.Atoi(c.Key) // written above
		table.Rows = append(table.Rows, []puzzle.Value{{N: uint128.From(uint64(n))}, {N: c.Value}})
	}
	sum.Tables = append(sum.Tables, table)
	return sum, nil
}

// upToSymmetry counts the solutions of so many sweeps, n in all, up to the symmetries that fix start and goal: by
// Burnside's lemma the mean of the numbers of those that a symmetry leaves as they are, jump by jump.
func (s *Puzzle) upToSymmetry(sweeps int, n uint128.Uint128) (uint128.Uint128, error) {
	group := s.Problem().Symmetries()
	sum := n // of the identity
	for _, g := range group[1:] {
		same, err := fixedSolutions(s.Problem(), g, sweeps)
		ok := err == nil
		if ok {
			sum, ok = sum.Add(same)
		}
		if !ok {
			return sum, fmt.Errorf("solutions up to symmetry: %w", puzzle.ErrOverflow)
		}
	}
	classes, rest := sum.QuoRem64(uint64(len(group)))
	if rest != 0 {
		return classes, fmt.Errorf("%v solutions of %d sweeps do not divide into classes", n, sweeps)
	}
	return classes, nil
}

// fixedSolutions counts the solutions of so many sweeps all of whose jumps a symmetry maps to themselves: they play
// among the holes that it fixes, which are a few on a line, and leave all others as they are.
func fixedSolutions(p peg.Problem, g peg.Perm, sweeps int) (uint128.Uint128, error) {
	var fixed peg.Position
	for hole, to := range g {
		if int(to) == hole {
			fixed |= 1 << hole
		}
	}
	if (p.Start^p.Goal)&^fixed != 0 {
		return uint128.Uint128{}, nil
	}
	type state struct {
		p    peg.Position
		last int // hole where the last jump ended; -1 at the start
	}
	layer := map[state]poly{{p.Start, -1}: {uint128.From(1)}}
	for range p.Jumps() {
		next := map[state]poly{}
		for s, n := range layer {
			for _, j := range p.Board.Jumps {
				if j.Mask()&^fixed != 0 || !j.Legal(s.p) {
					continue
				}
				same := poly(nil)
				if s.last == int(j.From) {
					same = n
				}
				to := state{j.Play(s.p), int(j.To)}
				q := next[to]
				if err := q.addJump(n, same); err != nil {
					return uint128.Uint128{}, err
				}
				next[to] = q
			}
		}
		layer = next
	}
	var all poly
	for s, n := range layer {
		if s.p == p.Goal {
			if err := all.addAll(n); err != nil {
				return uint128.Uint128{}, err
			}
		}
	}
	return all.at(sweeps), nil
}
