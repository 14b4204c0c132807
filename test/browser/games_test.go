package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A gameAnswer is the server's answer about a position of a game, in the form for its page.
type gameAnswer struct {
	Document struct {
		Position, Reply string
		Notes           []string
		Moves           []map[string]any
	}
	Moves struct {
		Presses [][]string
		Best    int
		Over    bool
		Refused []struct {
			Presses []string
			By      string
		}
	}
	Figures []struct{ Parts []struct{ Name string } }
}

// A game is a puzzle, the question by which it is played, and a position to begin with.
type game struct{ puzzle, play, start string }

var games = []game{
	{"tiles", "play", "RVRV/BWBW"}, {"baseball", "play", "44|0_|11|22|33"}, {"babylone", "play", "b1,b1,r1,r1,y2"},
	{"mousetrap", "swap", "4 2 5 3 1 6"},
}

// gameAt is the address of a game.
func gameAt(address, puzzle, start string) string {
	return address + "#view=play&p=" + puzzle + "&at=" + url.QueryEscape(start)
}

// about asks the server about a position, and demands that the command line says the same.
func about(t *testing.T, address, puzzle, play, position string) *gameAnswer {
	t.Helper()
	a := &gameAnswer{}
	fetch(t, address+"puzzles/"+puzzle+"/"+play+"?arg="+url.QueryEscape(position), a)
	doc := said[struct{ Moves []map[string]any }](t, append([]string{puzzle, play}, words(puzzle, position)...)...)
	if got, want := fmt.Sprint(a.Document.Moves), fmt.Sprint(doc.Moves); got != want {
		t.Fatalf("%s %s: the server says %s, the command %s", puzzle, position, got, want)
	}
	return a
}

// reaches waits until the page shows a position.
func (p *tab) reaches(position string) {
	p.t.Helper()
	p.until(`document.querySelector(".puzzle-play")?.dataset.position === ` + quoted(position))
}

// notes waits until the address has the moves of a game.
func (p *tab) notes(moves []string) {
	p.t.Helper()
	p.until(`(new URLSearchParams(location.hash.slice(1)).get("moves") || "") === ` + quoted(strings.Join(moves, ".")))
}

// tells waits until the page shows a position, and compares its moves and their worth with the answer.
func (p *tab) tells(a *gameAnswer) {
	p.t.Helper()
	p.reaches(a.Document.Position)
	shown := value[[]map[string]string](p, `(() => {
		const table = document.querySelector("table.moves");
		if (!table) return [];
		const names = [...table.tHead.rows[0].cells].map((c) => c.textContent);
		return [...table.tBodies[0].rows].map((row) =>
			Object.fromEntries(names.map((name, i) => [name, row.cells[i].textContent.replaceAll("\u202f", "")])));
	})()`)
	if len(shown) != len(a.Document.Moves) {
		p.t.Fatalf("%s: the page lists %d moves, want %d", a.Document.Position, len(shown), len(a.Document.Moves))
	}
	for i, row := range a.Document.Moves {
		for name, want := range row {
			if got := shown[i][name]; name != "position" && got != fmt.Sprint(want) {
				p.t.Errorf("%s: %s of move %d is %s, want %v", a.Document.Position, name, i, got, want)
			}
		}
	}
}

// part is the first part of a name that is not chosen.
func part(name string) string {
	return `.stage-pictures [data-name="` + name + `"]:not([aria-pressed="true"])`
}

// arrive moves the focus to a part by the arrow keys, as a person does who looks where it is.
func (p *tab) arrive(name string) {
	p.t.Helper()
	for range 60 {
		key := p.text(`(() => {
			const on = document.activeElement;
			if (on.matches(` + quoted(part(name)) + `)) return "";
			if (!on.dataset.part) return "none";
			const place = (e) => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.bottom]; };
			const [x, y] = place(on);
			const [i, j] = place(document.querySelector(` + quoted(part(name)) + `));
			if (Math.abs(j - y) > 10) return j > y ? "ArrowDown" : "ArrowUp";
			return i > x ? "ArrowRight" : "ArrowLeft";
		})()`)
		switch key {
		case "":
			return
		case "none":
			p.do(chromedp.Focus(chromedp.CSS(`.stage-pictures [tabindex="0"]`)))
		default:
			p.do(chromedp.KeyEvent(map[string]string{"ArrowDown": kb.ArrowDown, "ArrowUp": kb.ArrowUp,
				"ArrowRight": kb.ArrowRight, "ArrowLeft": kb.ArrowLeft}[key]))
		}
	}
	p.shot("failed")
	p.t.Fatalf("the arrow keys do not lead to %s", name)
}

