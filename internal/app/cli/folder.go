package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"pagoda/internal/kv"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// AdviseFolder adds to an error of opening a data folder its kind and advice.
func AdviseFolder(err error, dir string) error {
	misuse := func(hint string) error { return Hint(&UsageError{Err: err}, hint) }
	var file *fs.PathError
	if errors.As(err, &file) { // which file of the folder it was matters less than which folder
		err = fmt.Errorf("data folder %s: %w", dir, file.Err)
	}
	var differs *rundir.DiffersError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kv.ErrCorrupt):
		return Hint(err, "run the config again with --data "+dir+": it recovers what can be read and computes the rest again")
	case errors.As(err, &differs):
		return Hint(err, "choose another folder with --data, or the parameters of that run")
	case errors.Is(err, kv.ErrRun):
		return Hint(err, "choose another folder with --data")
	case errors.Is(err, rundir.ErrNoRun):
		return misuse("give the data folder of a run, such as runs/<name>-<run ID>")
	case errors.Is(err, rundir.ErrOccupied):
		return misuse("choose an empty or new folder with --data")
	case errors.Is(err, kv.ErrLocked):
		return Hint(fmt.Errorf("data folder %s: %w", dir, err),
			"wait for that process to end, or stop it: a run can be resumed; status works meanwhile")
	case errors.Is(err, plan.ErrPlan):
		return Hint(err, "verify the folder, which forgets the windows that do not fit, and run again; "+
			"or use another folder with --data")
	case errors.Is(err, kv.ErrFormat):
		return Hint(err, "use the version of the program that made the folder, or another folder with --data")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return misuse("choose a folder that can be written to with --data")
	case DiskFull(err):
		return Hint(&StoppedError{Err: err}, "free some space, and the same command goes on; or choose a folder on another "+
			"disk with --data")
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EINVAL):
		return misuse("choose another folder with --data")
	}
	return err
}
