package solitaire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/graph"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// Limits of graph.
const (
	mostGraphRows  = 1 << 18 // of a table
	mostGraphNodes = 1 << 10 // of a picture
	mostPairHoles  = 10      // of a board whose pairs of positions are all asked about
)

// What --undecided asks about.
const (
	undecidedNone      = "none"
	undecidedVacancies = "vacancies"
	undecidedPositions = "positions"
)

var graphQuestion = puzzle.Question{
	Name:  "graph",
	Short: "list the graph of all positions of a small board: jumps, games between pairs, pairs that no criterion decides",
	Long: fmt.Sprintf(`List the graph of all positions of BOARD, which has at most %d holes. The table edges has all jumps
(the matrix M). The table pairs has every start and goal with a game between them (the closure F), the number of jumps
k, and the number of games: the entry of the power k of M, and of the sum of all powers. With --from both have only what
games from that position meet.

With --undecided the answer is the problems that have no game, though no criterion of coordinator peg feasible forbids
them: from one vacancy to one peg (vacancies), or from any position to any with fewer pegs (positions).`,
		graph.MaxHoles),
	Examples: []string{
		"ooo/ooo/ooo",
		"ooo/ooo/ooo --table pairs --output csv --out pairs.csv",
		"triangle4 --from a1 --output dot --out graph.dot",
		"triangle5 --undecided vacancies",
	},
	Args: []puzzle.Argument{boardQuestion.Args[0]},
	Flags: append(slices.Clip(latticeFlags),
		setting.Setting{Name: "from", Doc: "position: only what games from it meet"},
		setting.Setting{Name: "undecided", Kind: setting.Choice, Default: undecidedNone,
			Choices: []string{undecidedNone, undecidedVacancies, undecidedPositions},
			Doc:     "list the problems that no criterion decides"}),
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Graphs, puzzle.Tables},
	Answer:  answerGraph,
}

func answerGraph(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	b, err := readBoard(r.Flags, argBoard, r.Args[0])
	if err != nil {
		return nil, err
	}
	g, err := graph.New(b)
	if err != nil {
		return nil, &setting.Error{Setting: argBoard, Err: err, Hint: "coordinator run counts the games of larger ones"}
	}
	starts := g.Positions()
	sum := puzzle.Summary{Problem: understoodBoard(b)}
	if text := r.Flags.Text("from"); text != "" {
		from, err := peg.ParseStart(b, text)
		if err != nil {
			return nil, &setting.Error{Setting: "from", Err: err}
		}
		sum.Problem.Add("from", peg.FormatLine(b, from))
		starts = []peg.Position{from}
		for _, p := range g.Paths(from) {
			starts = append(starts, p.End)
		}
	}
	sum.AddNumber("positions", uint64(len(starts)), "positions: all, or those that games from the one given meet")
	if r.Flags.Text("undecided") != undecidedNone {
		if err := addUndecided(ctx, r, g, b, starts, &sum); err != nil {
			return nil, err
		}
		return &puzzle.Answer{Summary: sum, Text: graphText(&sum)}, nil
	}
	edges, pairs, games, err := graphTables(ctx, g, b, starts)
	if err != nil {
		return nil, err
	}
	sum.AddNumber("all_edges", uint64(len(edges.Rows)), "jumps between them")
	sum.AddNumber("all_pairs", uint64(len(pairs.Rows)), "pairs of a start and a goal with a game")
	sum.AddCount("all_games", games, "games between all pairs")
	sum.Tables = append(sum.Tables, edges, pairs)
	a := &puzzle.Answer{Summary: sum, Text: graphText(&sum)}
	if len(starts) <= mostGraphNodes {
		a.Figures = []figure.Figure{{Name: "graph", Title: "positions of " + b.Name, Graph: graphFigure(g, b, starts)}}
	}
	return a, nil
}

