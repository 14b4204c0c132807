package check

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/certificate"
)

// cut makes the triangle of 15 holes many cells, of several windows' worth of flows.
const cut = "window_addresses=200"

func window(t *testing.T, line []byte) (w certificate.Window) {
	t.Helper()
	if err := json.Unmarshal(line, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestAgrees holds the checker to real runs: it agrees, and says which totals it has from where. So a checker that
// compares nothing fails.
func TestAgrees(t *testing.T) {
	needPython(t)
	const nothing = "agrees, and nothing was recomputed"
	for _, c := range []struct {
		name, config, settings string
		sums                   string // the totals that are sums of the windows
		recomputed             string // what brute force counts again; "": nothing
	}{
		{"games", "triangle15", cut, "games, solutions, classes, positions",
			"70 sums of layers by brute force; totals: games, solutions, classes, positions"},
		{"any goal", "triangle15", "goal=any", "games, classes, positions",
			"70 sums of layers by brute force; totals: games, solutions, classes, positions"},
		{"21 holes", "triangle15", "board=triangle6 start=r1c0 goal=any", "games, classes, positions",
			"100 sums of layers by brute force; totals: games, solutions, classes, positions"},
		{"square lattice", "triangle15", "board= drawing=ooooo/ooooo/ooo start=r0c1 goal=any", "games, classes, positions",
			"55 sums of layers by brute force; totals: games, solutions, classes, positions"},
		{"positions", "triangle15", "count=positions",
			"classes, positions, winnable_classes_start_goal, winnable_positions",
			"42 sums of layers by brute force; totals: classes, positions, winnable_classes_start_goal, winnable_positions"},
		{"winnable", "triangle15", "count=positions only=winnable", "none",
			"0 sums of layers by brute force; totals: winnable_classes_start_goal, winnable_positions"},
		{"solutions", "triangle15", "count=solutions", "solutions", "0 sums of layers by brute force; totals: solutions"},
		{"ways", "triangle15", "count=solutions store_ways=true", "none",
			"0 sums of layers by brute force; totals: solutions, winnable_classes_start_goal, winnable_positions"},
		{"sweeps", "triangle15", "count=sweeps", "solutions_by_sweeps (3)",
			"0 sums of layers by brute force; totals: solutions, winnable_classes_start_goal, winnable_positions"},
		{"pairs", "triangle15-pairs", "", "none",
			"2 columns of pairs by brute force; totals: compatible_pairs, pair_classes, pair_classes_with_reversal"},
		{"pairs of a square", "triangle15-pairs", "board=rectangle4x4", "none",
			"2 columns of pairs by brute force; totals: compatible_pairs, pair_classes, pair_classes_with_reversal"},
		{"english", "english", "", "games, solutions, classes, positions", "45 sums of layers by brute force; totals: none"},
		{"hits", "mousetrap-8-hits", "", "hits (9), winning", "0 sums of layers by brute force; totals: hits (9), winning"},
		{"winning", "mousetrap-8-hits", "count=winning", "winning", "0 sums of layers by brute force; totals: winning"},
		{"modular", "mousetrap-8-hits", "variant=modular cards=7", "hits (8), winning",
			"0 sums of layers by brute force; totals: hits (8), winning"},
		{"reformed", "mousetrap-8-hits", "variant=modular count=reformed", "winning, reformed (8), forever",
			"0 sums of layers by brute force; totals: winning, reformed (8), forever"},
		{"babylone", "babylone-2x2", "", "nimber, positions, levels (4), terminal, won, edges, positions_up_to_colours, " +
			"levels_up_to_colours (4), terminal_up_to_colours, won_up_to_colours, edges_up_to_colours, positions_inside, " +
			"levels_inside (4), terminal_inside",
			"36 sums of layers by brute force; totals: winner, nimber, positions, levels (4), terminal, won, edges, " +
				"positions_up_to_colours, levels_up_to_colours (4), terminal_up_to_colours, won_up_to_colours, " +
				"edges_up_to_colours, positions_inside, levels_inside (4), terminal_inside"},
		{"unequal bricks", "babylone-2x2", "colours=3 bricks=3,2,1", "nimber, positions, levels (6)",
			"64 sums of layers by brute force; totals: winner, nimber, positions, levels (6)"},
		{"baseball", "baseball-4", "", "configurations, distances (15), worst, mean, methods (9)",
			"15 sums of layers by brute force; totals: configurations, distances (15), worst, mean, methods (9)"},
		{"baseball line", "baseball-3", "board=line", "configurations, distances (11), worst, mean, methods (9)",
			"11 sums of layers by brute force; totals: configurations, distances (11), worst, mean, methods (9)"},
		{"tiles", "tiles-3x3", "", "raw, up_to_colours, classes, unsolvable_classes, unsolvable_raw, unsolvable_share, " +
			"max_finals, max_finals_classes, permutable_classes, histogram_classes (15), histogram_raw (15)",
			"0 sums of layers by brute force; totals: raw, up_to_colours, classes, unsolvable_classes, unsolvable_raw, " +
				"unsolvable_share, max_finals, max_finals_classes, max_finals_grid, permutable_classes, " +
				"histogram_classes (15), histogram_raw (15)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := carryOut(t, c.config, strings.Fields(c.settings)...)
			certificate, leaves := r.files(t)
			demand(t, check(t, certificate), 0, "agrees")
			demand(t, check(t, certificate, leaves), 0, "agrees")
			code, last := 0, "agrees"
			if c.recomputed == "" {
				code, last, c.recomputed = 3, nothing, "0 sums of layers by brute force; totals: none"
			}
			v := check(t, "--recompute", certificate, leaves)
			demand(t, v, code, last)
			for _, line := range []string{
				"\nsums        totals that are sums of the windows: " + c.sums, "\nrecomputed  " + c.recomputed,
			} {
				if !strings.Contains(v.stdout, line) {
					t.Errorf("no line %q\n%s", line, v.stdout)
				}
			}
		})
	}
}

// TestTampered changes a file without making the hashes anew.
func TestTampered(t *testing.T) {
	needPython(t)
	r := carryOut(t, "triangle15", cut)
	c := r.document(t)
	l := c.Layers[7]
	lines := strings.SplitAfter(string(r.leaves), "\n")
	of := func(what string) string { // the cell of the first line with that
		for _, line := range lines {
			if strings.Contains(line, what) {
				w := window(t, []byte(line))
				return fmt.Sprintf("layer %d, cell %s", w.Layer, w.Key)
			}
		}
		t.Fatalf("no leaf has %s", what)
		return ""
	}
	for name, c := range map[string]struct {
		r    result
		want string
	}{
		"digit of a total": {r.edited(t, func(c *certificate.Certificate) { value(c.Totals, "games", "568631") }),
			"total games: 568631 in the certificate, 568630 from the windows"},
		"parameter": {r.edited(t, func(c *certificate.Certificate) { value(c.Params, "count", "gamed") }),
			"run: 067d8dd146d5 in the certificate, "},
		"name of a parameter": {r.edited(t, func(c *certificate.Certificate) { c.Params[0].Name = "counts" }), "run: "},
		"puzzle":              {r.edited(t, func(c *certificate.Certificate) { c.Puzzle = "pegs" }), "run: "},
		"data format":         {r.edited(t, func(c *certificate.Certificate) { c.Program.Format = 2 }), "run: "},
		"run ID": {r.edited(t, func(c *certificate.Certificate) { c.Run = "0" + c.Run[1:11] + "0" }),
			"run: 067d8dd146d0 in the certificate, 067d8dd146d5 from the parameters"},
		"root": {r.edited(t, func(c *certificate.Certificate) { c.Root[31]++ }), "root: "},
		"root of a layer": {r.edited(t, func(c *certificate.Certificate) { c.Layers[7].Root[0]++ }),
			"layer 7, root: "},
		"root of a cell": {r.edited(t, func(c *certificate.Certificate) { c.Layers[7].Cells[1].Root[0]++ }),
			"layer 7, root: " + l.Root.String() + " in the certificate, "},
		"cells exchanged": {r.edited(t, func(c *certificate.Certificate) {
			c.Layers[7].Cells[0], c.Layers[7].Cells[1] = c.Layers[7].Cells[1], c.Layers[7].Cells[0]
		}), "layer 7: the layer or a cell of it is empty, doubled or out of order"},
		"layer left out": {r.edited(t, func(c *certificate.Certificate) {
			c.Layers = slices.Delete(c.Layers, 7, 8)
		}), "windows: 77 in the certificate, 6"},
		"layer and its windows left out": {r.edited(t, func(c *certificate.Certificate) {
			c.Layers, c.Words = slices.Delete(c.Layers, 7, 8), nil
			c.Windows -= l.Windows
		}), "root: "},
		"windows of a cell": {r.edited(t, func(c *certificate.Certificate) { c.Layers[7].Cells[1].Windows++ }),
			fmt.Sprintf("layer 7, windows: %d in the certificate, %d in its cells", l.Windows, l.Windows+1)},
		"windows": {r.edited(t, func(c *certificate.Certificate) { c.Windows++ }),
			"windows: 78 in the certificate, 77 "},
		"column": {r.edited(t, func(c *certificate.Certificate) { c.Columns[4].Digest[0]++ }),
			"digest of paths by layer: "},
		"rows of a column": {r.edited(t, func(c *certificate.Certificate) { c.Columns[6].Rows = 1 << 60 }),
			"rows of games_ended by layer: "},
		"words": {r.edited(t, func(c *certificate.Certificate) { c.Words.Own-- }),
			"words: 76 in the certificate, 77 "},
		"windows read": {r.edited(t, func(c *certificate.Certificate) { c.Checks.Read = 78 }),
			"checks, read: 78 of 77 windows"},
		"rows": {r.edited(t, func(c *certificate.Certificate) { c.Rows = "1595" }),
			"rows: 1595 in the certificate, 1594 "},
		"digest of a window": {r.replaced(t, `"digest":"e`, `"digest":"f`), of(`"digest":"e`) + ", root: "},
		"flow": {r.replaced(t, `"out":[{"layer":2,`, `"out":[{"layer":3,`),
			of(`"out":[{"layer":2,`) + ", root: "},
		"leaf left out": {result{r.certificate, []byte(strings.Join(slices.Concat(lines[:9], lines[10:]), ""))},
			of(lines[9]) + ", windows: 1 in the certificate, 0 in "},
		"leaf twice": {result{r.certificate, []byte(strings.Join(slices.Concat(lines[:9], lines[8:]), ""))},
			of(lines[8]) + ", part 0: it does not follow the line before it"},
		"leaves exchanged": {result{r.certificate, []byte(lines[1] + lines[0] + strings.Join(lines[2:], ""))},
			of(lines[0]) + ", part 0: it does not follow the line before it"},
		"leaves of another run": {result{r.certificate, carryOut(t, "triangle15").leaves},
			"layer 2, cell 4.3.3.2, windows: 1 in the certificate, 0 "},
		"escape": {r.edited(t, func(c *certificate.Certificate) { value(c.Totals, "games", "\x1b[2J\n") }),
			`total games: '\x1b[2J\n' in the certificate, 568630 from the windows`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			certificate, leaves := c.r.files(t)
			demand(t, check(t, certificate, leaves), 1, "differs: "+c.want)
		})
	}
}

