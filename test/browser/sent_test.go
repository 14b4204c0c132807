package browser

import (
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// maxSent bounds the bytes that a browser receives until it shows the board of a run with all numbers, headers and the
// answers about the next positions included.
const maxSent = 80_000

// weighed is an address that leads to another one, and the bytes that went from there to the browser.
func weighed(t *testing.T, address string) (through string, sent *atomic.Int64) {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	sent = new(atomic.Int64)
	there := to.Host
	go func() {
		for {
			browser, err := l.Accept()
			if err != nil {
				return
			}
			var dial net.Dialer
			server, err := dial.DialContext(t.Context(), "tcp", there)
			if err != nil {
				_ = browser.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, browser); _ = server.Close() }()
			go func() { _, _ = io.Copy(io.MultiWriter(browser, tally{sent}), server); _ = browser.Close() }()
		}
	}()
	to.Host = l.Addr().String()
	return to.String(), sent
}

// A tally counts what is written to it.
type tally struct{ n *atomic.Int64 }

func (t tally) Write(b []byte) (int, error) {
	t.n.Add(int64(len(b)))
	return len(b), nil
}

// TestSent counts what a browser receives: for the board, for the same once more, and with the first chart, which alone
// brings the library.
func TestSent(t *testing.T) {
	address, sent := weighed(t, serve(t, "--data", english(t)))
	p := open(t, 1000, 900, address)
	asked := func(n string) string {
		return `performance.getEntriesByType("resource").filter((e) => e.name.includes("/answer/query")).length >= ` + n
	}
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.until(asked("5")) // the position, and those after its four jumps
	first := sent.Load()
	t.Logf("the board: %d bytes, first paint after %s ms", first,
		p.text(`performance.getEntriesByName("first-contentful-paint")[0].startTime.toFixed()`))
	if first > maxSent {
		t.Errorf("%d bytes are sent for the board, at most %d are wanted", first, maxSent)
	}
	library := func() bool {
		return strings.Contains(p.text(`performance.getEntriesByType("resource").map((e) => e.name).join()`), "uPlot")
	}
	if library() {
		t.Error("the library of the charts comes before the first chart")
	}
	before := sent.Load()
	p.do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.until(asked("5"))
	again := sent.Load() - before
	t.Logf("the board again: %d bytes", again)
	if again > first/4 {
		t.Errorf("%d bytes are sent for the board once more, after %d for the first time", again, first)
	}
	before = sent.Load()
	p.do(chromedp.Evaluate[chromedp.Void](`location.hash = location.hash.replace("view=board", "") + "&view=tables"`),
		chromedp.WaitVisible(chromedp.CSS(".bar")))
	t.Logf("the tables, with the first chart: %d bytes", sent.Load()-before)
	if !library() {
		t.Error("the first chart is there without its library, or this test does not see it")
	}
}
