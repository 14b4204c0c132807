package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/readfile"
)

// TestCertificate: a certificate is read as it was written, up to a limit.
func TestCertificate(t *testing.T) {
	f := whole(t)
	if _, err := ReadCertificate(f.Dir, 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is written: %v", err)
	}
	for _, text := range []string{"certified", "certain"} {
		if err := f.WriteCertificate([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if b, err := ReadCertificate(f.Dir, 9); err != nil || string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
	}
	if _, err := ReadCertificate(f.Dir, 6); !errors.Is(err, readfile.ErrTooLarge) {
		t.Errorf("more than the limit: %v", err)
	}
}

// TestHolds: a folder with run.json, a ledger or a store is that of a run.
func TestHolds(t *testing.T) {
	for name, want := range map[string]bool{
		metaName: true, ledgerName: true, storeName: true, statusName: false, "letter": false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if Holds(dir) != want {
			t.Errorf("a folder with %s is that of a run: %t", name, !want)
		}
	}
	if dir := t.TempDir(); Holds(dir) || Holds(filepath.Join(dir, "none")) {
		t.Error("an empty folder is that of a run")
	}
}

// TestUnusablePlace: a folder that cannot be made or read is no folder without a run.
func TestUnusablePlace(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(filepath.Join(dir, "none"), link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below"), link} {
		if _, err := Create(path, testMeta(), FolderOptions{}); err == nil || errors.Is(err, ErrNoRun) {
			t.Errorf("%s: create: %v", path, err)
		}
	}
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if _, err := ReadMeta(path); err == nil || errors.Is(err, ErrNoRun) || errors.Is(err, ErrMeta) {
			t.Errorf("%s: read: %v", path, err)
		}
	}
	if free, err := FreeDisk(dir); free == 0 || err != nil {
		t.Errorf("%d bytes are free, %v", free, err)
	}
}

// TestMetaOfNoUse: a run.json that is no file, is too large or has improper content is damage, and its error names the
// file.
func TestMetaOfNoUse(t *testing.T) {
	m := testMeta()
	b, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	for what, put := range map[string]func(path string) error{
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink("nowhere", path) },
		"large":  func(path string) error { return os.WriteFile(path, make([]byte, maxMetaBytes+1), 0o600) },
		"list":   func(path string) error { return os.WriteFile(path, []byte("[]"), 0o600) },
		"empty":  func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) },
		"field": func(path string) error {
			return os.WriteFile(path, []byte(strings.Replace(plain(string(b)), "{", `{"more":1,`, 1)), 0o600)
		},
		"run": func(path string) error {
			return os.WriteFile(path, []byte(strings.Replace(plain(string(b)), "english", "french", 1)), 0o600)
		},
	} {
		path := filepath.Join(t.TempDir(), metaName)
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		have, err := ReadMeta(filepath.Dir(path))
		if !errors.Is(err, ErrMeta) || !strings.Contains(err.Error(), path) || have.Run != "" {
			t.Errorf("%s: %+v, %v", what, have, err)
		}
	}
}

// plain is the text of a run.json without its checksum.
func plain(text string) string {
	tail, _, _ := strings.Cut(metaTail, "%")
	head, _, _ := strings.Cut(text, tail)
	return head + "}"
}
