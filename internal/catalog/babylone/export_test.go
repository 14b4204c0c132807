package babylone

import (
	"fmt"
	"strconv"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// TestExport says that the exported rows are all positions, or the lost ones, with nimbers as a search finds them.
func TestExport(t *testing.T) {
	for _, count := range []string{CountWinner, CountNimbers, CountGraph} {
		bricks := []int{4, 3, 2}
		p := newPuzzle(t, bricks, count, 16)
		s, apart, seen := newSolver(), uint64(0), map[string]bool{}
		each := func(w puzzle.Window, b *puzzle.Block) error {
			return p.ExportRows(w.Cell, b, func(row []puzzle.Value) error {
				position, err := ParsePosition(row[2].S)
				if err != nil {
					return err
				}
				key := position.canonical().key()
				if seen[key] || len(position) != int(row[0].N.Lo) {
					return fmt.Errorf("position %s twice, or not with %v piles", position, row[0].N)
				}
				seen[key] = true
				apart += row[3].N.Lo
				want, err := s.nimber(t.Context(), position)
				if err != nil {
					return err
				}
				if got := rowNimber(row, count); got != want {
					return fmt.Errorf("%s: nimber %d, want %d", position, got, want)
				}
				after := map[string]bool{}
				_, positions := position.moves()
				for _, q := range positions {
					after[q.canonical().key()] = true
				}
				if count == CountGraph && row[5].N.Lo != uint64(len(after)) {
					return fmt.Errorf("%s: %v moves, want %d", position, row[5].N, len(after))
				}
				return nil
			})
		}
		all := facts(t, p, puzzletest.Play(t, p, puzzletest.Options{Stored: true, Each: each}))
		number := func(name string) int { n, _ := strconv.Atoi(all[name]); return n }
		rows, rowsApart := number("positions_up_to_colours"), number("positions")
		if count == CountWinner {
			rows, rowsApart = rows-number("won_up_to_colours"), rowsApart-number("won")
		}
		if len(seen) != rows || int(apart) != rowsApart {
			t.Errorf("%s: %d rows of %d positions, want %d of %d", count, len(seen), apart, rows, rowsApart)
		}
	}
}

func rowNimber(row []puzzle.Value, count string) int {
	if count == CountWinner {
		return 0
	}
	return int(row[4].N.Lo)
}
