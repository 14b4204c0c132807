package chance

import (
	"math/big"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Layer is the games of random jumps after so many jumps.
type Layer struct {
	Jumps, Pegs              int
	Classes, Positions, Dead uint128.Uint128
	// Met is the chance that a game comes to this layer, and Ended that it ends there: exact fractions where they are not
	// nil.
	Met, Ended           Interval
	ExactMet, ExactEnded *big.Rat
}

// A Report has the layers that games meet.
type Report struct {
	Layers []Layer
	// Goal is the chance that a game meets the goal, if there is one; ExactGoal, where it is not nil, is the fraction.
	Goal      Interval
	ExactGoal *big.Rat
	// Sum is the sum of the chances of all endings: it contains 1.
	Sum Interval
}

// Pegs returns the layer in which so many pegs are left, nil when no game comes to it.
func (r *Report) Pegs(n int) *Layer {
	for i := range r.Layers {
		if r.Layers[i].Pegs == n {
			return &r.Layers[i]
		}
	}
	return nil
}

// ReportOf returns the report of the layers of a run that are complete.
func (c *Puzzle) ReportOf(known puzzle.Results) (Report, error) {
	var r Report
	var lost, gained, ended uint128.Uint128 // of the layers before
	add := func(sum *uint128.Uint128, n uint128.Uint128) error {
		total, ok := sum.Add(n)
		if *sum = total; !ok {
			return puzzle.ErrOverflow
		}
		return nil
	}
	for n := range c.Layers {
		t, ok := known.Layer(n)
		if !ok {
			break
		}
		met := t.Sum(counting.SumPaths)
		if met.IsZero() {
			break
		}
		r.Layers = append(r.Layers, Layer{
			Jumps: n, Pegs: c.params.Start.Pegs() - n,
			Classes: t.Sum(counting.SumClasses), Positions: t.Sum(counting.SumPositions), Dead: t.Sum(counting.SumDead),
			Met: r.alive(met, lost, gained), Ended: around(t.Sum(counting.SumEnded), lost, gained),
		})
		for sum, name := range map[*uint128.Uint128]string{
			&lost: counting.SumLost, &gained: counting.SumGained, &ended: counting.SumEnded,
		} {
			if err := add(sum, t.Sum(name)); err != nil {
				return r, err
			}
		}
		if n == c.goalAt {
			goal, ok := t.Sum(counting.SumGoal).Mul64(c.goal)
			if !ok {
				return r, puzzle.ErrOverflow
			}
			r.Goal = around(goal, lost, gained)
		}
	}
	r.Sum = around(ended, lost, gained)
	return r, nil
}

// alive is the interval of the chance that a game comes to the next layer: 1 while no game has ended.
func (r *Report) alive(met, lost, gained uint128.Uint128) Interval {
	if slices.ContainsFunc(r.Layers, func(l Layer) bool { return !l.Ended.Most.IsZero() }) {
		return around(met, lost, gained)
	}
	return Interval{one, one}
}

// Columns of the table of layers.
var layerColumns = []puzzle.Column{
	{Name: "jumps", Kind: puzzle.Number, Doc: "jumps made"},
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs left"},
	{Name: "classes", Kind: puzzle.Count, Bits: puzzle.Enumerated,
		Doc: "reachable positions up to the symmetries that fix the start"},
	{Name: "positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "reachable positions"},
	{Name: "dead_positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "reachable positions without a jump"},
	{Name: "met", Kind: puzzle.Text, Doc: "chance that a game of random jumps comes to so many pegs"},
	{Name: "ended", Kind: puzzle.Text, Doc: "chance that it ends there"},
	{Name: "ended_least", Kind: puzzle.Text, Doc: "that chance is at least this"},
	{Name: "ended_most", Kind: puzzle.Text, Doc: "and at most this"},
}

// Table returns the layers as a table. It has fractions where all layers have them.
func (r *Report) Table() puzzle.Table {
	t := puzzle.Table{Name: "layers", Columns: layerColumns}
	exact := len(r.Layers) > 0 && r.Layers[0].ExactEnded != nil
	if exact {
		t.Columns = append(t.Columns[:len(t.Columns):len(t.Columns)],
			puzzle.Column{Name: "ended_fraction", Kind: puzzle.Text, Doc: "that chance as a fraction"})
	}
	for _, l := range r.Layers {
		least, most := l.Ended.Ends()
		row := []puzzle.Value{counting.Number(l.Jumps), counting.Number(l.Pegs), {N: l.Classes}, {N: l.Positions},
			{N: l.Dead}, {S: l.Met.String()}, {S: l.Ended.String()}, {S: least}, {S: most}}
		if exact {
			row = append(row, puzzle.Value{S: l.ExactEnded.RatString()})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// AddChance appends the facts of a chance: its digits, and the ends of its interval.
func AddChance(s *puzzle.Summary, name string, i Interval, exact *big.Rat, doc string) {
	least, most := i.Ends()
	s.AddText(name, i.String(), doc)
	s.AddText(name+"_least", least, "it is at least this")
	s.AddText(name+"_most", most, "it is at most this")
	if exact != nil {
		s.AddText(name+"_fraction", exact.RatString(), "it as a fraction")
	}
}

// Facts appends the chances of a report to a summary: of one peg, of the goal if there is one, and of all endings.
func (r *Report) Facts(s *puzzle.Summary, hasGoal bool) {
	var one Layer
	if l := r.Pegs(1); l != nil {
		one = *l
	} else if len(r.Layers) > 0 && r.Layers[0].ExactEnded != nil {
		one.ExactEnded = new(big.Rat)
	}
	AddChance(s, "one_peg", one.Ended, one.ExactEnded, "chance that a game of random jumps ends with one peg")
	if hasGoal {
		AddChance(s, "goal_chance", r.Goal, r.ExactGoal, "chance that it comes to the goal")
	}
	least, most := r.Sum.Ends()
	s.AddText("all_endings_least", least, "the chances of all endings together are at least this")
	s.AddText("all_endings_most", most, "and at most this")
}

// Summarise gives the table of the layers that are complete, and the chances when the run is.
func (c *Puzzle) Summarise(known puzzle.Results) (s puzzle.Summary, err error) {
	r, err := c.ReportOf(known)
	if err != nil {
		return s, err
	}
	b := c.params.Board
	s.AddText("board", b.Name, "name of the board")
	s.AddText("start", peg.FormatLine(b, c.params.Start), "where the game starts")
	if c.params.HasGoal {
		s.AddText("goal", peg.FormatLine(b, c.params.Goal), "where a solution ends")
	}
	if known.Complete() {
		r.Facts(&s, c.params.HasGoal)
	}
	s.Tables = append(s.Tables, r.Table())
	return s, nil
}
