//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// rootIsGolden demands that the certificate of a finished run, in windows as they are cut by default, has the golden
// root of its config.
func rootIsGolden(t *testing.T, config, data string) {
	t.Helper()
	var golden map[string]map[string]string
	readJSON(t, filepath.Join(root, "internal/app/runs/testdata/roots.json"), &golden)
	var c struct{ Root string }
	readJSON(t, filepath.Join(data, "certificate.json"), &c)
	if want := golden[config]["4194304"]; want == "" || c.Root != want {
		t.Errorf("root %s, the golden one of %s is %s", c.Root, config, want)
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
