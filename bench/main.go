// Command bench measures Pagoda against the hash-map baseline: the same question (every game on the English board from
// the centre), the same core, in turn, so that what else happens on the machine hits both alike.
//
//	go run ./bench -baseline FILE.cpp -pairs 5
//
// It prints, for each pair, CPU seconds (user and system) and peak resident memory of both, their ratios, and the
// median of the ratios; then one worker against two on two cores. Speed is reported, never judged by the exit status:
// that is 1 only when something could not be built or run, or gave a wrong result.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

type options struct {
	baseline string
	kernel   string
	config   string
	entropy  string
	folder   string
	pairs    int
	core     int
	cores    string
}

func main() {
	var o options
	flag.StringVar(&o.baseline, "baseline", "", "C++ source `file` of the baseline; without it only Pagoda is run")
	flag.StringVar(&o.kernel, "kernel", "", "`command` that counts with the kernel alone, windows in memory, on one core;"+
		" default: the program in bench/kernel")
	flag.StringVar(&o.config, "config", "configs/english.yaml", "config `file` of the whole run")
	flag.StringVar(&o.entropy, "entropy", "", "`command` that takes the data folder and prints the entropy of what is\n"+
		"stored there, in bytes per class")
	flag.StringVar(&o.folder, "folder", ".bench", "`folder` for binaries and data; the data is removed afterwards")
	flag.IntVar(&o.pairs, "pairs", 5, "how many `pairs` to run")
	flag.IntVar(&o.core, "core", 0, "`number` of the core that everything is pinned to")
	flag.StringVar(&o.cores, "cores", "0,1", "`numbers` of the two cores of the comparison of one worker with two")
	flag.Parse()

	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if flag.NArg() > 0 || o.pairs < 1 {
		return errors.New("want no arguments and at least one pair; see -help")
	}
	if _, err := exec.LookPath("taskset"); err != nil {
		return errors.New("taskset is missing, and without it nothing is pinned alike; install util-linux")
	}
	folder, err := filepath.Abs(o.folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	data, err := os.MkdirTemp(folder, "data-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(data) }()
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt) // the children get it too and end; what remains is to clean up
	defer signal.Stop(stopped)

	whole, err := wholeRun(o, folder, data)
	if err != nil {
		return err
	}
	kernel, err := kernelAlone(o, folder)
	if err != nil {
		return err
	}
	base, err := baseline(o.baseline, folder)
	if err != nil {
		return err
	}

	one := fmt.Sprint(o.core)
	subjects := []subject{kernel, whole(1)}
	if err := againstBaseline(o.pairs, one, base, subjects); err != nil {
		return err
	}
	if err := oneAgainstTwo(o.pairs, o.cores, whole(1), whole(2)); err != nil {
		return err
	}
	if o.entropy == "" && o.kernel == "" && len(kernel.command) > 0 {
		o.entropy = kernel.command[0] + " -entropy"
	}
	return onDisk(o, one, whole(1))
}

// baseline builds the baseline; the subject is absent where there is no source.
func baseline(source, folder string) (subject, error) {
	if _, err := os.Stat(source); source == "" || errors.Is(err, os.ErrNotExist) {
		loud("NOT RUN: the hash-map baseline; %q is not there. Pagoda is measured alone, without ratios.", source)
		return subject{}, nil
	}
	binary := filepath.Join(folder, "hashmap_baseline")
	err := build("g++", "-std=c++17", "-O3", "-march=native", source, "-o", binary)
	return subject{name: "baseline", command: []string{binary}, check: mentions(games, solutions, classes)}, err
}

// kernelAlone is the kernel over windows in memory: no store, ledger or queue.
func kernelAlone(o options, folder string) (subject, error) {
	s := subject{
		name: "kernel", want: "at most 1/6, heading for 1/10", command: strings.Fields(o.kernel), check: mentions(games),
	}
	if o.kernel != "" {
		return s, nil
	}
	if found, _ := filepath.Glob("bench/kernel/*.go"); len(found) == 0 {
		loud("NOT RUN: the kernel alone; there is no bench/kernel, and no -kernel COMMAND.")
		return subject{}, nil
	}
	binary := filepath.Join(folder, "kernel")
	s.command = []string{binary}
	return s, build("go", "build", "-o", binary, "./bench/kernel")
}

// wholeRun is the program as people use it, in a fresh data folder each time.
func wholeRun(o options, folder, data string) (func(workers int) subject, error) {
	binary := filepath.Join(folder, "coordinator")
	if err := build("go", "build", "-o", binary, "./cmd/coordinator"); err != nil {
		return nil, err
	}
	where := filepath.Join(data, "run")
	return func(workers int) subject {
		return subject{
			name: fmt.Sprintf("run, %d worker(s)", workers),
			want: "at most 1/3, heading for 1/5; memory below 1024 MiB",
			command: []string{binary, "run", o.config, "--data", where,
				"--workers", fmt.Sprint(workers), "--output", "json"},
			before: func() error { return os.RemoveAll(where) },
			check:  mentions(games, solutions, classes),
			folder: where,
		}
	}, nil
}

func build(command ...string) error {
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
	}
	return nil
}

func loud(format string, args ...any) { fmt.Printf("\n!!! "+format+"\n", args...) }
