package browser

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

var (
	inputs   = flag.Int("inputs", 1000, "clicks and keys of TestFastInput")
	moves    = flag.Int("moves", 100, "jumps of TestPace")
	fastSeed = flag.Uint64("seed", 0, "seed of TestFastInput and TestFastGame; 0: a new one")
)

// seeded draws random numbers from the seed of the flag, or from a new one, and logs the seed. Each test has a stream.
func seeded(t *testing.T, stream uint64) *rand.Rand {
	t.Helper()
	seed := *fastSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, stream))
}

// hold has the page's questions wait in the network until held(n) lets the first n of them go, or all with no number.
const hold = `{
	const real = fetch;
	const waiting = [];
	window.held = (n = waiting.length) => waiting.splice(0, n).forEach((go) => go());
	window.holding = true;
	window.fetch = (path, options) => {
		if (!holding || !/\/answer\/|^puzzles\/.+\//.test(path)) return real(path, options);
		return new Promise((go) => waiting.push(go)).then(() => real(path, options));
	};
	window.release = () => { holding = false; held(); };
}`

// places is the script that returns the places and sizes of the board, the buttons, the jumps, the facts and the game.
const places = `JSON.stringify([".board", ".buttons", ".jumps", ".jumps button", ".facts", ".game"].map((part) => {
	const { x, y, width, height } = document.querySelector(part).getBoundingClientRect();
	return [part, x, y, width, height];
}))`

// model is the page's board, as slowly and plainly as can be: what clicks and keys make of a game on the English board.
type model struct {
	line   [][3]string // from, over, to; those that were undone included
	made   int
	chosen string
	// shown are the positions after every input that changes it: the labels of the pegs.
	shown []string
}

var englishHoles = func() (list []string) {
	for row := range 7 {
		for column := range 7 {
			if row > 1 && row < 5 || column > 1 && column < 5 {
				list = append(list, fmt.Sprintf("%d%d", column+1, row+1))
			}
		}
	}
	return list
}()

// pegs are the holes with a peg after so many jumps: all but the centre, and then what the jumps leave.
func (m *model) pegs() map[string]bool {
	pegs := map[string]bool{}
	for _, h := range englishHoles {
		pegs[h] = h != "44"
	}
	for _, jump := range m.line[:m.made] {
		pegs[jump[0]], pegs[jump[1]], pegs[jump[2]] = false, false, true
	}
	return pegs
}

// drawing lists the holes with a peg.
func (m *model) drawing() string {
	pegs := m.pegs()
	var list []string
	for _, h := range englishHoles {
		if pegs[h] {
			list = append(list, h)
		}
	}
	return strings.Join(list, " ")
}

// from lists the jumps of the peg in a hole.
func (m *model) from(hole string) (list [][3]string) {
	pegs := m.pegs()
	if !pegs[hole] {
		return nil
	}
	for _, way := range [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
		over := string([]byte{hole[0] + byte(way[0]), hole[1] + byte(way[1])})
		to := string([]byte{hole[0] + byte(2*way[0]), hole[1] + byte(2*way[1])})
		if pegs[over] && slices.Contains(englishHoles, to) && !pegs[to] {
			list = append(list, [3]string{hole, over, to})
		}
	}
	return list
}

// moved goes to the position after so many jumps of the line.
func (m *model) moved(made int) {
	m.made, m.chosen = made, ""
	m.shown = append(m.shown, m.drawing())
}

// click takes a click on a hole.
func (m *model) click(hole string) {
	for _, jump := range m.from(m.chosen) {
		if m.chosen != "" && jump[2] == hole {
			if m.made == len(m.line) || m.line[m.made] != jump {
				m.line = append(m.line[:m.made:m.made], jump)
			}
			m.moved(m.made + 1)
			return
		}
	}
	if len(m.from(hole)) > 0 && m.chosen != hole {
		m.chosen = hole
	} else {
		m.chosen = ""
	}
}

