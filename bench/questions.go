package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A question is one of those that the baseline is measured against. The baseline answers the first of them; the others
// ask for less, which is their point.
type question struct {
	count      string // as the kernel and the key "count" call it
	config     string
	numbers    []string // of the answer
	kernelWant string   // the goals for the ratios to the baseline
	runWant    string
}

var questions = []question{
	{"games", "configs/english.yaml", []string{games, solutions, classes},
		"at most 1/6, heading for 1/10", "at most 1/3, heading for 1/5; memory below 1024 MiB"},
	{"solutions", "configs/english-solutions.yaml", []string{solutions}, "at most 1/25", "no goal of its own"},
	{"positions", "configs/english-positions.yaml", []string{positions},
		"at most 1/50; memory below 200 MiB", "at most 1/15; it also finds the positions that can be won"},
	{"winnable", "configs/english-winnable.yaml", []string{winnable},
		"no goal of its own", "at most 2/5 of the run of all positions"},
}

// kernel is the question answered over windows in memory: no store, ledger or queue.
func (q *question) kernel(folder string) subject {
	return subject{
		name: q.count + ": kernel", want: q.kernelWant,
		command: []string{filepath.Join(folder, "kernel"), "-count", q.count}, check: mentions(q.numbers...),
	}
}

// run is the program as people use it, in a fresh data folder each time.
func (q *question) run(folder, data string, workers int) subject {
	where := filepath.Join(data, "run")
	return subject{
		name: fmt.Sprintf("%s: run, %d worker(s)", q.count, workers), want: q.runWant,
		command: []string{filepath.Join(folder, "coordinator"), "run", q.config, "--data", where,
			"--concurrency", fmt.Sprint(workers), "--output", "json"},
		before: func() error { return os.RemoveAll(where) },
		check:  mentions(q.numbers...),
		folder: where,
	}
}
