package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// compile builds both programs into dir as releases are built, as coordinator-linux-ARCH and worker-linux-ARCH.
func compile(source, dir string, archs []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	args := []string{dir}
	for _, arch := range archs {
		args = append(args, "linux/"+arch)
	}
	cmd := exec.Command(filepath.Join(source, "tools", "release"), args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("tools/release in %s: %w", source, err)
	}
	return nil
}
