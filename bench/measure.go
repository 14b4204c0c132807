package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// The English board from the centre. A benchmark of wrong results is worth nothing, so every run must show them.
const (
	games     = "577116156815309849672"
	solutions = "40861647040079968"
	classes   = "23475688"
	positions = "187636299"
	winnable  = "1679072"
)

// A subject is a command that answers the question.
type subject struct {
	name    string
	want    string // the goal for its ratio to the baseline
	command []string
	before  func() error              // makes the ground even; may be nil
	check   func(stdout []byte) error // refuses a wrong result
	folder  string                    // what it leaves on disk
}

func (s *subject) absent() bool { return len(s.command) == 0 }

// A sample is the time and memory that one execution of a subject took.
type sample struct {
	cpu  float64 // seconds, user and system
	wall float64 // seconds
	rss  float64 // MiB, the largest resident set
}

// measure runs s pinned to the cores of the list, which is in the form that taskset -c takes.
func measure(s *subject, cores string) (sample, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return sample{}, err
		}
	}
	c := exec.Command("taskset", append([]string{"-c", cores}, s.command...)...)
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	began := time.Now()
	err := c.Run()
	wall := time.Since(began).Seconds()
	if err == nil {
		err = s.check(out.Bytes())
	}
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w\n%s", strings.Join(s.command, " "), err, tail(log.String()+out.String(), 20))
	}
	used := c.ProcessState.SysUsage().(*syscall.Rusage)
	return sample{
		cpu:  seconds(used.Utime) + seconds(used.Stime),
		wall: wall,
		rss:  float64(used.Maxrss) / 1024, // KiB on Linux
	}, nil
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// mentions demands that every one of the numbers stands in the output, as a whole number.
func mentions(numbers ...string) func([]byte) error {
	return func(stdout []byte) error {
		words := strings.FieldsFunc(string(stdout), func(r rune) bool { return r < '0' || r > '9' })
		have := make(map[string]bool, len(words))
		for _, w := range words {
			have[w] = true
		}
		for _, n := range numbers {
			if !have[n] {
				return fmt.Errorf("wrong result: the output does not have %s", n)
			}
		}
		return nil
	}
}

func tail(text string, lines int) string {
	l := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(l[max(0, len(l)-lines):], "\n")
}

// load is the load average: a hint of how much else goes on while measuring.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}
