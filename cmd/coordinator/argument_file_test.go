package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/catalog"
	"pagoda/internal/puzzle"
)

// TestLongCertificates: a certificate of just as many bytes as are allowed is read and verified, one more is refused,
// as bad input in one line.
func TestLongCertificates(t *testing.T) {
	const proof = `{"certificate": 1, "lattice": "square", "board": "...", "start": "oo.", "goal": "..o", ` +
		`"claim": "feasible", "proof": {"kind": "game", "jumps": ["11x31"]}}`
	d, err := catalog.All.Find("peg")
	if err != nil {
		t.Fatal(err)
	}
	check := d.Question("check")
	for _, more := range []int{0, 1} {
		name := filepath.Join(t.TempDir(), "long.json")
		data := strings.Repeat(" ", puzzle.MaxFile+more-len(proof)) + proof
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		args, err := readFiles(context.Background(), check, []string{name})
		if more > 0 {
			var misuse *cli.UsageError
			if !errors.As(err, &misuse) || err.Error() != name+": too large: it holds more than 16 MiB" {
				t.Errorf("%d bytes: %v", len(data), err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		a, err := check.Answer(context.Background(), puzzle.Request{Args: args})
		if err != nil || !strings.HasPrefix(a.Text, "valid: feasible\n") {
			t.Errorf("%d bytes: %+v, %v", len(data), a, err)
		}
	}
}
