package runs_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/certificate/certificatetest"
)

// TestLeaves: of every question the exported leaves are all windows in the order of the tree, and their bytes give the
// root of the certificate.
func TestLeaves(t *testing.T) {
	for name, text := range everyCount {
		t.Run(name, func(t *testing.T) {
			s := stored(t, text)
			var b bytes.Buffer
			if err := s.WriteTable(&b, runs.Selection{Table: runs.LeavesTable, Format: "jsonl"}); err != nil {
				t.Fatal(err)
			}
			tree, err := runs.Tree(s.Folder.Ledger, s.Results, certificate.NewBuilder(s.ID), nil)
			if err != nil {
				t.Fatal(err)
			}
			again := certificate.NewBuilder(s.ID)
			var windows []certificate.Window
			for line := range bytes.Lines(b.Bytes()) {
				var w certificate.Window
				if err := json.Unmarshal(line, &w); err != nil {
					t.Fatal(err)
				}
				if err := again.Add(w); err != nil { // in its order
					t.Fatal(err)
				}
				written, err := w.JSON()
				if err != nil || string(line) != string(written)+"\n" {
					t.Fatalf("the leaf %s is written %s: %v", line, written, err)
				}
				windows = append(windows, w)
			}
			if root := certificatetest.Root(s.ID, windows); root != tree.Root.String() || len(windows) != tree.Windows {
				t.Errorf("%d windows have the root %s, and the run %d and %s", len(windows), root, tree.Windows, tree.Root)
			}
		})
	}
}
