// Package built has the programs that suites start as processes.
package built

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Programs returns the folder of coordinator and worker: the one that TESTED_PROGRAMS names, for all suites, or else a
// new one with links to the programs in .bin, which are built unless they are up to date. Remove deletes the new one.
func Programs(root string) (folder string, remove func(), err error) {
	if folder = os.Getenv("TESTED_PROGRAMS"); folder != "" {
		return folder, func() {}, nil
	}
	bin := filepath.Join(root, ".bin")
	shared := filepath.Join(bin, "tested")
	if err := os.MkdirAll(shared, 0o755); err != nil {
		return "", nil, err
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(bin, "tested.lock")).Lock() // suites run at the same time
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	build := exec.Command("go", "build", "-o", filepath.Join(".bin", "tested")+"/", "./cmd/coordinator", "./cmd/worker")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("building the programs: %w\n%s", err, out)
	}
	if folder, err = os.MkdirTemp(bin, "tested-"); err != nil {
		return "", nil, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	for _, name := range []string{"coordinator", "worker"} {
		err = errors.Join(err, os.Link(filepath.Join(shared, name), filepath.Join(folder, name)))
	}
	if err != nil {
		remove()
	}
	return folder, remove, err
}
