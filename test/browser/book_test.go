package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBatchPage looks at the page of a batch of which two members are complete and one is not, on a phone and on a
// desk, light and dark: nothing is wider than the screen, a table that is scrolled keeps its first column, and a copied
// number has digits alone.
func TestBatchPage(t *testing.T) {
	dir := t.TempDir()
	file, data, page := filepath.Join(dir, "small.yaml"), filepath.Join(dir, "data"), filepath.Join(dir, "page.html")
	batch := func(starts string) {
		text := "base: {puzzle: peg, count: games}\nmatrix: {board: [triangle5], start: [" + starts + "]}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	batch("r0c0, r1c0")
	coordinator(t, "batch", "run", file, "--data", data)
	batch("r0c0, r1c0, r2c1")
	coordinator(t, "batch", "export", file, "--data", data, "--format", "page", "--out", page)
	p := open(t, 390, 844, "file://"+page)
	p.fitsPhone("the page of a batch")
	p.shot("phone")
	for _, table := range []string{"members", "unfinished"} {
		rows := value[int](p, `document.querySelectorAll("#`+table+` + .scroll tbody tr").length`)
		if want := map[string]int{"members": 2, "unfinished": 1}[table]; rows != want {
			t.Errorf("table %s has %d rows, want %d", table, rows, want)
		}
	}
	copied := p.text(`(() => { const s = getSelection(); s.selectAllChildren(document.querySelector("td.number"));
		return s.toString(); })()`)
	if strings.TrimSpace(copied) != "568630" {
		t.Errorf("the copied number is %q", copied)
	}
	if at := p.text(`(() => { const s = document.querySelector(".scroll"); s.scrollLeft = 100;
		return s.scrollLeft + " " + (s.querySelector("td").getBoundingClientRect().left - s.getBoundingClientRect().left);
		})()`); at != "100 0" {
		t.Errorf("scrolled, the first column is at %q", at)
	}
	desk := open(t, 1280, 800, "file://"+page)
	for _, scheme := range []string{"light", "dark"} {
		desk.do(scheming(scheme))
		desk.shot(scheme)
		for _, text := range value[[]string](desk, faint) {
			t.Errorf("%s: the contrast is low: %s", scheme, text)
		}
	}
	p.do(scheming("dark"))
	p.shot("phone-dark")
}

// TestBook reads the project's book of results, on a phone and on a desk, light and dark, from its folder and below a
// prefix of a host: all links of a page lead somewhere, nothing is wider than the screen, no script is there but the
// search of the index, a number breaks between its groups of digits alone, and a copied one has nothing but digits.
func TestBook(t *testing.T) {
	records, err := filepath.Glob("../../docs/book/records/*.json")
	if err != nil || len(records) < 10 {
		t.Fatalf("%d records: %v", len(records), err)
	}
	dir := filepath.Join(t.TempDir(), "book")
	args := []string{"publish", "--out", dir}
	for _, r := range records {
		args = append(args, "--record", r)
	}
	coordinator(t, args...)
	host := httptest.NewServer(http.StripPrefix("/some/prefix/", http.FileServer(http.Dir(dir))))
	defer host.Close()

	p := open(t, 390, 844, host.URL+"/some/prefix/index.html")
	p.fitsPhone("the index")
	const broken = `[...document.querySelectorAll("i")].filter((i) => i.getClientRects().length > 1).length`
	if n := value[int](p, broken); n > 0 {
		t.Errorf("%d groups of digits are broken", n)
	}
	p.shot("index-phone")
	pages := value[[]string](p, `[...document.querySelectorAll("table.index a")].map((a) => a.href)`)
	if len(pages) != len(records) {
		t.Errorf("the index has %d links of %d results", len(pages), len(records))
	}
	for _, page := range pages {
		p.do(chromedp.Navigate(page))
		p.fitsPhone(page)
		if n := value[int](p, `document.scripts.length`); n > 0 {
			t.Errorf("%s has %d scripts", page, n)
		}
		dead := value[[]string](p, `Promise.all([...document.querySelectorAll("a[href], link[href]")].map((a) =>
			fetch(a.href, {method: "HEAD"}).then((r) => r.ok ? "" : a.href))).then((all) => all.filter((x) => x))`,
			chromedp.EvalAwaitPromise)
		for _, link := range dead {
			t.Errorf("%s: the link %s leads nowhere", page, link)
		}
	}

	english := ""
	for _, page := range pages {
		if strings.Contains(page, "/english-8ac7427e3573/") {
			english = page
		}
	}
	p.do(chromedp.Navigate(english))
	p.shot("english-phone")
	copied := p.text(`(() => { const s = getSelection(); s.selectAllChildren(document.querySelector(".big"));
		return s.toString(); })()`)
	if number, _, _ := strings.Cut(copied, "\n"); strings.TrimSpace(number) != "577116156815309849672" {
		t.Errorf("the copied number is %q", copied)
	}

	desk := open(t, 1280, 2400, "file://"+dir+"/index.html")
	desk.shot("index")
	const shown = `[...document.querySelectorAll(".index a")].filter((a) => a.checkVisibility())
		.map((a) => a.getAttribute("href").split("-").slice(0, -1).join("-"))`
	for typed, want := range map[string][]string{
		"40,861,647,040,079,968":  {"english", "english-solutions", "english-sweeps", "english-ways"},
		"40 861 647 040 079 968 ": {"english", "english-solutions", "english-sweeps", "english-ways"},
		"Mousetrap MODULAR":       {"mousetrap-12-modular"},
		"8ac7427e3573":            {"english"},
		"861647040":               {},
	} {
		desk.write("#search input", typed)
		if got := value[[]string](desk, shown); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("the search for %q leaves %q, want %q", typed, got, want)
		}
		if typed == "Mousetrap MODULAR" {
			desk.shot("index-search")
			if text := desk.text(`document.querySelector("#search output").value`); text != fmt.Sprintf("1 of %d", len(pages)) {
				t.Errorf("the search says %q", text)
			}
		}
	}
	desk.write("#search input", " ")
	if n := len(value[[]string](desk, shown)); n != len(pages) {
		t.Errorf("without words %d of %d results are shown", n, len(pages))
	}
	desk.do(chromedp.Click(chromedp.CSS(`a[href^="english-8ac7427e3573/"]`)))
	desk.until(`document.querySelector(".big") && location.pathname.endsWith("/english-8ac7427e3573/index.html")`)
	for _, scheme := range []string{"light", "dark"} {
		desk.do(scheming(scheme))
		desk.shot("english-" + scheme)
		for _, text := range value[[]string](desk, faint) {
			t.Errorf("%s: the contrast is low: %s", scheme, text)
		}
	}
	if colour := desk.text(`getComputedStyle(document.body).backgroundColor`); colour == "rgb(251, 250, 247)" {
		t.Errorf("in the dark the page is %s", colour)
	}
}
