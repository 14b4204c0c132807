package babylone

import (
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/uint128"
)

// Summarise implements puzzle.Puzzle. Before a run is complete only the numbers of positions are known. Afterwards the
// tallies must account for every position; the error says so when they do not.
func (b *Puzzle) Summarise(known puzzle.Results) (s puzzle.Summary, err error) {
	list := make([]puzzle.Value, len(b.bricks))
	for i, n := range b.bricks {
		list[i].N = uint128.From(uint64(n))
	}
	s.Facts = append(s.Facts, puzzle.Fact{
		Column: puzzle.Column{Name: "bricks", Kind: puzzle.Number, Doc: "bricks of each colour"}, List: list,
	})
	s.AddText("count", b.count, "what was counted: winner, nimbers or graph")
	if known.Layers() < b.layers() || !known.Complete() {
		s.AddCounts("levels", b.levels(b.apart), docLevels)
		s.AddCounts("levels_up_to_colours", b.levels(b.upToColours()), docLevelsUp)
		return s, nil
	}
	r, err := b.results(known)
	if err != nil {
		return s, err
	}
	b.facts(&s, r)
	s.Tables = append(s.Tables, b.levelTable(r))
	if b.count != CountWinner {
		s.Tables = append(s.Tables, nimberTable(r.all))
	}
	s.Notes = append(s.Notes, b.note(r))
	return s, nil
}

const (
	docLevels   = "positions after 0, 1, 2, ... moves"
	docLevelsUp = "positions after 0, 1, 2, ... moves, up to permutation of colours"
	docInside   = ", the colours inside the piles told apart as well"
)

// results are the tallies of a complete run.
type results struct {
	levels []puzzle.Tally // by level: the start first
	all    puzzle.Tally
	inside *puzzle.Tally
}

func (b *Puzzle) results(known puzzle.Results) (*results, error) {
	r := &results{}
	up := b.upToColours()
	for level := range b.layers() {
		layer := b.layers() - 1 - level
		t, ok := known.Cell(positionsCell(layer))
		if !ok {
			return nil, fmt.Errorf("layer %d has no results", layer)
		}
		piles := b.piles(layer)
		for _, c := range []struct {
			name string
			want uint128.Uint128
		}{{sumPositions, b.apart[piles]}, {sumPositions + upToColours, up[piles]}} {
			if got := t.Sum(c.name); got != c.want {
				return nil, fmt.Errorf("bricks %s: the windows have %v positions (%s) with %d piles and there are %v; "+
					"verify the run", writeBricks(b.bricks), got, c.name, piles, c.want)
			}
		}
		r.levels = append(r.levels, t.Totals())
		if err := r.all.Merge(&t); err != nil {
			return nil, err
		}
	}
	if b.inside() {
		t, ok := known.Cell(insideCell)
		if !ok {
			return nil, fmt.Errorf("cell %s has no results", insideCell.Key)
		}
		r.inside = &t
	}
	return r, nil
}

// upToColours is the number of positions up to colours.
func (b *Puzzle) upToColours() counts {
	c := make(counts, b.space.total+1)
	for piles := range c {
		c[piles] = uint128.From(b.space.size(piles))
	}
	return c
}

// levels lists counts by level: the start first, as far as there are positions.
func (b *Puzzle) levels(c counts) []uint128.Uint128 {
	list := make([]uint128.Uint128, 0, b.layers())
	for piles := b.space.total; piles >= b.least; piles-- {
		list = append(list, c[piles])
	}
	return list
}

// nimber is the nimber of the start; ok says whether it was counted.
func (b *Puzzle) nimber(r *results) (n int, ok bool) {
	for n := range MaxBricks {
		if !r.levels[0].Sum(sumNimber + strconv.Itoa(n)).IsZero() {
			return n, true
		}
	}
	return 0, false
}

// winner is 1 when the first player wins, otherwise 2.
func (b *Puzzle) winner(r *results) uint64 {
	if r.levels[0].Sum(sumWon).IsZero() {
		return 2
	}
	return 1
}

