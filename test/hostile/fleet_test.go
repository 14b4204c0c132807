//go:build sockets

package hostile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// attackers are the hostile workers of one process, with the credentials in a folder.
type attackers struct {
	Name, Credentials string
	Behaviours        []string
}

// A scenario is a run with attackers.
type scenario struct {
	Honest    []string // workers, by name and folder of their credentials
	Attackers []attackers
	Settings  []string // of the run
	Default   bool     // audits; otherwise they are strict
	Seed      uint64
	Limit     time.Duration
	// Killed has the coordinator killed with 100 windows, and started again.
	Killed bool
	// Environment holds further variables of all processes.
	Environment []string
}

// outcome is what became of a run.
type outcome struct {
	Honest   []string // the names of the honest workers
	Seconds  float64
	Code     int // exit code of the coordinator; -1: it was stopped at the limit
	Document string
	Windows  string `json:"-"` // the table, with digests
	Status   status.Status
	Deeds    map[string]deeds
	Again    int   // windows computed again: lost, failed, or forgotten as they were false or follow from such
	Resident int64 // greatest of the coordinator, bytes
}

// strict has the coordinator compute every window itself too, and promises that no number is wrong.
var strict = []string{"audit_fraction=1", "audit_by=coordinator"}

// puzzleFlags describe the run of all scenarios: 360 windows.
var puzzleFlags = []string{"configs/triangle15.yaml", "--set", "window_addresses=20"}

// program starts a program of the project, with its log in a file.
func (s *scenario) program(dir, name, path string, args ...string) (*exec.Cmd, error) {
	c := exec.Command(path, args...)
	c.Env = append(os.Environ(), s.Environment...)
	c.Dir = root
	out, err := os.Create(filepath.Join(dir, name+".out"))
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	c.Stdout, c.Stderr = out, log
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return c, nil
}

// fleets counts the addresses that were given out. Another process of this test has another network.
var (
	fleets  atomic.Uint32
	network = 1 + rand.IntN(254)
)

// nextAddress returns an address of the loopback device for a coordinator. Workers look for it before it listens, so a
// free port of 127.0.0.1 could be another process's by then.
func nextAddress() string {
	n := fleets.Add(1)
	return fmt.Sprintf("127.%d.%d.%d:4222", network, n/250, 1+n%250)
}

// carryOut carries a scenario out in a folder.
func (s *scenario) carryOut(dir string) (o outcome, err error) {
	address := nextAddress()
	for _, label := range s.Honest {
		k, err := keys.Load(filepath.Join(keyFolder, label))
		if err != nil {
			return o, err
		}
		o.Honest = append(o.Honest, named(label, k))
	}
	others := o.Honest
	for len(others) < 2 {
		others = append(others, "nobody")
	}
	var begun []*exec.Cmd
	defer func() {
		for _, c := range begun {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}()
	begin := func(c *exec.Cmd, err error) error {
		if err == nil {
			err = c.Start()
		}
		if err == nil {
			begun = append(begun, c)
		}
		return err
	}
	for _, name := range s.Honest {
		c, err := s.program(dir, name, filepath.Join(programs, "worker"), "--nats", "tls://"+address, "--name", name,
			"--certs", filepath.Join(keyFolder, name), "--data", filepath.Join(dir, name), "--concurrency", "1", "--once",
			"--memory", "1000000000")
		if err := begin(c, err); err != nil {
			return o, err
		}
	}
	for _, name := range s.Honest {
		waitFor(filepath.Join(dir, name+".log"), "connecting")
	}
	// Those that come last look for the coordinator most often, and so find it first.
	for i := range s.Attackers {
		x := &s.Attackers[i]
		b, err := json.Marshal(orders{
			NATS: "tls://" + address, Certs: filepath.Join(keyFolder, x.Credentials), Dir: filepath.Join(dir, x.Name),
			Name: x.Name, Others: others, Behaviours: x.Behaviours, Seed: s.Seed + uint64(i),
		})
		if err != nil {
			return o, err
		}
		c, err := s.program(dir, x.Name, os.Args[0])
		if err == nil {
			c.Env = append(c.Env, ordersVariable+"="+string(b))
		}
		if err := begin(c, err); err != nil {
			return o, err
		}
	}
	data := filepath.Join(dir, "run")
	args := append([]string{"run"}, puzzleFlags...)
	args = append(args, "--concurrency", "0", "--listen", address, "--certs", filepath.Join(keyFolder, "coordinator"),
		"--data", data, "--output", "json")
	for _, v := range s.Settings {
		args = append(args, "--set", v)
	}
	coordinator := filepath.Join(programs, "coordinator")
	for _, x := range s.Attackers {
		waitFor(filepath.Join(dir, x.Name+".out"), "{")
	}
	start := time.Now()
	c, err := s.program(dir, "coordinator", coordinator, args...)
	if err := begin(c, err); err != nil {
		return o, err
	}
	if s.Killed {
		for o.Status.Done < 100 && time.Since(start) < s.Limit {
			time.Sleep(10 * time.Millisecond)
			o.Status = statusOf(data)
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		c, err = s.program(dir, "coordinator", coordinator, args...)
		if err := begin(c, err); err != nil {
			return o, err
		}
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		o.Code = c.ProcessState.ExitCode()
	case <-time.After(s.Limit):
		o.Code = -1
		_ = c.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = c.Process.Kill()
			<-ended
		}
	}
	o.Seconds = time.Since(start).Seconds()
	o.Resident = c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	o.Deeds = make(map[string]deeds)
	for i := range s.Attackers {
		o.Deeds[s.Attackers[i].Name] = lastDeeds(filepath.Join(dir, s.Attackers[i].Name+".out"))
	}
	o.Status = statusOf(data)
	log, err := os.ReadFile(filepath.Join(dir, "coordinator.log"))
	if err != nil {
		return o, err
	}
	o.Again = o.Status.Lost + o.Status.Retries
	for _, found := range forgotten.FindAllSubmatch(log, -1) {
		n, _ := strconv.Atoi(string(found[1]))
		o.Again += n
	}
	document, err := os.ReadFile(filepath.Join(dir, "coordinator.out"))
	if err != nil || o.Code != 0 {
		return o, err
	}
	o.Document = string(document)
	windows, err := exec.Command(coordinator, "export", "--data", data, "--table", "windows",
		"--format", "csv").Output()
	o.Windows = string(windows)
	return o, err
}

// statusOf reads the status file of a run, if it is there.
func statusOf(data string) (st status.Status) {
	if b, err := os.ReadFile(filepath.Join(data, "status.json")); err == nil {
		_ = json.Unmarshal(b, &st)
	}
	return st
}

// waitFor waits until a file has a text: the process that writes it looks for a coordinator then.
func waitFor(path, text string) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), text) {
			return
		}
	}
}

