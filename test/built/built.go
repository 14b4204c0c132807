// Package built has the programs that suites start as processes.
package built

import (
	"fmt"
	"os"
	"os/exec"
)

// Programs returns the folder of coordinator and worker: the one that TESTED_PROGRAMS names, for all suites, or else a
// new one into which they are built. Remove deletes the new one.
func Programs(root string) (folder string, remove func(), err error) {
	if folder = os.Getenv("TESTED_PROGRAMS"); folder != "" {
		return folder, func() {}, nil
	}
	if folder, err = os.MkdirTemp("", "pagoda-programs-"); err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	build := exec.Command("go", "build", "-o", folder, "./cmd/coordinator", "./cmd/worker")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("building the programs: %w\n%s", err, out)
	}
	return folder, remove, nil
}