// value sets the value of a name.
func value(list []certificate.Named, name, to string) {
	list[slices.IndexFunc(list, func(n certificate.Named) bool { return n.Name == name })].Value = to
}

// TestPairsTampered changes a column of the pairs, which no other part of a certificate binds.
func TestPairsTampered(t *testing.T) {
	needPython(t)
	r := carryOut(t, "triangle15-pairs")
	for want, change := range map[string]func(*certificate.Certificate){
		"rows of pairs of pairs: ":       func(c *certificate.Certificate) { c.Columns[2].Rows-- },
		"digest of solutions of pairs: ": func(c *certificate.Certificate) { c.Columns[3].Digest[0]++ },
	} {
		tampered := r.edited(t, change)
		certificate, leaves := tampered.files(t)
		demand(t, check(t, certificate, leaves), 0, "agrees")
		demand(t, check(t, "--recompute", certificate, leaves), 1, "differs: "+want)
	}
}

// A lie changes a certificate and its windows, and returns the windows that are left.
type lie = func(*certificate.Certificate, []certificate.Window) []certificate.Window

// TestForged makes all hashes anew after a lie, so that only arithmetic shows it, or the rules of the puzzle.
func TestForged(t *testing.T) {
	needPython(t)
	one := uint128.From(1)
	// add changes the first sum of that name that is not 0, of the windows from the layer on.
	add := func(name string, layer int, by func(uint128.Uint128) uint128.Uint128) lie {
		return func(_ *certificate.Certificate, windows []certificate.Window) []certificate.Window {
			for i := range windows {
				for k, s := range windows[i].Tally.Sums {
					if s.Name == name && windows[i].Layer >= layer && !s.Value.IsZero() {
						windows[i].Tally.Sums[k].Value = by(s.Value)
						return windows
					}
				}
			}
			t.Fatalf("no window has a sum %s", name)
			return nil
		}
	}
	more := func(v uint128.Uint128) uint128.Uint128 { v, _ = v.Add(one); return v }
	less := func(v uint128.Uint128) uint128.Uint128 { v, _ = v.Sub(one); return v }
	total := func(name, to string) lie {
		return func(c *certificate.Certificate, windows []certificate.Window) []certificate.Window {
			value(c.Totals, name, to)
			return windows
		}
	}
	all := func(lies ...lie) lie {
		return func(c *certificate.Certificate, windows []certificate.Window) []certificate.Window {
			for _, l := range lies {
				windows = l(c, windows)
			}
			return windows
		}
	}
	flow := func(of func(*puzzle.Tally) []puzzle.Flow) lie {
		return func(_ *certificate.Certificate, windows []certificate.Window) []certificate.Window {
			f := of(&windows[5].Tally)
			f[0].Amount = more(f[0].Amount)
			return windows
		}
	}
	games := carryOut(t, "triangle15")
	hits, baseball := carryOut(t, "mousetrap-8-hits"), carryOut(t, "baseball-3")
	babylone, tiles := carryOut(t, "babylone-2x2"), carryOut(t, "tiles-3x3")
	for name, c := range map[string]struct {
		r    *result
		lie  lie
		seen string // by certificate and leaves; "": not at all
		want string // by brute force
	}{
		"nothing": {&games, all(), "", ""},
		"long parameter": {&games, func(c *certificate.Certificate, w []certificate.Window) []certificate.Window {
			value(c.Params, "merged_addresses", strings.Repeat("1", 300)) // whose length takes two bytes in the run ID
			return w
		}, "", ""},
		"flow out": {&games, flow(func(t *puzzle.Tally) []puzzle.Flow { return t.Out }),
			"flow from layer 5, cell 5.3.1.0 to layer 6, cell 5.3.0.0: 5073 leaves, 5072 arrives", ""},
		"flow in": {&games, flow(func(t *puzzle.Tally) []puzzle.Flow { return t.In }),
			"flow from layer 4, cell 5.3.2.0 to layer 5, cell 5.3.1.0: 1074 leaves, 1075 arrives", ""},
		"paths": {&games, add("paths", 5, more), "layer 5: its paths are 1075, and 1074 arrives", ""},
		"last layer": {&games, func(_ *certificate.Certificate, w []certificate.Window) []certificate.Window {
			return w[:len(w)-1]
		}, "flow from layer 12, cell 2.0.0.0 to layer 13, cell 1.0.0.0: 29760 leaves, 0 arrives", ""},
		"sum": {&games, add("games_ended", 0, more), "total games: 568630 in the certificate, 568631 from the windows", ""},
		"sum and total": {&games, all(add("games_ended", 0, more), total("games", "568631")), "",
			"layer 6, games_ended: 3 in the leaves, 2 by brute force"},
		"positions and total": {&games, all(add("positions", 9, less), total("positions", "3015")), "",
			"layer 9, positions: 413 in the leaves, 414 by brute force"},
		"solutions and total": {&games, all(add("goal_paths", 0, more), total("solutions", "6817")), "",
			"total solutions: 6817 in the certificate, 6816 by brute force"},
		"another start": {&games, func(c *certificate.Certificate, w []certificate.Window) []certificate.Window {
			for _, list := range [][]certificate.Named{c.Params, c.Totals} {
				value(list, "start", "----o/---o-o/--o-.-o/-o-o-o-o/o-o-o-o-o")
			}
			return w
		}, "", "layer 2, positions: 8 in the leaves, 6 by brute force"},
		"another goal": {&games, func(c *certificate.Certificate, w []certificate.Window) []certificate.Window {
			value(c.Params, "goal", "----./---.-./--.-o-./-.-.-.-./.-.-.-.-.")
			return w
		}, "total goal: ", ""},
		"decks": {&hits, all(add("hits.05", 0, more), add("hits.06", 0, less), total("hits/5", "1367"),
			total("hits/6", "667")), "", "total hits/5: 1367 in the certificate, 1366 by brute force"},
		"no permutation": {&hits, total("hits/5", "1367"), "total hits/0: 14833 in the certificate, 14832 ", ""},
		"winning decks": {&hits, total("winning", "1813"),
			"total winning: 1813 in the certificate, 1812 from others", ""},
		"distances": {&baseball, all(add("configurations", 3, more), add("configurations", 4, less),
			total("distances/3", "10"), total("distances/4", "9"), total("mean", "37/11")), "",
			"layer 3, configurations: 10 in the leaves, 9 by brute force"},
		"configurations": {&baseball, total("configurations", "34"), "total configurations: 34 in the certificate, 33 ", ""},
		"mean":           {&baseball, total("mean", "37/11"), "total mean: 37/11 in the certificate, 112/33 from others", ""},
		"method": {&baseball, all(add("best_push.moves", 0, more), total("methods/best_push/mean", "224/33")), "",
			"total methods/best_push/mean: 224/33 in the certificate, 223/33 by brute force"},
		"won":         {&babylone, all(add("won", 0, more), total("won", "7")), "", "layer 1, won: "},
		"level":       {&babylone, total("levels/2", "6"), "total positions: 12 in the certificate, 13 from others", ""},
		"winner":      {&babylone, total("winner", "2"), "", "total winner: 2 in the certificate, 1 by brute force"},
		"final grids": {&tiles, total("max_finals", "65"), "total max_finals: 65 in the certificate, 64 from others", ""},
		"grid": {&tiles, total("max_finals_grid", "010/232/014"), "",
			"total max_finals_grid: 010/232/014 in the certificate, 010/232/010 by brute force"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.r.forged(t, c.lie)
			certificate, leaves := r.files(t)
			if c.seen != "" {
				demand(t, check(t, certificate, leaves), 1, "differs: "+c.seen)
				return
			}
			demand(t, check(t, certificate, leaves), 0, "agrees")
			code, last := 1, "differs: "+c.want
			if c.want == "" {
				code, last = 0, "agrees"
			}
			demand(t, check(t, "--recompute", certificate, leaves), code, last)
		})
	}
}