// take takes a key, or the button of that name.
func (m *model) take(key string) {
	switch {
	case key == "u" && m.made > 0:
		m.moved(m.made - 1)
	case key == "r" && m.made < len(m.line):
		m.moved(m.made + 1)
	case key == "again" && m.made > 0:
		m.moved(0)
	}
}

// game is the game as it stands in the address.
func (m *model) game() string {
	var list []string
	for _, jump := range m.line[:m.made] {
		list = append(list, jump[0]+"x"+jump[2])
	}
	return strings.Join(list, ".")
}

// next draws an input: a hole, or a key. Most holes are those that lead on, so that games have some depth.
func (m *model) next(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n < 8:
		return "u"
	case n < 16:
		return "r"
	case n < 17:
		return "again"
	case n < 25:
		return englishHoles[r.IntN(len(englishHoles))]
	case m.chosen != "":
		jumps := m.from(m.chosen)
		return jumps[r.IntN(len(jumps))][2]
	}
	for range 1000 {
		if h := englishHoles[r.IntN(len(englishHoles))]; len(m.from(h)) > 0 {
			return h
		}
	}
	return "again" // no peg can jump
}

// press presses the mouse at a point and lets it go.
func press(x, y float64) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		return errors.Join(mouse(ctx, t, input.DispatchMouseEventTypeMousePressed, x, y),
			mouse(ctx, t, input.DispatchMouseEventTypeMouseReleased, x, y))
	})
}

// mouse does one thing with the mouse at a point.
func mouse(ctx context.Context, t *chromedp.Target, kind input.DispatchMouseEventType, x, y float64) error {
	_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y,
		Button: input.MouseButtonLeft, ClickCount: 1})
	return err
}

// centres are the middles of elements of the page, by what names them.
func (p *tab) centres() map[string][2]float64 {
	p.t.Helper()
	return value[map[string][2]float64](p, `Object.fromEntries(
		[...document.querySelectorAll("[data-hole], [data-name], [data-do]")].map((part) => {
			const at = part.getBoundingClientRect();
			return [part.dataset.hole || part.dataset.name || part.dataset.do, [at.x + at.width / 2, at.y + at.height / 2]];
		}))`)
}

// watchMoves makes the page note each position that it shows, as the labels of its pegs, and the delay after the input
// before: in drawn until the position is shown, in told until its numbers are.
const watchMoves = `{
	const node = document.querySelector(".play");
	window.seen = [];
	window.drawn = [];
	window.told = [];
	window.began = performance.now();
	let at = 0;
	for (const kind of ["click", "keydown"]) addEventListener(kind, (e) => { at = e.timeStamp; }, { capture: true });
	const pegs = () => [...document.querySelectorAll(".hole.full")].map((h) => h.dataset.hole).join(" ");
	new MutationObserver((list) => {
		for (const one of list) {
			if (one.attributeName === "data-position") { seen.push(pegs()); drawn.push(performance.now() - at); }
			else told.push(performance.now() - at);
		}
	}).observe(node, { attributeFilter: ["data-position", "data-settled"] });
}`

// times describes the times that the page has noted, for a look at them.
func (p *tab) times(name string) string {
	p.t.Helper()
	list := value[[]float64](p, name)
	if len(list) == 0 {
		return "none"
	}
	slices.Sort(list)
	return fmt.Sprintf("%d, half within %.1f ms, 99 %% within %.1f ms, all within %.1f ms",
		len(list), list[len(list)/2], list[len(list)*99/100], list[len(list)-1])
}