// forgotten is a line of the coordinator's log.
var forgotten = regexp.MustCompile(`windows_forgotten=(\d+)`)

// lastDeeds reads the last whole line of an attacker's output.
func lastDeeds(path string) (d deeds) {
	f, err := os.Open(path)
	if err != nil {
		return d
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		var next deeds
		if json.Unmarshal(s.Bytes(), &next) == nil {
			d = next
		}
	}
	return d
}

const wrongTotals, wrongWindows = "the totals are wrong", "the windows differ"

// check compares an outcome with that of the undisturbed run, and returns what is wrong.
func (s *scenario) check(o *outcome) (faults []string) {
	switch {
	case o.Code == -1:
		faults = append(faults, fmt.Sprintf("not over after %v: %d of %d windows", s.Limit, o.Status.Done, o.Status.Windows))
	case o.Code != 0:
		faults = append(faults, fmt.Sprintf("the coordinator ended with %d: %s", o.Code, o.Status.Error))
	case o.Document != undisturbed.Document:
		faults = append(faults, wrongTotals)
	case o.Windows != undisturbed.Windows:
		faults = append(faults, wrongWindows)
	}
	joined := int64(0)
	for name, d := range o.Deeds {
		if joined += d.Joined; d.Pried > 0 {
			faults = append(faults, fmt.Sprintf("attacker %s has read %d times what is not of its run", name, d.Pried))
		}
	}
	if joined == 0 {
		faults = append(faults, "no attacker has joined")
	}
	for _, name := range o.Status.Refused {
		for _, h := range o.Honest {
			if protocol.Party(name) == protocol.Party(h) {
				faults = append(faults, "honest worker "+h+" is refused")
			}
		}
	}
	return faults
}

// line describes an outcome.
func (o *outcome) line() string {
	s := &o.Status
	return fmt.Sprintf("%.1f s, %d MiB, %d windows again, %d audited, workers lost %d, refused %s; %+v",
		o.Seconds, o.Resident>>20, o.Again, s.Audited, s.WorkersLost, s.Refused, o.Deeds)
}

// folder is where a scenario leaves its logs.
func folder(t *testing.T) string {
	if *logs == "" {
		return t.TempDir()
	}
	dir := filepath.Join(*logs, strings.NewReplacer("/", "-", " ", "_", ",", "").Replace(t.Name()))
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}
