package s3

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// exported is where the final export of triangle15.yaml is below s3://windows/runs.
const exported = "runs/triangle15-b99de8fdba8c/"

const exportURL = "s3://" + bucket + "/runs"

// finalRun carries out triangle15.yaml with a final export to the bucket.
func finalRun(t *testing.T, dir, to string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	config, err := filepath.Abs("../../configs/triangle15.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return command(t, dir, append([]string{"run", config, "--data", "run", "--export", to}, more...)...)
}

// TestFinalExport: the final export of a run is equal to the output of the command export. Running again changes
// nothing.
func TestFinalExport(t *testing.T) {
	storage := Start(t, t.TempDir())
	storage.Environment(t)
	dir := t.TempDir()
	more := []string{"--set", "export_tables=results,counts", "--set", "export_formats=csv,parquet"}
	if code, stdout, stderr := finalRun(t, dir, exportURL, more...); code != 0 || !strings.Contains(stdout, "6816") {
		t.Fatalf("exit %d, %q\n%s", code, stdout, stderr)
	}
	must(t, dir, "export", "--data", "run", "--out", "layers.csv")
	must(t, dir, "export", "--data", "run", "--table", "counts", "--layer", "9", "--format", "parquet", "--out", "counts-09.parquet")
	for _, name := range []string{"layers.csv", "counts-09.parquet"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(storage.Folder, exported, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, want %d: %v", name, len(got), len(want), err)
		}
	}
	all := allFiles(t, storage.Folder)
	if len(all) < 2*15 {
		t.Errorf("there are %q", all)
	}
	if code, _, stderr := finalRun(t, dir, exportURL, more...); code != 0 {
		t.Fatalf("again: exit %d\n%s", code, stderr)
	}
	if again := allFiles(t, storage.Folder); !slices.Equal(again, all) {
		t.Errorf("again there are %q, there were %q", again, all)
	}
}

// TestFinalExportRefused: wrong keys and a missing bucket are refused before the run begins, and no folder is made.
func TestFinalExportRefused(t *testing.T) {
	storage := Start(t, t.TempDir())
	dir := t.TempDir()
	for name, c := range map[string]struct {
		set  [2]string
		to   string // where another place is given
		says string
	}{
		"unknown key":  {set: [2]string{"AWS_ACCESS_KEY_ID", "nobody"}, says: "export: s3://windows"},
		"wrong secret": {set: [2]string{"AWS_SECRET_ACCESS_KEY", "no"}, says: "SignatureDoesNotMatch"},
		"no keys":      {set: [2]string{"AWS_ACCESS_KEY_ID", ""}, says: "only one is set"},
		"no bucket":    {to: "s3://nowhere/x", says: "there is no such bucket"},
	} {
		t.Run(name, func(t *testing.T) {
			storage.Environment(t)
			if c.set[0] != "" {
				t.Setenv(c.set[0], c.set[1])
			}
			code, stdout, stderr := finalRun(t, dir, cmp.Or(c.to, exportURL))
			if code != 2 || stdout != "" || !strings.Contains(stderr, c.says) || !strings.Contains(stderr, "\nhint: ") ||
				strings.Count(stderr, "\n") != 2 {
				t.Errorf("exit %d, %q\n%s", code, stdout, stderr)
			}
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("there are %v, %v", left, err)
	}
}

// refusing answers the first puts with an error, as many as times says.
func refusing(times int64, status int, body string) fault {
	var refused atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || refused.Add(1) > times {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

const (
	quotaExceeded = `<Error><Code>QuotaExceeded</Code><Message>The quota set has been exceeded.</Message></Error>`
	accessDenied  = `<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>`
	forEver       = 1 << 40
)

// TestFinalExportFails has puts fail when everything is computed. The run waits for the end of a short failure. A
// lasting one leaves the run incomplete, and the same command completes it later without computing anything again.
func TestFinalExportFails(t *testing.T) {
	for name, c := range map[string]struct {
		fault fault
		code  int
		says  string
	}{
		"full for a while":    {refusing(2, http.StatusConflict, quotaExceeded), 0, "the export failed and is tried again"},
		"failing for a while": {refusing(7, http.StatusServiceUnavailable, ""), 0, "the export failed and is tried again"},
		"full":                {refusing(forEver, http.StatusConflict, quotaExceeded), 3, "make room in the bucket"},
		"failing":             {refusing(forEver, http.StatusServiceUnavailable, ""), 3, "when the server is there"},
		"keys that may read":  {refusing(forEver, http.StatusForbidden, accessDenied), 3, "what these keys may do"},
	} {
		t.Run(name, func(t *testing.T) {
			storage := Start(t, t.TempDir())
			storage.Environment(t)
			dir := t.TempDir()
			storage.Fault(c.fault)
			code, stdout, stderr := finalRun(t, dir, exportURL)
			if code != c.code || (stdout != "") != (code == 0) || !strings.Contains(stderr, c.says) {
				t.Errorf("exit %d, %q\n%s", code, stdout, stderr)
			}
			if code == 0 {
				return
			}
			if all := allFiles(t, storage.Folder); len(all) > 0 {
				t.Errorf("there are %q", all)
			}
			if said := must(t, dir, "status", "--data", "run"); !strings.Contains(said, "not done") ||
				strings.Contains(said, "complete") {
				t.Errorf("status says\n%s", said)
			}
			storage.Fault(nil)
			code, stdout, stderr = finalRun(t, dir, exportURL)
			if code != 0 || !strings.Contains(stdout, "6816") || !strings.Contains(stderr, "windows_left=0") {
				t.Errorf("resumed: exit %d, %q\n%s", code, stdout, stderr)
			}
			if all := allFiles(t, storage.Folder); !slices.ContainsFunc(all, func(s string) bool {
				return strings.HasSuffix(s, exported+"layers.csv")
			}) {
				t.Errorf("there are %q", all)
			}
		})
	}
}
