package peg

import (
	"cmp"
	"slices"
)

// A Pair is the problem of one vacancy and one final peg.
type Pair struct{ Start, Goal uint8 }

// Problem returns the pair as a problem: every hole but Start full, and Goal the only peg left.
func (p Pair) Problem(b *Board) Problem {
	return Problem{b, b.Full() &^ (1 << p.Start), 1 << p.Goal}
}

// CompatiblePairs lists the pairs that the rule of three allows, by start and goal.
func CompatiblePairs(b *Board) []Pair {
	masks := b.Invariants()
	var list []Pair
	for s := range uint8(b.Size()) {
		for g := range uint8(b.Size()) {
			p := Pair{s, g}.Problem(b)
			if Parities(masks, p.Start) == Parities(masks, p.Goal) {
				list = append(list, Pair{s, g})
			}
		}
	}
	return list
}

// PairClasses groups the compatible pairs: by the symmetries of the board, and (with reversal) also by playing
// backwards, which exchanges start and goal: a game from vacancy s to peg g is, on the complements, one from vacancy g
// to peg s. A class is listed in ascending order; the classes by their first pair.
func PairClasses(b *Board, reversal bool) [][]Pair {
	group := b.Symmetries()
	seen := map[Pair]bool{}
	var classes [][]Pair
	for _, p := range CompatiblePairs(b) {
		if seen[p] {
			continue
		}
		var class []Pair
		for _, g := range group {
			images := []Pair{{g[p.Start], g[p.Goal]}}
			if reversal {
				images = append(images, Pair{g[p.Goal], g[p.Start]})
			}
			for _, q := range images {
				if !seen[q] {
					seen[q] = true
					class = append(class, q)
				}
			}
		}
		slices.SortFunc(class, func(p, q Pair) int {
			return cmp.Or(cmp.Compare(p.Start, q.Start), cmp.Compare(p.Goal, q.Goal))
		})
		classes = append(classes, class)
	}
	return classes
}
