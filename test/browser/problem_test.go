package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestProblem chooses a start and a goal on the triangle, of which the page says that a game leads there, and plays on
// that board.
func TestProblem(t *testing.T) {
	p := open(t, 1200, 900, serve(t)+"#view=problem&of=triangle5")
	p.do(chromedp.WaitVisible(chromedp.CSS(".pair .picture")))
	p.do(chromedp.Click(chromedp.CSS(`.pair figure:nth-child(1) [data-number="4"]`)))
	// From the middle of the third row all but one of the goals are forbidden.
	p.until(`[...document.querySelectorAll(".pair figure:nth-child(2) [data-number]")].length === 15 &&
		![...document.querySelectorAll(".pair figure:nth-child(2) [data-number]")].some((g) =>
			g.getAttribute("aria-label").endsWith("not decided"))`)
	p.shot("goals")
	goals := value[[]string](p, `[...document.querySelectorAll(".pair figure:nth-child(2) [data-number]")]
		.filter((g) => g.getAttribute("aria-label").endsWith("a game leads there")).map((g) => g.dataset.number)`)
	if len(goals) != 1 || goals[0] != "12" {
		t.Fatalf("goals %q, want the middle of the last row alone", goals)
	}
	p.do(chromedp.Click(chromedp.CSS(`.pair figure:nth-child(2) [data-number="12"]`)),
		chromedp.WaitVisible(chromedp.CSS(".jumps")))
	if n := p.text(plain("[data-fact=all]")); n != "1550" {
		t.Errorf("it has %s solutions, want 1550", n)
	}
	p.shot("board")
}

