package goals

import (
	"context"
	"fmt"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle/plural"
)

// Extreme is the answer about the most or the fewest pegs that a game leaves.
type Extreme struct {
	// Pegs is how many pegs the game found leaves; 0 where none was found.
	Pegs int
	// Bound is a number of pegs: every game leaves at most as many, or at least, which is proved.
	Bound int
	// Certificate proves the bound: that the goals beyond it are out of reach. It is nil where the bound needs none, and
	// where the proof is larger than the checker goes.
	Certificate *proofs.Certificate
}

// certifiedClasses is how many classes of positions a certificate goes through.
const certifiedClasses = 1_000_000

// Proved reports whether no game leaves more pegs, or fewer.
func (e *Extreme) Proved() bool { return e.Pegs == e.Bound }

// forwardClasses is how many classes of positions are walked from the start, before the dead ends are played backwards.
const forwardClasses = 200_000

// most finds a dead end after the fewest jumps. For each number of jumps it lists all dead ends with as many pegs as
// are left then. From all of them it plays backwards, to the positions that games from the start meet.
func (d *decision) most(ctx context.Context) (*Result, error) {
	start, w, room := d.start, d.walk, int(d.o.Bytes/16)
	d.Extreme = &Extreme{Bound: start.Pegs()}
	ends := deadEnds{board: w.board, keep: w.orbits.Least, most: room, same: w.board.SameInvariants(start)}
	for n := 0; n < start.Pegs(); n++ {
		if len(w.layers) == n && w.classes < forwardClasses {
			ok, err := w.extend(ctx, forwardClasses)
			if err != nil {
				return nil, err
			}
			if !ok {
				w.classes = forwardClasses // it ends here
			}
		}
		ends.empty, ends.list = w.board.Size()-start.Pegs()+n, nil
		ok, err := ends.all(ctx)
		if err != nil {
			return nil, err
		}
		back := &backwards{walk: w, layers: [][]peg.Position{ends.list}, most: room, classes: len(ends.list)}
		if ok {
			ok, err = back.play(ctx, n)
		}
		switch {
		case err != nil:
			return nil, err
		case !ok:
			d.tried("dead ends", "gave up", "more than "+plural.Of(room, "class"))
			return d.someDeadEnd(ctx)
		}
		if at, ok := back.meet(); ok {
			return d.deadEnd(ctx, back.game(at))
		}
		d.Extreme.Bound--
	}
	return nil, fmt.Errorf("no game from %s ends", peg.FormatLine(w.board, start))
}

// someDeadEnd is the answer where it was not proved which game is the shortest: one that a beam finds.
func (d *decision) someDeadEnd(ctx context.Context) (*Result, error) {
	d.goals = peg.DeadEnds(d.goals.Board, 1)
	if err := d.beam(ctx); err != nil {
		return nil, err
	}
	d.Extreme.Pegs = d.End.Pegs()
	d.goals = peg.DeadEnds(d.goals.Board, d.Extreme.Pegs)
	d.feasible(feasible.Search, d.Jumps, d.End)
	return &d.Result, nil
}

// deadEnd is the answer: a game to a dead end, and that there is no shorter one.
func (d *decision) deadEnd(ctx context.Context, game []peg.Jump) (*Result, error) {
	at := d.start
	for _, j := range game {
		at = j.Play(at)
	}
	left := at.Pegs()
	d.goals, d.Extreme.Pegs = peg.DeadEnds(d.goals.Board, left), left
	d.feasible(feasible.Search, game, at)
	if len(game) == 0 {
		return &d.Result, nil
	}
	shorter := peg.DeadEnds(d.goals.Board, left+1)
	w := newWalk(d.goals.Board, d.start)
	at, end, err := w.search(ctx, shorter, certifiedClasses)
	if end == met && err == nil {
		err = fmt.Errorf("a game ends at %s, which was not listed", peg.FormatLine(w.board, at))
	}
	if end == exhausted {
		d.Extreme.Certificate = w.certificate(shorter)
	}
	return &d.Result, err
}

// fewest asks for at most one peg, two, and so on.
func fewest(ctx context.Context, start peg.Position, g peg.Goals, o Options) (*Result, error) {
	e := &Extreme{Bound: 1}
	for k := 1; ; k++ {
		r, err := Decide(ctx, start, peg.AtMost(g.Board, k), o)
		if err != nil {
			return nil, err
		}
		switch {
		case r.Verdict == feasible.Feasible:
			e.Pegs, r.Extreme = r.End.Pegs(), e
			return r, nil
		case r.Verdict == feasible.Infeasible && e.Bound == k:
			e.Bound, e.Certificate = k+1, r.Certificate
		}
	}
}
