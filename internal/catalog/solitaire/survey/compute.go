package survey

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Names of the sums of a tally. Beside these there is one for each criterion, see sumOf.
const (
	sumProblems = "problems"
	sumSolvable = "solvable"
	sumOpen     = "open"     // no game, and no criterion forbids it
	sumLimited  = "limited"  // of these, where a criterion reached its limit
	sumUnknown  = "unknown"  // neither criteria nor solver decide it
	sumClasses  = "starts"   // starts, or problems, up to symmetry
	sumForbids  = "forbids-" // and the criterion: it is the first that forbids the problem
)

// criteria are those that a survey applies: all but the search.
var criteria = func() []string {
	names := feasible.Names()
	return names[:len(names)-1]
}()

func sumOf(criterion string) string { return sumForbids + strings.ReplaceAll(criterion, " ", "-") }

// A count is numbers of problems.
type count struct {
	problems, solvable, open, limited, unknown uint64
	forbids                                    [16]uint64 // by criterion
}

func (c *count) add(d *count, times uint64) {
	c.problems += times * d.problems
	c.solvable += times * d.solvable
	c.open += times * d.open
	c.limited += times * d.limited
	c.unknown += times * d.unknown
	for i := range criteria {
		c.forbids[i] += times * d.forbids[i]
	}
}

func (c *count) tally(classes uint64) (t puzzle.Tally, err error) {
	add := func(name string, v uint64) {
		if v > 0 && err == nil {
			err = t.AddSum(name, uint128.From(v))
		}
	}
	add(sumProblems, c.problems)
	add(sumSolvable, c.solvable)
	add(sumOpen, c.open)
	add(sumLimited, c.limited)
	add(sumUnknown, c.unknown)
	add(sumClasses, classes)
	for i, name := range criteria {
		add(sumOf(name), c.forbids[i])
	}
	return t, err
}

// Compute implements puzzle.Puzzle. It reads no parents.
func (s *Survey) Compute(ctx context.Context, w puzzle.Window, _ puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	c, err := s.find(w.Cell)
	if err != nil {
		return puzzle.Tally{}, err
	}
	if w.Addresses == 0 || w.First >= c.addresses || w.Addresses > c.addresses-w.First {
		return puzzle.Tally{}, fmt.Errorf("window %v of addresses %d+%d is not one of the survey", w, w.First, w.Addresses)
	}
	one, err := s.surveyor(ctx, c)
	if err != nil {
		return puzzle.Tally{}, err
	}
	var all count
	var classes uint64
	x := puzzle.NewWriter(w, out)
	for i := range w.Addresses {
		if i%64 == 0 {
			if err := puzzle.Progress(ctx); err != nil {
				return puzzle.Tally{}, err
			}
		}
		var n count
		orbit, err := one(w.First+i, &n)
		if err != nil {
			return puzzle.Tally{}, err
		}
		if orbit == 0 {
			continue
		}
		all.add(&n, orbit)
		classes++
		if err := x.Row(w.First+i, orbit, n.problems, n.solvable, n.open); err != nil {
			return puzzle.Tally{}, err
		}
	}
	if err := x.Flush(); err != nil {
		return puzzle.Tally{}, err
	}
	return all.tally(classes)
}

// find returns the cell of that name.
func (s *Survey) find(c puzzle.Cell) (cell, error) {
	for _, k := range s.cells {
		if s.cell(k) == c {
			return k, nil
		}
	}
	return cell{}, fmt.Errorf("the survey has no cell %d/%s", c.Layer, c.Key)
}

// A surveyor surveys the problems of one address. It returns how many images they have under the symmetries of the
// board, 0 when another address stands for them.
type surveyor func(address uint64, n *count) (orbit uint64, err error)

// surveyor returns the one of a cell.
func (s *Survey) surveyor(ctx context.Context, c cell) (surveyor, error) {
	b := s.params.Board
	// Starts in the order of their ranks are in the order of their numbers: the next one is found from the last.
	var last peg.Position
	var lastAddress uint64
	start := func(address uint64) peg.Position {
		if last == 0 || address != lastAddress+1 {
			last = unrank(address, b.Size(), c.pegs)
		} else {
			last = next(last)
		}
		lastAddress = address
		return last
	}
	switch s.params.Kind {
	case Vacancies:
		return func(address uint64, n *count) (uint64, error) {
			p, orbit := s.vacancy(address)
			if orbit == 0 {
				return 0, nil
			}
			return orbit, s.vacancyProblem(ctx, p, n)
		}, nil
	case OnePeg:
		list, err := s.onePeg(ctx, c.pegs)
		if err != nil {
			return nil, err
		}
		return func(address uint64, n *count) (uint64, error) {
			p := start(address)
			orbit := s.orbit(p)
			if orbit == 0 {
				return 0, nil
			}
			var err error
			singles(b.Full(), func(goal peg.Position) {
				if err == nil {
					err = s.problem(ctx, peg.Problem{Board: b, Start: p, Goal: goal}, list[address]&goal != 0, n)
				}
			})
			return orbit, err
		}, nil
	}
	ends := newReached(b)
	return func(address uint64, n *count) (uint64, error) {
		p := start(address)
		orbit := s.orbit(p)
		if orbit == 0 {
			return 0, nil
		}
		ends.from(p)
		for goal := peg.Position(1); goal <= b.Full(); goal++ {
			if goal%1024 == 0 {
				if err := puzzle.Progress(ctx); err != nil {
					return 0, err
				}
			}
			if goal.Pegs() >= c.pegs {
				continue
			}
			if err := s.problem(ctx, peg.Problem{Board: b, Start: p, Goal: goal}, ends.has(goal), n); err != nil {
				return 0, err
			}
		}
		return orbit, nil
	}, nil
}

