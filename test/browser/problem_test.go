package browser

import (
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
