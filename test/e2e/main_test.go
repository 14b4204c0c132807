//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	seed = flag.Uint64("seed", 0, "`number` that decides the random choices; 0: a new one")
	long = flag.Bool("long", false, "also what takes many minutes or more than 8 GiB")
)

// Where the repository begins, and the programs under test, built once.
var root, coordinator, worker string

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = 1 + rand.Uint64N(1<<32)
	}
	fmt.Printf("seed %d; repeat these random choices with: make e2e SEED=%d\n", *seed, *seed)
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	var err error
	if root, err = filepath.Abs("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	folder := os.Getenv("TESTED_PROGRAMS") // built already, for all suites
	given := folder != ""
	if !given {
		if folder, err = os.MkdirTemp("", "pagoda-e2e-"); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			return 1
		}
		defer func() { _ = os.RemoveAll(folder) }()
	}
	coordinator, worker = filepath.Join(folder, "coordinator"), filepath.Join(folder, "worker")
	if given {
		return m.Run()
	}
	build := exec.Command("go", "build", "-o", folder, "./cmd/coordinator", "./cmd/worker")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "error: building the programs: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// random is the source of a test's choices: it depends on the seed and the test's name, not on which tests ran before.
func random(t *testing.T) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(*seed, h.Sum64()))
}
