//go:build linux

package testbed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	natsPort     = 4222
	transferPort = 7000
)

// FleetOptions describe a fleet.
type FleetOptions struct {
	Bin     string   // folder of the programs: coordinator, worker, nats-server
	Dir     string   // for everything that the fleet writes; must exist
	Logs    string   // for a log of each process
	Root    string   // working folder of the processes: config names in Run start there
	Run     []string // what names the run to the coordinator: a config and settings
	Workers int
	Slots   int  // of each worker; 0 says 1
	Secure  bool // with keys and TLS

	DiskBytes string        // size of a worker's disk in memory, such as "1g"; "" leaves workers on Dir's disk
	Delay     time.Duration // of transfers, each way
	Rate      uint64        // bits per second that a worker can receive; 0 for no limit
	Proxies   func(worker int) bool
}

// A Fleet is the processes of one run: a NATS server, a coordinator that computes nothing itself, and workers.
type Fleet struct {
	NATS, Coordinator *Process
	Workers           []*Worker
	Net               *Network
	URL               string // of the NATS server
	Keys              string // folder of the coordinator's keys, "" for none
	Result            Buffer // what the coordinator printed
	Ended             chan Exit

	o    FleetOptions
	mu   sync.Mutex
	data string
}

// A Worker is a worker process with a disk of its own.
type Worker struct {
	*Process
	Disk  string
	Proxy *Proxy // nil unless there is one before its transfers
}

// A Buffer holds what a process has printed since it was started last.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *Buffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *Buffer) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}

// String returns what was written so far.
func (s *Buffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// NewFleet makes hosts, keys and disks, and starts everybody. Close ends it, also after an error.
func NewFleet(o FleetOptions) (*Fleet, error) {
	f := &Fleet{o: o, Ended: make(chan Exit, 64), data: filepath.Join(o.Dir, "run")}
	net, err := NewNetwork(fmt.Sprintf("pg%d", os.Getpid()%100000))
	if err != nil {
		return f, err
	}
	f.Net = net
	if o.Secure {
		keys := filepath.Join(o.Dir, "keys")
		if out, err := exec.Command(f.program("coordinator"), "certs", keys).CombinedOutput(); err != nil {
			return f, fmt.Errorf("certs: %w: %s", err, out)
		}
		f.Keys = filepath.Join(keys, "coordinator")
	}
	if err := f.prepare(); err != nil {
		return f, err
	}
	for _, p := range f.Processes() {
		if err := p.Start(); err != nil {
			return f, err
		}
	}
	return f, nil
}

// prepare prepares the processes.
func (f *Fleet) prepare() error {
	var err error
	if f.NATS, err = f.process("nats"); err != nil {
		return err
	}
	f.NATS.Args = []string{f.program("nats-server"), "-js", "-sd", f.NATSStore(), "-a", f.NATS.Host.Addr.String(),
		"-p", fmt.Sprint(natsPort)}
	scheme := "nats"
	if f.o.Secure {
		f.NATS.Args = append(f.NATS.Args, "-c", filepath.Join(f.o.Dir, "keys", "server", "nats.conf"))
		scheme = "tls"
	}
	f.URL = fmt.Sprintf("%s://%s:%d", scheme, f.NATS.Host.Addr, natsPort)
	if f.Coordinator, err = f.process("coord"); err != nil {
		return err
	}
	f.Coordinator.Stdout = &f.Result
	f.Coordinator.Args = append(append([]string{f.program("coordinator"), "run"}, f.o.Run...),
		"--data", f.data, "--nats", f.URL, "--concurrency", "0", "--output", "json")
	f.Coordinator.Args = append(f.Coordinator.Args, f.trust("coordinator")...)
	f.Coordinator.OnExit = func(e Exit) bool {
		f.Ended <- e
		return e.Code != 0
	}
	for i := range f.o.Workers {
		if err := f.worker(i); err != nil {
			return err
		}
	}
	return nil
}

func (f *Fleet) worker(i int) error {
	w := &Worker{Disk: filepath.Join(f.o.Dir, fmt.Sprintf("disk-%d", i))}
	var err error
	if w.Process, err = f.process(fmt.Sprintf("w%d", i)); err != nil {
		return err
	}
	f.Workers = append(f.Workers, w)
	if err := os.MkdirAll(w.Disk, 0o755); err != nil {
		return err
	}
	if f.o.DiskBytes != "" {
		if err := syscall.Mount("tmpfs", w.Disk, "tmpfs", 0, "size="+f.o.DiskBytes); err != nil {
			return fmt.Errorf("a disk for %s: %w", w.Name, err)
		}
	}
	if f.o.Rate > 0 {
		if err := f.Net.Limit(w.Host, f.o.Rate); err != nil {
			return err
		}
	}
	at := fmt.Sprintf("%s:%d", w.Host.Addr, transferPort)
	w.Args = append([]string{f.program("worker"), "--nats", f.URL, "--data", filepath.Join(w.Disk, "data"),
		"--name", w.Name, "--concurrency", fmt.Sprint(max(1, f.o.Slots)), "--transfer", at}, f.trust("worker")...)
	if f.o.Delay > 0 || f.o.Proxies != nil && f.o.Proxies(i) {
		front := fmt.Sprintf("%s:%d", f.Net.Gateway(), transferPort+i)
		if w.Proxy, err = NewProxy(front, at, f.o.Delay); err != nil {
			return err
		}
		w.Args = append(w.Args, "--advertise", front)
	}
	return nil
}

func (f *Fleet) program(name string) string { return filepath.Join(f.o.Bin, name) }

// trust returns the flags by which a program finds its keys, or goes without.
func (f *Fleet) trust(role string) []string {
	if f.o.Secure {
		return []string{"--certs", filepath.Join(f.o.Dir, "keys", role)}
	}
	return []string{"--insecure"}
}

func (f *Fleet) process(name string) (*Process, error) {
	h, err := f.Net.Add(name)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(f.o.Logs, name+".log"))
	if err != nil {
		return nil, err
	}
	return &Process{Name: name, Host: h, Log: log, Dir: f.o.Root}, nil
}