// TestGames plays each puzzle to its end, once with the mouse and once with the keyboard, always by the hint. Every
// position, move and worth is that of the program; moves are undone and redone on the way.
func TestGames(t *testing.T) {
	address := serve(t)
	for _, g := range games {
		for _, by := range []string{"mouse", "keys"} {
			p := open(t, 1200, 1000, gameAt(address, g.puzzle, g.start))
			does := func(name, key string) {
				p.t.Helper()
				if by == "mouse" {
					p.do(chromedp.Click(chromedp.CSS(`[data-do="` + name + `"]`)))
				} else {
					p.do(chromedp.KeyEvent(key))
				}
			}
			a := about(t, address, g.puzzle, g.play, g.start)
			p.tells(a)
			if by == "keys" {
				p.do(chromedp.Focus(chromedp.CSS(`.stage-pictures [tabindex="0"]`)))
			}
			var names []string
			for !a.Moves.Over {
				if len(names) == 40 {
					t.Fatalf("%s does not end: %s, after %q", g.puzzle, a.Document.Position, names)
				}
				best := fmt.Sprint(a.Document.Moves[0]["move"])
				does("hint", "h")
				want := slices.Sorted(slices.Values(a.Moves.Presses[0]))
				hint := best + " "
				if a.Moves.Best == 0 { // one has lost, and plays on
					want, hint = nil, "no move leads to the aim"
				}
				p.until(`document.querySelector(".tool-said").textContent.startsWith(` + quoted(hint) + `)`)
				hinted := value[[]string](p, `[...document.querySelectorAll(".part.hint")].map((e) => e.dataset.name)`)
				if slices.Sort(hinted); !slices.Equal(hinted, want) {
					t.Errorf("%s, %s: the hint marks %q, want %q", g.puzzle, a.Document.Position, hinted, want)
				}
				if len(names) == 1 {
					p.shot(g.puzzle + "-hint-" + by)
				}
				for _, press := range a.Moves.Presses[0] {
					if by == "mouse" {
						p.do(chromedp.Click(chromedp.CSS(part(press))))
						continue
					}
					p.arrive(press)
					p.do(chromedp.KeyEvent([]string{" ", kb.Enter}[len(names)%2]))
				}
				before := a
				a = about(t, address, g.puzzle, g.play, fmt.Sprint(a.Document.Moves[0]["position"]))
				p.tells(a)
				names = append(names, best)
				if len(names)%3 == 1 {
					does("undo", "u")
					p.tells(before)
					does("redo", "r")
					p.tells(a)
				}
			}
			if got := p.text(`document.querySelector("#verdict").textContent`); got != strings.Join(a.Document.Notes, "; ") {
				t.Errorf("%s: at the end the page says %q, want %q", g.puzzle, got, a.Document.Notes)
			}
			p.shot(g.puzzle + "-end-" + by)
			p.notes(names)

			// A link shows the same, and the browser's back button takes the last move back.
			other := open(t, 1200, 1000, p.text("location.href"))
			other.tells(a)
			if got := other.text(`document.querySelector("#play-line").value`); got != strings.Join(names, ", ") {
				t.Errorf("%s: the moves of the link are %s, want %q", g.puzzle, got, names)
			}
			does("undo", "u")
			p.notes(names[:len(names)-1])
			does("redo", "r")
			p.notes(names)
			p.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
			p.until(`document.querySelector("#play-line").value === ` + quoted(strings.Join(names[:len(names)-1], ", ")))

			// The moves as a text are played from the beginning.
			p.do(chromedp.Click(chromedp.CSS(`[data-do="restart"]`)))
			p.until(`document.querySelector("#play-line").value === ""`)
			p.write("#play-at", g.start)
			p.do(chromedp.SendKeys(chromedp.CSS("#play-line"), strings.Join(names, "\n")),
				chromedp.Click(chromedp.CSS(`#play-line + button`)))
			p.tells(a)
		}
	}
}

