package browser

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestRule plays on a board with diagonal jumps: the page has the jumps of the board, and says what the program says. The
// address of a problem on the board, which names no run, leads there too.
func TestRule(t *testing.T) {
	dir := t.TempDir()
	config, err := os.ReadFile("../../configs/square4-diagonal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/diagonal.yaml", config, 0o600); err != nil {
		t.Fatal(err)
	}
	coordinator(t, "run", dir+"/diagonal.yaml", "--data", dir+"/run")
	p := open(t, 1200, 900, serve(t, "--data", dir+"/run")+
		"#board=square+oooo/oooo/oooo/oooo+diagonal&start=0xfffe&goal=0x1&game=33x11")
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	p.played([]string{"33x11"})
	p.same(dir + "/run")
	p.do(chromedp.Click(hole("42")), chromedp.WaitVisible(hole("42")+".chosen"), chromedp.Click(hole("22")))
	p.played([]string{"33x11", "42x22"})
	p.same(dir + "/run")
}
