package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// distance prints the CPU time of each kernel as a multiple of the time that a limit of the core allows. There are two
// limits. Bytes pass between core and memory at most at the rate of a plain copy. Updates (jumps from every class) are
// made at most at the rate of additions along ready lists to counts in the second-level cache. A kernel cannot do
// without either, and needs more: it also has to find out what to add where.
func distance(rounds int, core, folder string) error {
	took := map[string][]float64{} // CPU seconds by question
	limits := map[string][]float64{}
	facts := map[string]map[string]float64{}
	for range rounds {
		for i := range questions {
			q := &questions[i]
			s := q.kernel(folder)
			if facts[q.count] == nil { // once, to learn them: it takes longer
				command := s.command
				if q.count != "positions" && q.count != "winnable" { // no updates there: whole words are moved
					command = append(slices.Clone(command), "-updates")
				}
				out, err := output(core, command...)
				if err != nil {
					return err
				}
				facts[q.count] = numbers(out)
			}
			x, err := measure(&s, core)
			if err != nil {
				return err
			}
			took[q.count] = append(took[q.count], x.cpu)
			out, err := output(core, filepath.Join(folder, "limit"))
			if err != nil {
				return err
			}
			for name, value := range numbers(out) {
				limits[name] = append(limits[name], value)
			}
		}
	}
	best := map[string]float64{} // the machine is shared, so the best is the nearest to its limit
	for name, values := range limits {
		best[name] = slices.Max(values)
	}
	best["gather"] = slices.Min(limits["gather"])
	fmt.Printf("\ndistance of the kernels to the limits of one core, the best of %d: read %.1f GB/s, copy %.1f GB/s, "+
		"%.2f ns an update\n", len(limits["copy"]), best["read"], best["copy"], best["gather"])
	fmt.Printf("%10s %10s %10s %10s %12s %12s %10s %10s\n", "", "cpu s", "GB", "GB/s", "limit s", "updates", "limit s",
		"distance")
	for _, q := range questions {
		cpu, f := middle(took[q.count]), facts[q.count]
		memory := f["bytes"] / best["copy"] / 1e9
		work := f["updates"] * best["gather"] / 1e9
		fmt.Printf("%10s %10.3f %10.2f %10.2f %12.4f %12.0f %10.3f %10.1f\n", q.count, cpu, f["bytes"]/1e9,
			f["bytes"]/cpu/1e9, memory, f["updates"], work, cpu/max(memory, work))
	}
	return nil
}

// output returns what a command prints when it is pinned to a core.
func output(core string, command ...string) (string, error) {
	c := exec.Command("taskset", append([]string{"-c", core}, command...)...)
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, tail(log.String(), 20))
	}
	return string(out), nil
}

// numbers reads lines that begin with a name and a number.
func numbers(text string) map[string]float64 {
	m := map[string]float64{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 2 {
			if x, err := strconv.ParseFloat(f[1], 64); err == nil {
				m[f[0]] = x
			}
		}
	}
	return m
}
