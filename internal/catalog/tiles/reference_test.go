package tiles

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// reference surveys a shape the slow way: every grid in every colouring is played.
type reference struct {
	classes          map[cells]bool
	histogram        map[string]uint64 // finals: grids
	equal            map[string]uint64 // equal pairs / finals: grids
	tiles            map[string]uint64 // sorted distributions of cells and tiles: grids
	permutable, most uint64
}

func refer(t *testing.T, s Shape) *reference {
	ref := &reference{
		classes: map[cells]bool{}, histogram: map[string]uint64{}, equal: map[string]uint64{}, tiles: map[string]uint64{},
	}
	syms := s.symmetries()
	naive(s, func(g *cells) {
		finals, err := Play(context.Background(), plain(s, *g))
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(len(finals))
		ref.classes[canonicalForm(syms, g)] = true
		ref.histogram[fmt.Sprint(n)]++
		ref.most = max(ref.most, n)
		missing, equal := s.missing(g), 0
		for i, a := range missing {
			for j, b := range missing[:i] {
				w := s.Cols - 1
				if a == b && (i-j == w || i-j == 1 && i%w > 0) {
					equal++
				}
			}
		}
		ref.equal[fmt.Sprintf("%d %d", equal, n)]++
		seen, permutes := map[string]bool{}, false
		for _, f := range finals {
			seen[spread(s, g)+" "+spread(s, &f.cells)] = true
			image := map[[2]uint8]bool{}
			for i := range s.Cells() {
				image[[2]uint8{g[i], f.cells[i]}] = true
			}
			permutes = permutes || len(image) == spreadColours(s, g) && len(image) == spreadColours(s, &f.cells)
		}
		for k := range seen {
			ref.tiles[k]++
		}
		if permutes {
			ref.permutable++
		}
	})
	return ref
}

// spread writes how many cells have each colour, largest first.
func spread(s Shape, g *cells) string {
	n := make([]int, s.Colours)
	for i := range s.Cells() {
		n[g[i]]++
	}
	slices.SortFunc(n, func(a, b int) int { return b - a })
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(n), "[]"), " ", ".")
}

func spreadColours(s Shape, g *cells) int {
	seen := map[uint8]bool{}
	for i := range s.Cells() {
		seen[g[i]] = true
	}
	return len(seen)
}
