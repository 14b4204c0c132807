package browser

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTables looks at every table of runs of every puzzle, and at every column of it as a chart or a matrix, which has
// the numbers of the table.
func TestTables(t *testing.T) {
	data := t.TempDir()
	names := []string{"triangle15", "triangle15-pairs", "triangle15-survey", "tiles-3x3", "mousetrap-8-hits", "baseball-3",
		"babylone-2x2"}
	for _, name := range names {
		coordinator(t, "run", "../../configs/"+name+".yaml", "--data", data+"/"+name)
	}
	address := serve(t, "--data", data)
	var list []struct {
		ID, Title string
		Small     bool
	}
	fetch(t, address+"runs", &list)
	p := open(t, 1000, 900, address+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(".card")))
	options := func(label string) []string {
		return value[[]string](p, `[...document.querySelectorAll(".tables .choices label")]
			.filter((l) => l.firstChild.textContent === `+quoted(label)+`)
			.flatMap((l) => [...l.querySelectorAll("option")].map((o) => o.value))`)
	}
	charts := 0
	for _, run := range list {
		if run.Small {
			continue
		}
		of := "#view=tables&run=" + run.ID
		p.do(chromedp.Evaluate[chromedp.Void](`location.hash = ` + quoted(of)))
		p.until(`document.querySelector("#run").value === ` + quoted(run.ID) + ` && document.querySelector(".tables .facts")`)
		for _, table := range options("Table") {
			p.do(chromedp.Evaluate[chromedp.Void](`location.hash = ` + quoted(of+"&table="+table)))
			p.until(`document.querySelector('.tables > .scroll:last-child [data-table]')?.dataset.table === ` + quoted(table))
			for _, column := range options("Chart of") {
				p.do(chromedp.Evaluate[chromedp.Void](`location.hash = ` + quoted(of+"&table="+table+"&column="+column)))
				// The name of a bar or a square ends in its number and the name of its column.
				p.until(`(() => {
					const column = ` + quoted(column) + `;
					const at = [...document.querySelectorAll(".tables > .scroll:last-child thead th")].findIndex((th) => th.dataset.column === column);
					const cells = [...document.querySelectorAll(".tables > .scroll:last-child tbody tr")].map((tr) => tr.cells[at].textContent);
					const drawn = [...document.querySelectorAll("[data-chart] .bar, .matrix [data-pair]")].map((e) => e.ariaLabel);
					return cells.length > 0 && drawn.length === cells.length &&
						drawn.every((name, i) => name.endsWith(" " + cells[i] + " " + column.replaceAll("_", " ")));
				})()`)
				charts++
			}
		}
	}
	// A pair is a link to its problem on the board.
	i := slices.IndexFunc(list, func(r struct {
		ID, Title string
		Small     bool
	}) bool {
		return r.Title == "triangle15-pairs"
	})
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = ` + quoted("#view=tables&run="+list[i].ID)))
	pair := `[...document.querySelectorAll('[data-table="pairs"] tbody tr')]
		.find((tr) => tr.cells[0].textContent === "r2c0" && tr.cells[1].textContent === "r3c2")?.querySelector("a")`
	p.until(pair)
	p.do(chromedp.Evaluate[chromedp.Void](pair + `.click()`))
	p.until(settled)
	if n := p.text(plain("[data-fact=all]")); n != "1550" {
		t.Errorf("the problem of the pair has %s solutions, want 1550", n)
	}
	if charts < 50 {
		t.Errorf("%d columns were drawn", charts)
	}
}
