package ops

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

// observed checks that the dashboard and the alerts name no metric that no process has.
func observed(t *testing.T, families []*dto.MetricFamily) {
	t.Helper()
	known := make(map[string]bool)
	for _, f := range families {
		known[f.GetName()] = true
		if f.GetType() == dto.MetricType_HISTOGRAM {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				known[f.GetName()+suffix] = true
			}
		}
	}
	name := regexp.MustCompile(`\b(pagoda|process|go)_[a-z0-9_]+\b`)
	for _, file := range []string{"alerts.yaml", "alerts_test.yaml", "dashboard.json"} {
		b, err := os.ReadFile(filepath.Join("../../../deploy/observability", file))
		if err != nil {
			t.Fatal(err)
		}
		used := name.FindAllString(string(b), -1)
		if len(used) == 0 {
			t.Errorf("%s names no metric", file)
		}
		for _, n := range used {
			if !known[n] {
				t.Errorf("%s: there is no metric %s", file, n)
			}
		}
	}
}
