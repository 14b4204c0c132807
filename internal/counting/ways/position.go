package ways

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// PositionCounts holds the numbers that a run knows of the games through a position.
type PositionCounts struct {
	Position peg.Position
	Jumps    int // from the start; negative when the position has more pegs than the start
	// Paths counts the jump sequences from the start to the position, Ways those from it to the goal. A number that cannot
	// be told is 0 and not known.
	Paths, Ways           uint128.Uint128
	PathsKnown, WaysKnown bool
	Unreachable           string // the criterion that proves that there are no paths, when one does
	Unwinnable            string // and no ways
	// Solutions is Paths x Ways: the solutions through the position.
	Solutions      uint128.Uint128
	SolutionsKnown bool
	// NoSolution is the criterion that proves that the run's problem has no solution, when one does.
	NoSolution string
	// Next are the jumps that can be made, in the order of the board's.
	Next []Continuation
}

// A Continuation is a jump from a position.
type Continuation struct {
	Jump peg.Jump
	Ways uint128.Uint128 // from the position after it to the goal
	// Solutions through the position that go on with the jump.
	Solutions                 uint128.Uint128
	WaysKnown, SolutionsKnown bool
}

// Position returns the counts of a position in a finished run, whose rows are in in. A position that is not both
// reachable and winnable has no row. Then it is counted from the position to the layer where the enumerations meet, as
// long as most positions of a layer suffice for it. A run whose problem a criterion forbids has no rows: then all is
// counted by playing, from both sides.
func (t *Puzzle) Position(ctx context.Context, source puzzle.Source, p peg.Position, most int) (PositionCounts, error) {
	in := rows{source, true}
	x := PositionCounts{Position: p, Jumps: t.problem.Start.Pegs() - p.Pegs(), NoSolution: t.reason}
	var err error
	if x.Paths, x.PathsKnown, x.Unreachable, err = t.paths(ctx, in, p, most); err != nil {
		return x, err
	}
	if x.Ways, x.WaysKnown, x.Unwinnable, err = t.ways(ctx, in, p, most); err != nil {
		return x, err
	}
	if x.Solutions, x.SolutionsKnown, err = multiply(x.Paths, x.PathsKnown, x.Ways, x.WaysKnown); err != nil {
		return x, err
	}
	x.SolutionsKnown = x.SolutionsKnown || t.near == nil // there are none at all
	var failed error
	t.problem.Board.Moves(p, func(j peg.Jump) {
		if failed != nil {
			return
		}
		c := Continuation{Jump: j}
		if c.Ways, c.WaysKnown, failed = t.waysInRows(ctx, in, j.Play(p)); failed == nil && !c.WaysKnown {
			c.Ways, c.WaysKnown, _, failed = t.ways(ctx, in, j.Play(p), most)
		}
		if failed != nil {
			return
		}
		c.Solutions, c.SolutionsKnown, failed = multiply(x.Paths, x.PathsKnown, c.Ways, c.WaysKnown)
		c.SolutionsKnown = c.SolutionsKnown || t.near == nil
		x.Next = append(x.Next, c)
	})
	return x, failed
}

// multiply multiplies counts; one that is 0 is enough to know the product.
func multiply(
	a uint128.Uint128, aKnown bool, b uint128.Uint128, bKnown bool,
) (n uint128.Uint128, known bool, err error) {
	n, ok := counting.Product(a, b)
	if aKnown && bKnown && !ok {
		return n, false, fmt.Errorf("solutions: %w", puzzle.ErrOverflow)
	}
	return n, aKnown && bKnown || aKnown && a.IsZero() || bKnown && b.IsZero(), nil
}

