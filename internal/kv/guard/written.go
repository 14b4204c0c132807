package guard

import (
	"sync"

	"github.com/cespare/xxhash/v2"
)

// written holds the checksums of files: of the bytes written to them, or those listed when the folder was opened. A
// closed folder lists its files with these checksums. Files are not read again, because the disk would be believed:
// damage since the write would be vouched for, and the next opening would not find it.
type written struct {
	mu    sync.Mutex
	files map[string]*writtenFile
}

// writtenFile is a file whose whole content has been summed up.
type writtenFile struct {
	hash   *xxhash.Digest // nil: it was there before, with sum
	sum    uint64
	length int64
}

// begin notes that a file is made anew.
func (w *written) begin(path string) *writtenFile {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := &writtenFile{hash: xxhash.New()}
	w.put(path, f)
	return f
}

// keep notes the checksum of a file that was there before.
func (w *written) keep(path string, s fileSum) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(path, &writtenFile{sum: s.sum, length: s.length})
}

func (w *written) put(path string, f *writtenFile) {
	if w.files == nil {
		w.files = make(map[string]*writtenFile)
	}
	w.files[path] = f
}

// add notes that p was written at the end of a file.
func (w *written) add(f *writtenFile, p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = f.hash.Write(p) // never fails
	f.length += int64(len(p))
}

// rename notes that a file has another name.
func (w *written) rename(from, to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, ok := w.files[from]
	delete(w.files, from)
	delete(w.files, to)
	if ok {
		w.put(to, f)
	}
}

// forget notes that files are not known any more: they are gone, or written in another way than from their beginning.
func (w *written) forget(paths ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, path := range paths {
		delete(w.files, path)
	}
}

// sum returns the length and checksum that a file should have; ok is false when they are not known.
func (w *written) sum(path, name string) (s fileSum, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, ok := w.files[path]
	if !ok {
		return fileSum{}, false
	}
	if f.hash != nil {
		f.sum = f.hash.Sum64()
	}
	return fileSum{f.sum, f.length, name}, true
}
