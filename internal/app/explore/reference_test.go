package explore_test

import (
	"math/big"
	"strings"
)

// A game is peg solitaire on drawings in one line, played as slowly and as plainly as can be, to compare with.
type game struct {
	start, goal string
	places      []place // of the holes, in the order of the drawing
	lines       [][3]int
	ways        map[string]*big.Int
	paths       map[string]*big.Int
}

type place struct{ at, row, column int }

// newGame reads a drawing. steps are the directions of jumps: rows down and characters to the right.
func newGame(start, goal string, steps [][2]int) *game {
	g := &game{start: start, goal: goal, ways: map[string]*big.Int{}}
	row, column := 0, 0
	number := map[[2]int]int{}
	for at, mark := range start {
		switch mark {
		case '/':
			row, column = row+1, 0
			continue
		case 'o', '.':
			number[[2]int{row, column}] = len(g.places)
			g.places = append(g.places, place{at, row, column})
		}
		column++
	}
	for from, p := range g.places {
		for _, s := range steps {
			for _, sign := range []int{1, -1} {
				over, ok := number[[2]int{p.row + sign*s[0], p.column + sign*s[1]}]
				to, ok2 := number[[2]int{p.row + 2*sign*s[0], p.column + 2*sign*s[1]}]
				if ok && ok2 {
					g.lines = append(g.lines, [3]int{from, over, to})
				}
			}
		}
	}
	g.countPaths()
	return g
}

// next lists the positions after one jump.
func (g *game) next(position string) []string {
	var list []string
	for _, l := range g.lines {
		from, over, to := g.places[l[0]].at, g.places[l[1]].at, g.places[l[2]].at
		if position[from] == 'o' && position[over] == 'o' && position[to] == '.' {
			b := []byte(position)
			b[from], b[over], b[to] = '.', '.', 'o'
			list = append(list, string(b))
		}
	}
	return list
}

// onward counts the jump sequences from a position to the goal.
func (g *game) onward(position string) *big.Int {
	if n, ok := g.ways[position]; ok {
		return n
	}
	n := new(big.Int)
	if position == g.goal {
		n.SetInt64(1)
	} else {
		for _, q := range g.next(position) {
			n.Add(n, g.onward(q))
		}
	}
	g.ways[position] = n
	return n
}

// countPaths counts the jump sequences from the start to every position.
func (g *game) countPaths() {
	g.paths = map[string]*big.Int{g.start: big.NewInt(1)}
	layer := []string{g.start}
	for len(layer) > 0 {
		var after []string
		for _, p := range layer {
			for _, q := range g.next(p) {
				if g.paths[q] == nil {
					g.paths[q] = new(big.Int)
					after = append(after, q)
				}
				g.paths[q].Add(g.paths[q], g.paths[p])
			}
		}
		layer = after
	}
}

// through counts the solutions through a position.
func (g *game) through(position string) *big.Int {
	paths := g.paths[position]
	if paths == nil {
		return new(big.Int)
	}
	return new(big.Int).Mul(paths, g.onward(position))
}

// triangle is the problem of 15 holes from corner to corner, drawn with two characters between neighbours of a row.
func triangle() *game {
	return newGame("----./---o-o/--o-o-o/-o-o-o-o/o-o-o-o-o", "----o/---.-./--.-.-./-.-.-.-./.-.-.-.-.",
		[][2]int{{0, 2}, {1, 1}, {1, -1}})
}

// triangleProblem is the problem of 15 holes with a vacancy and a last peg.
func triangleProblem(vacancy, last int) *game {
	g := triangle()
	start := []byte(strings.ReplaceAll(g.start, ".", "o"))
	goal := []byte(strings.ReplaceAll(string(start), "o", "."))
	start[g.places[vacancy].at], goal[g.places[last].at] = '.', 'o'
	return newGame(string(start), string(goal), [][2]int{{0, 2}, {1, 1}, {1, -1}})
}

// label is the name of a hole of a triangle: a letter for its place in the row, and the row.
func (g *game) label(hole int) string {
	row, nth := g.places[hole].row, 0
	for _, p := range g.places[:hole] {
		if p.row == row {
			nth++
		}
	}
	return string(rune('a'+nth)) + string(rune('1'+row))
}

// jumps lists the jumps from a position by their names, with the positions after them.
func (g *game) jumps(position string) map[string]string {
	list := map[string]string{}
	for _, l := range g.lines {
		from, over, to := g.places[l[0]].at, g.places[l[1]].at, g.places[l[2]].at
		if position[from] == 'o' && position[over] == 'o' && position[to] == '.' {
			b := []byte(position)
			b[from], b[over], b[to] = '.', '.', 'o'
			list[g.label(l[0])+"x"+g.label(l[2])] = string(b)
		}
	}
	return list
}

func pegs(position string) int { return strings.Count(position, "o") }