// paths returns the paths from the start to a position. Rows are asked first: a look-up takes less time than a
// criterion, and a criterion less than a search.
func (t *Puzzle) paths(
	ctx context.Context, in rows, p peg.Position, most int,
) (n uint128.Uint128, known bool, reason string, err error) {
	b := t.problem.Board
	if p == t.problem.Start {
		return uint128.From(1), true, "", nil
	}
	if n, known, err = t.pathsInRows(ctx, in, p); err != nil || !n.IsZero() {
		return n, known, "", err
	}
	if reason, forbidden := reaches(b, t.problem.Start, p); known || forbidden {
		return n, true, reason, nil
	}
	if t.near == nil {
		n, known, err = between(ctx, b, t.problem.Start, p, most)
		return n, known, "", err
	}
	jumps := t.problem.Start.Pegs() - p.Pegs() - t.meeting
	in.few = false
	n, known, err = search(ctx, b, b.Complement(p), jumps, most, func(q peg.Position) (uint128.Uint128, error) {
		return in.paths(ctx, t.near, b.Complement(q), t.meeting)
	})
	return n, known, "", err
}

// pathsInRows looks up the paths from the start to a position, where rows tell them.
func (t *Puzzle) pathsInRows(
	ctx context.Context, in rows, p peg.Position,
) (n uint128.Uint128, known bool, err error) {
	jumps := t.problem.Start.Pegs() - p.Pegs()
	switch {
	case t.near == nil || jumps > t.jumps:
		return n, false, nil
	case jumps <= t.depth(t.near):
		n, err = in.paths(ctx, t.near, p, jumps)
		return n, err == nil, err
	}
	// Where there is a row, it has the answer; where there is none but ways, there are no paths.
	n, ways, known, err := t.pathsByComplement(ctx, in, p, jumps)
	return n, known || !ways.IsZero(), err
}

// pathsByComplement looks up the row of a position after the meeting, by its complement: paths when ok, and in any case
// ways.
func (t *Puzzle) pathsByComplement(
	ctx context.Context, in rows, p peg.Position, jumps int,
) (paths, ways uint128.Uint128, ok bool, err error) {
	q := t.Complement(p)
	if ways, err = in.paths(ctx, t.far, q, t.jumps-jumps); err != nil {
		return paths, ways, false, err
	}
	pass, n := t.after(jumps)
	v, address, ok := t.far.Locate(q, n)
	if !ok || !pass.cells[n][v] {
		return paths, ways, false, nil
	}
	_, paths, ok, err = in.row(ctx, pass.Cell(n, v), address)
	return paths, ways, ok, err
}

// Complement returns the complement of a position in the frame of far.
func (t *Puzzle) Complement(p peg.Position) peg.Position {
	return t.turn.Apply(t.problem.Board.Complement(p))
}

// ways returns the ways from a position to the goal, as paths does.
func (t *Puzzle) ways(
	ctx context.Context, in rows, p peg.Position, most int,
) (n uint128.Uint128, known bool, reason string, err error) {
	b := t.problem.Board
	if p == t.problem.Goal {
		return uint128.From(1), true, "", nil
	}
	if n, known, err = t.waysInRows(ctx, in, p); err != nil || !n.IsZero() {
		return n, known, "", err
	}
	if reason, forbidden := reaches(b, p, t.problem.Goal); known || forbidden {
		return n, true, reason, nil
	}
	if t.near == nil {
		n, known, err = between(ctx, b, p, t.problem.Goal, most)
		return n, known, "", err
	}
	jumps := t.meeting - (t.problem.Start.Pegs() - p.Pegs())
	in.few = false
	n, known, err = search(ctx, b, p, jumps, most, func(q peg.Position) (uint128.Uint128, error) {
		return in.paths(ctx, t.far, t.Complement(q), t.jumps-t.meeting)
	})
	return n, known, "", err
}

// waysInRows looks up the ways from a position to the goal, where rows tell them.
func (t *Puzzle) waysInRows(
	ctx context.Context, in rows, p peg.Position,
) (n uint128.Uint128, known bool, err error) {
	jumps := t.problem.Start.Pegs() - p.Pegs()
	switch {
	case t.near == nil || jumps < 0:
		return n, false, nil
	case t.jumps-jumps <= t.depth(t.far):
		n, err = in.paths(ctx, t.far, t.Complement(p), t.jumps-jumps)
		return n, err == nil, err
	}
	n, paths, known, err := t.waysOfReached(ctx, in, p, jumps)
	return n, known || !paths.IsZero(), err
}

