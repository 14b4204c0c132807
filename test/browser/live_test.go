package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A process is a program of a fleet whose log is read to its end.
type process struct {
	*exec.Cmd
	lines chan string
}

// start starts a program.
func start(t *testing.T, name string, args ...string) *process {
	t.Helper()
	p := &process{exec.Command(filepath.Join(bin, name), args...), make(chan string, 1<<16)}
	log, err := p.StderrPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	go func() {
		defer close(p.lines)
		lines := bufio.NewReader(log)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				_, _ = io.Copy(io.Discard, log)
				return
			}
			p.lines <- line
		}
	}()
	return p
}

// says waits until the log has a line with all of some texts.
func (p *process) says(t *testing.T, texts ...string) string {
	t.Helper()
next:
	for line := range p.lines {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue next
			}
		}
		return line
	}
	t.Fatalf("%s ends without saying %q", p.Path, texts)
	return ""
}

// field is the value of a field of a log line.
func field(line, name string) string {
	_, rest, _ := strings.Cut(line, name+"=")
	return strings.Fields(rest + " ")[0]
}

// TestLive follows a run with two workers, of which one is killed, to its end. Both are stopped when they have joined,
// so that the run cannot be over before the page has shown them.
func TestLive(t *testing.T) {
	dir := t.TempDir() + "/run"
	lead := start(t, "coordinator", "run", "../../configs/english-solutions.yaml", "--concurrency", "0",
		"--set", "window_addresses=100000", "--set", "worker_timeout=20s", "--data", dir, "--listen", "127.0.0.1:0")
	queue := field(lead.says(t, "listening", "what=queue"), "address")
	workers := map[string]*process{}
	for _, name := range []string{"first", "second"} {
		w := start(t, "worker", "--nats", "nats://"+queue, "--name", name, "--data", t.TempDir())
		lead.says(t, "worker joined", name)
		if err := w.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		workers[name] = w
	}
	p := open(t, 1200, 900, serve(t, "--data", dir)+"#view=runs")
	p.do(chromedp.WaitVisible(chromedp.CSS(`[data-worker="first"]`)), chromedp.WaitVisible(chromedp.CSS(`[data-worker="second"]`)))
	p.shot("both")
	if err := workers["first"].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := workers["second"].Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector(".card").dataset.state === "complete"`)
	if err := lead.Wait(); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Click(chromedp.CSS(`.card [data-do="verify"]`)),
		chromedp.WaitVisible(chromedp.CSS(`.verification[data-state="complete"]`)))
	verdict := p.text(`document.querySelector(".verification").textContent`)
	if verified := coordinator(t, "verify", "--dry-run", "--data", dir); !strings.Contains(verified, verdict) {
		t.Errorf("the page says %s, verify\n%s", verdict, verified)
	}
	p.shot("end")
	said := coordinator(t, "status", "--data", dir)
	shown := p.text(`document.querySelector(".card progress").value + " of " + document.querySelector(".card progress").max`)
	if !strings.Contains(said, shown) {
		t.Errorf("the page shows %s windows, status says\n%s", shown, said)
	}
}

// TestDoing looks at what each of two workers computes, in a run of both that is far from its end. They are stopped in
// the middle: then the page comes to say what status says, of each the one window that it had at its last heartbeat.
func TestDoing(t *testing.T) {
	dir := t.TempDir() + "/run"
	lead := start(t, "coordinator", "run", "../../configs/french.yaml", "--concurrency", "0",
		"--set", "worker_timeout=1h", "--data", dir, "--listen", "127.0.0.1:0")
	queue := field(lead.says(t, "listening", "what=queue"), "address")
	var workers []*os.Process
	for _, name := range []string{"first", "second"} {
		w := start(t, "worker", "--nats", "nats://"+queue, "--name", name, "--concurrency", "1", "--data", t.TempDir())
		lead.says(t, "worker joined", name)
		workers = append(workers, w.Process)
	}
	send := func(signal os.Signal) {
		t.Helper()
		for _, w := range workers {
			if err := w.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := open(t, 1200, 1250, serve(t, "--data", dir)+"#view=runs")
	type worker struct {
		Name  string
		Doing []string
	}
	shown := func() []worker {
		return value[[]worker](p, `[...document.querySelectorAll("[data-worker]")].map((row) => ({ Name: row.dataset.worker,
			Doing: [...row.querySelectorAll(".doing li")].map((li) => li.textContent.split(", for ")[0]) }))`)
	}
	said := func() (list []worker) {
		var status struct {
			Workers []struct {
				Name  string
				Doing []struct {
					Window string
					Copy   bool
				}
			}
		}
		if err := json.Unmarshal([]byte(coordinator(t, "status", "--data", dir, "--output", "json")), &status); err != nil {
			t.Fatal(err)
		}
		for _, w := range status.Workers {
			one := worker{w.Name, []string{}}
			for _, d := range w.Doing {
				verb := "window "
				if d.Copy {
					verb = "copies "
				}
				one.Doing = append(one.Doing, verb+d.Window)
			}
			list = append(list, one)
		}
		return list
	}
	for deadline := time.Now().Add(patience); ; send(syscall.SIGCONT) {
		p.until(`document.querySelectorAll(".doing").length === 2`)
		send(syscall.SIGSTOP)
		want := said()
		for got := shown(); fmt.Sprint(got) != fmt.Sprint(want); got = shown() {
			if time.Now().After(deadline) {
				p.shot("failed")
				t.Fatalf("the page shows %v, status says %v", got, want)
			}
			want = said()
		}
		if len(want) != 2 || slices.ContainsFunc(want, func(w worker) bool { return len(w.Doing) == 0 }) {
			continue // one of them had nothing to do at that moment
		}
		p.shot("doing")
		for _, w := range want {
			if len(w.Doing) != 1 || strings.Count(w.Doing[0], "/") != 2 {
				t.Errorf("%s, of one slot: %v", w.Name, w.Doing)
			}
		}
		return
	}
}