// Processes lists all of the fleet's.
func (f *Fleet) Processes() []*Process {
	var list []*Process
	for _, p := range []*Process{f.NATS, f.Coordinator} {
		if p != nil {
			list = append(list, p)
		}
	}
	for _, w := range f.Workers {
		list = append(list, w.Process)
	}
	return list
}

// NATSStore is the folder of the NATS server.
func (f *Fleet) NATSStore() string { return filepath.Join(f.o.Dir, "nats") }

// Data is the coordinator's folder.
func (f *Fleet) Data() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.data
}

// Move makes the coordinator's next start use another folder.
func (f *Fleet) Move(data string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, a := range f.Coordinator.Args {
		if a == f.data {
			f.Coordinator.Args[i] = data
		}
	}
	f.data = data
}

// Close ends all processes and removes network and disks.
func (f *Fleet) Close() error {
	var err error
	for _, p := range f.Processes() {
		p.Finish()
	}
	for _, w := range f.Workers {
		if w.Proxy != nil {
			w.Proxy.Close()
		}
		if f.o.DiskBytes != "" {
			err = errors.Join(err, syscall.Unmount(w.Disk, syscall.MNT_DETACH))
		}
	}
	if f.Net != nil {
		f.Net.Close()
	}
	return err
}

// A Status holds the fields of the run's status file that tests need.
type Status struct {
	Run     string
	State   string
	Error   string
	Planned bool
	Windows int
	Done    int
	Rows    uint64
	Bytes   uint64
	Retries int
	Lost    int
	Audited int
}

// Status reads the status file of the run. It may not be there yet.
func (f *Fleet) Status() (s Status, ok bool) {
	b, err := os.ReadFile(filepath.Join(f.Data(), "status.json"))
	if err != nil {
		return s, false
	}
	return s, json.Unmarshal(b, &s) == nil && s.Run != ""
}

// Tail is the end of a process's log.
func (f *Fleet) Tail(p *Process) string {
	b, err := os.ReadFile(p.Log.Name())
	if err != nil {
		return err.Error()
	}
	const most = 4000
	return string(b[max(0, len(b)-most):])
}
