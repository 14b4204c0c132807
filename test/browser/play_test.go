package browser

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// small is the ID of the small run whose title begins so.
func small(t *testing.T, address, title string) string {
	t.Helper()
	var list []struct{ ID, Title string }
	fetch(t, address+"runs", &list)
	for _, r := range list {
		if strings.HasPrefix(r.Title, title) {
			return r.ID
		}
	}
	t.Fatalf("no small run is called %s", title)
	return ""
}

// drag presses the mouse on a hole, moves it over others, and lets it go over the last one.
func (p *tab) drag(labels ...string) chromedp.Action[chromedp.Void] {
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
		send := func(kind input.DispatchMouseEventType, at point, buttons int64) error {
			_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y,
				Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1})
			return err
		}
		if err := send(input.DispatchMouseEventTypeMousePressed, way[0], 1); err != nil {
			return err
		}
		for _, at := range way[1:] {
			if err := send(input.DispatchMouseEventTypeMouseMoved, at, 1); err != nil {
				return err
			}
		}
		return send(input.DispatchMouseEventTypeMouseReleased, way[len(way)-1], 0)
	})
}

// TestDrag draws pegs with the mouse: to the hole of a jump, which plays it, and to another one, which lays it back. A
// click afterwards is a click.
func TestDrag(t *testing.T) {
	p := open(t, 1200, 900, serve(t, "--data", english(t))+"#view=board")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.do(p.drag("46", "45", "44"))
	p.played([]string{"46x44"})
	p.until(`document.querySelector(".hole.moving[data-hole='65']")`)
	p.do(p.drag("65", "55", "37"))
	p.until(`document.querySelector(".flying").getAttribute("visibility") === "hidden" &&
		!document.querySelector(".chosen")`)
	p.played([]string{"46x44"})
	p.do(p.drag("65", "55", "45"))
	p.played([]string{"46x44", "65x45"})
	p.until(`document.querySelector(".hole.moving[data-hole='57']")`)
	p.do(chromedp.Click(hole("57")), chromedp.WaitVisible(hole("57")+".chosen"), chromedp.Click(hole("55")))
	p.played([]string{"46x44", "65x45", "57x55"})
	p.says(p.askPage(p.text(`document.querySelector(".play").dataset.position`)))
}

// TestSpeed plays random solutions at the least and the greatest speed, and at one between. Its clock does not wait,
// and notes the pauses that the page asks for: those between two jumps follow from the slider. Every game ends at the
// goal.
func TestSpeed(t *testing.T) {
	address := serve(t)
	p := open(t, 1000, 900, address+"#view=board&run="+small(t, address, "Triangle of 15"))
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")), chromedp.Evaluate[chromedp.Void](`{
		const real = setTimeout;
		window.asked = [];
		window.setTimeout = (fn, time = 0, ...more) => { asked.push(time); return real(fn, 0, ...more); };
	}`))
	for _, one := range []struct {
		key   string
		speed float64
	}{{kb.Home, 1}, {kb.End, 10}, {kb.Home + kb.ArrowRight, 2}} {
		p.do(chromedp.Evaluate[chromedp.Void](`asked.length = 0; document.querySelector('[data-do="restart"]').click()`))
		p.played(nil)
		p.do(chromedp.Focus(chromedp.CSS(".speed input")))
		for _, key := range one.key {
			p.do(chromedp.KeyEvent(string(key)))
		}
		p.do(chromedp.Click(chromedp.CSS(`[data-do="random"]`)))
		p.until(`document.querySelector("#verdict").textContent.startsWith("Solved")`)
		if n := p.text(`document.querySelectorAll(".game li").length`); n != "14" {
			t.Errorf("a solution has %s positions, want 14", n)
		}
		want := 1600 / math.Pow(one.speed, 1.5)
		waits := value[[]float64](p, `asked`) // also those for the history
		isWait := func(got float64) bool { return math.Abs(got-want) <= 1e-6 }
		if n := len(slices.DeleteFunc(slices.Clone(waits), func(got float64) bool { return !isWait(got) })); n != 12 {
			t.Errorf("at speed %v it waits %d times for %v ms, want 12 times: %v", one.speed, n, want, waits)
		}
	}
}

// TestProgress watches a small run from the click that begins it: the bar is at what the text beside it says, and never
// goes back, until the board is there.
func TestProgress(t *testing.T) {
	address := serve(t)
	p := open(t, 1000, 900, address+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(".card")), chromedp.Evaluate[chromedp.Void](`{
		window.steps = [];
		new MutationObserver(() => {
			const bar = document.querySelector(".waiting progress");
			if (!bar || bar.hidden) return;
			steps.push({ Said: document.querySelector(".waiting p").textContent, Bar: bar.position });
		}).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true, attributes: true });
		location.hash = "#view=board&run=`+small(t, address, "English board, centre")+`";
	}`), chromedp.WaitVisible(chromedp.CSS(".jumps")))
	last := -1.0 // a bar that knows of no windows yet is at -1
	list := value[[]struct {
		Said string
		Bar  float64
	}](p, "steps")
	for _, step := range list {
		want, done, all := -1.0, 0, 0
		if step.Said != "computing" {
			if _, err := fmt.Sscanf(step.Said, "computing: %d of %d windows", &done, &all); err != nil || all == 0 {
				t.Fatalf("beside the bar stands %q", step.Said)
			}
			want = float64(done) / float64(all)
		}
		if math.Abs(step.Bar-want) > 1e-6 || step.Bar < last {
			t.Errorf("the bar is at %v after %v, and beside it stands %q", step.Bar, last, step.Said)
		}
		last = step.Bar
	}
	if len(list) == 0 {
		t.Error("there was no bar")
	}
	t.Logf("%d states of the bar", len(list))
}
