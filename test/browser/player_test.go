package browser

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	clicks = flag.Int("clicks", 50, "jumps that a random player makes on the page")
	on     = flag.String("on", "Triangle of 21", "beginning of the title of the small run that it plays on")
)

// player plays so many jumps at random on the page, by clicks on its buttons, and returns what the page shows after each:
// the position, its facts, and its jumps with their numbers, in the form of shownBy.
const player = `(async (clicks) => {
	const node = document.querySelector(".play");
	const plain = (e) => e.textContent.replaceAll("\u202f", "");
	const moved = (act) => new Promise((settled) => {
		const observer = new MutationObserver(() => { observer.disconnect(); settled(); });
		observer.observe(node, { attributeFilter: ["data-settled"] });
		act();
	});
	const seen = [];
	for (let n = 0; n < clicks; n++) {
		const buttons = [...document.querySelectorAll(".jumps button")];
		if (buttons.length === 0) await moved(() => document.querySelector('[data-do="restart"]').click());
		else {
			// Half of the time one of those that keep most solutions, so that games go to the end.
			const first = Math.random() < 0.5 ? Math.min(2, buttons.length) : buttons.length;
			await moved(() => buttons[Math.floor(Math.random() * first)].click());
		}
		const rows = [...document.querySelectorAll(".jumps tbody tr")];
		const facts = ["solutions", "ways", "paths"].map((f) => plain(document.querySelector("[data-fact=" + f + "]")));
		seen.push({ Position: node.dataset.position, Shown: [facts.join(" "),
			...rows.map((row) => row.dataset.jump + " " + row.dataset.ways + " " + plain(row.cells[1])).sort()].join("; ") });
	}
	return seen;
})`

// shownBy returns the numbers that the page must show of a position; q is the answer of query to it.
func shownBy(q *query) string {
	var jumps []string
	for _, next := range q.Next {
		jumps = append(jumps, next.Jump+" "+next.Ways+" "+next.Solutions)
	}
	slices.Sort(jumps)
	return strings.Join(append([]string{q.Solutions + " " + q.Ways + " " + q.Paths}, jumps...), "; ")
}

// TestRandomPlayer plays at random on the page: every number is that of query, and neither the page nor the server
// takes more and more memory.
func TestRandomPlayer(t *testing.T) {
	address, server := serveProcess(t)
	p := open(t, 1000, 800, address+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(".card")))
	id := p.text(`[...document.querySelectorAll(".card")].find((c) => c.ariaLabel.startsWith("` + *on + `")).dataset.run`)
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#view=board&run=`+id+`"`),
		chromedp.WaitVisible(chromedp.CSS(".jumps")))
	type use struct{ page, nodes, server float64 }
	said := map[string]string{} // what query says of a position that was asked for
	played := 0
	play := func(n int) use {
		t.Helper()
		for end := played + n; played < end; {
			batch := min(200, end-played)
			list := value[[]struct{ Position, Shown string }](p, player+fmt.Sprintf("(%d)", batch), chromedp.EvalAwaitPromise)
			if len(list) != batch {
				t.Fatalf("%d positions after %d clicks", len(list), batch)
			}
			for _, at := range list {
				want, known := said[at.Position]
				if !known {
					q := p.askPage(at.Position)
					if q.Position != at.Position {
						t.Fatalf("query of %s speaks of %s", at.Position, q.Position)
					}
					want = shownBy(&q)
					said[at.Position] = want
				}
				if at.Shown != want {
					t.Fatalf("%s: the page shows %s, query says %s", at.Position, at.Shown, want)
				}
			}
			played += batch
		}
		now := use{
			page:   value[float64](p, `gc(), performance.memory.usedJSHeapSize`) / (1 << 20),
			nodes:  value[float64](p, `document.getElementsByTagName("*").length`),
			server: resident(t, server),
		}
		t.Logf("after %d clicks, %d positions: page %.1f MiB, %.0f elements; server %.0f MiB",
			played, len(said), now.page, now.nodes, now.server)
		return now
	}
	var before, now use // after a quarter, and in the end
	for part := max(13, *clicks/100); played < *clicks; {
		now = play(min(part, *clicks-played))
		if before == (use{}) && 4*played >= *clicks {
			before = now
		}
	}
	if now.page > before.page+8 || now.nodes > before.nodes+1000 || now.server > before.server+64 {
		t.Errorf("memory grows: %+v after a quarter, %+v in the end", before, now)
	}
}

// resident is the memory of a process in MiB.
func resident(t *testing.T, p *os.Process) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	if err != nil {
		t.Fatal(err)
	}
	kib, err := strconv.ParseFloat(string(regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(b)[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib / 1024
}
