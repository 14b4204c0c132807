//go:build unix

package k8s

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C from a command: it is ours to handle, and kubectl gets its end from us, when we know why.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
}
