package reach

import (
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var layerColumns = []puzzle.Column{
	{Name: "jumps", Kind: puzzle.Number, Doc: "jumps made"},
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs left"},
	{
		Name: "classes", Kind: puzzle.Count, Bits: puzzle.Enumerated, Total: "classes",
		Doc: "reachable positions up to the symmetries that fix the start",
	},
	{Name: "positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Total: "positions", Doc: "reachable positions"},
	{Name: "dead_positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "reachable positions without a jump"},
}

var winnableColumns = []puzzle.Column{
	{Name: "winnable_classes_start_goal", Kind: puzzle.Count, Bits: puzzle.Enumerated,
		Total: "winnable_classes_start_goal",
		Doc:   "reachable positions from which the goal can be reached, up to the symmetries that fix start and goal"},
	{
		Name: "winnable_positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Total: "winnable_positions",
		Doc: "reachable positions from which the goal can be reached",
	},
}

// A counted is positions, and the same up to symmetries.
type counted struct{ classes, positions uint128.Uint128 }

func (c *counted) add(d counted) error {
	var ok1, ok2 bool
	c.classes, ok1 = c.classes.Add(d.classes)
	if c.positions, ok2 = c.positions.Add(d.positions); !ok1 || !ok2 {
		return puzzle.ErrOverflow
	}
	return nil
}

// burnside counts classes under a group from the symmetries of all positions.
func burnside(positions, symmetries uint128.Uint128, group int) (counted, error) {
	c, rest := symmetries.QuoRem64(uint64(group))
	if rest != 0 {
		return counted{}, fmt.Errorf("%v symmetries of positions are no multiple of the %d of all", symmetries, group)
	}
	return counted{c, positions}, nil
}

// Summarise gives the totals and the table of layers, of the layers that are complete.
func (r *Reach) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	layers := puzzle.Table{Name: "layers", Columns: layerColumns}
	winnable, winnableKnown, err := r.winnable(known)
	if err != nil {
		return puzzle.Summary{}, err
	}
	if winnableKnown {
		layers.Columns = slices.Concat(layerColumns, winnableColumns)
	}
	var all, allWinnable counted
	for n := range r.near.layers {
		t, ok := r.layer(n, known)
		if !ok {
			continue
		}
		c, err := burnside(t.Sum(sumPositions), t.Sum(sumSymmetries), len(r.near.group))
		if err != nil {
			return puzzle.Summary{}, fmt.Errorf("layer %d: %w", n, err)
		}
		if c.positions.IsZero() {
			continue // the lattice has cells here, but no position is reached
		}
		if err := all.add(c); err != nil {
			return puzzle.Summary{}, err
		}
		row := []puzzle.Value{number(n), number(r.params.Start.Pegs() - n), {N: c.classes}, {N: c.positions},
			{N: t.Sum(sumDead)}}
		if winnableKnown {
			if err := allWinnable.add(winnable[n]); err != nil {
				return puzzle.Summary{}, err
			}
			row = append(row, puzzle.Value{N: winnable[n].classes}, puzzle.Value{N: winnable[n].positions})
		}
		layers.Rows = append(layers.Rows, row)
	}
	s := puzzle.Summary{Tables: []puzzle.Table{layers}}
	r.params.describe(&s, r.reason)
	if known.Complete() {
		s.AddCount("classes", all.classes, "reachable positions up to the symmetries that fix the start, all layers")
		s.AddCount("positions", all.positions, "reachable positions, all layers")
	}
	if winnableKnown {
		addWinnable(&s, allWinnable)
	}
	return s, nil
}

// describe adds the problem to a summary, and why it has no solution, where that is known beforehand.
func (p *Params) describe(s *puzzle.Summary, reason string) {
	s.AddText("board", p.Board.Name, "name of the board")
	s.AddText("start", peg.FormatLine(p.Board, p.Start), "where the game starts")
	if p.hasGoals() {
		s.AddText("goal", p.goalText(), "where games are to end")
		if reason != "" {
			s.Notes = append(s.Notes, "no solution: "+reason)
		}
	}
}

// addWinnable adds the totals of the winnable positions to a summary.
func addWinnable(s *puzzle.Summary, c counted) {
	for i, n := range []uint128.Uint128{c.classes, c.positions} {
		s.AddCount(winnableColumns[i].Name, n, winnableColumns[i].Doc+", all layers")
	}
}

// layer returns the tally of the near enumeration's layer n; ok is false while it is not complete.
func (r *Reach) layer(n int, known puzzle.Results) (t puzzle.Tally, ok bool) {
	if n >= known.Layers() {
		return t, false
	}
	for _, p := range known.Cells(n) {
		if r.join != nil && r.join.far != r.near && strings.HasPrefix(p.Key, r.join.far.name) {
			continue
		}
		c, ok := known.Cell(p.Cell)
		if !ok || t.Merge(&c) != nil {
			return t, false
		}
	}
	return t, true
}

// winnable counts the winnable positions by layer; ok is false while they are not known, or without a goal.
func (r *Reach) winnable(known puzzle.Results) (list []counted, ok bool, err error) {
	list = make([]counted, len(r.near.layers))
	if r.join == nil {
		return list, r.params.hasGoals(), nil
	}
	if r.join.layer >= known.Layers() {
		return nil, false, nil
	}
	sums := make([]puzzle.Tally, len(r.near.layers))
	for _, p := range known.Cells(r.join.layer) {
		n, _, err := r.join.joined(p.Cell)
		if err != nil {
			return nil, false, err
		}
		t, ok := known.Cell(p.Cell)
		if !ok {
			return nil, false, nil
		}
		if err := sums[n].Merge(&t); err != nil {
			return nil, false, err
		}
	}
	for n := range sums {
		t := &sums[n]
		if list[n], err = burnside(t.Sum(sumWinnable), t.Sum(sumWinnableSymmetries), len(r.join.symmetries)); err != nil {
			return nil, false, fmt.Errorf("winnable positions after %d jumps: %w", n, err)
		}
	}
	return list, true, nil
}

func number(n int) puzzle.Value { return puzzle.Value{N: uint128.From(uint64(n))} }
