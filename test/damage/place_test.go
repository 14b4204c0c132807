package damage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kinds put something else in the place of a file or folder; old is where that has been moved to.
var kinds = map[string]func(path, old string) error{
	"folder": func(path, _ string) error { return os.Mkdir(path, 0o755) },
	"folder with a file": func(path, _ string) error {
		return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "a"), []byte("b"), 0o600))
	},
	"pipe":            func(path, _ string) error { return syscall.Mkfifo(path, 0o644) },
	"link to zeros":   func(path, _ string) error { return os.Symlink("/dev/zero", path) },
	"dangling link":   func(path, old string) error { return os.Symlink(old+"-nowhere", path) },
	"link to another": func(path, old string) error { return os.Symlink(old, path) },
	"socket": func(path, _ string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	},
}

// patience is how long a command may take: none of these needs a second. One that waits for a pipe waits for ever.
const patience = time.Minute

// ends carries out a command, and fails the test when it does not end.
func ends(t *testing.T, at string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s: %s does not end", at, args[0])
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// TestPlaces puts something else in the place of every file and folder of a run. Every command ends, with the right
// answer or with an error that names the place and says what to do; and run recovers as from a missing file.
func TestPlaces(t *testing.T) {
	dir, err := os.MkdirTemp("", "places") // short: the name of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := prepare(t, dir, "games")
	whole := r.folders["complete"]
	table := func(folder, out string) []string {
		return []string{"export", "--data", folder, "--table", "counts", "--layer", "5", "--format", "csv", "--out", out}
	}
	right := filepath.Join(dir, "right.csv")
	if o := coordinator(t, table(whole, right)...); o.code != 0 {
		t.Fatal(o.errors)
	}
	rows, err := os.ReadFile(right)
	if err != nil {
		t.Fatal(err)
	}
	status := coordinator(t, "status", "--data", whole, "--output", "json").out

	names := []string{
		"ledger", "store", "run.json.tmp", "status.json.tmp", "certificate.json.tmp", "ledger/CHECKSUMS.tmp",
	}
	for _, path := range list(t, whole) {
		name, err := filepath.Rel(whole, path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	all := slices.Sorted(maps.Keys(kinds))
	for n, place := range names {
		some := all
		if !*places { // each kind in some places, and the next pair in the next place
			some = []string{all[2*n%len(all)], all[(2*n+1)%len(all)]}
		}
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			for _, kind := range some {
				p := placed{
					t: t, r: r, at: place + ": " + kind, place: place, put: kinds[kind], dir: filepath.Join(dir, fmt.Sprint(n)),
				}
				if err := os.Mkdir(p.dir, 0o755); err != nil {
					t.Fatal(err)
				}
				p.old = filepath.Join(p.dir, "old")
				folder := p.folder("d")
				p.wellSaid("verify", "", ends(t, p.at, "verify", "--data", folder, "--dry-run"), "")
				o := ends(t, p.at, "status", "--data", folder, "--output", "json")
				p.wellSaid("status", status, o, o.out)
				out := filepath.Join(p.dir, "out.csv")
				o = ends(t, p.at, table(folder, out)...)
				have, _ := os.ReadFile(out) // none after an error
				p.wellSaid("export", string(rows), o, string(have))
				p.recovers(folder)

				folder = p.folder("e")
				p.wellSaid("verify with repair", "", ends(t, p.at, "verify", "--data", folder), "")
				p.recovers(folder)
				if _, err := os.Lstat(p.old + "-nowhere"); err == nil {
					t.Errorf("%s: a file was made where a dangling link leads", p.at)
				}
				if err := os.RemoveAll(p.dir); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// placed is something else in one place of a folder.
type placed struct {
	t                   *testing.T
	r                   *run
	at, place, dir, old string
	put                 func(path, old string) error
}

// folder makes a copy of the run with something else in the place.
func (p *placed) folder(name string) string {
	p.t.Helper()
	folder := filepath.Join(p.dir, name)
	copyFolder(p.t, p.r.folders["complete"], folder)
	if err := os.RemoveAll(p.old); err != nil {
		p.t.Fatal(err)
	}
	path := filepath.Join(folder, p.place)
	if err := os.Rename(path, p.old); err != nil && !strings.HasSuffix(p.place, ".tmp") {
		p.t.Fatal(err)
	}
	if err := p.put(path, p.old); err != nil {
		p.t.Fatal(err)
	}
	return folder
}

// wellSaid demands that a command gives what is right, or names the place and says what to do.
func (p *placed) wellSaid(command, right string, o outcome, have string) {
	p.t.Helper()
	said, advice := line(o.errors, "error: "), line(o.errors, "hint: ")
	switch {
	case o.code == 0 && have != right:
		p.t.Errorf("%s: %s gives\n%s", p.at, command, have)
	case o.code != 0 && (!named(o, p.place) || advice == ""):
		p.t.Errorf("%s: %s says %d: %s\nhint: %s", p.at, command, o.code, said, advice)
	}
}

// recovers demands that a run ends with the right result, and that nothing is wrong with the folder then. Where a run
// has no use for rows that are lost, verify marks them, and they are computed again.
func (p *placed) recovers(folder string) {
	p.t.Helper()
	for range 2 {
		o := ends(p.t, p.at, "run", p.r.config, "--data", folder, "--output", "json")
		if o.code != 0 || o.out != p.r.result {
			p.t.Errorf("%s: run says %d\n%s%s", p.at, o.code, o.errors, o.out)
			return
		}
		if o = ends(p.t, p.at, "verify", "--data", folder); o.code == 0 {
			if have := digests(p.t, folder); !maps.Equal(have, p.r.digests) {
				p.t.Errorf("%s: other digests, %d windows of %d", p.at, len(have), len(p.r.digests))
			}
			return
		}
		p.wellSaid("verify after run", "", o, "")
	}
	p.t.Errorf("%s: verify finds more after run, verify and run", p.at)
}

// named reports whether a command says in which file or segment it has found something.
func named(o outcome, place string) bool {
	text := o.errors + o.out
	return strings.Contains(text, place) || strings.HasSuffix(place, ".seg") && strings.Contains(text, "segment 1")
}
