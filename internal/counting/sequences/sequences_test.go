package sequences

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// slow counts, position by position and without symmetry, the sequences of at least one jump and, on boards of at most
// closureHoles holes, the pairs of positions that they join. ending has, by pegs, the sequences that end with so many.
func slow(b *peg.Board) (sequences *big.Int, ending []*big.Int, pairs int) {
	all := 1 << b.Size()
	byPegs := make([][]peg.Position, b.Size()+1)
	for p := range peg.Position(all) {
		byPegs[p.Pegs()] = append(byPegs[p.Pegs()], p)
	}
	count := make([]*big.Int, all)
	for p := range count {
		count[p] = big.NewInt(1)
	}
	reach := make([]map[peg.Position]bool, all)
	sequences, ending = new(big.Int), make([]*big.Int, b.Size()+1)
	for n := b.Size(); n >= 0; n-- {
		ending[n] = new(big.Int)
		for _, p := range byPegs[n] {
			ending[n].Add(ending[n], new(big.Int).Sub(count[p], big.NewInt(1)))
			b.Moves(p, func(j peg.Jump) { count[j.Play(p)].Add(count[j.Play(p)], count[p]) })
		}
		sequences.Add(sequences, ending[n])
	}
	for n := range byPegs {
		if b.Size() > closureHoles {
			break
		}
		for _, p := range byPegs[n] {
			reach[p] = map[peg.Position]bool{}
			b.Moves(p, func(j peg.Jump) {
				reach[p][j.Play(p)] = true
				for q := range reach[j.Play(p)] {
					reach[p][q] = true
				}
			})
			pairs += len(reach[p])
		}
	}
	return sequences, ending, pairs
}

// check compares a run with the slow count, and its second count with its first.
func check(t puzzletest.TB, b *peg.Board, windowAddresses uint64, byPegs, cached bool) {
	t.Helper()
	s, err := New(counting.Params{Board: b, WindowAddresses: windowAddresses}, byPegs)
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true, Cached: cached})
	sequences, ending, pairs := slow(b)
	name := peg.FormatLine(b, b.Full())
	facts := map[string]string{"sequences": sequences.String(), "positions": fmt.Sprint(1 << b.Size())}
	if b.Size() <= closureHoles {
		facts["feasible_pairs"] = fmt.Sprint(pairs)
	}
	for fact, want := range facts {
		if got := puzzletest.Fact(t, s, m, fact); got != want {
			t.Fatalf("%s: %s %s, want %s", name, got, fact, want)
		}
	}
	sum, err := s.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	layers := b.Size()/2 + 1
	if byPegs {
		layers = b.Size() + 1
	}
	if rows := sum.Tables[0].Rows; len(rows) != layers {
		t.Fatalf("%s: %d layers", name, len(rows))
	}
	for n, row := range sum.Tables[0].Rows {
		if got, want := row[3].N.Big(), ending[b.Size()-n]; got.Cmp(want) != 0 {
			t.Fatalf("%s: %v sequences end with %v pegs, want %v", name, got, row[0].N, want)
		}
	}
	list, err := s.Recounts(m)
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %d second counts, %v", name, len(list), err)
	}
	var again uint128.Uint128
	for _, w := range list[0].Windows {
		n, err := list[0].Share(context.Background(), w, m)
		if err != nil {
			t.Fatal(err)
		}
		again, _ = again.Add(n)
	}
	if again != list[0].Want {
		t.Fatalf("%s: %s: %v, want %v", name, list[0].What, again, list[0].Want)
	}
}

// Boards of an even number of holes have a layer that is its own complement, those of an odd number do not.
func TestNamedBoards(t *testing.T) {
	for _, name := range []string{"triangle4", "triangle5", "hexagon19"} {
		if name == "hexagon19" && testing.Short() {
			continue // seconds of the slow count
		}
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		check(t, b, 0, false, true)
		check(t, b, 0, true, true)
	}
}

// On random boards, with and without symmetries, in windows of any size.
func TestRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 12).Draw(t, "board")
		if rapid.Bool().Draw(t, "symmetric") {
			b = pegtest.SymmetricBoard(13).Draw(t, "symmetric board")
		}
		space, err := partition.NewWholeSpace(b, b.Symmetries())
		if err != nil {
			t.Fatal(err)
		}
		addresses := uint64(0)
		if rapid.Bool().Draw(t, "cut") {
			addresses = uint64(space.MaxLow()) + rapid.Uint64Range(0, 100).Draw(t, "addresses of a window")
		}
		check(t, b, addresses, rapid.Bool().Draw(t, "by pegs"), rapid.Bool().Draw(t, "cached"))
	})
}

// The English board down to 28 pegs, counted position by position.
func TestEnglishBeginning(t *testing.T) {
	const last = 5
	b, err := peg.Named("english")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(counting.Params{Board: b}, false)
	if err != nil {
		t.Fatal(err)
	}
	m, err := puzzletest.PlayTo(t, s, puzzletest.Options{Cached: true}, last)
	if err != nil {
		t.Fatal(err)
	}
	layer := map[peg.Position]uint64{b.Full(): 1}
	for n := range last + 1 {
		sum, next := uint64(0), map[peg.Position]uint64{}
		for p, count := range layer {
			sum += count
			for h := range b.Size() { // every position begins with one
				if p.Has(h) {
					next[p&^(1<<h)] = 1
				}
			}
		}
		for p, count := range layer {
			b.Moves(p, func(j peg.Jump) { next[j.Play(p)] += count })
		}
		tally, ok := m.Layer(n)
		if got := tally.Sum(counting.SumPaths); !ok || got != uint128.From(sum) {
			t.Errorf("%d pegs missing: %v sequences, want %d", n, got, sum)
		}
		layer = next
	}
}

// A line of three holes has one jump: from its left pair or its right pair.
func TestLine(t *testing.T) {
	b, err := peg.Draw("line", peg.Square, "ooo")
	if err != nil {
		t.Fatal(err)
	}
	if n, _, pairs := slow(b); n.String() != "2" || pairs != 2 {
		t.Errorf("%v sequences, %d pairs", n, pairs)
	}
	check(t, b, 0, false, false)
	check(t, b, 0, true, false)
}

func TestErrors(t *testing.T) {
	large, err := peg.Draw("large", peg.Square, "ooooooo\nooooooo\nooooooo\nooooooo\nooooooo\nooooooo\nooooooo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(counting.Params{Board: large}, false); !errors.Is(err, partition.ErrTooLarge) {
		t.Errorf("49 holes give %v", err)
	}
	b, err := peg.Named("triangle5")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(counting.Params{Board: b}, false)
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
	for _, w := range []puzzle.Window{
		{Cell: puzzle.Cell{Layer: 8, Key: "middle-9.9.9.9"}, Addresses: 1},
		{Cell: puzzle.Cell{Layer: 8, Key: "middle"}, Addresses: 1},
		{Cell: puzzle.Cell{Layer: 9, Key: "middle-1.2.2.2"}, Addresses: 1},
		{Cell: puzzle.Cell{Layer: 8, Key: closureKey}, First: 1 << 15, Addresses: 1},
	} {
		if _, err := s.Compute(context.Background(), w, m, nil); err == nil {
			t.Errorf("window %s %d+%d was computed", w, w.First, w.Addresses)
		}
	}
}
