package babylone

import (
	"fmt"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// wins reports whether the player to move wins, by the rules alone: a position without a move is lost. Piles are pairs
// of a colour and a height, and every pair of piles is tried both ways.
func wins(piles [][2]int, seen map[string]bool) bool {
	key := fmt.Sprint(piles)
	if w, ok := seen[key]; ok {
		return w
	}
	won := false
	for i := range piles {
		for j := range piles {
			if i == j || piles[i][0] != piles[j][0] && piles[i][1] != piles[j][1] {
				continue
			}
			next := [][2]int{{piles[i][0], piles[i][1] + piles[j][1]}}
			for k := range piles {
				if k != i && k != j {
					next = append(next, piles[k])
				}
			}
			won = won || !wins(next, seen)
		}
	}
	seen[key] = won
	return won
}

func asPairs(p Position) (list [][2]int) {
	for _, pile := range p {
		list = append(list, [2]int{int(pile.Colour), pile.Height})
	}
	return list
}

func fact(a *puzzle.Answer, name string) string {
	for _, f := range a.Summary.Facts {
		if f.Name == name {
			return f.Value.S
		}
	}
	return ""
}

// TestGameAgainstTheProgram plays games at random against replies. A program that is to move in a won position leaves a
// lost one each time, and so makes the last move. The rules alone tell won positions.
func TestGameAgainstTheProgram(t *testing.T) {
	won, lost := 0, 0
	seen := map[string]bool{}
	for seed := range 40 {
		flags := map[string]string{"moves": fmt.Sprint(seed % 4), "seed": fmt.Sprint(seed)}
		begin := puzzletest.Ask(t, &startQuestion, flags, []string{"3x2", "2x3", "2,3,1"}[seed%3])
		p, err := ParsePosition(fact(begin, "position"))
		if err != nil {
			t.Fatal(err)
		}
		program := wins(asPairs(p), seen)
		for turn := 0; ; turn++ {
			could := wins(asPairs(p), seen)
			a := puzzletest.Ask(t, &play, map[string]string{"reply": "true"}, p.String())
			if fact(a, "reply") == "" {
				if could {
					t.Fatalf("no reply to %v, which is won", p)
				}
				break
			}
			q, err := ParsePosition(fact(a, "position"))
			if err != nil || len(q) != len(p)-1 {
				t.Fatalf("reply %s leads from %v to %v: %v", fact(a, "reply"), p, q, err)
			}
			if could == wins(asPairs(q), seen) {
				t.Fatalf("%v is won: %v, and after the reply %s that is %v", p, could, fact(a, "reply"), !could)
			}
			_, after := q.moves()
			if len(after) == 0 {
				break
			}
			p = after[(seed+turn)%len(after)]
		}
		if program {
			won++
		} else {
			lost++
		}
	}
	if won == 0 || lost == 0 {
		t.Errorf("%d games begin won, %d lost: both are wanted", won, lost)
	}
}

// TestStart: a position at random is one that the game leads to, and the same seed gives it again.
func TestStart(t *testing.T) {
	reached := map[string]int{start([]int{2, 2}).String(): 0}
	for level := 1; level <= 3; level++ {
		for text, at := range reached {
			if p, err := ParsePosition(text); err == nil && at == level-1 {
				_, after := p.moves()
				for _, q := range after {
					reached[q.String()] = level
				}
			}
		}
	}
	met := map[string]bool{}
	for seed := range 60 {
		for moves := range 4 {
			flags := map[string]string{"moves": fmt.Sprint(moves), "seed": fmt.Sprint(seed)}
			p := fact(puzzletest.Ask(t, &startQuestion, flags, "2x2"), "position")
			if again := fact(puzzletest.Ask(t, &startQuestion, flags, "2x2"), "position"); again != p {
				t.Fatalf("%v gives %s and %s", flags, p, again)
			}
			if at, ok := reached[p]; !ok || at > moves {
				t.Fatalf("%s after %d moves", p, moves)
			}
			met[p] = true
		}
	}
	if len(met) != len(reached) {
		t.Errorf("%d of %d positions of 2x2 were met", len(met), len(reached))
	}
}