// graphTables lists the edges and the pairs of some positions.
func graphTables(ctx context.Context, g *graph.Graph, b *peg.Board, starts []peg.Position) (
	edges, pairs puzzle.Table, games uint128.Uint128, err error,
) {
	ends := []puzzle.Column{
		{Name: "start", Kind: puzzle.Text, Doc: "position before"}, {Name: "goal", Kind: puzzle.Text, Doc: "position after"},
	}
	edges = puzzle.Table{Name: "edges", Columns: append(slices.Clip(ends),
		puzzle.Column{Name: "jump", Kind: puzzle.Text, Doc: "jump that leads from one to the other"})}
	pairs = puzzle.Table{Name: "pairs", Columns: append(slices.Clip(ends),
		puzzle.Column{Name: "jumps", Kind: puzzle.Number, Doc: "jumps of a game from one to the other"},
		puzzle.Column{Name: "games", Kind: puzzle.Count, Doc: "games from one to the other"})}
	for _, p := range starts {
		if err := puzzle.Progress(ctx); err != nil {
			return edges, pairs, games, err
		}
		start := puzzle.Value{S: peg.FormatLine(b, p)}
		for j := range g.Jumps(p) {
			edges.Rows = append(edges.Rows,
				[]puzzle.Value{start, {S: peg.FormatLine(b, j.Play(p))}, {S: peg.FormatJump(b, j)}})
		}
		for _, path := range g.Paths(p) {
			pairs.Rows = append(pairs.Rows, []puzzle.Value{start, {S: peg.FormatLine(b, path.End)},
				{N: uint128.From(uint64(path.Jumps))}, {N: path.Games}})
			games, _ = games.Add(path.Games)
		}
		if len(pairs.Rows) > mostGraphRows {
			return edges, pairs, games, &setting.Error{Setting: "from",
				Err:  fmt.Errorf("there are more than %d pairs of a start and a goal with a game", mostGraphRows),
				Hint: "give a position with fewer pegs, for what games from it meet"}
		}
	}
	return edges, pairs, games, nil
}

// addUndecided appends the problems that no criterion decides.
func addUndecided(
	ctx context.Context, r puzzle.Request, g *graph.Graph, b *peg.Board, starts []peg.Position, sum *puzzle.Summary,
) error {
	goals := g.Positions()
	if r.Flags.Text("undecided") == undecidedVacancies {
		starts = slices.DeleteFunc(slices.Clone(starts), func(p peg.Position) bool { return p.Pegs() != b.Size()-1 })
		goals = slices.DeleteFunc(goals, func(p peg.Position) bool { return p.Pegs() != 1 })
	} else if b.Size() > mostPairHoles {
		return &setting.Error{Setting: "undecided",
			Err:  errors.New("all positions can be asked about on boards of at most " + plural.Of(mostPairHoles, "hole")),
			Hint: "write --undecided vacancies, or run a config with count: survey and pairs: positions"}
	}
	decider := feasible.NewDecider(b, feasible.Limits{})
	list, err := g.Undecided(ctx, starts, goals, decider.First)
	if err != nil {
		return err
	}
	table := puzzle.Table{Name: "undecided", Columns: []puzzle.Column{
		{Name: "start", Kind: puzzle.Text, Doc: "start of a problem without a game that no criterion forbids"},
		{Name: "goal", Kind: puzzle.Text, Doc: "its goal"},
	}}
	for _, p := range list {
		table.Rows = append(table.Rows, []puzzle.Value{{S: peg.FormatLine(b, p.Start)}, {S: peg.FormatLine(b, p.Goal)}})
	}
	sum.AddNumber("all_undecided", uint64(len(list)), "problems without a game that no criterion forbids")
	sum.Tables = append(sum.Tables, table)
	return nil
}

// graphText is the answer for people: the numbers, and the first rows of the last table.
func graphText(sum *puzzle.Summary) string {
	var text strings.Builder
	for _, f := range sum.Facts {
		fmt.Fprintf(&text, "%-11s%v\n", strings.TrimPrefix(f.Name, "all_"), f.Value.N)
	}
	const shown = 20
	last := sum.Tables[len(sum.Tables)-1]
	for i, row := range last.Rows {
		if i == shown {
			fmt.Fprintf(&text, "and %d more; --table %s --output csv lists all\n", len(last.Rows)-shown, last.Name)
			break
		}
		fmt.Fprintf(&text, "%s to %s", row[0].S, row[1].S)
		if len(row) > 2 {
			fmt.Fprintf(&text, ", %s of %s", plural.Digits(row[3].N.String(), "game"), plural.Of(int(row[2].N.Lo), "jump"))
		}
		text.WriteString("\n")
	}
	return text.String()
}

// graphFigure draws positions and jumps, those with the same number of pegs in a row.
func graphFigure(g *graph.Graph, b *peg.Board, starts []peg.Position) *figure.Graph {
	drawn, most := &figure.Graph{}, 0
	for _, p := range starts {
		most = max(most, p.Pegs())
	}
	for _, p := range starts {
		name := peg.FormatLine(b, p)
		drawn.Nodes = append(drawn.Nodes, figure.Node{ID: name, Label: name, Level: most - p.Pegs()})
		for j := range g.Jumps(p) {
			drawn.Edges = append(drawn.Edges,
				figure.Edge{From: name, To: peg.FormatLine(b, j.Play(p)), Label: peg.FormatJump(b, j)})
		}
	}
	return drawn
}
