//go:build linux

// Command watch measures the cost of browsers that show a run. It carries out a run, serves the page, and has clients
// follow the stream of events as pages do.
//
//	go run ./bench/watch -clients 50 -time 20s
//
// It prints the CPU time of the page's server without clients and with all of them, and the events and bytes received.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type options struct {
	config  string
	clients int
	time    time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.config, "config", "configs/french.yaml", "the run: a `config`")
	flag.IntVar(&o.clients, "clients", 50, "`number` of clients that watch")
	flag.DurationVar(&o.time, "time", 20*time.Second, "`time` to measure, without clients and with them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measure(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// measure carries out the run and serves the page, and measures.
func measure(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "pagoda-watch-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program := filepath.Join(dir, "coordinator")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/coordinator")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	data := filepath.Join(dir, "run")
	run := exec.CommandContext(ctx, program, "run", o.config, "--concurrency", "1", "--data", data)
	if err := run.Start(); err != nil {
		return err
	}
	defer end(run)
	for _, err := os.Stat(filepath.Join(data, "run.json")); err != nil; _, err = os.Stat(filepath.Join(data, "run.json")) {
		if err := wait(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	page := exec.CommandContext(ctx, program, "explore", "--listen", "127.0.0.1:0", "--data", data)
	out, err := page.StdoutPipe()
	if err == nil {
		err = page.Start()
	}
	if err != nil {
		return err
	}
	defer end(page)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("explore: %w", err)
	}
	for _, clients := range []int{0, o.clients} {
		if err := watched(ctx, o.time, clients, strings.TrimSpace(address), page.Process.Pid); err != nil {
			return err
		}
	}
	return nil
}

func end(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
}

// watched measures a process for some time while clients watch.
func watched(ctx context.Context, d time.Duration, clients int, address string, pid int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var events, received atomic.Uint64
	var all sync.WaitGroup
	for range clients {
		all.Go(func() { follow(ctx, address, &events, &received) })
	}
	if err := wait(ctx, 2*time.Second); err != nil { // all are there
		return err
	}
	events.Store(0)
	received.Store(0)
	before, err := cpu(pid)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := wait(ctx, d); err != nil {
		return err
	}
	after, err := cpu(pid)
	if err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	fmt.Printf("%2d clients: %.4f of a core, %.1f events/s, %.0f bytes/s\n", clients,
		(after-before).Seconds()/took, float64(events.Load())/took, float64(received.Load())/took)
	stop()
	all.Wait()
	return nil
}

// follow reads the stream of events until ctx is done.
func follow(ctx context.Context, address string, events, received *atomic.Uint64) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"events", nil)
	if err != nil {
		return
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buffer)
		received.Add(uint64(n))
		events.Add(uint64(bytes.Count(buffer[:n], []byte("event: run\n"))))
		if err != nil {
			return
		}
	}
}

// cpu is the CPU time that a process has used, all threads, in user and system mode.
func cpu(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	const user, system, ticks = 11, 12, 100 // fields after the name, and ticks of a second; see proc(5)
	if len(f) <= system {
		return 0, io.ErrUnexpectedEOF
	}
	u, err := strconv.ParseUint(f[user], 10, 63)
	s, err2 := strconv.ParseUint(f[system], 10, 63)
	return time.Duration(u+s) * time.Second / ticks, errors.Join(err, err2)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