// TestAgainstTheProgram plays Babylone with a program that replies, to the end. The replies are those of the command,
// undo takes a move of both back, and the page says that the player has lost.
func TestAgainstTheProgram(t *testing.T) {
	address := serve(t)
	p := open(t, 1200, 1000, gameAt(address, "babylone", "b1,b1,b1,r1,r1,r1"))
	a := about(t, address, "babylone", "play", "b1,b1,b1,r1,r1,r1")
	p.tells(a)
	p.do(chromedp.Click(chromedp.CSS(`[data-do="replies"]`)))
	p.until(`location.hash.includes("reply=1")`)
	var played []string
	for n := 0; !a.Moves.Over; n++ {
		last := len(a.Document.Moves) - 1 // the worst move, so that the program wins
		mine := a.Document.Moves[last]
		before := a
		button := fmt.Sprintf(`document.querySelectorAll(".moves tbody button")[%d]`, last)
		p.do(chromedp.Evaluate[chromedp.Void](button + `.click()`))
		played = append(played, fmt.Sprint(mine["move"]))
		reply := said[struct{ Reply, Position string }](t, "babylone", "play", "--reply", fmt.Sprint(mine["position"]))
		a = about(t, address, "babylone", "play", reply.Position)
		p.tells(a)
		if reply.Reply == "" {
			break
		}
		played = append(played, "~"+reply.Reply)
		if n == 0 {
			p.do(chromedp.Click(chromedp.CSS(`[data-do="undo"]`)))
			p.tells(before)
			p.do(chromedp.Click(chromedp.CSS(`[data-do="redo"]`)))
			p.tells(a)
			p.do(chromedp.Click(chromedp.CSS(part(a.Moves.Presses[0][0]))), chromedp.WaitVisible(chromedp.CSS(".part.chosen")))
			p.shot("program")
			p.do(chromedp.KeyEvent(kb.Escape))
			p.until(`!document.querySelector(".part.chosen")`)
		}
	}
	p.notes(played)
	p.until(`document.querySelector("#verdict").textContent === "no move is left: the player to move has lost"`)
	// Without its worth a game can be played for oneself.
	p.do(chromedp.Click(chromedp.CSS(`[data-do="restart"]`)), chromedp.Click(chromedp.CSS(`[data-do="worth"]`)))
	p.until(`location.hash.includes("hide=1") &&
		[...document.querySelectorAll(".worth")].every((e) => !e.checkVisibility())`)
	// The program moves first when it is asked to.
	p.do(chromedp.Click(chromedp.CSS(`[data-do="program"]`)))
	first := said[struct{ Reply, Position string }](t, "babylone", "play", "--reply", "b1,b1,b1,r1,r1,r1")
	p.reaches(first.Position)
}

