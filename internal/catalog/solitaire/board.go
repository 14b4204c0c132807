package solitaire

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
)

// argBoard is the argument of board.
const argBoard = "BOARD"

var boardQuestion = puzzle.Question{
	Name:  "board",
	Short: "describe a board: holes, triplets, jumps, symmetries, corners and playable classes",
	Long: `Describe BOARD, by name or as a drawing in one line: its holes, triplets (three holes in a row), jumps,
symmetries, corners (holes that no jump goes over), the holes of each playable class, how many kinds of holes and jumps
there are up to symmetry, and the number of independent invariants of the rule of three.`,
	Examples: []string{"english", "triangle5 --output json", "ooo/ooo/ooo", "wiegleb --output svg --out board.svg"},
	Args: []puzzle.Argument{{Name: argBoard, Doc: "board by name, or a drawing in one line: ooo/ooo/ooo",
		Completions: peg.Names()}},
	Flags:   latticeFlags,
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerBoard,
}

// A boardReport is the answer of board, beside the problem: holes, triplets, jumps and symmetries.
type boardReport struct {
	Corners     int      `json:"corners"`
	CornerHoles []string `json:"corner_holes"`
	// Classes are the holes of the playable classes: even row and column, then odd column, odd row, both odd.
	Classes    []int `json:"classes"`
	HoleOrbits int   `json:"hole_orbits"` // holes up to symmetry
	JumpOrbits int   `json:"jump_orbits"` // and jumps
	Invariants int   `json:"invariants"`  // independent parities that no jump changes
}

func answerBoard(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	b, err := readBoard(r.Flags, argBoard, r.Args[0])
	if err != nil {
		return nil, err
	}
	corners := b.Corners()
	doc := boardReport{Corners: corners.Pegs(), CornerHoles: b.Labels(corners), Classes: classCounts(b, b.Full()),
		JumpOrbits: len(jumpOrbits(b, b.Symmetries())), Invariants: len(b.Invariants())}
	classes, kinds := &figure.Board{}, &figure.Board{}
	orbit := map[int]int{}
	for h := range b.Holes {
		class, kind := hole(b, h), hole(b, h)
		class.Label = fmt.Sprint(b.Class[h])
		class.Detail = b.Label(h) + ": " + b.ClassName(int(b.Class[h]))
		least := h
		for _, g := range b.Symmetries() {
			least = min(least, int(g[h]))
		}
		if _, ok := orbit[least]; !ok {
			orbit[least] = len(orbit) + 1
		}
		kind.Label = fmt.Sprint(orbit[least])
		kind.Detail = b.Label(h) + ": as " + b.Label(least)
		if corners.Has(h) {
			kind.Ring, kind.Detail = figure.Orange, kind.Detail+", a corner"
		}
		classes.Cells, kinds.Cells = append(classes.Cells, class), append(kinds.Cells, kind)
	}
	doc.HoleOrbits = len(orbit)
	var text strings.Builder
	fmt.Fprintf(&text, "corners     %d: %s\n", doc.Corners, strings.Join(doc.CornerHoles, " "))
	for k, n := range doc.Classes {
		name := ""
		if k == 0 {
			name = "classes"
		}
		fmt.Fprintf(&text, "%-12s%d  %s, %s\n", name, k, b.ClassName(k), plural.Of(n, "hole"))
	}
	fmt.Fprintf(&text, "kinds       %s and %s up to symmetry\ninvariants  %d of the rule of three\n",
		plural.Of(doc.HoleOrbits, "hole"), plural.Of(doc.JumpOrbits, "jump"), doc.Invariants)
	return &puzzle.Answer{Summary: puzzle.Summary{Problem: understoodBoard(b)}, Document: doc, Text: text.String(),
		Drawn: true, Figures: []figure.Figure{
			{Name: "classes", Title: "playable classes", Board: classes},
			{Name: "kinds", Title: "kinds of holes; corners in rings", Board: kinds},
		}}, nil
}

// classCounts is how many pegs of p are in each playable class.
func classCounts(b *peg.Board, p peg.Position) []int {
	var counts []int
	for _, m := range b.ClassMasks() {
		counts = append(counts, (p & m).Pegs())
	}
	return counts
}

// jumpPlaces returns the place of each jump in the list of the board.
func jumpPlaces(b *peg.Board) map[peg.Jump]int {
	place := make(map[peg.Jump]int, len(b.Jumps))
	for i, j := range b.Jumps {
		place[j] = i
	}
	return place
}

// jumpOrbits groups the jumps of a board, by their places in its list, under symmetries. Orbits stand by their first.
func jumpOrbits(b *peg.Board, group []peg.Perm) [][]int {
	place := jumpPlaces(b)
	seen := make([]bool, len(b.Jumps))
	var orbits [][]int
	for i, j := range b.Jumps {
		if seen[i] {
			continue
		}
		var orbit []int
		for _, g := range group {
			if k := place[g.Jump(j)]; !seen[k] {
				seen[k] = true
				orbit = append(orbit, k)
			}
		}
		orbits = append(orbits, orbit)
	}
	return orbits
}