// TestBadInput demands one line for each input that cannot be read, and nothing beside it.
func TestBadInput(t *testing.T) {
	needPython(t)
	r := carryOut(t, "triangle15")
	text := string(r.certificate)
	edit := func(from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("the certificate has no %s", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	for name, c := range map[string]struct{ certificate, want string }{
		"empty":           {"", "Expecting value"},
		"truncated":       {text[:len(text)/2], "certificate.json: "},
		"not UTF-8":       {edit("triangle5", "triangle\xff"), "'utf-8' codec can't decode byte 0xff"},
		"list":            {"[]", "JSON: '[]' is not an object"},
		"doubled key":     {edit(`"windows": 14,`, `"windows": 14, "windows": 14,`), "the field 'windows' is there 2 times"},
		"float":           {edit(`"windows": 14,`, `"windows": 14.0,`), "JSON, windows: '14.0' is not a whole number"},
		"exponent":        {edit(`"windows": 14,`, `"windows": 14e0,`), "JSON, windows: '14.0' is not a whole number"},
		"NaN":             {edit(`"windows": 14,`, `"windows": NaN,`), "JSON, windows: 'nan' is not a whole number"},
		"true":            {edit(`"windows": 14,`, `"windows": true,`), "JSON, windows: 'True' is not a whole number"},
		"below 0":         {edit(`"windows": 14,`, `"windows": -1,`), "JSON, windows: '-1' is not a whole number"},
		"10,000 digits":   {edit(`"windows": 14,`, `"windows": `+strings.Repeat("9", 10000)+`,`), ""},
		"text for number": {edit(`"windows": 14,`, `"windows": "14",`), "JSON, windows: '14' is not a whole number"},
		"number for text": {edit(`"rows": "1594"`, `"rows": 1594`), "JSON, rows: '1594' is not a text"},
		"null":            {edit(`"rows": "1594"`, `"rows": null`), "JSON, rows: 'None' is not a text"},
		"version":         {edit(`"version": 1,`, `"version": 2,`), "version 2, and this program reads version 1"},
		"form":            {edit("pagoda run", "pagoda runs"), "JSON, certificate: 'pagoda runs' is not a text"},
		"unknown field":   {edit(`"windows": 14,`, `"windows": 14, "extra": 1,`), "JSON: its fields must be certificate, "},
		"missing field":   {edit(`"windows": 14,`, ""), "JSON: its fields must be certificate, "},
		"other order":     {edit(`"rows": "1594",`, "") + "", "JSON: its fields must be certificate, "},
		"short hash":      {edit(`"root": "37`, `"root": "7`), "JSON, root: '7e77c2acce90094"},
		"doubled name":    {edit(`"name": "lattice"`, `"name": "count"`), "a name is there twice"},
		"half a letter":   {edit("triangular", `\ud800`), "surrogates not allowed"},
		"deep":            {strings.Repeat("[", 100000), "recursion"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, leaves := (&result{[]byte(c.certificate), r.leaves}).files(t)
			refused(t, check(t, "--recompute", path, leaves), path, c.want)
		})
	}
	first, rest, _ := strings.Cut(string(r.leaves), "\n")
	in := func(from, to string) string { return strings.Replace(first, from, to, 1) + "\n" + rest }
	for name, c := range map[string]struct{ leaves, want string }{
		"truncated":      {strings.TrimSuffix(string(r.leaves), "}\n"), "the last line does not end"},
		"no end":         {strings.TrimSuffix(string(r.leaves), "\n"), "the last line does not end"},
		"empty line":     {first + "\n\n" + rest, "line 2: Expecting value"},
		"space":          {in(",", ", "), "line 1: not written as a leaf is"},
		"doubled key":    {in(`"part":0`, `"part":0,"part":0`), "'part' is there 2 times"},
		"number in sum":  {in(`"value":"1"`, `"value":1`), "line 1: JSON, tally, sums 0, value"},
		"zero in front":  {in(`"value":"1"`, `"value":"01"`), "line 1: JSON, tally, sums 0"},
		"sums unordered": {in("classes", "z"), "line 1: a list of its tally is doubled or out of order"},
		"CSV":            {"layer,cell,part\n", "line 1: Expecting value"},
	} {
		t.Run("leaves, "+name, func(t *testing.T) {
			t.Parallel()
			path, leaves := (&result{r.certificate, []byte(c.leaves)}).files(t)
			refused(t, check(t, path, leaves), leaves, c.want)
		})
	}
	cards := carryOut(t, "mousetrap-8-hits")
	for name, c := range map[string]struct{ name, value, want string }{
		"no number":  {"cards", "eight", "'eight' is no number from 1 to 64"},
		"too many":   {"cards", "99999999999", "'99999999999' is no number from 1 to 64"},
		"other name": {"deck", "8", "KeyError('cards')"},
	} {
		t.Run("parameters, "+name, func(t *testing.T) {
			t.Parallel()
			r := cards.forged(t, func(d *certificate.Certificate, w []certificate.Window) []certificate.Window {
				d.Params[0] = certificate.Named{Name: c.name, Value: c.value}
				return w
			})
			path, _ := r.files(t)
			refused(t, check(t, "--recompute", path), path, c.want)
		})
	}
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.json")
	refused(t, check(t, missing), missing, "No such file")
	refused(t, check(t, dir), dir, "s a directory")
	certificate, leaves := r.files(t)
	for _, args := range [][]string{{}, {"--recompute"}, {certificate, leaves, leaves}, {"--recompte", certificate}} {
		refused(t, check(t, args...), "usage: check-results", "")
	}
	help := check(t, "--help")
	if help.code != 0 || !strings.Contains(help.stdout, "check-results --recompute CERTIFICATE [LEAVES]") {
		t.Errorf("%+v", help)
	}
	if _, err := os.Stat(filepath.Join(root, "tools/__pycache__")); err == nil {
		t.Error("the checker leaves compiled files beside it")
	}
}

// refused demands exit code 2, and one line that begins with the input's name and contains what.
func refused(t *testing.T, v verdict, where, what string) {
	t.Helper()
	if v.code != 2 || strings.Count(v.stderr, "\n") != 1 || !strings.HasPrefix(v.stderr, "error: "+where) ||
		!strings.Contains(v.stderr, what) {
		t.Errorf("exit code %d, want 2 and a line with %q\n%s%s", v.code, what, v.stdout, v.stderr)
	}
}