func (b *Puzzle) facts(s *puzzle.Summary, r *results) {
	s.AddNumber("winner", b.winner(r), "1 when the first player wins, 2 when the second does")
	if n, ok := b.nimber(r); ok {
		s.AddNumber("nimber", uint64(n), "nimber of the start")
	}
	s.AddCount("positions", r.all.Sum(sumPositions), "positions that can be reached, colours told apart")
	s.AddCounts("levels", b.levels(b.apart), docLevels)
	s.AddCount("terminal", r.all.Sum(sumTerminal), "positions without a move")
	s.AddCount("won", r.all.Sum(sumWon), "positions that the player to move wins")
	if b.count == CountGraph {
		s.AddCount("edges", r.all.Sum(sumEdges), "pairs of a position and one that a move leads to")
	}
	const up = ", up to permutation of colours"
	s.AddCount("positions_up_to_colours", r.all.Sum(sumPositions+upToColours), "positions"+up)
	s.AddCounts("levels_up_to_colours", b.levels(b.upToColours()), docLevelsUp)
	s.AddCount("terminal_up_to_colours", r.all.Sum(sumTerminal+upToColours), "positions without a move"+up)
	s.AddCount("won_up_to_colours", r.all.Sum(sumWon+upToColours), "positions that the player to move wins"+up)
	if b.count == CountGraph {
		s.AddCount("edges_up_to_colours", r.all.Sum(sumEdges+upToColours), "edges"+up)
	}
	if r.inside != nil {
		b.insideFacts(s, r.inside)
	}
}

func (b *Puzzle) insideFacts(s *puzzle.Summary, t *puzzle.Tally) {
	var positions, terminal uint128.Uint128
	byPiles := make(counts, b.space.total+1)
	for k := range byPiles {
		byPiles[k] = t.Sum(insideName(sumPositions, k))
		positions, _ = positions.Add(byPiles[k]) // far below 2^128 with so few words
		terminal, _ = terminal.Add(t.Sum(insideName(sumTerminal, k)))
	}
	s.AddCount("positions_inside", positions, "positions"+docInside)
	s.AddCounts("levels_inside", b.levels(byPiles), docLevels+docInside)
	s.AddCount("terminal_inside", terminal, "positions without a move"+docInside)
}

func counted(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Count, Doc: doc}
}

// summed is a column that adds up to the fact of its name.
func summed(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Count, Total: name, Doc: doc}
}

func numbered(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Number, Doc: doc}
}

func worded(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Text, Doc: doc}
}

func number(n int) puzzle.Value { return puzzle.Value{N: uint128.From(uint64(n))} }

// levelTable has one row for each level.
func (b *Puzzle) levelTable(r *results) puzzle.Table {
	t := puzzle.Table{Name: "by_level", Columns: []puzzle.Column{
		numbered("level", "moves made"), numbered("piles", "piles left"),
	}}
	names := []string{sumPositions, sumTerminal, sumWon}
	docs := []string{"positions", "positions without a move", "positions that the player to move wins"}
	if b.count == CountGraph {
		names, docs = append(names, sumEdges), append(docs, "pairs of a position and one that a move leads to")
	}
	for _, suffix := range []string{"", upToColours} {
		for i, name := range names {
			t.Columns = append(t.Columns, summed(name+suffix, docs[i]+strings.ReplaceAll(suffix, "_", " ")))
		}
	}
	for level := range r.levels {
		row := []puzzle.Value{number(level), number(b.space.total - level)}
		for _, c := range t.Columns[2:] {
			row = append(row, puzzle.Value{N: r.levels[level].Sum(c.Name)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// nimberTable has one row for each nimber.
func nimberTable(all puzzle.Tally) puzzle.Table {
	t := puzzle.Table{Name: "by_nimber", Columns: []puzzle.Column{
		numbered("nimber", "Grundy value"), summed("positions", "positions that have it"),
		summed("positions_up_to_colours", "positions that have it, up to permutation of colours"),
	}}
	for n := range MaxBricks {
		name := sumNimber + strconv.Itoa(n)
		if positions := all.Sum(name); !positions.IsZero() {
			t.Rows = append(t.Rows, []puzzle.Value{number(n), {N: positions}, {N: all.Sum(name + upToColours)}})
		}
	}
	return t
}

func (b *Puzzle) note(r *results) string {
	player := "first"
	if b.winner(r) == 2 {
		player = "second"
	}
	return fmt.Sprintf("the %s player wins the game of bricks %s; the longest game has %s",
		player, writeBricks(b.bricks), plural.Of(b.layers()-1, "move"))
}
