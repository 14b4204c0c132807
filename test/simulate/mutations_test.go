//go:build mutations

package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var only = flag.String("mutation", "", "of TestMutations: those whose name contains this")

// mutationSeeds is how many seeds a mutation may take.
const mutationSeeds = 1000

var (
	foundLine = regexp.MustCompile(`seed (\d+): at (\S+) ([^:]+): (.*)`)
	lastSeed  = regexp.MustCompile(`(?m)^begins seed (\d+)$`)
)

// TestMutations breaks the program on purpose, one way after the other, and has the simulation find it.
func TestMutations(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for i, m := range slices.Concat(drainMutations, mutations) {
		test := "TestSeeds"
		if i < len(drainMutations) {
			test = "TestDrains"
		}
		if !strings.Contains(m.name, *only) {
			continue
		}
		found, how := m.hunt(t, root, test)
		if found == 0 {
			t.Errorf("%s: not found in %d seeds", m.name, mutationSeeds)
			how = "not found"
		}
		fmt.Fprintf(&table, "| %s | %d | %s |\n", m.name, found, how)
	}
	t.Logf("what, seeds, how\n%s", table.String())
}

// hunt builds the simulation with the mutation in it, and returns how many seeds of a test it took to find it, 0 for
// none.
func (m *mutation) hunt(t *testing.T, root, test string) (seeds int, how string) {
	dir := t.TempDir()
	replace := make(map[string]string)
	// The Go runtime whose choices follow from the seed, when tools/simulate has made one.
	if b, err := os.ReadFile(filepath.Join(root, ".bin/simulate/overlay.json")); err == nil {
		var o struct{ Replace map[string]string }
		if err := json.Unmarshal(b, &o); err != nil {
			t.Fatal(err)
		}
		replace = o.Replace
	}
	texts, err := m.texts(root)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range texts {
		to := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, file)] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	overlay, bin := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant.test")
	if err = errors.Join(err, os.WriteFile(overlay, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(),
		"go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", bin, "./test/simulate")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", m.name, err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx,
		bin, "-test.run", "^"+test+"$", "-test.v", "-seeds", fmt.Sprint(mutationSeeds), "-first")
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	err = run.Run()
	begun := 0
	if all := lastSeed.FindAllStringSubmatch(out.String(), -1); len(all) > 0 {
		_, _ = fmt.Sscan(all[len(all)-1][1], &begun)
	}
	if f := foundLine.FindStringSubmatch(out.String()); f != nil {
		t.Logf("%s: %s", m.name, f[0])
		return begun, f[3]
	}
	switch {
	case ctx.Err() != nil:
		return begun, "it never ends"
	case err != nil:
		t.Logf("%s: %v\n%.2000s", m.name, err, out.String()[max(0, out.Len()-2000):])
		return begun, "it panics"
	}
	return 0, ""
}