// TestOrders gives orders of moves as texts, and checks the one that cannot be played against the program. It begins
// games at random, and follows a deck to those that come after it.
func TestOrders(t *testing.T) {
	address := serve(t)
	p := open(t, 1200, 1000, gameAt(address, "tiles", "RVRV/BWBW"))
	p.tells(about(t, address, "tiles", "play", "RVRV/BWBW"))
	p.do(chromedp.SendKeys(chromedp.CSS("#play-line"), "R0C0=j r1c0=R; r0c1=R, r0c2=J"),
		chromedp.Click(chromedp.CSS(`#play-line + button`)))
	check := said[struct{ Verdict string }](t, "tiles", "check", "RVRV/BWBW", "r0c0=J", "r1c0=R", "r0c1=R", "r0c2=J")
	if !strings.Contains(check.Verdict, "step 3") {
		t.Fatal(check.Verdict)
	}
	p.until(`document.querySelector(".tool-said").textContent === ` + quoted(check.Verdict))
	p.tells(about(t, address, "tiles", "play", "RVRV/BWBW:J.../R..."))
	p.shot("order")

	p.do(chromedp.Click(chromedp.CSS(part("r0c2"))), chromedp.Click(chromedp.CSS(part("R"))))
	p.until(`document.querySelector(".tool-said").textContent === "R cannot be laid on r0c2: it shows that colour itself"`)
	p.do(chromedp.Click(chromedp.CSS(part("J"))))
	p.tells(about(t, address, "tiles", "play", "RVRV/BWBW:J.J./R..."))
	p.do(chromedp.Click(chromedp.CSS(`[data-do="undo"]`)))

	// A tile that is chosen first is laid, too; two parts that are no move say so.
	p.do(chromedp.Click(chromedp.CSS(part("J"))), chromedp.Click(chromedp.CSS(part("r0c3"))))
	p.tells(about(t, address, "tiles", "play", "RVRV/BWBW:J..J/R..."))

	// A position that the puzzle does not have is refused, and the page keeps the one that it showed.
	p.quiet = append(p.quiet, "400 (Bad Request)")
	p.write("#play-at", "RVRX/BWBW:J")
	p.until(`document.querySelector(".tool-said .notice")`)
	p.tells(about(t, address, "tiles", "play", "RVRV/BWBW:J..J/R..."))

	// Other sizes, and other rules.
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".fields input").value = "3x5"`), chromedp.KeyEvent("n"))
	p.do(chromedp.Click(chromedp.CSS(`[data-do="new"]`)))
	p.until(`/^[A-Z]{5}\/[A-Z]{5}\/[A-Z]{5}$/.test(document.querySelector(".puzzle-play").dataset.position)`)
	begun := p.text(`document.querySelector(".puzzle-play").dataset.position`)
	p.tells(about(t, address, "tiles", "play", begun))

	p = open(t, 1200, 1000, address+"#view=play&p=baseball")
	p.until(`document.querySelector(".puzzle-play")?.dataset.position`)
	p.until(`location.hash.includes("at=")`)
	p.write("#play-at", "44|11|22|33|0_")
	ring := said[struct{ Distance int }](t, "baseball", "play", "44|11|22|33|0_")
	line := said[struct{ Distance int }](t, "baseball", "play", "--board", "line", "44|11|22|33|0_")
	distance := `document.querySelector('[data-fact="distance"]').textContent === "%d"`
	p.until(fmt.Sprintf(distance, ring.Distance))
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const select = document.querySelector(".fields select");
		select.value = "line";
		select.dispatchEvent(new Event("change"));
	}`))
	p.until(fmt.Sprintf(distance, line.Distance))
	if ring.Distance == line.Distance {
		t.Errorf("on both boards the distance is %d", ring.Distance)
	}
	p.until(`location.hash.includes("x.board=line")`)
	p.do(chromedp.Click(chromedp.CSS(`[data-more="solve"]`)), chromedp.WaitVisible(chromedp.CSS(".more .steps")))

	p = open(t, 1200, 1000, gameAt(address, "mousetrap", "4 2 3 5 1"))
	p.until(`document.querySelector(".puzzle-play")?.dataset.position`)
	chain := said[struct{ Chain []struct{ Deck string } }](t, "mousetrap", "chain", "4", "2", "3", "5", "1")
	p.do(chromedp.Click(chromedp.CSS(`[data-more="play"]`)), chromedp.WaitVisible(chromedp.CSS(".more .steps")),
		chromedp.Click(chromedp.CSS(`[data-more="chain"]`)), chromedp.WaitVisible(chromedp.CSS(".more .part")))
	p.shot("chain")
	decks := value[[]string](p, `[...document.querySelectorAll(".more .part")].map((e) => e.dataset.name)`)
	for i, row := range chain.Chain {
		if len(decks) != len(chain.Chain) || decks[i] != row.Deck {
			t.Fatalf("the chain shows %q, want %+v", decks, chain.Chain)
		}
	}
	p.do(chromedp.Click(chromedp.CSS(`.more .part[data-name="` + decks[1] + `"]`)))
	p.tells(about(t, address, "mousetrap", "swap", decks[1]))
}

