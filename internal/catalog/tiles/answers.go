package tiles

import (
	"fmt"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/uint128"
)

// An Answer to one of the questions that the source left open, with its figures.
type Answer struct {
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Tables   []string `json:"tables"` // names of the tables of the summary that have the figures in full
}

// Answers answers the open questions of the source from a finished survey: which grids have solutions, how many,
// why, and which tiles they need. Whether agreement in pairs of blocks is enough comes last. The error wraps
// puzzle.ErrIncomplete, or is that of Summarise.
func (s *Survey) Answers(known puzzle.Results) ([]Answer, error) {
	if _, err := s.Summarise(known); err != nil { // it checks that every grid is accounted for
		return nil, err
	}
	tally, ok := known.Layer(0)
	if !ok {
		return nil, fmt.Errorf("%w: the answers need every window of the survey", puzzle.ErrIncomplete)
	}
	t, err := readTables(&tally)
	if err != nil {
		return nil, fmt.Errorf("survey of %v: %w", s.shape, err)
	}
	return []Answer{
		s.answerWhich(t), s.answerHowMany(t, &tally), answerWhy(t, &tally), answerTiles(t),
		{"Is agreement in pairs of blocks enough?", s.conjecture(&tally), []string{}},
	}, nil
}

func (s *Survey) answerWhich(t *tables) Answer {
	var all pair
	for _, p := range t.histogram {
		all.add(p)
	}
	none := t.histogram[0]
	some, _ := all.raw.Sub(none.raw)
	classes, _ := all.classes.Sub(none.classes)
	return Answer{
		"Which grids have a solution?",
		fmt.Sprintf("%v of the %v grids of %v have one (%s), %v of %v classes; %s (%s) have none. "+
			"The exported rows say it for every class", some, all.raw, s.shape, share(some, all.raw), classes, all.classes,
			many(none.raw, "grid"), many(none.classes, "class")),
		[]string{"finals", "grid_distributions"},
	}
}

func (s *Survey) answerHowMany(t *tables, tally *puzzle.Tally) Answer {
	var all, finals uint128.Uint128
	for n, p := range t.histogram {
		all, _ = all.Add(p.raw)
		of, _ := p.raw.Mul64(n)
		finals, _ = finals.Add(of)
	}
	least := sortedKeys(t.histogram)[0]
	most := tally.Max(maxFinals)
	first := s.census.unrank(uint128.From(^most.Lo))
	top := t.histogram[most.Hi]
	return Answer{
		"How many solutions does a grid have?",
		fmt.Sprintf("between %d and %d, %s on average over all grids; %d different numbers occur. The most are attained by "+
			"%s (%s), the first being %s", least, most.Hi, share(finals, all), len(t.histogram),
			many(top.raw, "grid"), many(top.classes, "class"), s.shape.write(&first, plainLetters)),
		[]string{"finals"},
	}
}

// answerWhy states the criterion of the block method, and compares the solvable share over the number of equal adjacent
// missing colours.
func answerWhy(t *tables, tally *puzzle.Tally) Answer {
	rows := t.equalRows()
	var parts, always, never []string
	for _, r := range rows {
		n := fmt.Sprint(r.pairs)
		switch {
		case r.solvable.raw == r.all.raw:
			always = append(always, n)
		case r.solvable.raw.IsZero():
			never = append(never, n)
		}
		parts = append(parts, fmt.Sprintf("%s: %s", n, share(r.solvable.raw, r.all.raw)))
	}
	text := "a grid has a solution exactly when each 2x2 block can be given a final of its own so that adjacent blocks " +
		"agree on their two common cells and on which of them is played first"
	if tally.Sum(sumCyclic).IsZero() {
		text += ", which was enough for all these grids"
	} else {
		text += ", and the order of play has no cycle"
	}
	text += ". The share of solvable grids by the number of pairs of adjacent blocks that miss the same colours is " +
		strings.Join(parts, ", ")
	if len(always) > 0 {
		text += "; all grids are solvable with " + strings.Join(always, ", ")
	}
	if len(never) > 0 {
		text += "; none with " + strings.Join(never, ", ")
	}
	switch len(rows) {
	case len(always):
		text += ", that is, all of them"
	case len(always) + len(never):
		text += "; the number alone decides whether a grid has a solution"
	default:
		text += "; the number alone does not decide it"
	}
	return Answer{"What decides it?", text, []string{"equal_missing", "equal_missing_finals"}}
}

func answerTiles(t *tables) Answer {
	var parts []string
	none := 0
	for key, p := range t.grid {
		if q := t.solvable[key]; q.raw.IsZero() && !p.raw.IsZero() {
			none++
		}
	}
	best, bestKey := pair{}, [2]string{}
	for key, p := range t.sorted {
		if c := best.raw.Cmp(p.raw); c < 0 || c == 0 && (key[0]+key[1] < bestKey[0]+bestKey[1]) {
			best, bestKey = p, key
		}
	}
	parts = append(parts, fmt.Sprintf("%d distributions of colours over the cells occur, of which %d never have a "+
		"solution; with the tiles there are %d pairs of distributions that can be solved", len(t.grid), none, len(t.sorted)))
	if !best.raw.IsZero() {
		parts = append(
			parts,
			fmt.Sprintf("most grids, %v in %s, for cells %s and tiles %s", best.raw, many(best.classes, "class"),
				dotted(bestKey[0]), dotted(bestKey[1])),
		)
	}
	return Answer{
		"For given colour distributions of grid and tiles, how many grids are solvable?", strings.Join(parts, "; "),
		[]string{"grid_distributions", "tile_distributions"},
	}
}

// many is a number with its noun.
func many(n uint128.Uint128, noun string) string {
	if n == uint128.From(1) {
		return "1 " + noun
	}
	return n.String() + " " + plural.Noun(noun)
}
