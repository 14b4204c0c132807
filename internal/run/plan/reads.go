package plan

import (
	"sort"

	"pagoda/internal/puzzle"
)

// EachRead calls fn for every window that window i of c reads, by its cell and number: those of its parents that the
// ranges lie in which its puzzle names, or all. known says that the puzzle names them.
func (p *Plan) EachRead(c *Cell, i int, fn func(parent *Cell, part int)) (known bool) {
	ranges, whole := puzzle.Reads(p.puzzle, c.Window(i))
	if whole {
		for _, parent := range c.ParentCells {
			for k := range parent.Parts {
				fn(parent, k)
			}
		}
		return false
	}
	var parent *Cell
	next := 0 // the first of its windows that has not been named
	for _, r := range ranges {
		if parent == nil || parent.Cell != r.Cell {
			parent, next = p.Index[r.Cell], 0
		}
		cuts := parent.Cuts
		next = max(next, sort.Search(len(cuts), func(k int) bool { return cuts[k] > r.First })-1)
		for ; next < len(cuts) && cuts[next] < r.First+r.Addresses; next++ {
			fn(parent, next)
		}
	}
	return true
}