// TestRefusedTile presses every place where a tile cannot be laid, with the mouse and with the keyboard. The page says the
// reason of tiles check, marks the cell that stands against it, and keeps the tile for another place.
func TestRefusedTile(t *testing.T) {
	address := serve(t)
	const at = "RVRV/BWBW:J.../...."
	for _, by := range []string{"mouse", "keys"} {
		p := open(t, map[string]int{"mouse": 1200, "keys": 390}[by], 900, gameAt(address, "tiles", at),
			scheming(map[string]string{"mouse": "light", "keys": "dark"}[by]))
		a := about(t, address, "tiles", "play", at)
		p.tells(a)
		press := func(name string) {
			t.Helper()
			if by == "mouse" {
				p.do(chromedp.Click(chromedp.CSS(part(name))))
				return
			}
			p.arrive(name)
			p.do(chromedp.KeyEvent(kb.Enter))
		}
		for tile, want := range map[string]int{"V": 8, "J": 4} { // V has no place at all
			press(tile)
			refused := 0
			for _, r := range a.Moves.Refused {
				cell := r.Presses[0]
				if r.Presses[1] != tile {
					continue
				}
				refused++
				press(cell)
				verdict := said[struct{ Verdict string }](t, "tiles", "check", at, cell+"="+tile).Verdict
				_, why, _ := strings.Cut(verdict, "cannot be played: ")
				p.until(`document.querySelector(".tool-said").textContent === ` + quoted(tile+" cannot be laid on "+cell+": "+why))
				marks := p.text(`[".chosen", ".against"].map((c) => document.querySelector(".part" + c)?.dataset.name)`)
				if marks != tile+","+r.By || why == "" {
					t.Errorf("%s, %s: chosen and against it are %s, want %s", by, verdict, marks, r.By)
				}
			}
			if refused != want {
				t.Errorf("%d places refuse tile %s, want %d", refused, tile, want)
			}
			p.shot(by + tile)
			p.do(chromedp.KeyEvent(kb.Escape))
			p.until(`!document.querySelector(".part.chosen, .part.against") && document.querySelector(".tool-said").textContent === ""`)
		}
	}
}

// TestPressedWhileRedrawn: a part that is drawn anew between press and release of the mouse is pressed all the same.
func TestPressedWhileRedrawn(t *testing.T) {
	address := serve(t)
	p := open(t, 1200, 1000, gameAt(address, "tiles", "RVR/BWB/VRV"))
	a := about(t, address, "tiles", "play", "RVR/BWB/VRV")
	p.tells(a)
	name := a.Moves.Presses[0][0]
	at := p.centres()[name]
	do := func(kind input.DispatchMouseEventType) {
		p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error { return mouse(ctx, t, kind, at[0], at[1]) }))
	}
	do(input.DispatchMouseEventTypeMousePressed)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[data-do="hint"]').click()`))
	do(input.DispatchMouseEventTypeMouseReleased)
	p.until(`document.querySelector(".part.chosen")?.dataset.name === ` + quoted(name))
}

