// Command bench measures Pagoda against the hash-map baseline, which counts every game on the English board from the
// centre. Pagoda counts all games, the solutions of the centre game, the positions, and the winnable positions. The
// kernel alone and the whole program answer each of these questions. All programs take turns on one core, so that other
// work of the machine hits all alike.
//
//	go run ./bench -baseline FILE.cpp -pairs 5
//
// It prints, for each pair, CPU seconds (user and system) and peak resident memory of both, their ratios, and the
// median of the ratios; the distance of the kernels to the limits of one core and its memory; then one worker against
// two on two cores, and two worker processes against two workers in one process. Speed is reported, never judged by the
// exit status: that is 1 only when something could not be built or run, or gave a wrong result.
//
//	go run ./bench -plan [CONFIG...]
//
// It compares what plan says of configs with what their runs take.
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
	folder   string
	pairs    int
	core     int
	cores    string
	fleet    bool
	plan     bool
}

func main() {
	var o options
	flag.StringVar(&o.baseline, "baseline", "", "C++ source `file` of the baseline; without it only Pagoda is run")
	flag.StringVar(&o.folder, "folder", ".bench", "`folder` for binaries and data; the data is removed afterwards")
	flag.IntVar(&o.pairs, "pairs", 5, "how many `pairs` to run")
	flag.IntVar(&o.core, "core", 0, "`number` of the core that everything is pinned to")
	flag.StringVar(&o.cores, "cores", "0,1", "`numbers` of the two cores of the comparison of one worker with two")
	flag.BoolVar(&o.fleet, "fleet", false, "compare only two worker processes with two workers in one process")
	flag.BoolVar(&o.plan, "plan", false, "compare only plans with runs, of the configs that are named, or of some")
	flag.Parse()

	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if flag.NArg() > 0 && !o.plan || o.pairs < 1 {
		return errors.New("want no arguments without -plan, and at least one pair; see -help")
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
	signal.Notify(stopped, os.Interrupt) // the children get it too and end; the data is left to be removed
	defer signal.Stop(stopped)

	programs := []struct{ name, from string }{
		{"coordinator", "./cmd/coordinator"}, {"worker", "./cmd/worker"},
		{"kernel", "./bench/kernel"}, {"limit", "./bench/limit"},
	}
	for _, p := range programs {
		if err := build("go", "build", "-o", filepath.Join(folder, p.name), p.from); err != nil {
			return err
		}
	}
	if o.plan {
		return plans(flag.Args(), o.cores, folder, data)
	}
	games := &questions[0]
	two := games.run(folder, data, 2)
	f := &fleet{
		folder: folder, data: filepath.Join(data, "fleet"), config: games.config, check: mentions(games.numbers...),
	}
	if o.fleet {
		return processes(o.pairs, o.cores, two, f)
	}
	base, err := baseline(o.baseline, folder)
	if err != nil {
		return err
	}

	one := fmt.Sprint(o.core)
	var subjects []subject
	for _, q := range questions {
		subjects = append(subjects, q.kernel(folder), q.run(folder, data, 1))
	}
	if err := againstBaseline(o.pairs, one, base, subjects); err != nil {
		return err
	}
	if err := distance(o.pairs, one, folder); err != nil {
		return err
	}
	if err := oneAgainstTwo(o.pairs, o.cores, games.run(folder, data, 1), two); err != nil {
		return err
	}
	if err := processes(o.pairs, o.cores, two, f); err != nil {
		return err
	}
	return onDisk(one, games.run(folder, data, 1), filepath.Join(folder, "kernel"))
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

func build(command ...string) error {
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
	}
	return nil
}

func loud(format string, args ...any) { fmt.Printf("\n!!! "+format+"\n", args...) }
