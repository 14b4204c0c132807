package rundir

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDiskID: folders of one file system have one name, those of others have others.
func TestDiskID(t *testing.T) {
	dir := t.TempDir()
	id := DiskID(dir)
	if id == "" {
		t.Skip("this system does not tell")
	}
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := DiskID(filepath.Join(dir, "more")); got != id {
		t.Errorf("a folder is on %q, one in it on %q", id, got)
	}
	if got := DiskID(filepath.Join(dir, "none")); got != "" {
		t.Errorf("a folder that is not there is on %q", got)
	}
	if other, err := os.Stat("/proc"); err == nil && other.IsDir() {
		if got := DiskID("/proc"); got == id {
			t.Errorf("/proc is on %q too", got)
		}
	}
}