// TestGamesOnAPhone plays a move of each puzzle on the screen of a phone, in the dark.
func TestGamesOnAPhone(t *testing.T) {
	address := serve(t)
	for _, g := range append(games, game{"mousetrap", "swap", "5 3 8 1 9 12 2 4 6 10 7 11"},
		game{"babylone", "play", "b1,b1,b1,b1,g1,g1,g1,g2,o1,o1,r1,r1,r4,y1,y1,y3"}) {
		p := open(t, 390, 844, gameAt(address, g.puzzle, g.start), scheming("dark"))
		a := about(t, address, g.puzzle, g.play, g.start)
		p.tells(a)
		p.do(chromedp.Click(chromedp.CSS(part(a.Moves.Presses[0][0]))))
		p.fitsPhone(g.puzzle)
		p.shot(g.puzzle + fmt.Sprint(len(g.start)))
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".side").scrollIntoView()`))
		p.shot(g.puzzle + fmt.Sprint(len(g.start)) + "-side")
	}
}

// A gameModel is the page's game, as plainly as can be.
type gameModel struct {
	ask    func(position string) *gameAnswer
	start  string
	line   []map[string]any // moves, those that were undone included
	made   int
	chosen string
}

func (m *gameModel) position() string {
	if m.made == 0 {
		return m.start
	}
	return fmt.Sprint(m.line[m.made-1]["position"])
}

func (m *gameModel) take(input string) {
	switch input {
	case "u":
		if m.made > 0 {
			m.made, m.chosen = m.made-1, ""
		}
	case "r":
		if m.made < len(m.line) {
			m.made, m.chosen = m.made+1, ""
		}
	case "restart":
		if m.made > 0 {
			m.made, m.chosen = 0, ""
		}
	default:
		m.press(input)
	}
}

// press presses a part of a name that no other part has.
func (m *gameModel) press(name string) {
	a := m.ask(m.position())
	in := false
	for i, presses := range a.Moves.Presses {
		in = in || slices.Contains(presses, name)
		pair := []string{m.chosen, name}
		slices.Sort(pair)
		sorted := slices.Sorted(slices.Values(presses))
		alone := m.chosen == "" && slices.Equal(presses, []string{name})
		if alone || m.chosen != "" && m.chosen != name && slices.Equal(sorted, pair) {
			row := a.Document.Moves[i]
			if m.made == len(m.line) || m.line[m.made]["position"] != row["position"] {
				m.line = append(m.line[:m.made:m.made], row)
			}
			m.made, m.chosen = m.made+1, ""
			return
		}
	}
	for _, r := range a.Moves.Refused {
		if m.chosen != name && slices.Contains(r.Presses, m.chosen) && slices.Contains(r.Presses, name) {
			return // the part stays chosen
		}
		in = in || slices.Contains(r.Presses, name)
	}
	switch {
	case m.chosen == name:
		m.chosen = ""
	case in:
		m.chosen = name
	}
}

// TestFastGame sends clicks and keys as fast as the browser takes them, while answers come late: none is lost.
func TestFastGame(t *testing.T) {
	r := seeded(t, 2)
	address := serve(t)
	known := map[string]*gameAnswer{}
	m := &gameModel{start: "RVR/BWB/VRV", ask: func(position string) *gameAnswer {
		if known[position] == nil {
			known[position] = &gameAnswer{}
			fetch(t, address+"puzzles/tiles/play?arg="+url.QueryEscape(position), known[position])
		}
		return known[position]
	}}
	p := open(t, 1200, 1000, gameAt(address, "tiles", m.start))
	p.tells(m.ask(m.start))
	p.do(chromedp.Evaluate[chromedp.Void](hold))
	at := p.centres()
	p.do(press(at["r0c0"][0], at["r0c0"][1])) // the keys are for the game
	m.take("r0c0")
	p.do(press(at["r0c0"][0], at["r0c0"][1])) // again: it is chosen no more, although tiles are refused there
	m.take("r0c0")
	p.until(`!document.querySelector(".part.chosen")`)
	deepest := 0
	for n := range 300 {
		in := "restart"
		switch a, k := m.ask(m.position()), r.IntN(100); {
		case k < 8:
			in = "u"
		case k < 16:
			in = "r"
		case k < 17:
		case k < 30: // any part
			figure := a.Figures[r.IntN(2)]
			in = figure.Parts[r.IntN(len(figure.Parts))].Name
		case len(a.Moves.Presses) > 0: // the first part of a move, or the second part of one that is begun
			presses := a.Moves.Presses[r.IntN(len(a.Moves.Presses))]
			in = presses[0]
			if i := slices.IndexFunc(a.Moves.Presses, func(one []string) bool { return one[0] == m.chosen }); i >= 0 {
				in = a.Moves.Presses[i][1]
			}
		}
		if len(in) == 1 && strings.Contains("ur", in) {
			p.do(chromedp.KeyEvent(in))
		} else {
			p.do(press(at[in][0], at[in][1]))
		}
		m.take(in)
		deepest = max(deepest, m.made)
		if n%5 == 0 {
			p.do(chromedp.Evaluate[chromedp.Void](`held(1)`))
		}
	}
	p.do(chromedp.Evaluate[chromedp.Void](`release()`))
	var names []string
	for _, row := range m.line[:m.made] {
		names = append(names, fmt.Sprint(row["move"]))
	}
	p.notes(names)
	p.until(`(document.querySelector(".part.chosen")?.dataset.name || "") === ` + quoted(m.chosen))
	p.reaches(m.position())
	if deepest < 5 {
		t.Errorf("the longest game had %d moves", deepest)
	}
}
