package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// compile builds both programs into dir: static, and without paths, build IDs and symbols, which differ from one
// machine to the next or are of no use in a container. The commit is stamped in when the source is a checkout.
func compile(source, dir, arch string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -buildid=", "-o", dir+"/",
		"./cmd/coordinator", "./cmd/worker")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=-mod=readonly")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build in %s: %w", source, err)
	}
	return nil
}
