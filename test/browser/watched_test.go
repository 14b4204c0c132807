package browser

import (
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestWatched is the task of a visitor who watches a run of two workers on a phone. Both are stopped now and then, so that
// the run goes on as long as the page is looked at.
func TestWatched(t *testing.T) {
	dir := t.TempDir() + "/run"
	lead := start(t, "coordinator", "run", "../../configs/english-solutions.yaml", "--concurrency", "0",
		"--set", "window_addresses=100000", "--set", "worker_timeout=1h", "--data", dir, "--listen", "127.0.0.1:0")
	queue := field(lead.says(t, "listening", "what=queue"), "address")
	var workers []*process
	for _, name := range []string{"first", "second"} {
		w := start(t, "worker", "--nats", "nats://"+queue, "--name", name, "--data", t.TempDir())
		lead.says(t, "worker joined", name)
		if err := w.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, w)
	}
	p := open(t, 390, 844, serve(t, "--data", dir))
	p.do(chromedp.WaitVisible(chromedp.CSS(`[data-worker="first"]`)), chromedp.WaitVisible(chromedp.CSS(`[data-worker="second"]`)))
	p.until(`document.querySelector(".card p:nth-of-type(2)").textContent.includes("rows/s")`) // it says for how long
	p.until(`document.querySelector(".pace .pace-line")`)
	p.fitsPhone("the run")
	p.shot("running")
	for _, w := range workers {
		if err := w.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	p.until(`document.querySelector(".card").dataset.state === "complete"`)
	p.until(`document.querySelector(".run-list time")`)
	p.shot("end")
	if err := lead.Wait(); err != nil {
		t.Fatal(err)
	}
}
