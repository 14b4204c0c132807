package simulate

import (
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// rotting is a file system with wrong bits in some of its files. Reads return the wrong bits.
type rotting struct {
	vfs.FS

	mu   sync.Mutex
	bits map[string][]int64 // of each file, by its path: which bits are wrong
}

func newRotting(fs vfs.FS) *rotting { return &rotting{FS: fs, bits: make(map[string][]int64)} }

// on returns the same damage on a copy of the files.
func (r *rotting) on(fs vfs.FS) *rotting {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := newRotting(fs)
	for name, bits := range r.bits {
		c.bits[name] = slices.Clone(bits)
	}
	return c
}

// flip turns over a bit of a file below dir; a and b, from 0 to 1, say which file and which bit. It returns the name of
// the file, "" when there is none.
func (r *rotting) flip(dir string, a, b float64) string {
	files := r.files(dir)
	if len(files) == 0 {
		return ""
	}
	name := files[int(a*float64(len(files)))]
	info, err := r.FS.Stat(name)
	if err != nil || info.Size() == 0 {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bits[name] = append(r.bits[name], int64(b*float64(8*info.Size())))
	return name
}

// files are all files below a folder, in the order of their names.
func (r *rotting) files(dir string) (list []string) {
	names, err := r.FS.List(dir)
	if err != nil {
		return nil
	}
	slices.Sort(names)
	for _, name := range names {
		path := r.FS.PathJoin(dir, name)
		info, err := r.FS.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			list = append(list, r.files(path)...)
		default:
			list = append(list, path)
		}
	}
	return list
}

// moved has the damage of one file or folder be that of another, or of none when to is "".
func (r *rotting) moved(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	bits := make(map[string][]int64)
	for name, list := range r.bits {
		switch rest, below := strings.CutPrefix(name+"/", from+"/"); {
		case below && to != "":
			bits[strings.TrimSuffix(to+"/"+rest, "/")] = list
		case below || to != "" && strings.HasPrefix(name+"/", to+"/"):
		default:
			bits[name] = list
		}
	}
	r.bits = bits
}

func (r *rotting) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	r.moved(name, "")
	return r.FS.Create(name, c)
}

func (r *rotting) Remove(name string) error {
	r.moved(name, "")
	return r.FS.Remove(name)
}

func (r *rotting) RemoveAll(name string) error {
	r.moved(name, "")
	return r.FS.RemoveAll(name)
}

func (r *rotting) Rename(from, to string) error {
	r.moved(from, to)
	return r.FS.Rename(from, to)
}

func (r *rotting) Link(from, to string) error {
	r.mu.Lock()
	if bits := r.bits[from]; len(bits) > 0 {
		r.bits[to] = slices.Clone(bits)
	}
	r.mu.Unlock()
	return r.FS.Link(from, to)
}

func (r *rotting) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	r.moved(from, "")
	return r.FS.ReuseForWrite(from, to, c)
}

func (r *rotting) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := r.FS.Open(name, o...)
	if err != nil {
		return nil, err
	}
	return &rottingFile{File: f, of: r, name: name}, nil
}

func (r *rotting) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := r.FS.OpenReadWrite(name, c, o...)
	if err != nil {
		return nil, err
	}
	return &rottingFile{File: f, of: r, name: name}, nil
}

// rottingFile is an open file of which some bits may be wrong.
type rottingFile struct {
	vfs.File
	of   *rotting
	name string
	at   int64 // where the next Read begins
}

func (f *rottingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.spoil(p[:n], f.at)
	f.at += int64(n)
	return n, err
}

func (f *rottingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.spoil(p[:n], off)
	return n, err
}

// spoil flips the wrong bits of the file in p, which was read at offset off.
func (f *rottingFile) spoil(p []byte, off int64) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	for _, bit := range f.of.bits[f.name] {
		if i := bit/8 - off; i >= 0 && i < int64(len(p)) {
			p[i] ^= 1 << (bit % 8)
		}
	}
}
