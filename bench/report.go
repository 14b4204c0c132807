package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// againstBaseline runs the subjects around the baseline, so that each stands next to it, forwards and backwards in
// turn, pinned to one core, and prints a table for each subject.
func againstBaseline(rounds int, core string, base subject, subjects []subject) error {
	fmt.Printf("\n%d pairs on core %s of %d, %s/%s, load average before: %s\n",
		rounds, core, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, load())

	half := len(subjects) / 2
	order := slices.Concat(subjects[:half], []subject{base}, subjects[half:])
	order = slices.DeleteFunc(order, func(s subject) bool { return s.absent() })
	took := make(map[string][]sample)
	for range rounds {
		for _, s := range order {
			x, err := measure(&s, core)
			if err != nil {
				return err
			}
			took[s.name] = append(took[s.name], x)
		}
		slices.Reverse(order)
	}
	for _, s := range subjects {
		if base.absent() {
			fmt.Printf("\n%s on one core\n", s.name)
			alone(took[s.name])
		} else {
			fmt.Printf("\n%s on one core against the baseline: %s\n", s.name, s.want)
			ratios(took[base.name], took[s.name])
		}
	}
	return nil
}

func alone(mine []sample) {
	fmt.Printf("%6s %10s %10s %10s\n", "round", "cpu s", "wall s", "peak MiB")
	for p, m := range mine {
		fmt.Printf("%6d %10.2f %10.2f %10.1f\n", p+1, m.cpu, m.wall, m.rss)
	}
	fmt.Printf("%6s %10.2f %10.2f %10.1f\n", "median",
		median(mine, cpu), median(mine, wall), median(mine, rss))
}

func ratios(base, mine []sample) {
	fmt.Printf("%6s %12s %12s %18s %14s %14s %10s\n",
		"pair", "base cpu s", "cpu s", "ratio", "base peak MiB", "peak MiB", "ratio")
	var c, m []float64
	for p := range mine {
		c = append(c, mine[p].cpu/base[p].cpu)
		m = append(m, mine[p].rss/base[p].rss)
		fmt.Printf("%6d %12.2f %12.2f %18s %14.1f %14.1f %10.3f\n",
			p+1, base[p].cpu, mine[p].cpu, share(c[p]), base[p].rss, mine[p].rss, m[p])
	}
	fmt.Printf("%6s %12.2f %12.2f %18s %14.1f %14.1f %10.3f\n", "median", median(base, cpu), median(mine, cpu),
		share(middle(c)), median(base, rss), median(mine, rss), middle(m))
}

// oneAgainstTwo runs the same question with one worker and with two, in turn, on the same two cores.
func oneAgainstTwo(pairs int, cores string, one, two subject) error {
	if runtime.NumCPU() < 2 {
		loud("NOT RUN: one worker against two; this machine has one core.")
		return nil
	}
	fmt.Printf("\ntwo workers against one on cores %s: at least 1.7 times as fast\n", cores)
	fmt.Printf("%6s %12s %12s %12s %12s %12s %12s\n",
		"pair", "1: wall s", "2: wall s", "times", "1: cpu s", "2: cpu s", "2: peak MiB")
	var a, b []sample
	var times []float64
	for p := range pairs {
		first, second := one, two
		if p%2 == 1 {
			first, second = two, one
		}
		x, err := measure(&first, cores)
		if err != nil {
			return err
		}
		y, err := measure(&second, cores)
		if err != nil {
			return err
		}
		if p%2 == 1 {
			x, y = y, x
		}
		a, b = append(a, x), append(b, y)
		times = append(times, x.wall/y.wall)
		fmt.Printf("%6d %12.2f %12.2f %12.2f %12.2f %12.2f %12.1f\n", p+1, x.wall, y.wall, times[p], x.cpu, y.cpu, y.rss)
	}
	fmt.Printf("%6s %12.2f %12.2f %12.2f %12.2f %12.2f %12.1f\n", "median", median(a, wall), median(b, wall),
		middle(times), median(a, cpu), median(b, cpu), median(b, rss))
	return nil
}

// onDisk runs s once more and prints the sizes of the parts of its folder, and the entropy of the stored rows.
func onDisk(core string, s subject, kernel string) error {
	if _, err := measure(&s, core); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return err
	}
	n, err := strconv.ParseFloat(classes, 64)
	if err != nil {
		return err
	}
	fmt.Printf("\nbytes on disk after a whole run, per class (%s classes)\n", classes)
	var all int64
	for _, e := range entries {
		size, err := bytesBelow(filepath.Join(s.folder, e.Name()))
		if err != nil {
			return err
		}
		all += size
		fmt.Printf("  %-24s %14d bytes %10.3f\n", e.Name(), size, float64(size)/n)
	}
	fmt.Printf("  %-24s %14d bytes %10.3f\n", "all", all, float64(all)/n)
	out, err := exec.Command(kernel, "-entropy").Output()
	if err != nil {
		return fmt.Errorf("%s -entropy: %w", kernel, err)
	}
	fmt.Printf("  %-24s %s\n", "entropy of the rows", strings.TrimRight(string(out), "\n"))
	return nil
}

func bytesBelow(path string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

func cpu(s sample) float64  { return s.cpu }
func wall(s sample) float64 { return s.wall }
func rss(s sample) float64  { return s.rss }

func median(samples []sample, of func(sample) float64) float64 {
	v := make([]float64, len(samples))
	for i, s := range samples {
		v[i] = of(s)
	}
	return middle(v)
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	if n == 0 {
		return 0
	}
	return (v[(n-1)/2] + v[n/2]) / 2
}

// share writes a ratio as people say it: 0.125 is 1/8.0.
func share(r float64) string { return fmt.Sprintf("%.3f = 1/%.1f", r, 1/r) }
