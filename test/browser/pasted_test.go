package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPastedBoards pastes published boards of several rows into the fields of a question, each of which is one line.
// The rows, and the blanks before the first row, are kept.
func TestPastedBoards(t *testing.T) {
	const (
		spaced = "    o o o    \r\n    o o o    \r\no o o o o o o\r\no o o . o o o\r\no o o o o o o\r\n    o o o    \r\n" +
			"    o o o    \r\n"
		planned = "    o o o\n    o * o\no o * o * o o\no * o o * o o\no o o o o o o\n    o o o\n    o o o\n"
		twice   = "  XXX\n  XXX\nXXXXXXX\nXXXOXXX\nXXXXXXX\n  XXX\n  XXX"
	)
	p := open(t, 1000, 900, serve(t)+"#view=ask&p=peg&q=feasible")
	p.quiet = []string{"400 (Bad Request)"} // of the board with two readings
	p.do(chromedp.WaitVisible(chromedp.CSS("form button")))
	for _, c := range []struct{ start, board, want string }{
		{planned, spaced, coordinator(t, "peg", "feasible", planned, "center", "--board", spaced)},
		{twice, "", "two readings: X a peg and O an empty hole"},
	} {
		for name, text := range map[string]string{"START": c.start, "board": c.board} {
			p.do(chromedp.Evaluate[chromedp.Void](`{
				const field = [...document.querySelectorAll("form .field")]
					.find((l) => l.querySelector("span").textContent === "` + name + `").querySelector("input");
				field.value = "";
				const clipboardData = new DataTransfer();
				clipboardData.setData("text/plain", ` + quoted(text) + `);
				field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
			}`))
		}
		p.do(chromedp.Click(chromedp.CSS("form button")))
		p.until(`document.querySelector("main").textContent.includes(` + quoted(c.want) + `)`)
	}
}
