package baseball

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

const maxTree = 4

var treeQuestion = puzzle.Question{
	Name:  "tree",
	Short: "draw all configurations by their distance from the goal",
	Long: `Every configuration stands in the row of its distance, below the first configuration of the row before that
is one move away. With --edges all, every move between the rows is drawn.`,
	Examples: []string{"3", "3 --board line"},
	Args:     []puzzle.Argument{{Name: "BASES", Doc: fmt.Sprintf("The number of bases, 2 to %d.", maxTree)}},
	Outputs:  []puzzle.Output{puzzle.Pictures, puzzle.Graphs},
	Flags: []setting.Setting{boardSetting, {
		Name: nameEdges, Kind: setting.Choice, Default: "tree", Choices: []string{"tree", "all"},
		Doc: "tree: one move for each configuration; all: all moves",
	}},
	Answer: tree,
}

// number reads an argument that is a whole number in a range.
func number(name, text string, least, most uint64) (int, error) {
	n, err := setting.IntegerArgument(name, text, least, most, fmt.Sprintf("choose %d to %d", least, most))
	return int(n), err
}

func tree(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	n, err := number("BASES", r.Args[0], 2, maxTree)
	if err != nil {
		return nil, err
	}
	board, all := boardOf(r.Flags), r.Flags.Text(nameEdges) == "all"
	g := &figure.Graph{}
	level := map[Configuration]int{}
	var text strings.Builder
	var sizes []uint128.Uint128
	add := func(c Configuration, at int) {
		level[c] = at
		node := figure.Node{ID: c.String(), Label: c.String(), Level: at, Detail: fmt.Sprintf("distance %d", at)}
		if at == 0 {
			node.Fill = figure.Good
		}
		g.Nodes = append(g.Nodes, node)
	}
	add(Goal(n), 0)
	for row := []Configuration{Goal(n)}; len(row) > 0; {
		at := len(sizes)
		fmt.Fprintf(&text, "%d:", at)
		var next []Configuration
		for _, c := range row {
			fmt.Fprintf(&text, " %v", c)
			for _, m := range c.Moves(board) {
				after := c.After(m)
				known, ok := level[after]
				if !ok {
					add(after, at+1)
					next = append(next, after)
				}
				if !ok || all && known == at+1 {
					g.Edges = append(g.Edges, figure.Edge{From: c.String(), To: after.String()})
				}
			}
		}
		text.WriteByte('\n')
		sizes = append(sizes, uint128.From(uint64(len(row))))
		row = next
	}
	a := &puzzle.Answer{Figures: []figure.Figure{{
		Name: "tree", Title: fmt.Sprintf("colour baseball, %d bases on the %v", n, board), Graph: g,
	}}}
	a.Summary.Problem = understood(n, board)
	a.Summary.AddNumber("bases", uint64(n), "number of bases")
	a.Summary.AddText("board", board.String(), "ring or line")
	a.Summary.AddNumber("configurations", uint64(len(level)), "number of configurations")
	a.Summary.AddCounts("distances", sizes, "configurations at distance 0, 1, 2, ... from the goal")
	a.Text = text.String()
	return a, nil
}
