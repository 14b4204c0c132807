package fewest

import (
	"cmp"
	"slices"

	"pagoda/internal/peg"
)

const mostHoles = 10

// regions returns the smallest sets of holes, up to some size, of which this is true: where all of them have pegs, no
// peg from outside jumps into one or over one.
func regions(b *peg.Board) []peg.Position {
	lines := make([][]peg.Position, b.Size()) // by hole: the pairs of holes on both sides of it
	for _, j := range b.Jumps {
		pair := peg.Position(1)<<j.From | 1<<j.To
		if !slices.Contains(lines[j.Over], pair) {
			lines[j.Over] = append(lines[j.Over], pair)
		}
	}
	seen := map[peg.Position]bool{}
	var list []peg.Position
	var grow func(r peg.Position)
	grow = func(r peg.Position) {
		if seen[r] || r.Pegs() > mostHoles {
			return
		}
		seen[r] = true
		for h := range b.Size() {
			if !r.Has(h) {
				continue
			}
			for _, pair := range lines[h] {
				if r&pair == 0 {
					grow(r | pair&-pair)
					grow(r | pair&(pair-1))
					return
				}
			}
		}
		list = append(list, r)
	}
	for h := range b.Size() {
		grow(1 << h)
	}
	slices.SortFunc(list, func(r, q peg.Position) int { return cmp.Or(r.Pegs()-q.Pegs(), cmp.Compare(r, q)) })
	var least []peg.Position
	for _, r := range list {
		if !slices.ContainsFunc(least, func(q peg.Position) bool { return q&^r == 0 }) {
			least = append(least, r)
		}
	}
	return least
}

// least is how many sweeps there are at least between two positions. A region that is full in p and not in q has to be
// left by a sweep that begins in it, and regions that are apart need one each. A hole that gets its peg is where a
// sweep ends.
func least(regions []peg.Position, p, q peg.Position) int {
	n, free := 0, p
	for _, r := range regions {
		if r&^free == 0 && r&^q != 0 {
			n++
			free &^= r
		}
	}
	return max(n, (q &^ p).Pegs())
}
