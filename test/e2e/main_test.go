//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pagoda/test/built"
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
	folder, remove, err := built.Programs(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	defer remove()
	coordinator, worker = filepath.Join(folder, "coordinator"), filepath.Join(folder, "worker")
	return m.Run()
}

// random is the source of a test's choices: it depends on the seed and the test's name, not on which tests ran before.
func random(t *testing.T) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(*seed, h.Sum64()))
}
