package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
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

var shots = flag.String("shots", "", "folder for screenshots; none are kept without it")

// bin has the programs.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(build(m))
}

// build builds the programs, and runs the tests.
func build(m *testing.M) int {
	if bin = os.Getenv("TESTED_PROGRAMS"); bin != "" {
		defer func() { stopBrowser() }()
		return m.Run() // built already, for all suites
	}
	dir, err := os.MkdirTemp("", "pagoda-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = dir
	cmd := exec.Command("go", "build", "-C", "../..", "-o", dir, "./cmd/...")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	defer func() { stopBrowser() }()
	return m.Run()
}

// coordinator runs the program to its end and returns what it prints.
func coordinator(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "coordinator"), args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("coordinator %s: %v\n%s", strings.Join(args, " "), err, said.String())
	}
	return string(out)
}

// serve starts coordinator explore and returns the address that it prints.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	address, _ := serveProcess(t, args...)
	return address
}

// serveProcess is serve, with the process.
func serveProcess(t *testing.T, args ...string) (string, *os.Process) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "coordinator"), append([]string{"explore", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("explore says no address: %v", err)
	}
	return strings.TrimSpace(line), cmd.Process
}

// A tab is a page in the browser.
type tab struct {
	t     *testing.T
	ctx   context.Context
	quiet []string // parts of messages that the console may have
}

// started is the browser of all tests, whose tabs share nothing but their server's address.
var started context.Context

// browser starts the browser when it is first wanted. Without one the tests fail.
func browser(t *testing.T) context.Context {
	t.Helper()
	if started == nil {
		started, stopBrowser = startBrowser(t)
	}
	return started
}

// startBrowser starts a browser. stop ends it.
func startBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) (ctx context.Context, stop func()) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox,
		chromedp.Flag("js-flags", "--expose-gc"), chromedp.Flag("enable-precise-memory-info", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-features",
			"Translate,BlinkGenPropertyTrees,OptimizationHints,OptimizationGuideModelDownloading,MediaRouter"))
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	ctx, cancelFirst := chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	return ctx, func() {
		cancelFirst()
		cancel()
	}
}

// stopBrowser ends the browser.
var stopBrowser = func() {}

// patience is how long a state may take that must come.
const patience = 2 * time.Minute

// open opens a page of a size in pixels. The test fails when its console has errors in the end.
func open(t *testing.T, width, height int, address string, more ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	return openIn(t, browser(t), width, height, address, more...)
}

// openIn is open in another browser.
func openIn(
	t *testing.T, in context.Context, width, height int, address string, more ...chromedp.Action[chromedp.Void],
) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(in)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("the browser opens no tab: %v", err)
	}
	listening, stop := context.WithCancel(ctx)
	messages := chromedp.Console(listening)
	heard := make(chan []string)
	go func() {
		var said []string
		for m, err := range messages {
			if err != nil {
				break
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning || m.IsException() {
				said = append(said, m.String()+" "+m.URL)
			}
		}
		heard <- said
	}()
	t.Cleanup(func() {
		stop()
		for _, text := range <-heard {
			if !slices.ContainsFunc(p.quiet, func(part string) bool { return strings.Contains(text, part) }) {
				t.Errorf("the console says: %s", text)
			}
		}
	})
	p.do(append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(int64(width), int64(height))},
		append(more, chromedp.Navigate(address))...)...)
	return p
}

// do carries out actions one after the other. An error, or more time than patience, fails the test.
func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.shot("failed")
		p.t.Fatalf("%v", err)
	}
}

// value evaluates an expression in the page.
func value[T any](p *tab, expression string, options ...chromedp.EvaluateOption) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		p.shot("failed")
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression of the page is true.
func (p *tab) until(expression string) {
	p.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	late := time.NewTimer(patience)
	defer late.Stop()
	for !value[bool](p, "Boolean("+expression+")") {
		select {
		case <-look.C:
		case <-late.C:
			p.shot("failed")
			p.t.Fatalf("it does not come to: %s", expression)
		}
	}
}

// text is the value of an expression of the page, as text.
func (p *tab) text(expression string) string {
	p.t.Helper()
	return value[string](p, "String("+expression+")")
}

// fitsPhone demands that a page is as wide as the screen of a phone, 390 pixels.
func (p *tab) fitsPhone(what string) {
	p.t.Helper()
	if wide := p.text("document.documentElement.scrollWidth"); wide != "390" {
		p.t.Errorf("on a screen of 390 pixels %s is %s wide", what, wide)
	}
}

// shot keeps a screenshot under a name.
func (p *tab) shot(name string) {
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = errors.Join(os.MkdirAll(*shots, 0o755),
			os.WriteFile(filepath.Join(*shots, strings.ReplaceAll(p.t.Name(), "/", "-")+"-"+name+".png"), png, 0o600))
	}
	if err != nil {
		p.t.Logf("no screenshot %s: %v", name, err)
	}
}

// fetch reads JSON of the server, as a program does.
func fetch(t *testing.T, address string, into any) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, b)
	}
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}
