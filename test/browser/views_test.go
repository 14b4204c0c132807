package browser

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// plain is an expression of the page: the text of an element without the blanks that group digits.
func plain(selector string) string {
	return `document.querySelector("` + selector + `").textContent.replaceAll("\u202f", "")`
}

// columns reads a csv file: its lines by the names of their columns.
func columns(t *testing.T, text string) (list []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		list = append(list, row)
	}
	return list
}

// TestViews compares heat map, tables and questions with the output of the program.
func TestViews(t *testing.T) {
	dir := english(t)
	address := serve(t, "--data", dir)
	p := open(t, 1200, 900, address+"#view=heat&after=10")
	p.do(chromedp.WaitVisible(chromedp.CSS(".picture")))
	p.shot("heat")
	p.do(chromedp.Focus(chromedp.CSS("#after")), chromedp.KeyEvent(kb.ArrowRight))
	p.until(`document.querySelector(".heat h2").textContent.startsWith("after 11 jumps")`)
	var holes []string
	for _, row := range columns(t, coordinator(t, "peg", "heatmap", "--data", dir, "--output", "csv")) {
		if row["jumps"] == "11" {
			holes = append(holes, row["label"]+": "+row["solutions"]+" of "+row["all_solutions"])
		}
	}
	shown := value[[]string](p, `[...document.querySelectorAll(".heat-board .picture title")].map((t) => t.textContent)`)
	if len(shown) != len(holes) || len(holes) != 33 {
		t.Fatalf("the page shows %d holes, heatmap %d", len(shown), len(holes))
	}
	for i := range holes {
		if !strings.HasPrefix(shown[i], holes[i]+" (") {
			t.Errorf("the page shows %s, heatmap says %s", shown[i], holes[i])
		}
	}

	p.shades(dir, 11)

	p = open(t, 1200, 900, address+"#view=tables&scale=linear")
	p.do(chromedp.WaitVisible(chromedp.CSS(".bar")))
	p.shot("tables")
	cells := value[[][]string](p, `[...document.querySelectorAll(".scroll tbody tr")].map((row) =>
		[...row.cells].map((cell) => cell.textContent.replaceAll("\u202f", "")))`)
	said := coordinator(t, "export", "--data", dir, "--table", "layers", "--format", "csv")
	var lines []string
	for _, line := range cells {
		lines = append(lines, strings.Join(line, ","))
	}
	if _, body, _ := strings.Cut(said, "\n"); strings.TrimSpace(body) != strings.Join(lines, "\n") {
		t.Errorf("the page shows\n%s\nexport writes\n%s", strings.Join(lines, "\n"), body)
	}
	p.do(chromedp.Focus(chromedp.CSS(".bar")), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.End))
	p.until(plain(".exact") + ` === "jumps 31: 1 winnable positions"`)
	links := value[[]string](p, `[...document.querySelectorAll(".downloads a")].map((a) => a.href)`)
	if len(links) != 8 {
		t.Errorf("downloads: %s", links)
	}
	for _, link := range links {
		if status := value[float64](p, `fetch("`+link+`").then((r) => r.status)`, chromedp.EvalAwaitPromise); status != 200 {
			t.Errorf("%s: %v", link, status)
		}
	}
	layer := p.text(`(() => {
		const choice = document.querySelector('[data-choose="layer"]');
		choice.selectedIndex = choice.length - 5;
		choice.dispatchEvent(new Event("change"));
		return choice.value;
	})()`)
	rows := value[string](p, `fetch(document.querySelector('[data-format="csv"]').href).then((r) => r.text())`,
		chromedp.EvalAwaitPromise)
	if want := coordinator(t, "export", "--data", dir, "--table", "rows", "--layer", layer); rows != want || len(want) < 100 {
		t.Errorf("of layer %s the page exports\n%.300s\nexport\n%.300s", layer, rows, want)
	}

	// With links, each row opens its position on the board.
	p.do(chromedp.Click(chromedp.CSS(`[data-do="links"]`)))
	rows = value[string](p, `fetch(document.querySelector('[data-format="csv"]').href).then((r) => r.text())`,
		chromedp.EvalAwaitPromise)
	linked := coordinator(t, "export", "--data", dir, "--table", "rows", "--layer", layer, "--links", address)
	if list := columns(t, linked); rows != linked || len(list) < 3 {
		t.Errorf("of layer %s the page exports\n%.300s\nexport\n%.300s", layer, rows, linked)
	} else {
		row := list[2]
		p.do(chromedp.Navigate(row["link"]))
		p.until(settled)
		q := p.askPage(row["position"])
		p.says(q)
		if at := p.text(`document.querySelector(".play").dataset.position`); at != q.Position || q.Ways != row["ways"] {
			t.Errorf("%s opens %s with %s ways", row["link"], at, q.Ways)
		}
	}

	p = open(t, 1200, 900, address+"#view=ask&p=peg&q=feasible")
	p.do(chromedp.WaitVisible(chromedp.CSS("form button")), // an example stands in the form
		chromedp.SendKeys(chromedp.CSS("form label:nth-of-type(3) input"), "french"),
		chromedp.Click(chromedp.CSS("form button")), chromedp.WaitVisible(chromedp.CSS("pre")))
	p.shot("ask")
	want := coordinator(t, "peg", "feasible", "center", "center", "--board", "french")
	if got := p.text(`document.querySelector("pre").textContent`); got != want {
		t.Errorf("the page says\n%s\nthe program\n%s", got, want)
	}
}

