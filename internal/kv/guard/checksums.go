package guard

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle/blocks"
)

// ChecksumsName is the file that lists the database files of a closed folder. Pebble takes much on trust when it opens
// a folder: the damaged end of a manifest counts as one that a crash has cut off, and without its last record sequence
// numbers are given out a second time; a folder without a marker counts as new. After a crash there is no such file,
// because it is removed before the database is opened for writing.
//
// A first line names the format; then comes a line for each file, with checksum (XXH64), length and name; the last line
// is the checksum of all that comes before it. The checksums are taken of the bytes as written (see written), and not
// of the bytes read back when the folder is closed. So damage since the write is found too. Segments are not in it:
// every block in them has a checksum of its own.
const (
	ChecksumsName   = "CHECKSUMS"
	checksumsFormat = "pagoda checksums 1\n"
)

// A fileSum describes a file of a database.
type fileSum struct {
	sum    uint64
	length int64
	name   string
}

// DatabaseFile reports whether a file belongs to the database: Pebble looks at it when it opens a folder.
func DatabaseFile(name string) bool {
	for _, prefix := range []string{"MANIFEST-", "OPTIONS-", "marker.", "CURRENT"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{".sst", ".log", ".blob"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// DatabaseFiles lists the files of the database in dir, in the order of their names.
func DatabaseFiles(fsys vfs.FS, dir string) ([]string, error) {
	names, err := fsys.List(dir)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !DatabaseFile(name) })
	slices.Sort(names)
	return names, nil
}

// sumFile reads a file.
func sumFile(fsys vfs.FS, dir, name string) (fileSum, error) {
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if err != nil {
		return fileSum{}, err
	}
	defer func() { _ = f.Close() }()
	h := xxhash.New()
	n, err := io.Copy(h, f)
	return fileSum{h.Sum64(), n, name}, err
}

// WriteChecksums describes the files of a database that has just been closed, as they were written if that is known.
func WriteChecksums(fsys *FS, dir string) error {
	names, err := DatabaseFiles(fsys, dir)
	if err != nil {
		return err
	}
	b := bytes.NewBufferString(checksumsFormat)
	for _, name := range names {
		s, known := fsys.sums.sum(fsys.PathJoin(dir, name), name)
		if !known {
			if s, err = sumFile(fsys, dir, name); err != nil {
				return err
			}
		}
		fmt.Fprintf(b, "%016x %d %s\n", s.sum, s.length, s.name)
	}
	fmt.Fprintf(b, "%016x\n", xxhash.Sum64(b.Bytes()))
	path := fsys.PathJoin(dir, ChecksumsName)
	f, err := fsys.Create(path+".tmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := fsys.Rename(path+".tmp", path); err != nil {
		return err
	}
	return SyncDir(fsys, dir)
}

// readChecksums returns a closed folder's list of files; found is false when the folder was not closed.
func readChecksums(fsys vfs.FS, dir string) (sums []fileSum, found bool, err error) {
	f, err := fsys.Open(fsys.PathJoin(dir, ChecksumsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, false, err
	}
	sums, err = decodeChecksums(b)
	return sums, err == nil, err
}

// decodeChecksums reads what WriteChecksums writes.
func decodeChecksums(b []byte) (sums []fileSum, err error) {
	damaged := fmt.Errorf("%w: file %s does not match its own checksum", blocks.ErrCorrupt, ChecksumsName)
	const last = 17 // bytes of the last line
	n := len(b) - last
	if n < 0 || string(b[n:]) != fmt.Sprintf("%016x\n", xxhash.Sum64(b[:n])) {
		return nil, damaged
	}
	text, ok := strings.CutPrefix(string(b[:n]), checksumsFormat)
	if !ok {
		return nil, damaged
	}
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(parts) != 3 {
			return nil, damaged
		}
		sum, err1 := strconv.ParseUint(parts[0], 16, 64)
		length, err2 := strconv.ParseInt(parts[1], 10, 64)
		if err1 != nil || err2 != nil || !DatabaseFile(parts[2]) {
			return nil, damaged
		}
		sums = append(sums, fileSum{sum, length, parts[2]})
	}
	return sums, nil
}

// CheckClosed compares the files of a folder with the list made when it was closed. closed is false when the folder was
// not closed: a crash, or another process that has it open. Errors about the content wrap blocks.ErrCorrupt and name
// the file.
func CheckClosed(fsys *FS, dir string) (closed bool, err error) {
	sums, closed, err := readChecksums(fsys, dir)
	if err != nil || !closed {
		return closed, err
	}
	names, err := DatabaseFiles(fsys, dir)
	if err != nil {
		return true, err
	}
	for _, name := range names {
		if _, known := slices.BinarySearchFunc(sums, name, func(s fileSum, name string) int {
			return cmp.Compare(s.name, name)
		}); !known {
			return true, fmt.Errorf("%w: file %s was not there when the folder was closed", blocks.ErrCorrupt, name)
		}
	}
	for _, want := range sums {
		if !slices.Contains(names, want.name) {
			return true, fmt.Errorf("%w: file %s is missing", blocks.ErrCorrupt, want.name)
		}
		have, err := sumFile(fsys, dir, want.name)
		if err != nil {
			return true, err
		}
		if have != want {
			return true, fmt.Errorf("%w: file %s does not match its checksum", blocks.ErrCorrupt, want.name)
		}
		fsys.sums.keep(fsys.PathJoin(dir, want.name), want)
	}
	return true, nil
}
