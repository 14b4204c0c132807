package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// kill ends the process of a scratch, as far as others can see it: its lock is free, and everything else stays.
func kill(t *testing.T, s *scratch) {
	t.Helper()
	if err := s.lock.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSweptFile: the next file of the same name removes what a killed process left, before and after the file got its
// name.
func TestSweptFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	begun := func(at string) *File {
		f, err := Create(at)
		if err == nil {
			_, err = f.Write([]byte("whole"))
		}
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	kill(t, begun(path).scratch)
	alive, other := begun(path), begun(path+"y")
	kill(t, other.scratch)
	if got := entries(t, dir); len(got) != 2 {
		t.Errorf("two are under way: %q", got)
	}
	late := begun(path)
	if err := alive.Commit(); err != nil {
		t.Errorf("a living file was removed: %v", err)
	}
	holds(t, path, "whole")
	kill(t, late.scratch)
	if err := Free(path); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if got := entries(t, dir); len(got) != 2 || !strings.HasPrefix(got[0], ".xy.") || got[1] != "x" {
		t.Errorf("x and the leftovers of another name are there: %q", got)
	}
	over, err := CreateOver(path + "y")
	if err != nil {
		t.Fatal(err)
	}
	over.Abort()
	if got := entries(t, dir); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left behind: %q", got)
	}
}

// TestSweptFolder kills a process between any two of its steps. The next folder of the same name removes the leftovers,
// and finds the old folder or the new one, whole.
func TestSweptFolder(t *testing.T) {
	steps := []func(*Folder) error{
		func(f *Folder) error { return f.Write("a/b", []byte("new")) },
		func(f *Folder) error { return f.Write("index.html", []byte("new")) },
		func(f *Folder) error { return exchange(f.scratch) },
		func(f *Folder) error { return os.RemoveAll(f.scratch.new()) },
	}
	aside := []func(*Folder) error{
		func(f *Folder) error { return f.Write("index.html", []byte("new")) },
		func(f *Folder) error { return os.Rename(f.path, f.scratch.old()) },
		func(f *Folder) error { return os.Rename(f.scratch.new(), f.path) },
	}
	for way, steps := range map[string][]func(*Folder) error{"at once": steps, "aside": aside} {
		for killed := range len(steps) + 1 {
			dir := t.TempDir()
			path := filepath.Join(dir, "book")
			if err := publish(t, path, map[string]string{"index.html": "old"}); err != nil {
				t.Fatal(err)
			}
			f, err := CreateFolder(path, sums)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range steps[:killed] {
				if err := step(f); err != nil {
					t.Fatal(err)
				}
			}
			kill(t, f.scratch)
			sweep(path)
			want := "old"
			if killed >= 3 {
				want = "new"
			}
			holds(t, filepath.Join(path, "index.html"), want)
			if got := entries(t, dir); !slices.Equal(got, []string{"book"}) {
				t.Errorf("%s, killed after %d steps: left behind: %q", way, killed, got)
			}
		}
	}
}

// TestAbortAfterMoveAside: a folder that was moved away, and that no other has replaced, is not removed with the rest.
func TestAbortAfterMoveAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "book")
	if err := publish(t, path, map[string]string{"index.html": "old"}); err != nil {
		t.Fatal(err)
	}
	f, err := CreateFolder(path, sums)
	if err == nil {
		err = os.Rename(path, f.scratch.old()) // and neither it nor the new one could be given the name
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	holds(t, filepath.Join(path, "index.html"), "old")
	if got := entries(t, dir); !slices.Equal(got, []string{"book"}) {
		t.Errorf("left behind: %q", got)
	}
}

// TestSweepLeavesOthers: files and folders that no process of this program left are not removed, whatever their names.
func TestSweepLeavesOthers(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "x")
	write := func(names ...string) {
		for _, name := range names {
			p := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte("own"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(".x.pagoda-tmp-1", ".x.tmp-2", ".x.pagoda-tmp-3/lock", ".x.pagoda-tmp-3/own", ".x.pagoda-tmp-4/new",
		".x.pagoda-tmp-5a/lock", ".y.pagoda-tmp-6/lock", "x.pagoda-tmp-7/lock")
	target := filepath.Join(elsewhere, "target")
	if err := errors.Join(os.WriteFile(target, []byte("own"), 0o600),
		os.Mkdir(filepath.Join(dir, ".x.pagoda-tmp-8"), 0o755),
		os.Symlink(target, filepath.Join(dir, ".x.pagoda-tmp-8", "lock")),
		os.Symlink(elsewhere, filepath.Join(dir, ".x.pagoda-tmp-9"))); err != nil {
		t.Fatal(err)
	}
	list := func() (all []string) {
		for _, root := range []string{dir, elsewhere} {
			if err := filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
				all = append(all, p)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	before := list()
	sweep(path)
	if after := list(); !slices.Equal(after, before) {
		t.Errorf("there is now\n%q\nand there was\n%q", after, before)
	}
	for _, empty := range []string{".x.pagoda-tmp-10", ".x.pagoda-tmp-11"} { // killed before it had a lock
		if err := os.Mkdir(filepath.Join(dir, empty), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sweep(path)
	if after := list(); !slices.Equal(after, before) {
		t.Errorf("after empty ones there is\n%q\nand there was\n%q", after, before)
	}
}

// TestSweepsAtOnce: files of one name are made by many at once, each of which sweeps. Every one is whole.
func TestSweepsAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				f, err := CreateOver(path)
				if err == nil {
					_, err = f.Write([]byte("whole"))
				}
				if err == nil {
					err = f.Replace()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	holds(t, path, "whole")
	if got := entries(t, dir); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left behind: %q", got)
	}
}
