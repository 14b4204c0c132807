//go:build linux

package testbed

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// restartPause is how long a supervisor waits before it starts a process again.
const restartPause = 700 * time.Millisecond

// An Exit is a process that ended by itself.
type Exit struct {
	Name string
	Code int
}

// A Process is started in a host's network, and again whenever it exits, until it is done.
type Process struct {
	Name   string
	Host   *Host
	Args   []string
	Dir    string // working folder
	Log    *os.File
	Stdout *Buffer                 // output of its last start; nil: it goes to Log
	OnExit func(Exit) (again bool) // called for exits that the test did not cause; nil: always again

	mu       sync.Mutex
	cmd      *exec.Cmd
	down     bool          // it is to stay down for now
	over     bool          // it is never started again
	caused   bool          // the next exit is the test's doing
	clock    time.Duration // lead of its monotonic clock over the machine's
	skew     Skew          // besides
	starts   int
	cpu      time.Duration
	resident int64
	waiting  chan struct{} // closed when the current process has been waited for
}

// Start starts the process, and its supervisor.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.launch()
}

func (p *Process) launch() error {
	args := []string{"netns", "exec", p.Host.Name}
	if p.clock != 0 {
		// A new time namespace begins with the child, hence --fork.
		args = append(args, "unshare", "--time", "--monotonic", strconv.Itoa(int(p.clock/time.Second)), "--fork",
			"--kill-child=SIGKILL")
	}
	cmd := exec.Command("ip", append(args, p.Args...)...)
	cmd.Stdout, cmd.Stderr = p.Log, p.Log
	if p.Stdout != nil {
		p.Stdout.reset()
		cmd.Stdout = p.Stdout
	}
	cmd.Dir = p.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	_, _ = fmt.Fprintf(p.Log, "--- start %d of %s\n", p.starts+1, p.Name)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.cmd, p.caused, p.waiting = cmd, false, make(chan struct{})
	p.starts++
	go p.supervise(cmd, p.waiting)
	if p.skew != (Skew{}) {
		go p.keepSkew(cmd)
	}
	return nil
}

// keepSkew gives a process that was started again the clocks that it had.
func (p *Process) keepSkew(cmd *exec.Cmd) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != cmd {
		return
	}
	if err := p.shift(); err != nil {
		_, _ = fmt.Fprintln(p.Log, "---", err)
	}
}

// supervise waits for one process and starts the next.
func (p *Process) supervise(cmd *exec.Cmd, waiting chan struct{}) {
	err := cmd.Wait()
	p.mu.Lock()
	caused := p.caused
	p.cmd = nil
	p.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		p.resident = max(p.resident, use.Maxrss<<10)
	}
	close(waiting)
	p.mu.Unlock()
	code := 0
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		code = failed.ExitCode()
	}
	_, _ = fmt.Fprintf(p.Log, "--- %s ended: %v (by the test: %v)\n", p.Name, cmd.ProcessState, caused)
	if !caused && p.OnExit != nil && !p.OnExit(Exit{p.Name, code}) {
		p.mu.Lock()
		p.over = true
		p.mu.Unlock()
		return
	}
	time.Sleep(restartPause)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.down && !p.over && p.cmd == nil {
		if err := p.launch(); err != nil {
			_, _ = fmt.Fprintln(p.Log, "---", err)
		}
	}
}

// Signal sends a signal to the process and its children.
func (p *Process) Signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// Kill ends the process with SIGKILL; the supervisor starts it again.
func (p *Process) Kill() { p.end(syscall.SIGKILL, false) }

// Stop ends the process with s, and it stays down until Resume.
func (p *Process) Stop(s syscall.Signal) { p.end(s, true) }

func (p *Process) end(s syscall.Signal, down bool) {
	p.mu.Lock()
	p.down = p.down || down
	p.caused = true
	waiting := p.waiting
	if p.cmd == nil {
		p.mu.Unlock()
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGCONT)
	_ = syscall.Kill(-p.cmd.Process.Pid, s)
	p.mu.Unlock()
	<-waiting
}

// Resume lets a process that was stopped run again.
func (p *Process) Resume() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
	if p.over || p.cmd != nil {
		return nil
	}
	return p.launch()
}

// Again starts a process that has ended for good.
func (p *Process) Again() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over || p.cmd != nil {
		return fmt.Errorf("%s has not ended", p.Name)
	}
	p.over, p.down = false, false
	return p.launch()
}

// Jump ends the process with SIGKILL; it comes back with a monotonic clock that is ahead of the machine's.
func (p *Process) Jump(ahead time.Duration) {
	p.mu.Lock()
	p.clock = ahead
	p.mu.Unlock()
	p.Kill()
}

// SetClock makes the process's clocks jump while it runs, and keeps them so when it is started again. See the function
// SetClock.
func (p *Process) SetClock(s Skew) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.skew = s
	if p.cmd == nil {
		return nil
	}
	_, _ = fmt.Fprintf(p.Log, "--- clocks of %s: %+v\n", p.Name, s)
	return p.shift()
}

// shift gives the running process its clocks. One that ends meanwhile gets them when it is started again.
func (p *Process) shift() error {
	program, err := filepath.EvalSymlinks(p.Args[0])
	if err != nil {
		return err
	}
	const patience = 10 * time.Second // until the program runs that ip starts
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		pid, err := programOf(p.cmd.Process.Pid, program)
		if err == nil {
			err = SetClock(pid, p.skew)
		}
		switch {
		case err == nil, p.hasEnded():
			return nil
		case errors.Is(err, errors.ErrUnsupported), time.Now().After(deadline):
			return err
		}
	}
}

// hasEnded reports whether the current process is only waiting to be waited for, or gone.
func (p *Process) hasEnded() bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	return err != nil || bytes.Contains(b[bytes.LastIndexByte(b, ')'):], []byte(") Z"))
}

// Skew returns the argument of the last SetClock.
func (p *Process) Skew() Skew {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.skew
}

// Clock returns the argument of the last Jump.
func (p *Process) Clock() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock
}

// Usage is the CPU time of all processes that ended, and the greatest resident memory of one, in bytes.
func (p *Process) Usage() (cpu time.Duration, resident int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cpu, p.resident
}

// Finish ends the process for good.
func (p *Process) Finish() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.end(syscall.SIGKILL, true)
	_ = p.Log.Close()
}
