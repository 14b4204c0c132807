package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/catalog"
	"pagoda/internal/puzzle"
)

// TestDecisionCodes demands the exit code of every decision with --exit-code, and 0 without it.
func TestDecisionCodes(t *testing.T) {
	answers := map[string]puzzle.Decision{"yes": puzzle.Yes, "no": puzzle.No, "perhaps": puzzle.Undecided}
	toys := catalog.Catalog{{Name: "toy", Questions: []puzzle.Question{{
		Name: "ask", Args: []puzzle.Argument{{Name: "WORD"}}, Decides: "a toy",
		Answer: func(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
			return &puzzle.Answer{Text: "asked\n", Decision: answers[r.Args[0]]}, nil
		},
	}}}}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	for word, want := range map[string]int{"yes": cli.OK, "no": cli.No, "perhaps": cli.Undecided} {
		for _, test := range []struct {
			args []string
			want int
		}{
			{[]string{"toy", "ask", word}, cli.OK}, {[]string{"toy", "ask", word, "--exit-code"}, want},
			{[]string{"toy", "ask", word, "--exit-code", "--output", "none"}, cli.Usage},
		} {
			a := &app{stdout: out, stderr: out, catalog: toys}
			if got := a.main(test.args); got != test.want {
				t.Errorf("%q ends with %d, want %d", test.args, got, test.want)
			}
		}
	}
}