// orbit is the number of images of p under the symmetries of the board when p is the smallest of them, otherwise 0.
func (s *Survey) orbit(p peg.Position) uint64 {
	fixed := 0
	for _, g := range s.group {
		switch q := g.Apply(p); {
		case q < p:
			return 0
		case q == p:
			fixed++
		}
	}
	return uint64(len(s.group) / fixed)
}

// vacancy is the problem of an address, and the number of its images when it is the smallest of them, otherwise 0.
func (s *Survey) vacancy(address uint64) (p peg.Problem, orbit uint64) {
	b := s.params.Board
	size := uint64(b.Size())
	v, g := address/size, address%size
	fixed := 0
	for _, m := range s.group {
		switch q := uint64(m[v])*size + uint64(m[g]); {
		case q < address:
			return p, 0
		case q == address:
			fixed++
		}
	}
	return peg.Problem{Board: b, Start: b.Complement(1 << v), Goal: 1 << g}, uint64(len(s.group) / fixed)
}

// problem counts a problem whose truth is known.
func (s *Survey) problem(ctx context.Context, p peg.Problem, solvable bool, n *count) error {
	n.problems++
	if solvable {
		n.solvable++
		if i := s.decider.Quick(p); i >= 0 {
			return forbidsSolvable(p, i)
		}
		return nil
	}
	i, limited, err := s.decider.First(ctx, p)
	if err != nil {
		return err
	}
	n.infeasible(i, limited)
	return nil
}

// infeasible counts a problem without a game.
func (c *count) infeasible(criterion int, limited bool) {
	if criterion >= 0 {
		c.forbids[criterion]++
		return
	}
	c.open++
	if limited {
		c.limited++
	}
}

// vacancyProblem counts a problem from one vacancy to one peg. All criteria are applied to it, also to one with a game.
func (s *Survey) vacancyProblem(ctx context.Context, p peg.Problem, n *count) error {
	n.problems++
	i, limited, err := s.decider.First(ctx, p)
	if err != nil {
		return err
	}
	solvable, ok, err := s.solvable(ctx, p, i >= 0)
	switch {
	case err != nil:
		return err
	case solvable && i >= 0:
		return forbidsSolvable(p, i)
	case solvable:
		n.solvable++
	case ok || i >= 0:
		n.infeasible(i, limited)
	default:
		n.unknown++
	}
	return nil
}

func forbidsSolvable(p peg.Problem, criterion int) error {
	return fmt.Errorf("criterion %s forbids %s to %s on board %s, which has a game", criteria[criterion],
		peg.FormatLine(p.Board, p.Start), peg.FormatLine(p.Board, p.Goal), p.Board.Name)
}

// CheckTally implements puzzle.TallyChecker: there is a row for each start, and every problem has a game, or
// is forbidden by
// one criterion first, or is open or undecided.
func (s *Survey) CheckTally(_ puzzle.Window, rows uint64, t *puzzle.Tally) error {
	if n := t.Sum(sumClasses); n != uint128.From(rows) {
		return fmt.Errorf("%v starts, but %d rows", n, rows)
	}
	var sum uint128.Uint128
	parts := []string{sumSolvable, sumOpen, sumUnknown}
	for _, name := range criteria {
		parts = append(parts, sumOf(name))
	}
	for _, name := range parts {
		sum, _ = sum.Add(t.Sum(name)) // of few numbers, in windows far below 2^128 problems
	}
	if n := t.Sum(sumProblems); n != sum {
		return fmt.Errorf("%v problems, but %v by what is known of them", n, sum)
	}
	if limited, open := t.Sum(sumLimited), t.Sum(sumOpen); limited.Cmp(open) > 0 {
		return fmt.Errorf("%s %v is more than %s %v", sumLimited, limited, sumOpen, open)
	}
	return nil
}
