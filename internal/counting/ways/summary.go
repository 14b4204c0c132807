package ways

import (
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var layerColumns = []puzzle.Column{
	{Name: "jumps", Kind: puzzle.Number, Doc: "jumps made"},
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs left"},
	{Name: "winnable_classes_start_goal", Kind: puzzle.Count, Bits: puzzle.Enumerated,
		Total: "winnable_classes_start_goal",
		Doc:   "reachable positions from which the goal can be reached, up to the symmetries that fix start and goal"},
	{
		Name: "winnable_positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Total: "winnable_positions",
		Doc: "reachable positions from which the goal can be reached",
	},
}

// layerTotals holds the totals of a pass in a layer.
type layerTotals struct{ classes, positions, solutions uint128.Uint128 }

// totals returns the totals of a pass over the positions after n jumps of its enumeration; ok is false while they are
// not known.
func (p *Pass) totals(n int, known puzzle.Results) (l layerTotals, ok bool) {
	if p.layer(n) >= known.Layers() {
		return l, false
	}
	t, ok := known.Layer(p.layer(n))
	return layerTotals{
		t.Sum(p.sum(counting.SumClasses)),
		t.Sum(p.sum(counting.SumPositions)),
		t.Sum(p.sum(sumSolutions)),
	}, ok
}

// after returns the pass that has the positions after n jumps from the start, and after how many jumps of its
// enumeration.
func (t *Puzzle) after(n int) (*Pass, int) {
	if n <= t.meeting {
		return t.passes[0], n
	}
	return t.passes[len(t.passes)-1], t.jumps - n
}

// Summarise gives the number of solutions, and the positions that are reachable and winnable, layer by layer, of the
// layers that are complete. As many solutions must pass through every layer.
func (t *Puzzle) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var s puzzle.Summary
	b := t.problem.Board
	s.AddText("board", b.Name, "name of the board")
	s.AddText("start", peg.FormatLine(b, t.problem.Start), "where the game starts")
	s.AddText("goal", peg.FormatLine(b, t.problem.Goal), "where a solution ends")
	if t.near == nil {
		s.AddCount("solutions", uint128.Uint128{}, "jump sequences from the start to the goal")
		s.Notes = append(s.Notes, "no solution: "+t.reason)
		return s, nil
	}
	met, ok := t.passes[0].totals(t.meeting, known)
	if !ok {
		return s, nil
	}
	s.AddCount("solutions", met.solutions, "jump sequences from the start to the goal")
	if len(t.passes) > 1 {
		if other, ok := t.passes[1].totals(t.jumps-t.meeting, known); ok && other != met {
			return s, fmt.Errorf("after %d jumps: %v from the start, but %v from the goal", t.meeting, met, other)
		}
	}
	layers := puzzle.Table{Name: "layers", Columns: layerColumns}
	all, complete := layerTotals{}, true
	for n := range t.jumps + 1 {
		p, i := t.after(n)
		l, ok := p.totals(i, known)
		if !ok {
			complete = false
			continue
		}
		if l.solutions != met.solutions {
			return s, fmt.Errorf("%v solutions pass through the positions after %d jumps, %v through those after %d",
				l.solutions, n, met.solutions, t.meeting)
		}
		if err := all.add(l); err != nil {
			return s, err
		}
		layers.Rows = append(layers.Rows, []puzzle.Value{
			counting.Number(n), counting.Number(t.problem.Start.Pegs() - n), {N: l.classes}, {N: l.positions}})
	}
	s.Tables = append(s.Tables, layers)
	if complete {
		s.AddCount("winnable_classes_start_goal", all.classes, layerColumns[2].Doc+", all layers")
		s.AddCount("winnable_positions", all.positions, layerColumns[3].Doc+", all layers")
	}
	return s, nil
}

// add adds the classes and positions of a layer.
func (p *layerTotals) add(l layerTotals) error {
	var ok, ok2 bool
	p.classes, ok = p.classes.Add(l.classes)
	p.positions, ok2 = p.positions.Add(l.positions)
	if !ok || !ok2 {
		return fmt.Errorf("winnable positions: %w", puzzle.ErrOverflow)
	}
	return nil
}

func (p layerTotals) String() string {
	return fmt.Sprintf("%v winnable classes, %v positions and %v solutions", p.classes, p.positions, p.solutions)
}
