package solitaire

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/puzzletest"
)

// drawnWeights is the pagoda function that the source draws.
const drawnWeights = "11 8 3/7 5 2/4 0 4 3 1 2 -1/3 0 3 2 1 1 0/1 0 1 1 0 1 -1/2 1 1/-1 0 -1"

// TestPagodaKnown demands of the function that the literature draws that it forbids the problem beside it, by a proof
// that check accepts, and that it is an extreme ray.
func TestPagodaKnown(t *testing.T) {
	a := puzzletest.Ask(t, &pagodaQuestion, map[string]string{"weights": drawnWeights},
		"--...--/--.oo--/oo.oooo/ooooooo/ooooooo/--ooo--/--ooo--", "--ooo--/--o..--/..o..../......./......./--...--/--...--")
	doc := a.Document.(pagodaReport)
	if !doc.Pagoda || !doc.Extreme || doc.Tight != 44 || *doc.StartWeight != 31 || *doc.GoalWeight != 33 {
		t.Errorf("%+v", doc)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	puzzletest.Ask(t, &checkQuestion, nil, string(data))
	doc = puzzletest.Ask(t, &pagodaQuestion, map[string]string{"weights": "[" + strings.ReplaceAll(drawnWeights, "/",
		" ") + "]"}).Document.(pagodaReport)
	if !doc.Extreme || *doc.ForbiddenPairs != 0 {
		t.Errorf("as an array: %+v", doc)
	}
}

// TestPagodaAgainstBruteForce compares weights at random with games on small boards. The slack of a jump is the weight
// that it takes away. No jump of a pagoda function raises the weight, and no pair that it forbids has a game. Extreme
// rays are compared with the rank of the tight jumps, computed in fractions.
func TestPagodaAgainstBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pagodas, extremes, forbidden := 0, 0, 0
	for range 3000 {
		board := []string{"oooo", "ooooo", "-o-/ooo/-o-", "ooo/o--/o--"}[random.IntN(4)]
		b := pegtest.Drawn(t, peg.Square, board)
		var words []string
		w := make([]int, b.Size())
		for i := range w {
			w[i] = random.IntN(4) - 1
			words = append(words, fmt.Sprint(w[i]))
		}
		flags := map[string]string{"board": board, "weights": strings.Join(words, ",")}
		doc := puzzletest.Ask(t, &pagodaQuestion, flags).Document.(pagodaReport)
		if doc.Pagoda != b.IsPagoda(w) || len(doc.Slacks) != len(b.Jumps) {
			t.Fatalf("%s: %v: %+v", board, w, doc)
		}
		var tight [][]int64
		all := make([][]int64, 0, len(b.Jumps))
		for i, j := range b.Jumps {
			before := j.Need()
			if d := peg.Weight(w, before) - peg.Weight(w, j.Play(before)); int64(d) != doc.Slacks[i].Slack {
				t.Fatalf("%s: %v: jump %d takes %d: %+v", board, w, i, d, doc.Slacks[i])
			}
			v := make([]int64, b.Size())
			v[j.From], v[j.Over], v[j.To] = 1, 1, -1
			if all = append(all, v); doc.Slacks[i].Slack == 0 {
				tight = append(tight, v)
			}
		}
		if doc.Extreme != (doc.Pagoda && rankOf(tight) == rankOf(all)-1) {
			t.Fatalf("%s: %v: extreme %v", board, w, doc.Extreme)
		}
		if !doc.Pagoda {
			continue
		}
		if pagodas++; doc.Extreme {
			extremes++
		}
		for _, pair := range doc.Forbidden {
			p := pegtest.Problem(t, b, pair.Start, pair.Goal)
			if reference.Solutions(reference.Play(b, p.Start, -1), p.Goal).Sign() != 0 {
				t.Fatalf("%s: %v forbids %v, which has a game", board, w, pair)
			}
			forbidden++
		}
	}
	if pagodas < 100 || extremes < 10 {
		t.Errorf("%d pagoda functions, %d extreme, %d pairs", pagodas, extremes, forbidden)
	}
}

// rankOf is the rank of vectors, by elimination in fractions.
func rankOf(vectors [][]int64) (rank int) {
	var rows [][]*big.Rat
	for _, v := range vectors {
		row := make([]*big.Rat, len(v))
		for i, x := range v {
			row[i] = big.NewRat(x, 1)
		}
		rows = append(rows, row)
	}
	for c := 0; len(rows) > rank && c < len(rows[0]); c++ {
		for i := rank; i < len(rows); i++ {
			if rows[i][c].Sign() == 0 {
				continue
			}
			rows[rank], rows[i] = rows[i], rows[rank]
			for _, row := range rows[rank+1:] {
				f := new(big.Rat).Quo(row[c], rows[rank][c])
				for k := range row {
					row[k] = new(big.Rat).Sub(row[k], new(big.Rat).Mul(f, rows[rank][k]))
				}
			}
			rank++
			break
		}
	}
	return rank
}
