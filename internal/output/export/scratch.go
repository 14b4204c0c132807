package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var (
	errLocked  = errors.New("locked by another process")
	errNoLocks = errors.New("the file system has no locks")
)

// The entries of a scratch. It has no others.
const (
	lockName = "lock" // locked while its process lives
	newName  = "new"  // the output that is being made
	oldName  = "old"  // the folder that the output replaces, on its way out
)

// scratchMark is between the name of an output and a number in the name of a scratch.
const scratchMark = ".pagoda-tmp-"

// A scratch is a folder in which an output is made, before it gets its name: .NAME.pagoda-tmp-NUMBER, in the folder of
// the output. A killed process leaves its scratch behind. Nothing holds the lock in it any more, and the next process
// that makes an output of the same name removes it.
type scratch struct {
	path string // of the output
	dir  string
	lock *os.File
}

// newScratch makes a scratch for an output at path.
func newScratch(path string) (*scratch, error) {
	for {
		dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+scratchMark+"*")
		if err != nil {
			return nil, err
		}
		s, err := lockScratch(path, dir, os.O_CREATE)
		switch {
		case err == nil || errors.Is(err, errNoLocks): // other processes cannot lock it either, and leave it
			return s, nil
		case !errors.Is(err, errLocked) && !errors.Is(err, fs.ErrNotExist): // no other process took it for left behind
			return nil, errors.Join(err, os.Remove(dir))
		}
	}
}

// lockScratch locks the scratch in dir for an output at path. Errors wrap errLocked when another process has the lock
// or has removed it, or errNoLocks, with a scratch all the same.
func lockScratch(path, dir string, flag int) (*scratch, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|noFollow|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err = tryLock(f); err == nil {
		if _, gone := os.Lstat(f.Name()); gone != nil { // another process had the lock before, and has removed it
			err = errLocked
		}
	}
	if errors.Is(err, errLocked) {
		_ = f.Close()
		return nil, err
	}
	return &scratch{path, dir, f}, err
}

func (s *scratch) new() string { return filepath.Join(s.dir, newName) }
func (s *scratch) old() string { return filepath.Join(s.dir, oldName) }

// remove removes the scratch with all that is in it, the lock last. A folder that was moved there, and that no output
// replaces, gets its name again. A failure leaves the rest for [sweep].
func (s *scratch) remove() {
	_, err := os.Lstat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.Rename(s.old(), s.path); errors.Is(err, fs.ErrNotExist) {
			err = nil // there is mostly none
		}
	}
	if err == nil && errors.Join(os.RemoveAll(s.new()), os.RemoveAll(s.old())) == nil {
		_ = os.Remove(s.lock.Name())
		_ = os.Remove(s.dir)
	}
	_ = s.lock.Close()
}

// sweep removes the scratches that killed processes left beside an output at path. A failure leaves them there.
func sweep(path string) {
	parent, prefix := filepath.Dir(path), "."+filepath.Base(path)+scratchMark
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name(), prefix); ok && strings.Trim(number, "0123456789") == "" && e.IsDir() {
			sweepOne(filepath.Join(parent, e.Name()), path)
		}
	}
}

func sweepOne(dir, path string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := e.Name(); name != lockName && name != newName && name != oldName {
			return // another's
		}
	}
	if len(entries) == 0 { // killed before it made the lock, or after it removed it
		_ = os.Remove(dir)
		return
	}
	s, err := lockScratch(path, dir, 0)
	if err != nil {
		if s != nil {
			_ = s.lock.Close()
		}
		return
	}
	s.remove()
}
