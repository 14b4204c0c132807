package browser

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// bergholt is the shortest solution of the centre game, in 18 moves (E. Bergholt, The Queen, 1912), jump by jump.
var bergholt = strings.Fields(`46x44 65x45 57x55 54x56 52x54 73x53 43x63 75x73 73x53 35x55 15x35 23x43 43x63 63x65
	65x45 45x25 37x57 57x55 55x53 31x33 34x32 51x31 31x33 13x15 15x35 36x34 34x32 32x52 52x54 54x34 24x44`)

// english is a folder with the centre game of the English board, which is carried out once for all tests. No test
// writes to it.
func english(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(bin, "english")
	if _, err := os.Stat(dir); err != nil {
		coordinator(t, "run", "../../configs/english-ways.yaml", "--data", dir)
	}
	return dir
}

// A query is what coordinator peg query says.
type query struct {
	Position  string
	Solutions string
	Ways      string
	Paths     string
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

// askPage is ask, of the API of the page, which takes less time.
func (p *tab) askPage(position string) (q query) {
	p.t.Helper()
	fetch(p.t, p.text(`location.origin + "/runs/" + new URLSearchParams(location.hash.slice(1)).get("run")`)+
		"/v1/peg/query?"+url.Values{"output": {"json"}, "arg": {position}}.Encode(), &q)
	return q
}

// hole is the selector of a hole of the board.
func hole(label string) chromedp.CSS { return chromedp.CSS(`[data-hole="` + label + `"]`) }

// same demands that the page says of its position what the program says of it.
func (p *tab) same(dir string) {
	p.t.Helper()
	p.says(ask(p.t, dir, p.text(`document.querySelector(".play").dataset.position`)))
}

// says demands that the page says of its position what query does.
func (p *tab) says(q query) {
	p.t.Helper()
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

// played waits until the page shows the position after some jumps, with all that is known of it.
func (p *tab) played(jumps []string) {
	p.t.Helper()
	p.until(settled + ` && document.querySelectorAll(".game li").length === ` + strconv.Itoa(len(jumps)+1) +
		` && (new URLSearchParams(location.hash.slice(1)).get("game") || "") === "` + strings.Join(jumps, ".") + `"`)
}

// settled says that the numbers of the position that the page shows are there.
const settled = `document.querySelector(".play")?.dataset.position &&
	document.querySelector(".play").dataset.settled === document.querySelector(".play").dataset.position`

// transferred sums the bytes of the page, its files and its answers, headers included, as the browser counts them. A file
// from the browser's cache counts none.
const transferred = `performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
	.reduce((sum, e) => sum + e.transferSize, 0)`

// maxTransferred bounds the bytes until the board of a run stands there with its numbers.
const maxTransferred = 80_000

// TestBergholt plays Bergholt's solution with the mouse to the end. Every number is that of the program.
func TestBergholt(t *testing.T) {
	dir := english(t)
	address := serve(t, "--data", dir)
	p := open(t, 1200, 900, address)
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.same(dir)
	first := value[int](p, transferred)
	t.Logf("loaded at first: %d bytes of files and answers", first)
	if first < 10_000 || first > maxTransferred {
		t.Errorf("the first view takes %d bytes, want %d at most, and some at least", first, maxTransferred)
	}
	p.shot("start")
	p.do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.until(settled)
	again := value[int](p, transferred)
	t.Logf("loaded again: %d bytes", again)
	if again > first/4 {
		t.Errorf("loaded again, the page takes %d bytes, and %d at first: files are not kept", again, first)
	}
	p.do(chromedp.Evaluate[chromedp.Void](watchMoves))
	defer func() {
		t.Logf("from the click to the drawn move: %s; to its numbers: %s", p.times("drawn"), p.times("told"))
	}()
	t.Logf("loaded again: first paint after %s ms, the first position after %s ms",
		p.text(`Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime)`),
		p.text(`Math.round(performance.getEntriesByName("shown")[0].startTime)`))
	for n, jump := range bergholt {
		from, to, _ := strings.Cut(jump, "x")
		p.do(chromedp.Click(hole(from)), chromedp.WaitVisible(hole(from)+".chosen"))
		if n == 12 {
			p.shot("chosen")
		}
		p.do(chromedp.Click(hole(to)))
		p.played(bergholt[:n+1])
		if n%8 == 0 {
			p.same(dir)
		}
		p.says(p.askPage(p.text(`document.querySelector(".play").dataset.position`)))
		if n == 12 {
			p.shot("middle")
		}
	}
	p.until(`document.querySelector("#verdict").textContent.startsWith("Solved")`)
	p.shot("end")

	// The back button undoes the last jump. The link of that page, opened afresh, shows the same.
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

// TestPhone looks at every view on a screen of 390 pixels, where nothing is wider than it, and plays with a finger: by
// taps, and by drawing a peg.
func TestPhone(t *testing.T) {
	dir := english(t)
	address := serve(t, "--data", dir)
	p := open(t, 390, 844, address+"#view=board", chromedp.EmulateViewport(390, 844, chromedp.EmulateTouch))
	for _, view := range []struct{ name, wait string }{
		{"board", ".jumps"}, {"heat", ".heat .picture"}, {"tables", ".tables .chart"}, {"problem", ".problem .picture"},
		{"ask", "form button"}, {"runs", ".card"},
	} {
		p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#view=`+view.name+`"`),
			chromedp.WaitVisible(chromedp.CSS(view.wait)))
		p.shot(view.name)
		p.fitsPhone("view " + view.name)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#view=board"`), chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.do(p.touch("46"), chromedp.WaitVisible(hole("46")+".chosen"), p.touch("44"))
	p.played([]string{"46x44"})
	p.until(`document.querySelector(".hole.moving[data-hole='65']")`)
	p.do(p.touch("65", "55", "45"))
	p.played([]string{"46x44", "65x45"})
}

// touch puts a finger on a hole, draws it over others, and lifts it.
func (p *tab) touch(labels ...string) chromedp.Action[chromedp.Void] {
	p.t.Helper()
	type point struct{ X, Y float64 }
	var way []point
	for _, label := range labels {
		way = append(way, value[point](p, `(() => {
			const at = document.querySelector("[data-hole='`+label+`']").getBoundingClientRect();
			return { X: at.x + at.width / 2, Y: at.y + at.height / 2 };
		})()`))
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for i, at := range way {
			kind := input.DispatchTouchEventTypeTouchMove
			if i == 0 {
				kind = input.DispatchTouchEventTypeTouchStart
			}
			if _, err := cdp.Call(ctx, t, input.DispatchTouchEvent, input.DispatchTouchEventParams{
				Type: kind, TouchPoints: []*input.TouchPoint{{X: at.X, Y: at.Y}},
			}); err != nil {
				return err
			}
		}
		_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, input.DispatchTouchEventParams{
			Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{},
		})
		return err
	})
}

// TestManyTabs opens more pages than a browser has connections to a server. Each shows its view, and learns of a run
// that another page begins. The page with the stream of events goes; the others still learn of the next run.
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
			p.until(`document.querySelector('.card[data-run="` + id + `"]').dataset.state === "complete"`)
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
