package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// FreeDisk returns the bytes that an unprivileged process may still write where dir is, or will be: it looks at the
// nearest parent that exists. 0 without an error says that this system does not tell.
func FreeDisk(dir string) (uint64, error) {
	free, _, err := Disk(dir)
	return free, err
}

// Disk returns the result of FreeDisk, and the bytes that an unprivileged process could write were the disk empty.
func Disk(dir string) (free, size uint64, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return 0, 0, err
	}
	for {
		free, size, err = statfs(dir)
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return free, size, err
		}
		dir = parent
	}
}

// DiskID names the file system of dir and its machine: processes that get the same name write to the same disk. "" says
// that this system does not tell. A share over the network has a name on each machine, as a file system has in each
// virtual machine and, where it is in layers, in each container.
func DiskID(dir string) string {
	dev, err := device(dir)
	if err != nil || dev == "" {
		return ""
	}
	// One start of one kernel, whatever containers call their hosts.
	host, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		name, err := os.Hostname()
		if err != nil {
			return ""
		}
		host = []byte(name)
	}
	sum := sha256.Sum256(append(host, dev...))
	return hex.EncodeToString(sum[:8])
}

// UsedDisk returns the bytes of the disk that the files below dir take; 0 when there is no dir. That is more than their
// length where room is reserved for them.
func UsedDisk(dir string) (used uint64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				used += allocated(info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // no folder yet, or a file that a live run has just replaced
			return nil
		}
		return err
	})
	return used, err
}
