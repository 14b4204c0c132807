package browser

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestQuestions asks every question of every puzzle as its form stands at first, of those about a run the ones that a run
// of solutions answers: the text is that of the command line. The question without an example names the missing
// argument.
func TestQuestions(t *testing.T) {
	dir := english(t)
	address := serve(t, "--data", dir)
	var puzzles []struct {
		Name      string
		Questions []struct {
			Name string
			Run  bool
			Args []struct {
				Name     string
				Repeated bool
			}
			Flags []struct{ Name string }
		}
	}
	fetch(t, address+"puzzles", &puzzles)
	p := open(t, 1000, 900, address+"#view=ask")
	p.quiet = []string{"400 (Bad Request)"} // of the question that has no example
	p.do(chromedp.WaitVisible(chromedp.CSS("form button")))
	asked := 0
	for _, puzzle := range puzzles {
		for _, q := range puzzle.Questions {
			name := puzzle.Name + " " + q.Name
			if q.Run && !slices.Contains([]string{"peg query", "peg sample", "peg solution", "peg heatmap"}, name) {
				continue
			}
			p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#view=ask&p=` + puzzle.Name + `&q=` + q.Name + `"`))
			p.until(`[...document.querySelectorAll(".choices select")].map((e) => e.value).join(" ") === ` + quoted(name))
			command := []string{puzzle.Name, q.Name}
			if q.Run {
				command = append(command, "--data", dir)
			}
			for _, field := range value[[]struct{ Name, Value string }](p, `[...document.querySelectorAll("form .field")]
				.map((l) => ({ Name: l.querySelector("span").textContent, Value: l.querySelector("input:not([type=checkbox]), select")?.value || "" }))`) {
				for _, arg := range q.Args {
					switch {
					case arg.Name != field.Name || field.Value == "":
					case name == "peg import": // of a file
						if err := os.WriteFile(dir+".problem", []byte(field.Value), 0o600); err != nil {
							t.Fatal(err)
						}
						command = append(command, dir+".problem")
					default:
						command = append(command, strings.Fields(field.Value)...)
					}
				}
				for _, flag := range q.Flags {
					if flag.Name == field.Name && field.Value != "" {
						command = append(command, "--"+flag.Name, field.Value)
					}
				}
			}
			p.do(chromedp.Click(chromedp.CSS("form button")))
			p.until(`document.querySelector("main pre, main .notice")`)
			said := p.text(`document.querySelector("main pre, main .notice").textContent`)
			want := "no CERTIFICATE is given"
			if name != "peg check" {
				want = coordinator(t, command...)
			}
			if said != want {
				t.Errorf("%s: the page says\n%.300s\nthe program\n%.300s", name, said, want)
			}
			if name == "peg solve" { // both ends of each jump have rings
				boards := p.text(`document.querySelectorAll(".picture").length`)
				rings := p.text(`document.querySelectorAll(".ringed").length`)
				if boards != "32" || rings != "62" {
					t.Errorf("%s: %s boards have %s rings", name, boards, rings)
				}
			}
			asked++
		}
	}
	if asked < 23 {
		t.Errorf("%d questions were asked", asked)
	}
}

// TestQuestionsOfRunOrProblem asks a question that may be asked about a run: about the problem of its example, and then
// about the run, for which the fields of the example that may be empty are emptied.
func TestQuestionsOfRunOrProblem(t *testing.T) {
	dir := english(t)
	p := open(t, 1000, 900, serve(t, "--data", dir)+"#view=ask&p=peg&q=list")
	ask := func(what string, command ...string) {
		t.Helper()
		p.do(chromedp.Click(chromedp.CSS("form button")))
		want := coordinator(t, append([]string{"peg", "list"}, command...)...)
		p.until(`document.querySelector("main pre, main .notice")?.textContent === ` + quoted(want))
		t.Log(what)
	}
	p.do(chromedp.WaitVisible(chromedp.CSS("form button")))
	ask("the example", "a1", "a1", "--board", "triangle5", "--count", "10")
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const field = (name) => [...document.querySelectorAll("form .field")].find((l) => l.querySelector("span").textContent === name).querySelector("input, select");
		const choice = document.querySelector("form select[name=run]");
		choice.value = "yes";
		choice.dispatchEvent(new Event("change"));
		field("from").value = "40861647040079900";
		field("count").value = "2";
	})()`))
	ask("the run", "--data", dir, "--from", "40861647040079900", "--count", "2")
}

// TestFewest ticks the box of a flag, and its answer has an address that ticks it again.
func TestFewest(t *testing.T) {
	p := open(t, 1000, 900, serve(t)+"#view=ask&p=peg&q=solve")
	p.do(chromedp.WaitVisible(chromedp.CSS("form button")))
	const box = `[...document.querySelectorAll("form .field")]
		.find((l) => l.querySelector("span").textContent === "fewest").querySelector("input")`
	const fields = `[...document.querySelectorAll("form .field input[type=text]")]`
	p.do(chromedp.Evaluate[chromedp.Void](`{ const [start, goal, board] = ` + fields + `;
		start.value = "r2c0"; goal.value = "r4c4"; board.value = "triangle5"; ` + box + `.click(); }`))
	p.do(chromedp.Click(chromedp.CSS("form button")))
	p.until(`document.querySelector("main pre")`)
	want := coordinator(t, "peg", "solve", "r2c0", "r4c4", "--board", "triangle5", "--fewest")
	if said := p.text(`document.querySelector("main pre").textContent`); said != want {
		t.Errorf("the page says\n%.300s\nthe program\n%.300s", said, want)
	}
	p.do(chromedp.Reload()) // ends when the new page is there; location.reload leaves the old one for a moment
	p.until(`document.querySelector("main pre")`)
	if said := p.text(`String(` + box + `.checked)`); said != "true" {
		t.Errorf("after a reload the box is ticked: %s", said)
	}
}