// shades demands that a larger number in the heat map has a darker hole, and an equal number the same shade. The legend
// must have shades with the numbers that they stand for, the least and the largest included.
func (p *tab) shades(dir string, jumps int) {
	p.t.Helper()
	type shade struct {
		Name  string
		Shade float64
	}
	read := func(selector, name string) []shade {
		return value[[]shade](p, `[...document.querySelectorAll("`+selector+`")].map((g) => {
			const paint = g.querySelector(".paint");
			return { Name: `+name+`, Shade: paint.classList.contains("fill-accent") ? Number(paint.getAttribute("fill-opacity") || 1) : 0 };
		})`)
	}
	of := map[string]string{} // numbers, by hole
	for _, row := range columns(p.t, coordinator(p.t, "peg", "heatmap", "--data", dir, "--output", "csv")) {
		if row["jumps"] == fmt.Sprint(jumps) {
			of[row["label"]] = row["solutions"]
		}
	}
	less := func(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
	holes := read(".heat-board .picture g", `g.querySelector("title").textContent.split(":")[0]`)
	byNumber, least, most := map[string]float64{}, "", "0"
	for _, a := range holes {
		n := of[a.Name]
		byNumber[n] = a.Shade
		if least == "" || less(n, least) {
			least = n
		}
		if less(most, n) {
			most = n
		}
		for _, b := range holes {
			if less(n, of[b.Name]) != (a.Shade < b.Shade) {
				p.t.Errorf("%s has %s and the shade %v, %s has %s and %v", a.Name, n, a.Shade, b.Name, of[b.Name], b.Shade)
			}
		}
	}
	legend := read(".heat .scale li", `g.textContent.replaceAll("\u202f", "").split(" ")[0]`)
	if len(legend) < 2 || len(byNumber) < 5 || legend[0].Name != most || legend[len(legend)-1].Name != least {
		p.t.Fatalf("%d numbers from %s to %s, and the legend %v", len(byNumber), least, most, legend)
	}
	for _, l := range legend {
		if want, ok := byNumber[l.Name]; !ok || want != l.Shade {
			p.t.Errorf("the legend has %s with the shade %v, the board %v", l.Name, l.Shade, want)
		}
	}
}

// TestDeadEnd plays on the triangle, in a small run that is carried out on the page. It goes into a position without a
// solution, and back to the last one with some. Then the page plays a random solution to its end.
func TestDeadEnd(t *testing.T) {
	address := serve(t)
	p := open(t, 1000, 900, address+"#run="+small(t, address, "Triangle of 15"))
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	for p.text(`document.querySelectorAll(".jumps .dead").length`) == "0" {
		n := p.text(`document.querySelectorAll(".game li").length`)
		p.do(chromedp.Click(chromedp.CSS(".jumps tbody tr:last-child button")))
		p.until(`document.querySelectorAll(".game li").length > ` + n)
	}
	n := p.text(`document.querySelectorAll(".game li").length`)
	p.do(chromedp.Click(chromedp.CSS(".jumps .dead button")), chromedp.WaitVisible(chromedp.CSS(".why button")))
	p.shot("dead")
	if said := p.text(`document.querySelector("#verdict").textContent`); !strings.HasPrefix(said, "No solution goes on") {
		t.Errorf("of a dead position the page says %q", said)
	}
	p.do(chromedp.Click(chromedp.CSS(".why button")))
	p.until(`document.querySelectorAll(".game li").length === ` + n + ` && !document.querySelector(".why button")`)
	p.do(chromedp.Click(chromedp.CSS(`[data-do="restart"]`)))
	p.until(`document.querySelectorAll(".game li").length === 1`)
	p.do(chromedp.Click(chromedp.CSS(`[data-do="random"]`)))
	p.until(`document.querySelector("#verdict").textContent.startsWith("Solved")`)
	p.shot("solved")
}

// TestImpossibleJump follows links to games with a jump that cannot be made: the page shows the game up to there, says
// which jump it is and why, and goes on saying so until the game goes on otherwise.
func TestImpossibleJump(t *testing.T) {
	dir := english(t)
	address := serve(t, "--data", dir) + "#board=english&start=44&goal=44&game=46x44.65x45."
	p := open(t, 390, 844, address+"46x44.57x55")
	said := `document.querySelector(".stage .notice")?.textContent || ""`
	for _, c := range []struct{ jump, why string }{
		{"46x44.57x55", "Jump 3 of the 4 in the address, 46x44, cannot be made: hole 46 has no peg then."},
		{"57x55.64x44", "Jump 4 of the 4 in the address, 64x44, cannot be made: hole 44 has a peg then."},
		{"43x45", "Jump 3 of the 3 in the address, 43x45, cannot be made: hole 45 has a peg then."},
		{"57x55.54x56.47x67", "Jump 5 of the 5 in the address, 47x67, cannot be made: the board has no hole 67."},
		{"57x55.55x57", "Jump 4 of the 4 in the address, 55x57, cannot be made: hole 56, over which it would lead, has no peg then."},
		{"46x45", "Jump 3 of the 3 in the address, 46x45, cannot be made: no jump leads from 46 to 45."},
		{"d6-d4", "Jump 3 of the 3 in the address, d6-d4, cannot be made: in an address a jump is written 46x44."},
	} {
		p.do(chromedp.Evaluate[chromedp.Void](`location.hash = ` + quoted(address[strings.Index(address, "#"):]+c.jump)))
		p.until(settled + ` && (` + said + `).startsWith(` + quoted(c.why) + `)`)
		kept := strings.Split("46x44.65x45."+c.jump, ".")
		for n, name := range kept {
			if strings.Contains(c.why, name+", cannot") && n >= 2 {
				kept = kept[:n]
				break
			}
		}
		p.until(`[...document.querySelectorAll(".game li button")].slice(1).map((b) => b.textContent).join(" ") === ` +
			quoted(strings.Join(kept, " ")))
		if at := p.text("location.hash"); !strings.HasSuffix(at, c.jump) {
			t.Errorf("the address becomes %s", at)
		}
	}
	p.fitsPhone("a game with an impossible jump")
	p.shot("phone")
	p.do(chromedp.Click(chromedp.CSS(`[data-do="hint"]`)), chromedp.WaitVisible(chromedp.CSS(".hole.hint")))
	if text := p.text(said); text == "" {
		t.Error("a hint takes the notice away")
	}
	p.do(chromedp.Click(chromedp.CSS(`[data-do="undo"]`)))
	p.played([]string{"46x44"})
	if text := p.text(said); text != "" {
		t.Errorf("of a game without an impossible jump the page says %s", text)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#board=english&start=44&goal=44&at=x3ffffffff"`))
	p.until(`(` + said + `).startsWith("The address names no position of this board: x3ffffffff.")`)
}
