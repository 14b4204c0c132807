package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestCite is the task of a visitor who looks up the number of English games and cites it, with the page alone. The
// visitor finds the run in the list, reads the number, takes the address and the facts that a paper needs, and finds
// the same at that address.
func TestCite(t *testing.T) {
	data := t.TempDir()
	coordinator(t, "run", "../../configs/triangle15.yaml", "--data", data+"/triangle")
	p := open(t, 1000, 900, serve(t, "--data", data)+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(".run-list tbody tr")))
	// The run comes while the page is open.
	dir := data + "/english"
	coordinator(t, "run", "../../configs/english.yaml", "--data", dir)
	link := `[...document.querySelectorAll(".run-list a")].find((a) => a.textContent === "english")`
	p.until(link + `?.closest("tr").querySelector("time")`)
	// The largest results come first when the head of the column is clicked twice.
	for range 2 {
		p.do(chromedp.Click(chromedp.CSS(`[data-column="result"] button`)))
	}
	if first := p.text(`document.querySelector(".run-list tbody a").textContent`); first != "english" {
		t.Errorf("the largest result is said to be of %s", first)
	}
	p.shot("list")
	p.do(chromedp.Evaluate[chromedp.Void](link+".click()"), chromedp.WaitVisible(chromedp.CSS("#answer")))
	var printed struct{ Run, Games string }
	if err := json.Unmarshal([]byte(coordinator(t, "run", "../../configs/english.yaml", "--data", dir, "--output", "json")),
		&printed); err != nil {
		t.Fatal(err)
	}
	if got := p.text(plain("#answer")); got != printed.Games || len(got) < 10 {
		t.Errorf("the page says %s games, run %s", got, printed.Games)
	}
	b, err := os.ReadFile(filepath.Join(dir, "certificate.json"))
	if err != nil {
		t.Fatal(err)
	}
	var certificate struct{ Root string }
	if err := json.Unmarshal(b, &certificate); err != nil {
		t.Fatal(err)
	}
	cited := p.text(`document.querySelector('.result pre[aria-label="To cite it"]').textContent`)
	for _, part := range []string{printed.Games + " games", "run " + printed.Run, certificate.Root, p.text("location.href")} {
		if !strings.Contains(cited, part) || part == "" {
			t.Errorf("to be cited is\n%s\nwithout %q", cited, part)
		}
	}
	config := data + "/config.yaml"
	text := p.text(`document.querySelector('.result pre[aria-label="Config"]').textContent`)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if planned := coordinator(t, "plan", config, "--output", "json"); !strings.Contains(planned, printed.Run) {
		t.Errorf("the config of the page is of another run:\n%s\n%s", text, planned)
	}
	sent := value[string](p, `fetch(document.querySelector('.result .downloads a[href*="bfile"]').href).then((r) => r.text())`,
		chromedp.EvalAwaitPromise)
	column := p.text(`new URL(document.querySelector('.result .downloads a[href*="bfile"]').href).searchParams.get("column")`)
	if want := coordinator(t, "export", "--data", dir, "--format", "bfile", "--column", column); sent != want {
		t.Errorf("the b-file of the page\n%.200s\nis not that of export\n%.200s", sent, want)
	}
	words := `each computed by the coordinator itself; nothing rests on workers`
	if checks := p.text(`document.querySelector(".checks").textContent`); !strings.Contains(checks, words) {
		t.Errorf("the checks do not say that %s:\n%s", words, checks)
	}
	held := value[string](p, `fetch(document.querySelector('.result a[href$="/certificate"]').href).then((r) => r.text())`,
		chromedp.EvalAwaitPromise)
	if held != string(b) {
		t.Error("the certificate of the page is not that of the folder")
	}
	p.shot("result")
	q := open(t, 390, 844, p.text("location.href"))
	q.do(chromedp.WaitVisible(chromedp.CSS("#answer")))
	if got := q.text(plain("#answer")); got != printed.Games {
		t.Errorf("at the address that is cited stands %s", got)
	}
	q.fitsPhone("the result")
	q.shot("phone")
	q.do(chromedp.Click(chromedp.CSS(`.result a[href$="/book/"]`)), chromedp.WaitVisible(chromedp.CSS(".big")))
	said := q.text(`document.querySelector("main, body").textContent.replaceAll(/\s/g, "")`)
	for _, part := range []string{printed.Games, printed.Run, certificate.Root} {
		if !strings.Contains(said, part) {
			t.Errorf("the page of the result has no %s", part)
		}
	}
	q.fitsPhone("the page of the result")
	q.shot("book")
	q.do(chromedp.Click(chromedp.CSS("nav a")), chromedp.WaitVisible(chromedp.CSS("#search input")))
}

// TestUnknown follows links to missing runs and views: the page says so, and the address stays.
func TestUnknown(t *testing.T) {
	dir := t.TempDir() + "/run"
	coordinator(t, "run", "../../configs/babylone-2x2.yaml", "--data", dir)
	address := serve(t, "--data", dir)
	p := open(t, 1000, 900, address+"#run=0123456789ab")
	p.do(chromedp.WaitVisible(chromedp.CSS(".unknown")))
	if at := p.text("location.hash"); at != "#run=0123456789ab" {
		t.Errorf("the address becomes %s", at)
	}
	p.shot("unknown")
	var list []struct{ ID, Puzzle string }
	fetch(t, address+"runs", &list)
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#run=` + list[0].ID + `&view=board"`))
	p.until(`document.querySelector(".waiting a")`)
	if said := p.text(`document.querySelector("main").textContent`); strings.Contains(said, "count=") {
		t.Errorf("a run of %s is advised: %s", list[0].Puzzle, said)
	}
	for _, view := range value[[]string](p, `[...document.querySelectorAll("#views a")].map((a) => a.textContent)`) {
		if view == "Board" || view == "Heat map" || view == "New problem" {
			t.Errorf("a run of %s is offered the view %s", list[0].Puzzle, view)
		}
	}
	p.do(chromedp.Click(chromedp.CSS(".waiting a")), chromedp.WaitVisible(chromedp.CSS("#answer")))
}
