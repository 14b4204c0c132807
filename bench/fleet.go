package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A fleet is the same question answered by three processes: a coordinator that computes nothing, and two workers with
// one slot each, which find it on a loopback port and hand each other windows.
type fleet struct {
	folder string // of the programs
	data   string
	config string
	check  func(stdout []byte) error
}

// fleetLimit ends a fleet that does not come to its end.
const fleetLimit = 10 * time.Minute

// measure starts all three processes at the same moment, on empty folders and the given cores. The wall time is that
// until the coordinator has ended; CPU time is that of all three.
func (f *fleet) measure(cores string) (s sample, err error) {
	if err := os.RemoveAll(f.data); err != nil {
		return s, err
	}
	address, err := freeAddress()
	if err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), fleetLimit)
	defer cancel()
	start := func(program string, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer, error) {
		args = append([]string{"-c", cores, filepath.Join(f.folder, program)}, args...)
		c := exec.CommandContext(ctx, "taskset", args...)
		out, log := new(bytes.Buffer), new(bytes.Buffer)
		c.Stdout, c.Stderr = out, log
		return c, out, log, c.Start()
	}
	var workers []*exec.Cmd
	defer func() {
		for _, w := range workers {
			if err != nil {
				_ = w.Process.Kill()
			}
			werr := w.Wait()
			s.cpu += cpuOf(w.ProcessState)
			if err == nil && werr != nil {
				err = fmt.Errorf("a worker of the fleet: %w", werr)
			}
		}
	}()
	began := time.Now()
	for i := range 2 {
		w, _, _, err := start("worker", "--nats", "nats://"+address, "--concurrency", "1", "--once",
			"--data", filepath.Join(f.data, fmt.Sprintf("worker-%d", i+1)))
		if err != nil {
			return s, err
		}
		workers = append(workers, w)
	}
	c, out, log, err := start("coordinator", "run", f.config, "--concurrency", "0", "--listen", address,
		"--data", filepath.Join(f.data, "run"), "--output", "json")
	if err != nil {
		return s, err
	}
	err = c.Wait()
	s.wall, s.cpu = time.Since(began).Seconds(), cpuOf(c.ProcessState)
	if err == nil {
		err = f.check(out.Bytes())
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, tail(log.String()+out.String(), 20))
	}
	return s, nil
}

func cpuOf(p *os.ProcessState) float64 {
	used := p.SysUsage().(*syscall.Rusage)
	return seconds(used.Utime) + seconds(used.Stime)
}

// freeAddress returns a loopback address that is free at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	address := l.Addr().String()
	return address, l.Close()
}

// processes runs the same question with two workers in one process and with a fleet, in turn, on the same two cores.
func processes(pairs int, cores string, alone subject, f *fleet) error {
	if runtime.NumCPU() < 2 {
		loud("NOT RUN: two worker processes; this machine has one core.")
		return nil
	}
	fmt.Printf("\ntwo worker processes with transfer against two workers in one process on cores %s, from start to end: "+
		"at most 1.25 times the wall time; load average before: %s\n", cores, load())
	fmt.Printf("%6s %14s %14s %10s %14s %14s\n",
		"pair", "process wall s", "fleet wall s", "ratio", "process cpu s", "fleet cpu s")
	var a, b []sample
	var ratio []float64
	for p := range pairs {
		var x, y sample
		one := func() (err error) { x, err = measure(&alone, cores); return err }
		many := func() (err error) { y, err = f.measure(cores); return err }
		first, second := one, many
		if p%2 == 1 {
			first, second = many, one
		}
		if err := errors.Join(first(), second()); err != nil {
			return err
		}
		a, b = append(a, x), append(b, y)
		ratio = append(ratio, y.wall/x.wall)
		fmt.Printf("%6d %14.2f %14.2f %10.2f %14.2f %14.2f\n", p+1, x.wall, y.wall, ratio[p], x.cpu, y.cpu)
	}
	fmt.Printf("%6s %14.2f %14.2f %10.2f %14.2f %14.2f\n", "median", median(a, wall), median(b, wall), middle(ratio),
		median(a, cpu), median(b, cpu))
	return nil
}
