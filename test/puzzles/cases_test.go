package puzzles

import (
	"strings"
	"testing"

	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/puzzle"
)

// A question is a small run.
type question struct {
	name    string
	config  string   // keys and values, one pair a line
	windows []string // values of window_addresses that cut it in other ways
}

// questions has every value of the key "count" of every puzzle, and what else changes what is computed.
var questions = []question{
	{"games", "puzzle: peg\nboard: triangle5\nstart: r2c1\n", []string{"40", "97"}},
	{"solutions", "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: solutions\n", []string{"40", "97"}},
	{"pairs", "puzzle: peg\nboard: triangle5\ncount: solutions\npairs: all\n", []string{"40", "97"}},
	{"ways", "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: solutions\nstore_ways: true\n",
		[]string{"40", "97"}},
	{"positions", "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: positions\n",
		[]string{"1024", "2048"}},
	{"winnable", "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: positions\nonly: winnable\n",
		[]string{"1024", "2048"}},
	{"winnable-two-sides", "puzzle: peg\nboard: triangle5\nstart: r1c0\ngoal: r4c0\ncount: positions\nonly: winnable\n",
		[]string{"64", "2048"}},
	{"sweeps", "puzzle: peg\nboard: triangle5\nstart: r2c1\ngoal: r4c2\ncount: sweeps\n", []string{"64", "100"}},
	{"chances", "puzzle: peg\nboard: triangle5\nstart: r1c0\ngoal: r4c0\ncount: chances\n", []string{"64", "500"}},
	{"sequences", "puzzle: peg\nboard: triangle5\ncount: sequences\n", []string{"100", "250"}},
	{"survey", "puzzle: peg\nboard: triangle5\ncount: survey\npairs: all\n", []string{"7", "15"}},
	{"survey-one-peg", "puzzle: peg\nboard: triangle4\ncount: survey\npairs: one_peg\n", []string{"10", "97"}},
	{"survey-positions", "puzzle: peg\nboard: triangle4\ncount: survey\npairs: positions\nmost_pegs: 6\n",
		[]string{"10", "97"}},
	{"sequences-by-pegs", "puzzle: peg\nboard: triangle5\ncount: sequences_by_pegs\n", []string{"100"}},
	{"reserve", "puzzle: peg\nboard: triangle5\nstart: r1c0\ngoal: 0x41\ncount: solutions\nreserve: true\n",
		[]string{"40", "97"}},
	{"tiles", "puzzle: tiles\nrows: 3\ncolumns: 4\n", []string{"100", "1000"}},
	{"mousetrap-hits", "puzzle: mousetrap\ncards: 8\ncount: hits\n", []string{"1", "5"}},
	{"mousetrap-winning", "puzzle: mousetrap\ncards: 9\ncount: winning\n", []string{"1", "7"}},
	{"mousetrap-reformed", "puzzle: mousetrap\ncards: 8\ncount: reformed\n", []string{"1", "5"}},
	{"mousetrap-modular", "puzzle: mousetrap\ncards: 8\nvariant: modular\ncount: hits\n", []string{"1", "5"}},
	{"babylone-graph", "puzzle: babylone\ncolours: 3\nbricks: \"3\"\ncount: graph\n", []string{"5", "11"}},
	{"babylone-split", "puzzle: babylone\ncolours: 3\nbricks: \"4,2,1\"\ncount: nimbers\n", []string{"3", "8"}},
	{"babylone-winner", "puzzle: babylone\ncolours: 2\nbricks: \"7\"\ncount: winner\n", []string{"4", "9"}},
	{"baseball-ring", "puzzle: baseball\nbases: 5\nboard: ring\n", []string{"100", "1000"}},
	{"baseball-line", "puzzle: baseball\nbases: 4\nboard: line\n", []string{"10", "50"}},
}

// build makes the puzzle of a question; window is a value of window_addresses, "" its default.
func (q *question) build(t *testing.T, window string) puzzle.Puzzle {
	t.Helper()
	data := q.config
	if window != "" {
		data += "window_addresses: " + window + "\n"
	}
	c, err := config.Parse("f.yaml", []byte(data), config.Options{
		General: config.General("f.yaml", catalog.All.Names(), config.Machine{CPUs: 2, MemoryBytes: 1 << 33}, nil),
		Puzzle:  catalog.All.Settings,
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.All.Build(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEveryQuestionIsHere asks the catalogue for the values of count, so that a new one is not forgotten.
func TestEveryQuestionIsHere(t *testing.T) {
	for _, d := range catalog.All {
		for _, s := range d.Settings {
			for _, choice := range s.Choices {
				found := false
				for _, q := range questions {
					if !strings.Contains(q.config, "puzzle: "+d.Name+"\n") {
						continue
					}
					found = found || choice == s.Default || strings.Contains(q.config, s.Name+": "+choice+"\n")
				}
				if !found && s.Name == "count" {
					t.Errorf("no run with puzzle: %s and %s: %s", d.Name, s.Name, choice)
				}
			}
		}
	}
}
