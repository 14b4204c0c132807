package runs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/config"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/rundir"
)

// TestJobs: a job is made of a config, its folder is named after the run, and its essence gives the same run. Another
// setting gives another run, and an error names what is wrong.
func TestJobs(t *testing.T) {
	text := "name: trap\npuzzle: mousetrap\ncards: 5\ncount: hits\nmemory_limit_bytes: 4294967296\n"
	path := filepath.Join(t.TempDir(), "trap.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := loader.Load(t.Context(), path, nil)
	if err != nil || j.Dir != "runs/trap-"+j.ID || j.Definition.Name != "mousetrap" || len(j.Problem.Lines) == 0 {
		t.Fatalf("%+v, %v", j, err)
	}
	named, err := loader.Load(t.Context(), path, []config.Override{{Key: "data_dir", Value: "elsewhere"}})
	if err != nil || named.Dir != "elsewhere" || named.ID != j.ID {
		t.Errorf("%+v, %v", named, err)
	}
	essence, err := j.Essence()
	if err != nil || bytes.Contains(essence, []byte("memory")) || bytes.Contains(essence, []byte("trap.yaml")) {
		t.Errorf("%s, %v", essence, err)
	}
	if again := jobOf(t, string(essence)); again.ID != j.ID {
		t.Errorf("the essence gives run %s, the config run %s:\n%s", again.ID, j.ID, essence)
	}
	announced, err := j.Announced()
	want := "puzzle: mousetrap\nwindow_addresses: 4194304\ncards: 5\ncount: hits\n"
	if err != nil || string(announced) != want {
		t.Errorf("announced: %s, %v, want %s", announced, err, want)
	}
	if again := jobOf(t, string(announced)); again.ID != j.ID {
		t.Errorf("what is announced gives run %s, the config run %s", again.ID, j.ID)
	}
	for cards, same := range map[string]bool{"5": true, "6": false} {
		p, err := j.WithSetting("cards", cards)
		if err != nil || (rundir.RunID(p.Identity()) == j.ID) != same {
			t.Errorf("%s cards: %v", cards, err)
		}
	}
	if _, err := j.WithSetting("cards", "many"); err == nil {
		t.Error("many cards are taken")
	}
	for wrong, want := range map[string]string{
		"puzzle: none\n": "none", "puzzle: mousetrap\ncards: 99\n": "cards", "puzzle: peg\nboard: none\n": "board",
	} {
		_, err := loader.Parse(t.Context(), "test.yaml", []byte(wrong))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := loader.Load(t.Context(), path+".none", nil); err == nil || !strings.Contains(err.Error(), path+".none") {
		t.Errorf("no config: %v", err)
	}
}

// TestFolders: a folder is opened with the job of its own config. One without a run, or whose config gives another run,
// is refused with advice.
func TestFolders(t *testing.T) {
	j := jobOf(t, "puzzle: mousetrap\ncards: 5\ncount: hits\n")
	f, end := folderFor(t, j)
	end()
	for _, readOnly := range []bool{true, false} {
		s, err := loader.Open(t.Context(), f.Dir, readOnly)
		if err != nil || s.ID != j.ID || s.Dir != f.Dir || s.Folder.Meta.Run != j.ID || s.Results != nil {
			t.Fatalf("%+v, %v", s, err)
		}
		if err := s.Folder.Ledger.SetMeta("x", nil); (err != nil) != readOnly {
			t.Errorf("read only %t: written: %v", readOnly, err)
		}
		if s.CacheBytes() != s.Config.Uint("memory_limit_bytes")/4 || s.CacheBytes() == 0 {
			t.Errorf("%d bytes of decoded windows", s.CacheBytes())
		}
		if _, err := loader.Open(t.Context(), f.Dir, readOnly); !errors.Is(err, kv.ErrLocked) || cli.Advice(err) == "" {
			t.Errorf("a folder in use: %v", err)
		}
		s.Close()
	}
	s, err := loader.Peek(t.Context(), f.Dir)
	if err != nil || s.Results == nil {
		t.Fatalf("%+v, %v", s, err)
	}
	again, err := loader.Results(t.Context(), f.Dir) // a peek keeps no other program out
	if err != nil || again.Rows() == nil {
		t.Fatal(err)
	}
	again.Close()
	s.Close()
	if _, err := loader.Results(t.Context(), t.TempDir()); !errors.Is(err, rundir.ErrNoRun) {
		t.Errorf("a folder without a run: %v", err)
	}
	other := rundir.NewMeta(jobOf(t, "puzzle: mousetrap\ncards: 6\ncount: hits\n").Puzzle.Identity(), f.Meta.Config)
	dir := filepath.Join(t.TempDir(), "data")
	g, err := rundir.Create(dir, other, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = loader.Results(t.Context(), dir)
	if !advises(err, dir, "use the version of the program that made the folder") {
		t.Errorf("a config of another run: %v", err)
	}
}

// TestEarlierRuns: a run that an earlier program began goes on in its folder, under its ID, and a new one has another.
func TestEarlierRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("small.yaml", []byte("puzzle: peg\nboard: triangle4\nstart: r0c0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(dir string) *runs.Job {
		t.Helper()
		var overrides []config.Override
		if dir != "" {
			overrides = append(overrides, config.Override{Key: "data_dir", Value: dir})
		}
		j, err := loader.Load(t.Context(), "small.yaml", overrides)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	create := func(dir string, p puzzle.Puzzle) {
		t.Helper()
		f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), "puzzle: peg\nboard: triangle4\nstart: r0c0\n"),
			rundir.FolderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	now := load("")
	earlier, err := now.Puzzle.(puzzle.Revised).Earlier()
	if err != nil {
		t.Fatal(err)
	}
	before := rundir.RunID(earlier.Identity())
	if before == now.ID {
		t.Fatalf("both have the ID %s", before)
	}
	named := filepath.Join("runs", "small-"+before)
	create("given", earlier)
	create(named, earlier)
	for dir, want := range map[string]string{"given": before, "": before, named: before, "empty": now.ID} {
		if j := load(dir); j.ID != want || rundir.RunID(j.Puzzle.Identity()) != want || dir == "" && j.Dir != named {
			t.Errorf("folder %q: run %s in %s, want run %s", dir, j.ID, j.Dir, want)
		}
	}
	if j, err := loader.Stored(t.Context(), "given"); err != nil || j.ID != before || j.Dir != "given" {
		t.Errorf("the folder of the earlier run: %+v, %v", j, err)
	}
	create(now.Dir, now.Puzzle)
	if j := load(""); j.ID != now.ID || j.Dir != now.Dir {
		t.Errorf("where both have a folder: run %s in %s", j.ID, j.Dir)
	}
}

// TestEarlierCertificate: the certificate of a run of an earlier program is checked, its plan included.
func TestEarlierCertificate(t *testing.T) {
	b, err := os.ReadFile(filepath.FromSlash("../../run/certificate/testdata/triangle15.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := certificate.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	const earlier = "accf384b05eb"
	j, planned, err := loader.Certified(t.Context(), c)
	if err != nil || !planned || j.ID != earlier || c.Run != earlier {
		t.Errorf("%+v, %t, %v", j, planned, err)
	}
}

// TestCertificateOfFolder: the certificate of a run is written into its folder. A later one keeps the checks that an
// earlier one of the same windows has on record. Its plan has every cell.
func TestCertificateOfFolder(t *testing.T) {
	s := stored(t, problem+"games\n")
	if _, err := runs.ReadCertificate(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	if err := s.Certify(s.Folder, s.Results); err != nil {
		t.Fatal(err)
	}
	first, err := runs.ReadCertificate(s.Dir)
	if err != nil || first.Run != s.ID || first.Checks.Edges == 0 || first.Program != runs.Program() {
		t.Fatalf("%+v, %v", first, err)
	}
	h := certificate.NewPlanHasher()
	cells := 0
	for _, l := range s.Results.PlannedLayers {
		for i := range l.Plans {
			h.Add(&l.Plans[i])
			cells++
		}
	}
	if first.Plan != h.Sum() || cells != s.Results.CellCount {
		t.Errorf("the plan of %d cells is %s, want %s", cells, first.Plan, h.Sum())
	}
	for n, c := range []struct {
		read  int
		other bool // windows
		want  int
	}{{7, false, 7}, {3, false, 7}, {2, true, 2}} {
		next, err := s.Certificate(s.Folder, s.Results, runs.Program(), certificate.Checks{Read: c.read})
		if err != nil {
			t.Fatal(err)
		}
		if c.other {
			first.Root[0]++
			b, err := os.ReadFile(rundir.CertificatePath(s.Dir))
			if err == nil {
				b = bytes.Replace(b, []byte(next.Root.String()), []byte(first.Root.String()), 1)
				err = os.WriteFile(rundir.CertificatePath(s.Dir), b, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := runs.WriteCertificate(s.Folder, next); err != nil {
			t.Fatal(err)
		}
		if got, err := runs.ReadCertificate(s.Dir); err != nil || got.Checks.Read != c.want {
			t.Errorf("certificate %d: %+v, %v", n, got, err)
		}
	}
	part := partial(t, problem+"games\n", 3)
	if err := part.Folder.Ledger.Close(); err != nil {
		t.Fatal(err)
	}
	err = part.Certify(part.Folder, part.Results)
	if err == nil || !strings.Contains(err.Error(), "certificate of run "+s.ID) {
		t.Errorf("of a ledger that cannot be read: %v", err)
	}
}