// TestDrawnBeforeAnswer holds the server's answers back. The page draws jumps, undo and redo without them. When the
// answer comes, the page gives the hint that was asked for. A peg that was taken up stays so, and nothing moves.
func TestDrawnBeforeAnswer(t *testing.T) {
	p := open(t, 1200, 900, serve(t, "--data", english(t))+"#view=board")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.until(settled)
	p.do(chromedp.Evaluate[chromedp.Void](hold))
	shows := func(game string) {
		t.Helper()
		p.until(`[...document.querySelectorAll(".game li button")].slice(1).map((b) => b.textContent).join(".") === "` + game + `"`)
		if game != "" && p.text(settled) == "true" {
			t.Errorf("%s: it has an answer, which was held back", game)
		}
	}
	jump := func(from, to string) {
		t.Helper()
		p.do(chromedp.Click(hole(from)), chromedp.WaitVisible(hole(from)+".chosen"), chromedp.Click(hole(to)))
	}
	jump("46", "44")
	jump("65", "45")
	jump("57", "55")
	shows("46x44.65x45.57x55")
	p.do(chromedp.KeyEvent("u"), chromedp.KeyEvent("u"), chromedp.KeyEvent("u"))
	p.until(`document.querySelectorAll(".game li").length === 1`)
	p.do(chromedp.KeyEvent("r"), chromedp.KeyEvent("r"))
	shows("46x44.65x45")
	if on := p.text(`document.activeElement.dataset.hole`); on != "55" {
		t.Errorf("the focus is on %s, want hole 55, which was clicked last", on)
	}
	p.do(chromedp.KeyEvent("h"), chromedp.Click(hole("57")), chromedp.WaitVisible(hole("57")+".chosen"))
	before := p.text(places)
	p.shot("before")
	p.do(chromedp.Evaluate[chromedp.Void](`release()`))
	p.until(settled)
	p.until(`document.querySelector(".arrow.on")`)
	p.do(chromedp.WaitVisible(hole("57") + ".chosen"))
	if after := p.text(places); before != after {
		t.Errorf("the answer moves what is there:\n%s\n%s", before, after)
	}
	p.shot("after")
	p.played([]string{"46x44", "65x45"})
	p.says(p.askPage(p.text(`document.querySelector(".play").dataset.position`)))
}

// TestFastInput sends clicks and keys as fast as the browser takes them, while answers come late. Every position is shown
// that a slow model of them goes through, in that order, and in the end both are the same.
func TestFastInput(t *testing.T) {
	r := seeded(t, 1)
	p := open(t, 1200, 1000, serve(t, "--data", english(t))+"#view=board")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.until(settled)
	p.do(chromedp.Evaluate[chromedp.Void](hold), chromedp.Evaluate[chromedp.Void](watchMoves))
	at := p.centres()
	p.do(press(at["44"][0], at["44"][1])) // the keys are for the board
	m := &model{}
	for n := range *inputs {
		switch in := m.next(r); in {
		case "u", "r":
			p.do(chromedp.KeyEvent(in))
			m.take(in)
		case "again":
			p.do(press(at["restart"][0], at["restart"][1]))
			m.take(in)
		default:
			p.do(press(at[in][0], at[in][1]))
			m.click(in)
		}
		if n%7 == 0 {
			p.do(chromedp.Evaluate[chromedp.Void](`held(1)`)) // one answer comes, among newer questions and abandoned ones
		}
	}
	seen := value[[]string](p, `seen`)
	for i := range max(len(seen), len(m.shown)) {
		if i >= len(seen) || i >= len(m.shown) || seen[i] != m.shown[i] {
			t.Fatalf("after %d positions of %d the page and the model, which has %d, part", i, len(seen), len(m.shown))
		}
	}
	if chosen := p.text(`document.querySelector(".hole.chosen")?.dataset.hole || ""`); chosen != m.chosen {
		t.Errorf("peg %q is taken up, want %q", chosen, m.chosen)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`release()`))
	p.until(settled + ` && (new URLSearchParams(location.hash.slice(1)).get("game") || "") === "` + m.game() + `"`)
	p.says(p.askPage(p.text(`document.querySelector(".play").dataset.position`)))
	t.Logf("%d positions; from the input to the drawn move: %s", len(seen), p.times("drawn"))
}