// waysOfReached looks up the row of a position before the meeting: ways when ok, and in any case paths.
func (t *Puzzle) waysOfReached(
	ctx context.Context, in rows, p peg.Position, jumps int,
) (ways, paths uint128.Uint128, ok bool, err error) {
	if paths, err = in.paths(ctx, t.near, p, jumps); err != nil {
		return ways, paths, false, err
	}
	pass := t.passes[0]
	v, address, ok := t.near.Locate(p, jumps)
	if !ok || !pass.cells[jumps][v] {
		return ways, paths, false, nil
	}
	_, ways, ok, err = in.row(ctx, pass.Cell(jumps, v), address)
	return ways, paths, ok, err
}

// reaches asks the criteria whether jumps can lead from p to q at all.
func reaches(b *peg.Board, p, q peg.Position) (reason string, forbidden bool) {
	switch {
	case p.Pegs() == q.Pegs():
		return "every jump takes a peg, and there are as many", true
	case p.Pegs() < q.Pegs():
		return "every jump takes a peg, and there would have to be more", true
	}
	return peg.Problem{Board: b, Start: p, Goal: q}.Forbidden()
}

// search plays jumps from p in every order and sums count over the positions that it comes to, times the ways to them;
// known is false when a layer has more than most positions.
func search(
	ctx context.Context, b *peg.Board, p peg.Position, jumps, most int, count func(peg.Position) (uint128.Uint128, error),
) (sum uint128.Uint128, known bool, err error) {
	layer := played{p: uint128.From(1)}
	for ; jumps > 0; jumps-- {
		if layer, known, err = layer.play(ctx, b, most); err != nil || !known {
			return sum, false, err
		}
	}
	fits := true
	for q, n := range layer {
		m, err := count(q)
		if err != nil {
			return sum, false, err
		}
		m, ok := counting.Product(n, m)
		s, ok2 := sum.Add(m)
		sum, fits = s, fits && ok && ok2
	}
	if !fits {
		return sum, false, errTooManyWays
	}
	return sum, true, nil
}

// between counts the jump sequences from p to q, of fewer pegs, by playing forwards from p and backwards from q until
// the two meet. It plays on the side with fewer positions; known is false when both have more than most.
func between(
	ctx context.Context, b *peg.Board, p, q peg.Position, most int,
) (sum uint128.Uint128, known bool, err error) {
	one := uint128.From(1)
	forwards, backwards := played{p: one}, played{b.Complement(q): one}
	for jumps := p.Pegs() - q.Pegs(); jumps > 0; jumps-- {
		side := &forwards
		if len(backwards) < len(forwards) {
			side = &backwards
		}
		if *side, known, err = side.play(ctx, b, most); err != nil || !known {
			return sum, false, err
		}
	}
	fits := true
	for r, n := range forwards {
		m, ok := counting.Product(n, backwards[b.Complement(r)])
		s, ok2 := sum.Add(m)
		sum, fits = s, fits && ok && ok2
	}
	if !fits {
		return sum, false, errTooManyWays
	}
	return sum, true, nil
}

var errTooManyWays = fmt.Errorf("counting from a position: %w", puzzle.ErrOverflow)

// played is the positions after so many jumps, with the ways to them.
type played map[peg.Position]uint128.Uint128

// play plays every jump; known is false when more than most positions follow.
func (l played) play(ctx context.Context, b *peg.Board, most int) (next played, known bool, err error) {
	next = played{}
	fits := true
	for p, n := range l {
		b.Moves(p, func(j peg.Jump) {
			m, ok := next[j.Play(p)].Add(n)
			next[j.Play(p)], fits = m, fits && ok
		})
		if len(next) > most {
			return nil, false, nil
		}
		if len(next)&0xfff == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
	}
	if !fits {
		return nil, false, errTooManyWays
	}
	return next, true, ctx.Err()
}

// ErrNoSolution is wrapped where a solution is asked for and there is none.
var ErrNoSolution = errors.New("the problem has no solution")
