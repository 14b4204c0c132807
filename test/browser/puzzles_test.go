package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// said is the JSON document that the program prints for a question.
func said[T any](t *testing.T, args ...string) (doc T) {
	t.Helper()
	if err := json.Unmarshal([]byte(coordinator(t, append(args, "--output", "json")...)), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestPuzzles asks questions of the other puzzles by links, and steps through the answers: a grid is solved tile by tile,
// a deck is played, a way is gone, a graph is walked. The page must show the answers that the program prints.
func TestPuzzles(t *testing.T) {
	address := serve(t)
	p := open(t, 1000, 900, address+"#view=ask&p=tiles&q=solve&x.GRID=RVRV/BWBW/RVRV/BWBW")
	p.do(chromedp.WaitVisible(chromedp.CSS(".step .picture")))
	tiles := said[struct {
		Grids []struct {
			Grid  string
			Turns []int
		} `json:"final_grids"`
	}](t, "tiles", "solve", "RVRV/BWBW/RVRV/BWBW")
	letters := `[...document.querySelectorAll(".step .picture g text:first-of-type")].map((e) => e.textContent).join("")`
	if got, want := p.text(letters), "RVRVBWBWRVRVBWBW"; got != want {
		t.Errorf("at first the grid is %s, want %s", got, want)
	}
	final := strings.ReplaceAll(tiles.Grids[0].Grid, "/", "")
	for n := 1; n <= len(final); n++ {
		p.do(chromedp.Click(chromedp.CSS(`.steps [data-do="forward"]`)))
		want := []byte("RVRVBWBWRVRVBWBW")
		for i, turn := range tiles.Grids[0].Turns {
			if turn <= n {
				want[i] = final[i]
			}
		}
		if got := p.text(letters); got != string(want) {
			t.Errorf("after %d tiles the grid is %s, want %s", n, got, want)
		}
		if n == 9 {
			p.shot("tiles")
		}
	}

	// The same page asks the next questions: its form is filled in, and the question goes into the address.
	p.asked("mousetrap", "play")
	deck := said[struct{ Order []int }](t, "mousetrap", "play", "4", "2", "3", "5", "1")
	p.do(chromedp.Focus(chromedp.CSS(".steps input")), chromedp.KeyEvent(kb.End))
	if got, want := p.text(`document.querySelector("[data-step]").textContent`),
		strings.Trim(fmt.Sprint(deck.Order), "[]"); !strings.HasSuffix(got, "in the order "+want) {
		t.Errorf("in the end %q, want the order %s", got, want)
	}
	p.do(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	p.shot("mousetrap")

	p.asked("baseball", "solve")
	way := said[struct {
		Way []struct{ Configuration string }
	}](t, "baseball", "solve", "44|0_|11|22|33")
	for n, move := range way.Way {
		p.until(fmt.Sprintf(`document.querySelector("[data-step='%d']").textContent.endsWith(": %s")`, n, move.Configuration))
		p.do(chromedp.Click(chromedp.CSS(`.steps [data-do="forward"]`)))
	}
	p.shot("baseball")

	p.asked("babylone", "graph")
	graph := said[struct{ Nodes, Edges int }](t, "babylone", "graph", "2x2")
	if got, want := p.text(`document.querySelectorAll(".graph [data-node]").length + " " +
		document.querySelectorAll(".graph .edge").length`), fmt.Sprint(graph.Nodes, graph.Edges); got != want {
		t.Errorf("the graph has %s nodes and edges, want %s", got, want)
	}
	p.do(chromedp.Focus(chromedp.CSS(".graph [data-node]")), chromedp.KeyEvent(kb.ArrowRight))
	p.until(`document.querySelector(".figures .exact").textContent.includes("nimber")`)
	p.shot("babylone")

	// The position of an answer is played from; the browser's back button leads to the question again.
	for _, g := range games {
		for _, question := range []string{"start", g.play} {
			p.asked(g.puzzle, question)
			p.do(chromedp.Click(chromedp.CSS(`[data-do="playFrom"]`)))
			p.until(`document.querySelector(".puzzle-play")?.dataset.position`)
			begun := p.text(`new URLSearchParams(location.hash.slice(1)).get("at")`)
			p.tells(about(t, address, g.puzzle, g.play, begun))
			p.do(chromedp.Evaluate[chromedp.Void](`history.back()`), chromedp.WaitVisible(chromedp.CSS("pre")))
			p.until(`document.querySelector("pre").textContent.includes(` + quoted(begun) + `)`)
		}
	}
}

// words are the arguments that a position is on the command line.
func words(puzzle, position string) []string {
	if puzzle == "mousetrap" {
		return strings.Fields(position)
	}
	return []string{position}
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // it is a text
	}
	return string(b)
}

// asked asks a question as its form stands, and waits for the answer.
func (p *tab) asked(puzzle, question string) {
	p.t.Helper()
	for i, name := range []string{puzzle, question} {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const select = document.querySelectorAll(".choices select")[%d];
			select.value = %q;
			select.dispatchEvent(new Event("change"));
		}`, i, name)))
	}
	p.do(chromedp.Click(chromedp.CSS("form button")), chromedp.WaitVisible(chromedp.CSS("pre")))
}

// TestPairs shows a run of all pairs as a matrix, whose numbers are those of export, and columns of several runs in one
// chart.
func TestPairs(t *testing.T) {
	data := t.TempDir()
	config := t.TempDir() + "/pairs.yaml"
	if err := os.WriteFile(config, []byte("puzzle: peg\nboard: triangle5\npairs: all\ncount: solutions\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	coordinator(t, "run", config, "--data", data+"/a")
	for i, hole := range []string{"r0c0", "r1c0", "r2c1"} {
		coordinator(t, "run", "../../configs/triangle15.yaml", "--set", "start="+hole, "--set", "goal=", "--set", "name="+hole,
			"--data", fmt.Sprintf("%s/b%d", data, i))
	}
	address := serve(t, "--data", data)
	pairs := columns(t, coordinator(t, "export", "--data", data+"/a", "--table", "pairs", "--format", "csv"))
	p := open(t, 1000, 900, address+"#view=tables")
	p.do(chromedp.WaitVisible(chromedp.CSS(".matrix")))
	p.shot("matrix")
	shown := value[map[string]string](p, `Object.fromEntries([...document.querySelectorAll("[data-pair]")].map((g) =>
		[g.dataset.pair, g.dataset.exact]))`)
	if len(shown) != len(pairs) || len(pairs) == 0 {
		t.Fatalf("%d squares, %d pairs", len(shown), len(pairs))
	}
	for _, row := range pairs {
		if got := shown[row["start"]+" "+row["goal"]]; got != row["solutions"] {
			t.Errorf("%s to %s: the page shows %q, export writes %s", row["start"], row["goal"], got, row["solutions"])
		}
	}
	ids := value[[]string](p, `[...document.querySelectorAll("#run option")].filter((o) => o.textContent.startsWith("r"))
		.map((o) => o.value)`)
	p = open(t, 1000, 900, address+"#view=tables&run="+ids[0]+"&column=dead_positions&beside="+ids[1]+"."+ids[2])
	p.do(chromedp.WaitVisible(chromedp.CSS(".chart")))
	p.shot("beside")
	if n := p.text(`document.querySelectorAll(".legend li").length + " " + document.querySelectorAll(".bar.series-2").length`); n !=
		"3 "+fmt.Sprint(len(columns(t, coordinator(t, "export", "--data", data+"/b2", "--table", "layers", "--format", "csv")))) {
		t.Errorf("runs and bars of the third: %s", n)
	}
	// The mouse over a bar: the numbers of all runs at that place, in full.
	at := value[struct{ X, Y float64 }](p, `(() => {
		const r = document.querySelector('.bar.series-0[aria-label^="r0c0: jumps 10:"]').getBoundingClientRect();
		return { X: r.x + r.width / 2, Y: r.y + r.height / 2 };
	})()`)
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchMouseEvent,
			input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y})
		return err
	}))
	want := map[string]string{}
	for i, hole := range []string{"r0c0", "r1c0", "r2c1"} {
		for _, row := range columns(t, coordinator(t, "export", "--data", fmt.Sprintf("%s/b%d", data, i),
			"--table", "layers", "--format", "csv")) {
			if row["jumps"] == "10" {
				want[hole] = row["dead_positions"]
			}
		}
	}
	var beside []string
	for _, name := range value[[]string](p, `[...document.querySelectorAll(".legend li")].map((e) => e.textContent)`) {
		beside = append(beside, want[name]+" ("+name+")")
	}
	p.until(plain(".exact") + ` === ` + quoted("jumps 10: dead positions "+strings.Join(beside, ", ")))
}

// TestFinals shows the finals of tile grids as a table and as a chart: every number is that of export, and a key moves
// from one to the next.
func TestFinals(t *testing.T) {
	dir := t.TempDir() + "/run"
	coordinator(t, "run", "../../configs/tiles-3x3.yaml", "--data", dir)
	address := serve(t, "--data", dir)
	p := open(t, 1000, 900, address+"#view=tables&table=finals&column=raw")
	p.do(chromedp.WaitVisible(chromedp.CSS("[data-chart] .bar")))
	p.shot("finals")
	cells := value[[][]string](p, `[...document.querySelectorAll(".scroll tbody tr")].map((row) =>
		[...row.cells].map((cell) => cell.textContent.replaceAll("\u202f", "")))`)
	var rows, bars []string
	for _, row := range columns(t, coordinator(t, "export", "--data", dir, "--table", "finals", "--format", "csv")) {
		rows = append(rows, row["finals"]+" "+row["classes"]+" "+row["raw"])
		bars = append(bars, "finals "+row["finals"]+": "+row["raw"]+" raw")
	}
	var shown []string
	for _, line := range cells {
		shown = append(shown, strings.Join(line, " "))
	}
	if !slices.Equal(shown, rows) || len(rows) != 15 {
		t.Errorf("the page shows\n%s\nexport writes\n%s", strings.Join(shown, "\n"), strings.Join(rows, "\n"))
	}
	p.do(chromedp.Focus(chromedp.CSS("[data-chart] .bar")))
	for _, bar := range bars {
		p.until(plain("[data-chart] .exact") + ` === ` + quoted(bar))
		p.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	// A run of tile grids has rows of classes to export, in its one layer.
	offered := p.text(`[...document.querySelectorAll('[data-choose="layer"] option')].map((o) => o.textContent).join()`)
	if offered != "of layer 0" {
		t.Errorf("rows are offered %q", offered)
	}
	link := p.text(`document.querySelector('[data-format="csv"]').href`)
	got := value[string](p, `fetch("`+link+`").then((r) => r.text())`, chromedp.EvalAwaitPromise)
	if want := coordinator(t, "export", "--data", dir, "--table", "rows", "--layer", "0"); got != want || len(want) < 100 {
		t.Errorf("the page exports\n%.300s\nexport\n%.300s", got, want)
	}
}
