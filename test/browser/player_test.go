package browser

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

var clicks = flag.Int("clicks", 50, "jumps that a random player makes on the page")

// player plays so many jumps at random on the page, by clicks on its buttons, and returns where the page shows something
// else than query says.
const player = `(async (clicks) => {
	const node = document.querySelector(".play");
	const run = new URLSearchParams(location.hash.slice(1)).get("run");
	const plain = (e) => e.textContent.replaceAll("\u202f", "");
	const wrong = [];
	const moved = (act) => new Promise((settled) => {
		const observer = new MutationObserver(() => { observer.disconnect(); settled(); });
		observer.observe(node, { attributeFilter: ["data-position"] });
		act();
	});
	for (let n = 0; n < clicks; n++) {
		const buttons = [...document.querySelectorAll(".jumps button")];
		if (buttons.length === 0) await moved(() => document.querySelector('[data-do="restart"]').click());
		else {
			// Half of the time one of those that keep most solutions, so that games go to the end.
			const first = Math.random() < 0.5 ? Math.min(2, buttons.length) : buttons.length;
			await moved(() => buttons[Math.floor(Math.random() * first)].click());
		}
		const position = node.dataset.position;
		const said = await (await fetch("runs/" + run + "/v1/peg/query?output=json&arg=" + encodeURIComponent(position))).json();
		const rows = [...document.querySelectorAll(".jumps tbody tr")];
		const shown = rows.map((row) => row.dataset.jump + " " + row.dataset.ways + " " + plain(row.cells[1])).sort();
		const want = said.next.map((j) => j.jump + " " + j.ways + " " + j.solutions).sort();
		const facts = ["solutions", "ways", "paths"].map((f) => plain(document.querySelector("[data-fact=" + f + "]")));
		if (String(shown) !== String(want) || String(facts) !== String([said.solutions, said.ways, said.paths]) ||
			said.position !== position) wrong.push(position + ": " + shown + " " + facts + ", want " + want);
	}
	return wrong;
})`

// TestRandomPlayer plays at random on the page: every number is that of query, and neither the page nor the server
// takes more and more memory.
func TestRandomPlayer(t *testing.T) {
	address, server := serveProcess(t)
	p := open(t, 1000, 800, address+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(".card")))
	id := p.text(`[...document.querySelectorAll(".card")].find((c) => c.ariaLabel.startsWith("Triangle of 21")).dataset.run`)
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#view=board&run=`+id+`"`),
		chromedp.WaitVisible(chromedp.CSS(".jumps")))
	const batch = 25
	type use struct{ page, nodes, server float64 }
	var before use
	for n := 0; n < *clicks; n += batch {
		if wrong := value[[]string](p, player+fmt.Sprintf("(%d)", batch), chromedp.EvalAwaitPromise); len(wrong) > 0 {
			t.Fatalf("%d differences, the first %s", len(wrong), wrong[0])
		}
		quarter := (*clicks/4 + batch - 1) / batch * batch
		if n+batch != quarter && n+batch < *clicks {
			continue
		}
		now := use{
			page:   value[float64](p, `gc(), performance.memory.usedJSHeapSize`) / (1 << 20),
			nodes:  value[float64](p, `document.getElementsByTagName("*").length`),
			server: resident(t, server),
		}
		t.Logf("after %d clicks: page %.1f MiB, %.0f elements; server %.0f MiB", n+batch, now.page, now.nodes, now.server)
		if n+batch == quarter {
			before = now
			continue
		}
		if now.page > before.page+8 || now.nodes > before.nodes+1000 || now.server > before.server+64 {
			t.Errorf("memory grows: %+v after a quarter, %+v in the end", before, now)
		}
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
