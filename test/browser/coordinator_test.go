package browser

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// A doorway is an address that leads to another one, which may change: that of a program that is started again.
type doorway struct {
	net.Listener
	to atomic.Value // string; "" to refuse
}

func newDoorway(t *testing.T) *doorway {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &doorway{Listener: l}
	d.to.Store("")
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go d.lead(near)
		}
	}()
	return d
}

// lead passes bytes on, both ways, until one side ends.
func (d *doorway) lead(near net.Conn) {
	defer func() { _ = near.Close() }()
	far, err := net.Dial("tcp", d.to.Load().(string))
	if err != nil {
		return
	}
	closed := sync.OnceFunc(func() {
		_ = far.Close()
		_ = near.Close()
	})
	defer closed()
	go func() {
		defer closed()
		_, _ = io.Copy(far, near)
	}()
	_, _ = io.Copy(near, far)
}

// TestCoordinator looks at a run on the API of its coordinator. The coordinator is killed and started again; the page
// says that it is away, and then follows the run to its end, which is the end of the coordinator as well. The page of
// explore shows the run beside that of a folder, and must do the same.
func TestCoordinator(t *testing.T) {
	dir := t.TempDir() + "/run"
	door := newDoorway(t)
	lead := func() (*process, string) {
		p := start(t, "coordinator", "run", "../../configs/english-solutions.yaml", "--concurrency", "0",
			"--set", "window_addresses=100000", "--set", "worker_timeout=20s", "--set", "retention=all", "--data", dir,
			"--listen", "127.0.0.1:0", "--api", "127.0.0.1:0")
		door.to.Store(field(p.says(t, "listening", "what=api"), "address"))
		return p, field(p.says(t, "listening", "what=queue"), "address")
	}
	first, _ := lead()
	p := open(t, 1200, 900, "http://"+door.Addr().String()+"/")
	p.quiet = []string{"net::ERR_"} // while the coordinator is away
	p.do(chromedp.WaitVisible(chromedp.CSS(".grids")))
	if views := p.text(`document.querySelector("#views [aria-current]").textContent`); views != "Runs" {
		t.Errorf("at first the page shows %s", views)
	}
	squares := `(kind) => [...document.querySelectorAll(".grids path.window-" + kind)]
		.reduce((n, path) => n + path.getAttribute("d").split("z").length - 1, 0)`
	count := func(kind string) string { return "(" + squares + `)("` + kind + `")` }
	shown := `Number(document.querySelector(".card progress").max)`
	p.until(shown + " > 0 && " + count("planned") + "+" + count("queued") + "+" + count("assigned") + " === " + shown)
	p.shot("planned")
	small := t.TempDir() + "/small"
	coordinator(t, "run", "../../configs/triangle15.yaml", "--data", small)
	q := open(t, 1200, 900, serve(t, "--data", small, "--url", "http://"+door.Addr().String())+"#view=runs")
	card := `[...document.querySelectorAll(".card")].find((c) => c.textContent.includes("` + door.Addr().String() + `"))`
	q.until(`document.querySelectorAll('.card[data-state="complete"]').length === 1 && ` + card)
	q.until(`document.querySelector('[data-answers="yes"]')`)
	q.shot("beside")
	_ = first.Process.Kill()
	_ = first.Wait()
	p.until(`document.body.classList.contains("away")`)
	q.until(card + `.classList.contains("gone") && document.querySelector('[data-answers="no"]')`)
	q.shot("away")

	second, queue := lead()
	p.until(`!document.body.classList.contains("away")`)
	q.until(`!` + card + `.classList.contains("gone") && document.querySelector('[data-answers="yes"]')`)
	start(t, "worker", "--nats", "nats://"+queue, "--name", "worker", "--data", t.TempDir())
	p.until(`document.querySelector(".card").dataset.state === "complete"`)
	if text := p.text(`document.querySelector(".card").textContent`); !strings.Contains(text, "coordinator 2") {
		t.Errorf("in the end the page says %s", text)
	}
	if got, want := p.text(count("held")+"+"+count("done")), p.text(shown); got != want {
		t.Errorf("in the end %s squares are done, of %s", got, want)
	}
	p.shot("end")
	q.until(card + `.dataset.state === "complete"`)
	if text := q.text(card + ".textContent"); !strings.Contains(text, "coordinator 2") {
		t.Errorf("in the end the page beside says %s", text)
	}
	q.shot("beside-end")
	if err := second.Wait(); err != nil {
		t.Fatal(err)
	}
}
