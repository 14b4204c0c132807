//go:build linux

package testbed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds the programs of the repository at root, and the NATS server that it depends on, into the folder bin.
func Build(root, bin string) error {
	for name, pkg := range map[string]string{
		"coordinator": "./cmd/coordinator", "worker": "./cmd/worker", "nats-server": "github.com/nats-io/nats-server/v2",
	} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(bin, name), pkg)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build of %s: %w: %s", pkg, err, out)
		}
	}
	return nil
}
