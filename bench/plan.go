package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// plannedConfigs are the configs whose plans are compared with their runs unless others are named: those in configs
// that take from ten seconds to some minutes of CPU time.
var plannedConfigs = []string{
	"french", "french-reserve", "english-pairs", "english-sequences", "english-sweeps", "mousetrap-12-modular",
	"mousetrap-15", "baseball-7", "baseball-7-line", "baseball-8", "tiles-5x6", "babylone-6x6",
}

// A planned is what plan --output json says of a run.
type planned struct {
	CPU    float64 `json:"cpu_seconds"`
	Memory float64 `json:"memory_bytes"`
}

// plans compares the plans of configs with one run of each on the given cores. The CPU time of a plan is expected, its
// memory is a bound.
func plans(configs []string, cores, folder, data string) error {
	if len(configs) == 0 {
		for _, name := range plannedConfigs {
			configs = append(configs, filepath.Join("configs", name+".yaml"))
		}
	}
	fmt.Printf("\nplans against runs on cores %s; load average before: %s\n", cores, load())
	fmt.Printf("%-24s %12s %12s %8s %12s %12s\n", "config", "planned s", "cpu s", "ratio", "planned MiB", "peak MiB")
	var off []float64
	for _, config := range configs {
		p, err := planOf(config, cores, folder)
		if err != nil {
			return err
		}
		where := filepath.Join(data, "planned")
		took, err := measure(&subject{
			command: []string{filepath.Join(folder, "coordinator"), "run", config, "--data", where, "--output", "json"},
			before:  func() error { return os.RemoveAll(where) },
			check:   func([]byte) error { return nil }, // it is the plan that is judged
		}, cores)
		if err != nil {
			return err
		}
		ratio := took.cpu / p.CPU
		off = append(off, max(ratio, 1/ratio))
		fmt.Printf("%-24s %12.1f %12.1f %8.2f %12.0f %12.0f\n", strings.TrimSuffix(filepath.Base(config), ".yaml"),
			p.CPU, took.cpu, ratio, p.Memory/(1<<20), took.rss)
	}
	within := 0
	for _, x := range off {
		if x <= 1.3 {
			within++
		}
	}
	fmt.Printf("%d of %d within a factor of 1.3; the farthest is off by %.2f\n", within, len(off), slices.Max(off))
	return os.RemoveAll(filepath.Join(data, "planned"))
}

// planOf plans a config.
func planOf(config, cores, folder string) (p planned, err error) {
	c := exec.Command("taskset", "-c", cores, filepath.Join(folder, "coordinator"), "plan", config, "--output", "json")
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err == nil && p.CPU <= 0 {
		err = fmt.Errorf("it says that the run takes %v CPU seconds", p.CPU)
	}
	if err != nil {
		return p, fmt.Errorf("the plan of %s: %w", config, err)
	}
	return p, nil
}
