package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented compares docs/certificates.md with the output of the checker on the run of its example.
func TestDocumented(t *testing.T) {
	needPython(t)
	doc, err := os.ReadFile(filepath.Join(root, "docs/certificates.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := carryOut(t, "triangle15")
	certificate, leaves := r.files(t)
	output := check(t, "--recompute", certificate, leaves).stdout
	r = r.replaced(t, `"amount":"1074"`, `"amount":"1075"`)
	certificate, leaves = r.files(t)
	tampered := check(t, certificate, leaves)
	for _, text := range []string{output, strings.Replace(tampered.last(), leaves, "other.jsonl", 1) + "\n"} {
		block := "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n\n"
		if !strings.Contains(string(doc), block) {
			t.Errorf("docs/certificates.md lacks\n%s", block)
		}
	}
}
