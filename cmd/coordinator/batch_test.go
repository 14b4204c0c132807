package main

import (
	"encoding/csv"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pagoda/internal/peg"
)

// batchTable carries out a batch of configs/batches in the folder dir/NAME, and returns its table of results by member
// and column. Of the lines of include only those that match keep are left.
func batchTable(t *testing.T, dir, name, keep string) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "configs/batches", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^    - .*\n`).ReplaceAllFunc(text, func(line []byte) []byte {
		if regexp.MustCompile(keep).Match(line) {
			return line
		}
		t.Logf("NOT RUN: %s", line)
		return nil
	})
	path := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	said(t, "batch", "run", path, "--data", filepath.Join(dir, name))
	rows, err := csv.NewReader(strings.NewReader(
		said(t, "batch", "export", path, "--data", filepath.Join(dir, name)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := make(map[string]map[string]string)
	for _, row := range rows[1:] {
		fields := make(map[string]string)
		for i, column := range rows[0] {
			fields[column] = row[i]
		}
		table[fields["member"]] = fields
	}
	return table
}

// TestBatchOfEnglishPairs compares the solutions of a few classes of pairs with those that one run has counted
// together. test/e2e carries out all classes.
func TestBatchOfEnglishPairs(t *testing.T) {
	have := batchTable(t, t.TempDir(), "english-pairs", "start: r0c3")
	f, err := os.ReadFile(filepath.Join(root, "test/e2e/testdata/english-pairs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(f))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range rows[1:] {
		got, is := have[row[0]+"-"+row[1]]
		if !is {
			continue
		}
		seen++
		if got["start"] != row[0] || got["goal"] != row[1] || got["solutions"] != row[3] {
			t.Errorf("%v: %v", row, got)
		}
	}
	if seen != len(have) || seen != 4 {
		t.Errorf("%d members of %d were compared", seen, len(have))
	}
}

// TestBatchOfBabylone compares the winners with the table of the source, in docs/babylone.md.
func TestBatchOfBabylone(t *testing.T) {
	have := batchTable(t, t.TempDir(), "babylone-table", ".")
	seen := 0
	files := documents(t)
	for i := range files {
		if files[i].Name != "docs/babylone.md" {
			continue
		}
		for _, l := range files[i].Lines {
			cells := strings.Split(l.Text, "|")
			for bricks := 1; bricks < len(cells)-2; bricks++ {
				winner := strings.TrimSpace(cells[bricks+1])
				if !strings.HasPrefix(winner, "**") {
					continue // bold is of the source
				}
				seen++
				colours := strings.TrimSpace(cells[1])
				got := have["colours-"+colours+"-bricks-"+strconv.Itoa(bricks)]
				if got["winner"] != strings.Trim(winner, "*") || got["colours"] != colours ||
					got["bricks"] != strconv.Itoa(bricks) {
					t.Errorf("%s colours of %d: %v, want %s", colours, bricks, got, winner)
				}
			}
		}
	}
	if seen != 21 || len(have) != 21 {
		t.Errorf("%d winners of %d members were compared", seen, len(have))
	}
}

// bruteGames counts the games from a start and the positions that can be reached, position by position.
func bruteGames(b *peg.Board, start peg.Position) (games uint64, positions int) {
	known := make(map[peg.Position]uint64)
	var count func(peg.Position) uint64
	count = func(p peg.Position) uint64 {
		if n, is := known[p]; is {
			return n
		}
		n, stuck := uint64(0), true
		for _, j := range b.Jumps {
			if j.Legal(p) {
				stuck = false
				n += count(j.Play(p))
			}
		}
		if stuck {
			n = 1
		}
		known[p] = n
		return n
	}
	return count(start), len(known)
}

// TestBatchOfTriangles counts the games of sides 4 to 6 in another way. Of the games of side 7 those that end with one
// peg are published, and are in the layers of the members, which export opens like any run.
func TestBatchOfTriangles(t *testing.T) {
	dir := t.TempDir()
	keep, members := ".", 19
	if testing.Short() {
		keep, members = "triangle[45]", 7
	}
	have := batchTable(t, dir, "triangles", keep)
	onePeg := map[string]string{
		"r1c0": "422164782932465380", "r2c0": "1378772126550859484", "r3c1": "837341738574417686",
	}
	for name, got := range have {
		if got["board"] == "triangle7" {
			layers := said(t, "export", "--data", filepath.Join(dir, "triangles", name))
			last := regexp.MustCompile(`(?m)^26,1,\d+,\d+,(\d+),`).FindStringSubmatch(layers)
			paths := ""
			if last != nil {
				paths = last[1]
			}
			if paths != onePeg[got["start"]] && (paths != "0" || onePeg[got["start"]] != "") {
				t.Errorf("%s: %s games end with one peg, want %s", name, paths, onePeg[got["start"]])
			}
			if _, is := new(big.Int).SetString(got["games"], 10); !is {
				t.Errorf("%s: %s games", name, got["games"])
			}
			continue
		}
		b, err := peg.Named(got["board"])
		if err != nil {
			t.Fatal(err)
		}
		start, err := peg.ParseStart(b, got["start"])
		if err != nil {
			t.Fatal(err)
		}
		games, positions := bruteGames(b, start)
		if got["games"] != strconv.FormatUint(games, 10) || got["positions"] != strconv.Itoa(positions) {
			t.Errorf("%s: %v, want %d games over %d positions", name, got, games, positions)
		}
	}
	if len(have) != members {
		t.Errorf("%d members, want %d", len(have), members)
	}
}

// TestBatchesDocument carries out the commands of docs/batches.md in their order, in a folder with the files that the
// page shows, and compares their output.
func TestBatchesDocument(t *testing.T) {
	dir := t.TempDir()
	configs, err := filepath.Abs(filepath.Join(root, "configs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(configs, filepath.Join(dir, "configs")); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/batches.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?ms)^```yaml\n# ([a-z]+\\.yaml)\n.*?^```$").FindAllSubmatch(page, -1)
	for _, m := range shown {
		text := strings.TrimSuffix(strings.TrimPrefix(string(m[0]), "```yaml\n"), "```")
		if err := os.WriteFile(filepath.Join(dir, string(m[1])), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	carried := 0
	files := documents(t)
	for i := range files {
		if files[i].Name != "docs/batches.md" {
			continue
		}
		for _, c := range files[i].Commands("coordinator") {
			if !c.Shown {
				continue
			}
			carried++
			cmd := exec.CommandContext(t.Context(), "coordinator", c.Words[1:]...)
			cmd.Dir = dir
			var trouble strings.Builder
			cmd.Stderr = &trouble
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %s: %v: %s", c.At, c.Text, err, trouble.String())
			}
			want := strings.TrimSpace(strings.Join(c.Output, "\n"))
			if want == "" {
				continue
			}
			if line, ok := matches(want, strings.TrimLeft(string(out), " ")); !ok {
				t.Errorf("%s: %s: the program does not print what is shown: %q\n%s", c.At, c.Text, line, out)
			}
		}
	}
	if carried < 5 || len(shown) < 1 {
		t.Errorf("%d commands were carried out with %d files", carried, len(shown))
	}
}
