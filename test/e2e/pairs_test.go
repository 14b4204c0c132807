//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pagoda/internal/peg"
)

// The tables of all pairs that are kept, with the number of pairs that the rule of three allows, of classes under
// symmetry, and of classes under symmetry and reversal. Each was made with
//
//	coordinator run configs/NAME.yaml && coordinator export --data ... --table pairs --format csv
var pairTables = []struct {
	name, board               string
	pairs, classes, reversals int
	// Games from a start that end with one peg, counted forward over all positions (count: games).
	ends map[string]string
}{
	{"triangle15-pairs", "triangle5", 75, 17, 11, nil}, // TestTriangle15Pairs
	{"english-pairs", "english", 125, 21, 16, map[string]string{"r3c3": "81723294080159936"}},
	{"french-pairs", "french", 64, 10, 7, map[string]string{
		"r0c2": "8577516148356629719963", "r1c3": "13257409691238507296626", "r2c3": "11509084657100320315880",
	}},
	{"square6-pairs", "square6", 144, 21, 16, nil},
}

// golden returns the kept table of all pairs of a board.
func golden(t *testing.T, name string) []row {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	return table(t, b)
}

// TestPairTables checks that a table of all pairs has the right classes, and a problem as many solutions as its
// reverse. The solutions from a start, over all goals, must be the games that end with one peg.
func TestPairTables(t *testing.T) {
	for _, c := range pairTables {
		b, err := peg.Named(c.board)
		if err != nil {
			t.Fatal(err)
		}
		rows := golden(t, c.name)
		if n := len(peg.PairClasses(b, true)); n != c.reversals {
			t.Errorf("%s: %d classes under symmetry and reversal, want %d", c.name, n, c.reversals)
		}
		solutions := map[string]string{} // by start and goal
		for i, class := range peg.PairClasses(b, false) {
			r := row{}
			if i < len(rows) {
				r = rows[i]
			}
			start, goal := b.HoleName(int(class[0].Start)), b.HoleName(int(class[0].Goal))
			if r["start"] != start || r["goal"] != goal || r["pairs"] != strconv.Itoa(len(class)) {
				t.Fatalf("%s: row %d is %v, want %s to %s, %d pairs", c.name, i, r, start, goal, len(class))
			}
			for _, p := range class {
				solutions[b.HoleName(int(p.Start))+" "+b.HoleName(int(p.Goal))] = r["solutions"]
			}
		}
		if len(rows) != c.classes || len(solutions) != c.pairs {
			t.Errorf("%s: %d classes and %d pairs, want %d and %d", c.name, len(rows), len(solutions), c.classes, c.pairs)
		}
		for _, class := range peg.PairClasses(b, true) {
			for _, p := range class {
				start, goal := b.HoleName(int(p.Start)), b.HoleName(int(p.Goal))
				if n, m := solutions[start+" "+goal], solutions[goal+" "+start]; n == "" || n != m {
					t.Errorf("%s: %s to %s has %q solutions, backwards %q", c.name, start, goal, n, m)
				}
			}
		}
		for start, want := range c.ends {
			sum := new(big.Int)
			for problem, n := range solutions {
				if strings.HasPrefix(problem, start+" ") {
					sum.Add(sum, number(t, n))
				}
			}
			if sum.String() != want {
				t.Errorf("%s: %s solutions from %s to all goals, but %s games end with one peg", c.name, sum, start, want)
			}
		}
	}
}

// From each start of the triangle the solutions to all goals are the games that end with one peg, which are known from
// elsewhere; see TestTriangle15.
func TestTriangle15Pairs(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	must(t, fine, "run", "configs/triangle15-pairs.yaml", "--data", data)
	rows := table(t, export(t, data, "pairs", ""))
	sameTable(t, rows, golden(t, "triangle15-pairs"))
	for _, c := range []struct {
		start string
		orbit int64 // starts like it
		want  string
	}{{"r0c0", 3, "29760"}, {"r1c0", 6, "14880"}, {"r2c0", 3, "85258"}, {"r2c1", 3, "1550"}} {
		sum := new(big.Int)
		for _, r := range rows {
			if r["start"] == c.start {
				sum.Add(sum, new(big.Int).Mul(number(t, r["solutions"]), number(t, r["pairs"])))
			}
		}
		if sum.Cmp(new(big.Int).Mul(number(t, c.want), big.NewInt(c.orbit))) != 0 {
			t.Errorf("from %s: %v solutions to all goals, over %d starts; want %s for each", c.start, sum, c.orbit, c.want)
		}
	}
}

func number(t *testing.T, s string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		t.Fatalf("%q is not a number", s)
	}
	return n
}

func sameTable(t *testing.T, got, want []row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if !maps.Equal(got[i], want[i]) {
			t.Errorf("row %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestEnglishPairsKilledInJoin computes all pairs of the English board, killed in the middle of the joins and resumed.
// Windows joined before a kill are still joined after the next. The table has the same bytes as the kept one.
func TestEnglishPairsKilledInJoin(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"run", "configs/english-pairs.yaml", "--data", data, "--output", "json"}
	const joins = 16 // the layer in which the paths from both ends meet
	before := 0
	for _, windows := range []int{1, 40, 200} {
		c, code := stopAt(t, joins, windows, syscall.SIGKILL, args...)
		if code != -1 {
			t.Fatalf("the run was to be killed in its last layer, but ended with code %d\n%s", code, last(c.stderr.String()))
		}
		done, all := committed(t, data)
		t.Logf("killed with %d of %d windows joined", done, all)
		if done < before+windows || done == all {
			t.Fatalf("killed with %d of %d windows joined, %d of them before and %d since", done, all, before, windows)
		}
		before = done
	}
	must(t, fine, args...)
	got := export(t, data, "pairs", "")
	if want, err := os.ReadFile("testdata/english-pairs.csv"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the table is not the kept one: %v\n%s", err, got)
	}
	must(t, fine, "verify", "--data", data)
}

// committed returns how many windows of the last layer of a run the ledger has, of how many.
func committed(t *testing.T, data string) (done, all int) {
	t.Helper()
	var s struct {
		Layers []struct{ Windows, Done int }
	}
	if err := json.Unmarshal(must(t, fine, "status", "--data", data, "--output", "json").stdout.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	l := s.Layers[len(s.Layers)-1]
	return l.Done, l.Windows
}

// TestEnglishPairsBatch carries out every class of pairs as a run of its own. In one run they share their sweeps.
func TestEnglishPairsBatch(t *testing.T) {
	const batch = "configs/batches/english-pairs.yaml"
	data := filepath.Join(t.TempDir(), "data")
	must(t, fine, "batch", "run", batch, "--data", data)
	have := table(t, must(t, fine, "batch", "export", batch, "--data", data).stdout.Bytes())
	want := golden(t, "english-pairs")
	if len(have) != len(want) {
		t.Fatalf("%d members, want %d", len(have), len(want))
	}
	for i, w := range want {
		if h := have[i]; h["start"] != w["start"] || h["goal"] != w["goal"] || h["solutions"] != w["solutions"] {
			t.Errorf("member %d is %v, want %v", i, h, w)
		}
	}
}
