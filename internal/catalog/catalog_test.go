package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/config"
	"pagoda/internal/puzzle"
)

func load(t *testing.T, path, data string) (*config.Config, error) {
	t.Helper()
	return config.Parse(path, []byte(data), config.Options{
		General: config.General(path, All.Names(), config.Machine{CPUs: 2, MemoryBytes: 1 << 33}, nil), Puzzle: All.Settings})
}

// drawn is the board of side 4 as a picture.
const drawn = "lattice: triangular\ndrawing: |2\n     o\n    o o\n   o o o\n  o o o o\n"

func TestBuildPeg(t *testing.T) {
	for name, data := range map[string]string{
		"by name": "board: triangle4\nstart: r1c0\ngoal: r1c1\n",
		"drawn":   drawn + "start: r1c0\ngoal: r1c1\n",
		"hex":     drawn + "start: 0x3fd\ngoal: 0x4\n",
	} {
		c, err := load(t, "f.yaml", "puzzle: peg\n"+data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := All.Build(c)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, ok := p.(puzzle.Exporter); !ok || p.Identity().Puzzle != "peg" {
			t.Errorf("%s: %+v", name, p.Identity())
		}
		// The same problem in other words is the same run.
		want, _ := load(t, "f.yaml", "puzzle: peg\nboard: triangle4\nstart: r1c0\ngoal: r1c1\n")
		q, err := All.Build(want)
		if err != nil {
			t.Fatal(err)
		}
		for i, param := range q.Identity().Params {
			if p.Identity().Params[i] != param {
				t.Errorf("%s: parameter %v, want %v", name, p.Identity().Params[i], param)
			}
		}
	}
}

func TestBuildPegErrors(t *testing.T) {
	var large strings.Builder
	for range 9 {
		large.WriteString("  oooooooo\n")
	}
	for data, want := range map[string][2]string{
		"":                                      {"f.yaml: board: no board is given", "board: english"},
		"board: englsh\n":                       {`f.yaml:2: board: bad board: unknown board "englsh"`, "you mean english"},
		"board: english\n" + drawn:              {"f.yaml:2: board: both a board and a drawing", "remove one"},
		"board: english\nlattice: triangular\n": {"f.yaml:3: lattice: board english is on the square lattice", "remove it"},
		"drawing: |\n  oo\n":                    {"f.yaml:2: drawing: bad board", "three in a row"},
		"drawing: |\n" + large.String():         {"it has 72 holes, and at most 64 holes are possible here", "at most 64"},
		"drawing: |\n  oqo\n":                   {"line 1, column 2", "is a hole"},
		"board: english\nstart: r0c0\n":         {`f.yaml:3: start: bad position "r0c0" on board english`, ""},
		"board: square6\n":                      {"f.yaml: start: ", ""},
		"board: english\ngoal: 0x1ffffffff\n":   {"f.yaml:3: goal: ", "the goal has fewer than the start"},
		"board: english\ngoal: 0x1fffeffff\n":   {"f.yaml:3: goal: ", "the goal has fewer than the start"},
		"board: english\ncount: solutions\n":    {"f.yaml: goal: counting solutions needs a goal", "pairs: all"},
		"board: english\npairs: all\n":          {"f.yaml:3: pairs: all pairs are a question", "count: solutions"},
		"board: english\nstore_ways: true\n":    {"f.yaml:3: store_ways: it is a part of counting", "count: solutions"},
		"board: english\ncount: solutions\npairs: all\nstore_ways: true\n": {
			"f.yaml:5: store_ways: it needs one start and one goal", "remove pairs: all"},
		"board: english\ncount: sweeps\n":                 {"f.yaml: goal: counting sweeps needs a goal", "goal: center"},
		"board: english\nwindow_addresses: 1\n":           {"f.yaml:3: window_addresses: ", "0 leaves windows uncut"},
		"board: english\ncount: sequences\nstart: r0c2\n": {"f.yaml:4: start: sequences lead from any", "remove it"},
		"board: english\ncount: sequences\ngoal: r0c2\n":  {"f.yaml:4: goal: sequences lead from any", "count: games"},
		"board: english\ncount: sequences_by_pegs\ngoal: r0c2\n": {
			"f.yaml:4: goal: sequences lead from any", "count: games"},
		"board: square7\ncount: sequences\n": {"f.yaml:2: board: 49 holes have 2^49 positions", ""},
		"board: english\nonly: winnable\n":   {"f.yaml:3: only: it chooses among positions", "count: positions"},
		"board: english\ncount: positions\nonly: winnable\n": {
			"f.yaml:4: only: a position is winnable with respect to a goal", "goal: center"},
		"board: english\npairs: all\ncount: survey\nonly: winnable\n": {"f.yaml:5: only: ", "remove it"},
		"board: english\nreserve: true\n": {
			"f.yaml:3: reserve: it is a rule for counting solutions", "count: solutions"},
		"board: french\ncount: solutions\nreserve: true\n": {"f.yaml: goal: counting solutions needs a goal", "goal: center"},
		"board: french\ncount: solutions\npairs: all\nreserve: true\n": {
			"f.yaml:5: reserve: it needs one start and one goal", "remove pairs: all"},
		"board: french\ncount: solutions\nstore_ways: true\ngoal: center\nreserve: true\n": {
			"f.yaml:6: reserve: ways through positions", "remove one"},
		"board: french\ncount: solutions\nstart: 0xff\ngoal: center\nreserve: true\n": {
			"f.yaml:6: reserve: 29 holes are empty: the reserve needs a start with one empty hole", "start: center"},
	} {
		c, err := load(t, "f.yaml", "puzzle: peg\n"+data)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		_, err = All.Build(c)
		var e *config.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want[0]) || !strings.Contains(e.Advice(), want[1]) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %q, want %q and the hint %q", data, err, want[0], want[1])
		}
	}
}

// TestSampleConfigs builds the puzzle of every file of configs/.
func TestSampleConfigs(t *testing.T) {
	files, err := filepath.Glob("../../configs/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("configs: %q, %v", files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := load(t, f, string(data))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := All.Build(c); err != nil {
			t.Error(err)
		}
	}
}