// TestPairsMap counts all pairs of a board, and compares the number of every pair with those of the command line. A board of
// a run in a folder, which is not among the small ones, has its map, too.
func TestPairsMap(t *testing.T) {
	dir := t.TempDir()
	configs := map[string]string{}
	for _, board := range []string{"triangle5", "triangle6", "hexagon19"} {
		path := dir + "/" + board + ".yaml"
		configs[board] = path
		text := "puzzle: peg\nname: " + board + "\nboard: " + board + "\ncount: solutions\npairs: all\nretention: last\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		coordinator(t, "run", path, "--data", dir+"/"+board)
	}
	p := open(t, 1200, 900, serve(t, "--data", dir+"/hexagon19", "--data", dir+"/triangle6")+"#view=problem&of=triangle5")
	p.do(chromedp.WaitVisible(chromedp.CSS(`[data-do="pairs"]`)), chromedp.Click(chromedp.CSS(`[data-do="pairs"]`)))
	p.until(`document.querySelector('[data-do="pairs"]').hidden && document.querySelector(".problem progress").hidden`)
	p.shot("starts")
	for board := range configs {
		p.pairsMap(board, dir+"/"+board)
		p.shot(board)
	}
	// On a phone the numbers of a map can be read: digits are ten pixels high at least, as those of its names.
	q := open(t, 390, 844, p.text("location.href.split('#')[0]")+"#view=problem&of=triangle6&start=0")
	q.do(chromedp.WaitVisible(chromedp.CSS(".goals")))
	q.fitsPhone("a map")
	if size := value[float64](q, `Math.min(...[...document.querySelectorAll(".pair text")].map((t) =>
		parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a))`); size < 10 {
		t.Errorf("a text has %v pixels", size)
	}
	q.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".pair figure:nth-child(2)").scrollIntoView()`))
	q.shot("phone")
}

// TestEnglishPairs shows a run of 18,167 windows, that of all pairs of the English board: its table and its map of goals,
// with every number against the command line. It prints how long each takes in the page from its address to its numbers.
func TestEnglishPairs(t *testing.T) {
	dir := filepath.Join(bin, "english-pairs")
	if _, err := os.Stat(dir); err != nil {
		coordinator(t, "run", "../../configs/english-pairs.yaml", "--data", dir)
	}
	p := open(t, 1200, 900, serve(t, "--data", dir)+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(".card")))
	list := value[[]string](p, `fetch("runs").then((r) => r.json()).then((list) => list.filter((r) => !r.small).map((r) => r.id))`,
		chromedp.EvalAwaitPromise)
	shown := func(view, when string) {
		t.Helper()
		took := value[float64](p, `(async () => {
			const begun = performance.now();
			location.hash = `+quoted("run="+list[0]+"&view="+view)+`;
			while (!(`+when+`)) await new Promise(requestAnimationFrame);
			return performance.now() - begun;
		})()`, chromedp.EvalAwaitPromise)
		t.Logf("%s: %.0f ms", view, took)
	}
	const cells = `document.querySelectorAll('[data-table="pairs"] tbody tr')`
	shown("tables&table=pairs", cells+".length > 0")
	p.shot("table")
	want := columns(t, coordinator(t, "export", "--data", dir, "--table", "pairs", "--format", "csv"))
	rows := value[[]map[string]string](p, `[...`+cells+`].map((tr) => Object.fromEntries([...tr.closest("table").querySelectorAll("th")]
		.map((th, i) => [th.dataset.column, tr.cells[i].textContent.replaceAll("\u202f", "")])))`)
	if len(rows) != 21 || len(want) != len(rows) {
		t.Fatalf("%d rows, export has %d, and there are 21 classes", len(rows), len(want))
	}
	for i, row := range want {
		if !maps.Equal(row, rows[i]) {
			t.Errorf("row %d: %v, want %v", i, rows[i], row)
		}
	}
	shown("problem&of=english&start=16", `document.querySelectorAll(".pair figure:nth-child(2) [data-solutions]").length === 33`)
	p.shot("map")
	p.pairsMap("english", dir)
}

// TestCountedWhileOpening counts all pairs of a board before the view has an answer about the board, and sees the counts all
// the same: no change of a run is missed by a view that is about to open. Until then no button is there, which would move
// away from under a click when the texts above it come.
func TestCountedWhileOpening(t *testing.T) {
	p := open(t, 1200, 900, serve(t)+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(".card")))
	value[bool](p, `{
		const real = fetch;
		const release = new Promise((go) => window.answer = go);
		window.fetch = (path, options) => String(path).includes("/feasible")
			? real(path, options).then((said) => release.then(() => said)) : real(path, options);
		location.hash = "#view=problem&of=triangle5";
		true;
	}`)
	p.until(`document.querySelector(".problem select") !== null`)
	if value[bool](p, `document.querySelector('[data-do="pairs"]').checkVisibility()`) {
		t.Error("the button is there before the texts above it")
	}
	// The page knows that the run is complete: its head says so.
	id := value[string](p, `(async () => {
		const offered = await (await fetch("problems?board=triangle5", { method: "POST" })).json();
		await fetch("runs/" + offered.id + "/begin", { method: "POST" });
		for (;;) {
			const run = (await (await fetch("runs")).json()).find((r) => r.pairs && r.status.state === "complete");
			if (run) return run.id;
			await new Promise((go) => setTimeout(go, 20));
		}
	})()`, chromedp.EvalAwaitPromise)
	p.until(`document.querySelector('#run option[value="` + id + `"]')?.textContent.endsWith("(` + id + `)")`)
	value[bool](p, `answer() || true`)
	p.until(`document.querySelector('[data-do="pairs"]').hidden &&
		[...document.querySelectorAll(".pair figure:nth-child(1) text")].some((t) => t.textContent === "4")`)
}

// pairsMap looks at every start on the map of a board, and compares the number of every goal with that of peg pairs, whose
// list it returns: the solutions, by the names of start and goal.
func (p *tab) pairsMap(board, dir string) map[string]string {
	p.t.Helper()
	p.do(chromedp.Navigate(p.text("location.href.split('#')[0]") +
		"#" + url.Values{"view": {"problem"}, "of": {board}}.Encode()))
	p.until(`document.querySelector(".problem")?.dataset.of === ` + quoted(board))
	var want struct {
		Pairs []struct{ Start, Goal, Solutions string }
	}
	said := coordinator(p.t, "peg", "pairs", "--data", dir, "--output", "json")
	if err := json.Unmarshal([]byte(said), &want); err != nil || len(want.Pairs) == 0 {
		p.t.Fatalf("%v\n%s", err, said)
	}
	numbers := map[string]string{}
	for _, pair := range want.Pairs {
		numbers[pair.Start+" "+pair.Goal] = pair.Solutions
	}
	holes := value[[]string](p, `[...document.querySelectorAll(".pair figure:nth-child(1) [data-number]")]
		.map((g) => g.dataset.at)`)
	for n, start := range holes {
		p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(`.pair figure:nth-child(1) [data-number="%d"]`, n))))
		p.until(`document.querySelectorAll(".pair figure:nth-child(2) [data-solutions]").length === ` + fmt.Sprint(len(holes)) +
			fmt.Sprintf(` && document.querySelector('.pair figure:nth-child(1) [data-number="%d"]').ariaPressed === "true"`, n))
		shown := value[[]string](p, `[...document.querySelectorAll(".pair figure:nth-child(2) [data-solutions]")]
			.map((g) => g.dataset.solutions)`)
		listed := value[map[string]string](p, `Object.fromEntries([...document.querySelectorAll("[data-goal]")]
			.map((row) => [row.dataset.goal, row.cells[1].textContent.replaceAll("\u202f", "")]))`)
		p.inHoles(shown)
		for i, goal := range holes {
			if n := cmp.Or(listed[fmt.Sprint(i)], "0"); n != shown[i] {
				p.t.Errorf("%s, %s to %s: the table says %s, the map %s", board, start, goal, n, shown[i])
			}
			if want := cmp.Or(numbers[start+" "+goal], "0"); shown[i] != want {
				p.t.Errorf("%s, %s to %s: the page says %s, peg pairs %s", board, start, goal, shown[i], want)
			}
		}
	}
	return numbers
}

// inHoles demands that each hole of the map of goals has its name and its number of solutions, and that the text lies
// within the hole. Numbers of up to six digits are exact; larger ones show their first two.
func (p *tab) inHoles(solutions []string) {
	p.t.Helper()
	type text struct {
		Name, Count string
		Fits        bool
	}
	for i, hole := range value[[]text](p, `[...document.querySelectorAll(".pair figure:nth-child(2) [data-solutions]")].map((g) => {
		const [label, over] = g.querySelectorAll("text");
		const circle = g.querySelector(".paint").getBoundingClientRect();
		const fits = [...g.querySelectorAll("text")].every((t) => {
			const at = t.getBoundingClientRect();
			return at.width <= circle.width && at.left >= circle.left && at.right <= circle.right;
		});
		return over ? { Name: over.textContent, Count: label.textContent.replaceAll("\u202f", ""), Fits: fits }
			: { Name: label.textContent, Count: "", Fits: fits };
	})`) {
		want := solutions[i]
		switch n, _ := new(big.Int).SetString(want, 10); {
		case want == "0":
			want = ""
		case len(want) > 6:
			want = new(big.Float).SetInt(n).Text('e', 1)
			mantissa, exponent, _ := strings.Cut(want, "e+")
			want = mantissa + "e" + strings.TrimLeft(exponent, "0")
		}
		if hole.Count != want || hole.Name == "" || !hole.Fits {
			p.t.Errorf("hole %q has the text %q, want %q; within the hole: %v", hole.Name, hole.Count, want, hole.Fits)
		}
	}
}

// TestDrawnBoard chooses start and goal on a board that a config draws, of which a run has counted all pairs: every
// number is that of the command line, though the run has the name of another board. The problem that is chosen is carried
// out and played on that board, and has as many solutions as the pair.
func TestDrawnBoard(t *testing.T) {
	dir := t.TempDir()
	config := "puzzle: peg\nname: english\nlattice: triangular\ndrawing: |\n  ooo-\n  oooo\n  oooo\n  -ooo\n" +
		"count: solutions\npairs: all\n"
	if err := os.WriteFile(dir+"/drawn.yaml", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	coordinator(t, "run", dir+"/drawn.yaml", "--data", dir+"/run")
	p := open(t, 1200, 900, serve(t, "--data", dir+"/run")+"#view=problem")
	p.do(chromedp.WaitVisible(chromedp.CSS(".pair .picture")))
	board := p.text(`[...document.querySelectorAll(".problem option")]
		.find((o) => o.textContent === "english (drawn)").value`)
	numbers := p.pairsMap(board, dir+"/run")
	p.shot("map")
	press := func(figure int, hole string) {
		t.Helper()
		n := p.text(fmt.Sprintf(`[...document.querySelectorAll(".pair figure:nth-child(%d) [data-number]")]
			.find((g) => g.dataset.at === "%s").dataset.number`, figure, hole))
		p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(`.pair figure:nth-child(%d) [data-number="%s"]`, figure, n))))
	}
	press(1, "r1c1")
	p.until(`document.querySelector('.pair figure:nth-child(1) [data-at="r1c1"]').ariaPressed === "true" &&
		document.querySelector('.pair figure:nth-child(2) [data-solutions="` + numbers["r1c1 r2c2"] + `"]')`)
	press(2, "r2c2")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	if n := p.text(plain("[data-fact=all]")); n != numbers["r1c1 r2c2"] || n != "38078" {
		t.Errorf("it has %s solutions, the pair %s", n, numbers["r1c1 r2c2"])
	}
	if n := p.text(`document.querySelectorAll("[data-hole]").length`); n != "14" {
		t.Errorf("the board has %s holes", n)
	}
	p.shot("board")
}
