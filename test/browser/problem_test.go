package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
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
	configs := map[string]string{"triangle5": dir + "/small.yaml", "hexagon19": dir + "/hexagon.yaml"}
	for board, path := range configs {
		text := "puzzle: peg\nname: " + board + "\nboard: " + board + "\ncount: solutions\npairs: all\nretention: last\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		coordinator(t, "run", path, "--data", dir+"/"+board)
	}
	p := open(t, 1200, 900, serve(t, "--data", dir+"/hexagon19")+"#view=problem&of=triangle5")
	p.do(chromedp.WaitVisible(chromedp.CSS(`[data-do="pairs"]`)), chromedp.Click(chromedp.CSS(`[data-do="pairs"]`)))
	p.until(`document.querySelector('[data-do="pairs"]').hidden && document.querySelector(".problem progress").hidden`)
	p.shot("starts")
	for board := range configs {
		p.do(chromedp.Navigate(p.text("location.href.split('#')[0]") + "#view=problem&of=" + board))
		p.until(`document.querySelector(".problem select")?.value === "` + board + `"`)
		var want struct {
			Pairs []struct{ Start, Goal, Solutions string }
		}
		said := coordinator(t, "peg", "pairs", "--data", dir+"/"+board, "--output", "json")
		if err := json.Unmarshal([]byte(said), &want); err != nil || len(want.Pairs) == 0 {
			t.Fatalf("%v\n%s", err, said)
		}
		numbers := map[string]string{}
		for _, pair := range want.Pairs {
			numbers[pair.Start+" "+pair.Goal] = pair.Solutions
		}
		holes := value[[]string](p, `[...document.querySelectorAll(".pair figure:nth-child(1) [data-number]")]
			.map((g) => g.getAttribute("aria-label").split(":")[0])`)
		for n, start := range holes {
			p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(`.pair figure:nth-child(1) [data-number="%d"]`, n))))
			p.until(`document.querySelectorAll(".pair figure:nth-child(2) [data-solutions]").length === ` + fmt.Sprint(len(holes)) +
				fmt.Sprintf(` && document.querySelector('.pair figure:nth-child(1) [data-number="%d"]').getAttribute("aria-pressed") !== null`, n))
			shown := value[[]string](p, `[...document.querySelectorAll(".pair figure:nth-child(2) [data-solutions]")]
				.map((g) => g.dataset.solutions)`)
			for i, goal := range holes {
				if want := cmp.Or(numbers[start+" "+goal], "0"); shown[i] != want {
					t.Errorf("%s, %s to %s: the page says %s, peg pairs %s", board, start, goal, shown[i], want)
				}
			}
		}
		p.shot(board)
	}
}
