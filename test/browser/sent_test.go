package browser

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// write puts a text into a field and has it shown.
func (p *tab) write(field, text string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("`+field+`").value = ""`),
		chromedp.SendKeys(chromedp.CSS(field), text+kb.Enter))
}

// TestVisitor does what a visitor comes for, with the page alone: it finds the best jump of a given position and how
// many solutions begin with it, and sends the position to a friend, whose page shows the same.
func TestVisitor(t *testing.T) {
	dir := english(t)
	p := open(t, 1200, 900, serve(t, "--data", dir))
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))

	// The position after 46x44 65x45, in a notation of books; then the same as files have it, and as it is drawn.
	p.write("#pasted", "1. d6-d4 2. f5-d5")
	p.played([]string{"46x44", "65x45"})
	drawn := p.text(`document.querySelector(".play").dataset.position`)
	q := ask(t, dir, drawn)
	for _, text := range []string{drawn, hexOf(t, drawn)} {
		p.write("#pasted", "center")
		p.until(settled + ` && document.querySelector(".play").dataset.position !== "` + drawn + `"`)
		p.write("#pasted", text)
		p.until(settled + ` && document.querySelector(".play").dataset.position === "` + drawn + `"`)
		p.says(q)
	}

	// The best jump is the first of the table, which the hint names, too.
	best := q.Next[0]
	for _, next := range q.Next {
		if len(next.Solutions) > len(best.Solutions) ||
			len(next.Solutions) == len(best.Solutions) && next.Solutions > best.Solutions {
			best = next
		}
	}
	first := p.text(plain(".jumps tbody tr:first-child td"))
	if first != best.Solutions {
		t.Errorf("the first jump has %s solutions, the best %s", first, best.Solutions)
	}
	p.do(chromedp.Click(chromedp.CSS(`[data-do="hint"]`)), chromedp.WaitVisible(chromedp.CSS(".hole.hint")))
	p.shot("hint")

	// The link opens the same on a friend's machine, without a run of it.
	p.do(chromedp.Evaluate[chromedp.Void](
		`navigator.clipboard.writeText = (text) => { document.title = text; return Promise.resolve(); }`),
		chromedp.Click(chromedp.CSS(`[data-do="copyLink"]`)))
	p.until(`document.title.includes("#board=english&start=")`)
	link := p.text("document.title")
	other := open(t, 1200, 900, serve(t)+link[strings.Index(link, "#"):])
	other.until(settled + ` && document.querySelector(".play").dataset.position === "` + drawn + `"`)
	other.says(q)

	// Pegs are set and cleared, with the numbers of the position.
	p.do(chromedp.Click(chromedp.CSS(`[data-do="setUp"]`)), chromedp.Click(hole("44")))
	p.until(settled + ` && document.querySelector(".play").dataset.position !== "` + drawn + `"`)
	p.same(dir)
	p.until(`document.querySelector(".passing").textContent === "No game from the start leads here."`)
	p.shot("editor")
	p.do(chromedp.Click(hole("44")))
	p.until(settled + ` && document.querySelector(".play").dataset.position === "` + drawn + `"`)
	p.do(chromedp.Click(chromedp.CSS(`[data-do="setUp"]`)))

	// A solution by its number, and the number of a solution.
	var sample struct {
		Sample []struct{ Number, Jumps string }
	}
	said := coordinator(t, "peg", "sample", "--data", dir, "--seed", "7", "--output", "json")
	if err := json.Unmarshal([]byte(said), &sample); err != nil {
		t.Fatal(err)
	}
	p.write("#number", sample.Sample[0].Number)
	p.played(strings.Fields(sample.Sample[0].Jumps))
	p.until(`document.querySelector(".why").textContent.replaceAll("\u202f", "").includes("no. ` +
		sample.Sample[0].Number + ` of 40861647040079968")`)
	p.shot("number")
	p.quiet = append(p.quiet, "400 (Bad Request)")
	p.write("#pasted", "46x45")
	p.until(`document.querySelector(".tool-said").textContent.includes("no jump leads from 46 to 45")`)
}

// hexOf is a position as files have it, from peg read.
func hexOf(t *testing.T, drawn string) string {
	t.Helper()
	var said struct{ Hex string }
	if err := json.Unmarshal([]byte(coordinator(t, "peg", "read", "--output", "json", drawn)), &said); err != nil {
		t.Fatal(err)
	}
	return said.Hex
}

// TestOpenOnTheBoard opens the addresses that the program prints, on a page that has no run of them.
func TestOpenOnTheBoard(t *testing.T) {
	address := serve(t)
	said := coordinator(t, "peg", "solve", "r0c0", "r0c0", "--board", "triangle5")
	_, link, _ := strings.Cut(said, "http://127.0.0.1:8420/")
	link, _, _ = strings.Cut(link, "\n")
	_, game, ok := strings.Cut(link, "game=")
	if !ok {
		t.Fatalf("%s prints no address", said)
	}
	p := open(t, 390, 844, address+link)
	p.played(strings.Split(game, "."))
	p.until(`document.querySelector("#verdict").textContent.startsWith("Solved")`)
	p.shot("phone")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".tools").scrollIntoView()`))
	p.shot("phone-tools")
	p.fitsPhone("a solved game")
}
