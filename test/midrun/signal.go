// Package midrun interrupts runs of the coordinator at a window, for tests: at a moment in time a run may be anywhere,
// or over.
package midrun

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Anywhere stands for all layers.
const Anywhere = -1

// Signal starts cmd, a run of the coordinator, and reads its log. It sends cmd the signal s when so many windows of a
// layer have been committed since the start; a run with fewer windows gets no signal. It returns the text of stderr
// once that is closed. The caller must wait for cmd.
func Signal(cmd *exec.Cmd, layer, windows int, s os.Signal) (stderr string, err error) {
	cmd.Args = append(cmd.Args, "--log-level", "debug")
	lines, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	in := ""
	if layer != Anywhere {
		in = fmt.Sprintf(" layer=%d ", layer)
	}
	var text strings.Builder
	for scan := bufio.NewScanner(lines); scan.Scan(); {
		line := scan.Text()
		text.WriteString(line + "\n")
		if !strings.Contains(line, `msg="window committed" `) || !strings.Contains(line, in) {
			continue
		}
		if windows--; windows == 0 {
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}
	return text.String(), nil
}
