//go:build linux

package testbed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Skew is the lead of a process's clocks over the machine's.
type Skew struct {
	Wall time.Duration
	// Monotonic time must not go back while a process runs: the kernel promises that, and programs rely on it. It may
	// leap ahead, as it does for a virtual machine that was paused.
	Monotonic time.Duration
}

// SetClock changes the clocks of a process while it runs, by changing the code of its vDSO, from which a program reads
// the time without asking the kernel; see patch. The machine's clocks, file times and other processes are not touched.
// The process is stopped for a moment. One that was stopped already stays so.
//
// The error is errors.ErrUnsupported where the vDSO of this machine cannot be changed.
func SetClock(pid int, s Skew) error {
	err := setClock(pid, s)
	if err != nil {
		return fmt.Errorf("clock of process %d: %w", pid, err)
	}
	return nil
}

func setClock(pid int, s Skew) error {
	stopped, err := halted(pid)
	if err != nil {
		return err
	}
	if !stopped {
		defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	}
	// Threads that are just entering the clock's code leave it at once when they may run.
	const tries = 20
	for range tries {
		if err := halt(pid); err != nil {
			return err
		}
		err := patch(pid, s)
		if !errors.Is(err, errBusy) {
			return err
		}
		if stopped {
			break
		}
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return errBusy
}

// errBusy says that a thread is just executing what is to be changed.
var errBusy = errors.New("a thread is reading the clock")

// halt stops all threads of a process.
func halt(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	const patience = 10 * time.Second // a thread may wait for a disk
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		all, err := halted(pid)
		if all || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("it does not stop within %s", patience)
		}
	}
}

// halted reports whether all threads of a process are stopped.
func halted(pid int) (bool, error) {
	tasks, err := tasks(pid)
	if err != nil {
		return false, err
	}
	for _, task := range tasks {
		b, err := os.ReadFile(filepath.Join(task, "stat"))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // the thread has ended
		} else if err != nil {
			return false, err
		}
		// The state follows the name, which is in brackets and may hold anything.
		_, state, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
		if state == "" || !strings.Contains("TtXZ", state[:1]) {
			return false, nil
		}
	}
	return true, nil
}

// counters lists where the threads of a stopped process will go on.
func counters(pid int) ([]uint64, error) {
	tasks, err := tasks(pid)
	if err != nil {
		return nil, err
	}
	var list []uint64
	for _, task := range tasks {
		b, err := os.ReadFile(filepath.Join(task, "syscall"))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		} else if err != nil {
			return nil, err
		}
		f := strings.Fields(string(b))
		if len(f) < 2 {
			return nil, errBusy
		}
		pc, err := strconv.ParseUint(f[len(f)-1], 0, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q", task, b)
		}
		list = append(list, pc)
	}
	return list, nil
}

func tasks(pid int) ([]string, error) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	entries, err := os.ReadDir(dir)
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = filepath.Join(dir, e.Name())
	}
	return list, err
}

// programOf returns the process that runs program: pid itself, or the child or grandchild that it has become.
func programOf(pid int, program string) (int, error) {
	for at := pid; ; {
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", at)); err != nil {
			return 0, err
		} else if exe == program {
			return at, nil
		}
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", at, at))
		if err != nil {
			return 0, err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(children)), " ")
		if at, err = strconv.Atoi(first); err != nil {
			return 0, fmt.Errorf("process %d does not run %s yet", pid, program)
		}
	}
}
