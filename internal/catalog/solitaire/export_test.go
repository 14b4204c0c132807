package solitaire

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/games"
	"pagoda/internal/counting/reach"
	"pagoda/internal/counting/reserve"
	"pagoda/internal/counting/sequences"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/counting/sweeps"
	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// exported has the rows of a run by position, jumps and whatever else tells two of them apart.
type exported map[string][]puzzle.Value

// export carries out a run and exports all that it stores. A row that comes twice is an error.
func export(t *rapid.T, p puzzle.Exporter, err error, key ...string) exported {
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, p, puzzletest.Options{Stored: true, Hoard: true})
	list := exported{}
	for n := range m.Layers() {
		for _, c := range m.Cells(n) {
			for _, b := range m.Rows(c.Cell) {
				err := p.ExportRows(c.Cell, &b, func(row []puzzle.Value) error {
					if len(row) != len(p.RowColumns()) {
						return fmt.Errorf("%d values for %d columns", len(row), len(p.RowColumns()))
					}
					var k string
					for i, c := range p.RowColumns() {
						if slices.Contains(key, c.Name) {
							k += c.Name + " " + row[i].S + row[i].N.String() + ";"
						}
					}
					if _, twice := list[k]; twice {
						return fmt.Errorf("cell %v: row %s is there twice", c.Cell, k)
					}
					list[k] = slices.Clone(row)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return list
}

func (e exported) keys() []string { return slices.Sorted(maps.Keys(e)) }

// classesOf lists the classes of the positions that a reference reaches, as rows name them.
func classesOf(b *peg.Board, group []peg.Perm, layers []reference.Layer) []string {
	var want []string
	for n, l := range layers {
		for p := range l.Classes(group) {
			want = append(want, fmt.Sprintf("position %s0;jumps %d;", b.Hex(p), n))
		}
	}
	slices.Sort(want)
	return want
}

// TestOneNameForAClass demands of every question about a problem that a class goes by the least of its positions,
// written in one way, and has one row: so that files of several runs can be joined.
func TestOneNameForAClass(t *testing.T) {
	reserves := 0
	pegtest.CheckUntil(t, func() bool { return reserves > 0 }, func(t *rapid.T) {
		b := pegtest.SymmetricBoard(14).Draw(t, "board")
		p := counting.Params{Board: b, HasGoal: true}
		if rapid.Bool().Draw(t, "vacancy") {
			p.Start = b.Complement(1 << rapid.IntRange(0, b.Size()-1).Draw(t, "hole"))
		} else {
			p.Start = pegtest.SymmetricStart(b).Draw(t, "start")
		}
		path := pegtest.Play(t, b, p.Start, b.Size())
		if len(path) == 1 {
			t.Skip("no jump")
		}
		p.Goal = path[len(path)-1]
		p.WindowAddresses = rapid.SampledFrom([]uint64{0, 256, 1 << 12}).Draw(t, "window addresses")
		group := peg.Stabiliser(b.Symmetries(), p.Start)
		layers := reference.Play(b, p.Start, -1)
		want := classesOf(b, group, layers)

		all, err := games.New(p)
		if got := export(t, all, err, "position", "jumps").keys(); !slices.Equal(got, want) {
			t.Fatalf("games: %v, want %v", got, want)
		}
		reached, err := reach.New(reach.Params{Board: b, Start: p.Start, Goal: p.Goal, HasGoal: true,
			WindowAddresses: p.WindowAddresses})
		if got := export(t, reached, err, "position", "jumps").keys(); !slices.Equal(got, want) {
			t.Fatalf("positions: %v, want %v", got, want)
		}

		// Of solutions only the rows for the join of the two sweeps are stored.
		solved, err := solutions.New(p)
		demandSome(t, "solutions", export(t, solved, err, "position", "jumps").keys(), want)

		// Ways and sweeps have those that are winnable too, under the symmetries that fix the goal as well.
		problem := peg.Problem{Board: b, Start: p.Start, Goal: p.Goal}
		both := classesOf(b, problem.Symmetries(), layers)
		through, err := ways.New(p)
		won := export(t, through, err, "position", "jumps").keys()
		demandSome(t, "ways", won, both)
		swept, err := sweeps.New(p)
		if got := export(t, swept, err, "position", "jumps").keys(); !slices.Equal(got, won) {
			t.Fatalf("sweeps: %v, want %v", got, won)
		}
		winnable, err := reach.NewWinnable(reach.Params{Board: b, Start: p.Start, Goal: p.Goal, HasGoal: true,
			WindowAddresses: p.WindowAddresses})
		if got := export(t, winnable, err, "position", "jumps").keys(); !slices.Equal(got, won) {
			t.Fatalf("winnable positions: %v, want %v", got, won)
		}

		if b.Complement(p.Start).Pegs() == 1 {
			reserves++
			kept, err := reserve.New(p)
			for _, row := range export(t, kept, err, "position", "jumps", "put_back") {
				if least := leastOf(t, b, problem.Symmetries(), row[0].S); row[0].S != least {
					t.Fatalf("reserve: %s stands for the class of %s", row[0].S, least)
				}
			}
		}
		pairs, err := solutions.NewPairs(p)
		for _, row := range export(t, pairs, err, "position", "start", "jumps") {
			start, err := peg.ParseGoal(b, row[1].S)
			if err != nil {
				t.Fatal(err)
			}
			if least := leastOf(t, b, peg.Stabiliser(b.Symmetries(), start), row[0].S); row[0].S != least {
				t.Fatalf("pairs: %s stands for the class of %s", row[0].S, least)
			}
		}
		anywhere, err := sequences.New(p, true)
		for _, row := range export(t, anywhere, err, "position") {
			if least := leastOf(t, b, b.Symmetries(), row[0].S); row[0].S != least {
				t.Fatalf("sequences: %s stands for the class of %s", row[0].S, least)
			}
		}
	})
}

// demandSome demands that all names are among those of the classes that are reached.
func demandSome(t *rapid.T, question string, names, classes []string) {
	for _, k := range names {
		if _, found := slices.BinarySearch(classes, k); !found {
			t.Fatalf("%s: %s is not the name of a class that is reached", question, k)
		}
	}
}

// leastOf is how the class of a position is to be written.
func leastOf(t *rapid.T, b *peg.Board, group []peg.Perm, text string) string {
	p, err := peg.ParseGoal(b, text)
	if err != nil {
		t.Fatal(err)
	}
	least, _ := peg.Canonical(group, p)
	return b.Hex(least)
}