// TestPace plays as a person does who looks at each position for a moment, and prints how long the numbers take, and what
// part of that the server took.
func TestPace(t *testing.T) {
	p := open(t, 1200, 1000, serve(t, "--data", english(t))+"#view=board")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.until(settled)
	p.do(chromedp.Evaluate[chromedp.Void](watchMoves))
	var game []string
	for n := range *moves {
		p.do(chromedp.Sleep(100 * time.Millisecond))
		if p.text(`document.querySelectorAll(".jumps tbody tr:not(.dead)").length`) == "0" {
			p.do(chromedp.Click(chromedp.CSS(`[data-do="restart"]`)))
			game = nil
		} else {
			row := fmt.Sprintf("(n => n[%d %% Math.min(3, n.length)])([...document.querySelectorAll('.jumps tbody tr:not(.dead)')])", n)
			game = append(game, p.text(row+`.dataset.jump`))
			p.do(chromedp.Evaluate[chromedp.Void](row + `.querySelector("button").click()`))
		}
		p.played(game)
	}
	t.Logf("to the drawn move: %s", p.times("drawn"))
	t.Logf("to its numbers: %s", p.times("told"))
	t.Logf("answers of the server: %s", p.times(`performance.getEntriesByType("resource").filter((e) => e.startTime > began && e.name.includes("/answer/")).
		flatMap((e) => e.serverTiming.map((one) => one.duration))`))
}

// TestUndoWhilePlaying undoes while a random solution is played: playing ends, and the jump is undone. A solution
// played to its end is one entry of the history.
func TestUndoWhilePlaying(t *testing.T) {
	address := serve(t)
	p := open(t, 1000, 900, address+"#view=board&run="+small(t, address, "Triangle of 15"))
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.until(settled)
	before := value[float64](p, `history.length`)
	p.do(chromedp.Focus(chromedp.CSS(`[data-hole="a1"]`)), chromedp.KeyEvent("p"))
	p.until(`document.querySelector("#verdict").textContent.startsWith("Solved")`)
	p.until(`new URLSearchParams(location.hash.slice(1)).get("game")?.split(".").length === 13`)
	if n := value[float64](p, `history.length`) - before; n != 1 {
		t.Errorf("a random solution adds %v entries to the history, want 1", n)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	p.played(nil)

	// The clock stands still between two jumps.
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const real = setTimeout;
		window.setTimeout = (fn, time = 0, ...more) => (time > 120 ? (window.due = fn, 0) : real(fn, time, ...more));
	}`), chromedp.Focus(chromedp.CSS(`[data-hole="a1"]`)), chromedp.KeyEvent("p"))
	for n := 2; n <= 3; n++ {
		p.until(fmt.Sprintf(`window.due && document.querySelectorAll(".game li").length === %d`, n))
		p.do(chromedp.Evaluate[chromedp.Void](`{ const fn = due; window.due = undefined; fn(); }`))
	}
	p.until(`document.querySelectorAll(".game li").length === 4`)
	played := value[[]string](p, `[...document.querySelectorAll(".game li button")].slice(1).map((b) => b.textContent)`)
	p.do(chromedp.KeyEvent("u"))
	p.played(played[:2])
	if label := p.text(`document.querySelector('[data-do="random"]').textContent`); label != "Play a random solution" {
		t.Errorf("after Undo the button says %q", label)
	}
	if focus := p.text(`document.activeElement.dataset.hole`); focus != "a1" {
		t.Errorf("the focus is on %s, want hole a1", focus)
	}
	p.do(chromedp.KeyEvent("u"), chromedp.KeyEvent("u"), chromedp.KeyEvent("u"), chromedp.KeyEvent("r"), chromedp.KeyEvent("r"), chromedp.KeyEvent("r"))
	p.played(played)
}
