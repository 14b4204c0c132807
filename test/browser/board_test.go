package browser

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// bergholt is the shortest solution of the centre game, in 18 moves (E. Bergholt, The Queen, 1912), jump by jump.
var bergholt = strings.Fields(`46x44 65x45 57x55 54x56 52x54 73x53 43x63 75x73 73x53 35x55 15x35 23x43 43x63 63x65
	65x45 45x25 37x57 57x55 55x53 31x33 34x32 51x31 31x33 13x15 15x35 36x34 34x32 32x52 52x54 54x34 24x44`)

// english carries out the centre game of the English board.
func english(t *testing.T) string {
	dir := t.TempDir() + "/english"
	coordinator(t, "run", "../../configs/english-ways.yaml", "--data", dir)
	return dir
}

// copied is a copy of a folder: the page keeps the folder that it shows for a moment, and the program would wait.
func copied(t *testing.T, dir string) string {
	t.Helper()
	other := t.TempDir() + "/copy"
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return other
}

// A query is what coordinator peg query says.
type query struct {
	Position  string
	Solutions string
	Next      []struct{ Jump, Ways, Solutions string }
}

func ask(t *testing.T, dir, position string) (q query) {
	t.Helper()
	said := coordinator(t, "peg", "query", "--data", dir, "--output", "json", position)
	if err := json.Unmarshal([]byte(said), &q); err != nil {
		t.Fatal(err)
	}
	return q
}

// hole is the selector of a hole of the board.
func hole(label string) chromedp.CSS { return chromedp.CSS(`[data-hole="` + label + `"]`) }

// same demands that the page says of its position what the program says of it.
func (p *tab) same(dir string) {
	p.t.Helper()
	q := ask(p.t, dir, p.text(`document.querySelector(".play").dataset.position`))
	if got := p.text(`document.querySelector(".play").dataset.solutions`); got != q.Solutions {
		p.t.Errorf("%s: the page says %s solutions, query %s", q.Position, got, q.Solutions)
	}
	shown := p.text(`document.querySelector("[data-fact=solutions]").textContent.replaceAll("\u202f", "")`)
	if shown != q.Solutions {
		p.t.Errorf("%s: the page shows %s solutions, query %s", q.Position, shown, q.Solutions)
	}
	rows := value[map[string]string](p, `Object.fromEntries([...document.querySelectorAll("[data-jump]")].map((row) =>
		[row.dataset.jump, row.cells[1].textContent.replaceAll("\u202f", "")]))`)
	if len(rows) != len(q.Next) {
		p.t.Errorf("%s: the page shows %d jumps, query %d", q.Position, len(rows), len(q.Next))
	}
	for _, next := range q.Next {
		if rows[next.Jump] != next.Solutions {
			p.t.Errorf("%s: %s: the page shows %q, query %s", q.Position, next.Jump, rows[next.Jump], next.Solutions)
		}
	}
}

// played waits until the page shows the position after some jumps.
func (p *tab) played(jumps []string) {
	p.t.Helper()
	p.until(`document.querySelectorAll(".game li").length === ` + strconv.Itoa(len(jumps)+1) +
		` && (new URLSearchParams(location.hash.slice(1)).get("game") || "") === "` + strings.Join(jumps, ".") + `"`)
}

// TestBergholt plays Bergholt's solution with the mouse to the end. Every number is that of the program.
func TestBergholt(t *testing.T) {
	dir := english(t)
	address := serve(t, "--data", dir)
	dir = copied(t, dir)
	p := open(t, 1200, 900, address)
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.same(dir)
	p.shot("start")
	for n, jump := range bergholt {
		from, to, _ := strings.Cut(jump, "x")
		p.do(chromedp.Click(hole(from)), chromedp.WaitVisible(hole(from)+".chosen"))
		if n == 12 {
			p.shot("chosen")
		}
		p.do(chromedp.Click(hole(to)))
		p.played(bergholt[:n+1])
		p.same(dir)
		if n == 12 {
			p.shot("middle")
		}
	}
	p.until(`document.querySelector("#verdict").textContent.startsWith("Solved")`)
	p.shot("end")

	// The same link, opened afresh, shows the same; so does the back button.
	p.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	p.played(bergholt[:30])
	p.same(dir)
	link := p.text("location.href")
	other := open(t, 1200, 900, link)
	other.played(bergholt[:30])
	if a, b := p.text(`document.querySelector(".side").textContent`),
		other.text(`document.querySelector(".side").textContent`); a != b {
		t.Errorf("the link shows %q, the game %q", b, a)
	}
}

// TestKeyboard plays with the keyboard alone, into a dead end and back.
func TestKeyboard(t *testing.T) {
	p := open(t, 1200, 900, serve(t)+"#view=board")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps"))) // the small run is carried out first
	for range 40 {                                     // Tab leads to the board
		if p.text(`document.activeElement.hasAttribute("data-hole")`) == "true" {
			break
		}
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	// From the top left hole to 46, two below the centre.
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	for p.text(`document.activeElement.dataset.hole`) != "46" {
		p.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	p.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(hole("46")+".chosen"))
	p.do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
	p.played([]string{"46x44"})
	p.do(chromedp.KeyEvent("u"))
	p.played(nil)
	p.do(chromedp.KeyEvent("r"))
	p.played([]string{"46x44"})
	p.do(chromedp.KeyEvent("h"), chromedp.WaitVisible(chromedp.CSS(".hole.hint")))
	p.shot("hint")
}

// TestPhone looks at every view on a screen of 390 pixels: nothing is wider than it.
func TestPhone(t *testing.T) {
	dir := english(t)
	address := serve(t, "--data", dir)
	for view, wait := range map[string]string{
		"board": ".jumps", "heat": ".picture", "tables": ".chart", "problem": ".picture", "ask": "form button", "runs": ".card",
	} {
		p := open(t, 390, 844, address+"#view="+view)
		p.do(chromedp.WaitVisible(chromedp.CSS(wait)))
		p.shot(view)
		if width := p.text("document.documentElement.scrollWidth"); width != "390" {
			t.Errorf("view %s is %s pixels wide", view, width)
		}
	}
}

// TestManyTabs opens more pages than a browser has connections to a server. Each shows its view, and all of them are
// told of what one begins; so they are when the page that has the stream is gone.
func TestManyTabs(t *testing.T) {
	address := serve(t)
	var tabs []*tab
	for range 8 {
		p := open(t, 800, 600, address+"#view=runs")
		p.do(chromedp.WaitVisible(chromedp.CSS(".card")))
		tabs = append(tabs, p)
	}
	triangles := value[[]string](tabs[0], `[...document.querySelectorAll(".card")].map((c) => c.dataset.run)`)[2:]
	told := func(id string) {
		t.Helper()
		for _, p := range tabs {
			p.until(`document.querySelector('[data-run="` + id + `"]').dataset.state === "complete"`)
		}
	}
	begin := func(id string) {
		t.Helper()
		value[float64](tabs[len(tabs)-1], `fetch("runs/`+id+`/begin", { method: "POST" }).then((r) => r.status)`,
			chromedp.EvalAwaitPromise)
		told(id)
	}
	begin(triangles[0])
	tabs[0].do(chromedp.Navigate("about:blank"))
	tabs = tabs[1:]
	begin(triangles[1])
}
