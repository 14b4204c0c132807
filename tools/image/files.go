package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// user is whom the programs run as; the manifests name the same.
const user = 65532

// A file of the image. A name that ends in / is a folder.
type file struct {
	name string
	mode int64
	uid  int
	data []byte
}

// contents lists the image's files in the order in which they go in: the two programs, an account, the licence, and two
// folders that volumes are mounted on. No shell, no library.
func contents(source, bin, arch string) ([]file, error) {
	files := []file{
		{name: "data/", mode: 0o755, uid: user},
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, data: []byte("root:x:0:\nnonroot:x:65532:\n")},
		{name: "etc/passwd", mode: 0o644,
			data: []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n")},
		{name: "tmp/", mode: 0o1777},
		{name: "usr/", mode: 0o755},
		{name: "usr/bin/", mode: 0o755},
	}
	for _, f := range []struct {
		from, to string
		mode     int64
	}{
		{filepath.Join(bin, "coordinator-linux-"+arch), "usr/bin/coordinator", 0o755},
		{filepath.Join(bin, "worker-linux-"+arch), "usr/bin/worker", 0o755},
		{filepath.Join(source, "LICENSE"), "usr/LICENSE", 0o644},
	} {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: f.to, mode: f.mode, data: data})
	}
	return files, nil
}

// archive is the files as a tar whose bytes depend on them alone: all times are zero.
func archive(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.uid, Gid: f.uid, Size: int64(len(f.data)),
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if f.folder() {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(f.data)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (f *file) folder() bool { return f.name[len(f.name)-1] == '/' }

// writeRoot writes the files below dir, which is replaced. Owners are left out: that takes privileges.
func writeRoot(dir string, files []file) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		mode := os.FileMode(f.mode & 0o777)
		if f.mode&0o1000 != 0 {
			mode |= os.ModeSticky
		}
		var err error
		if f.folder() {
			err = os.MkdirAll(path, mode)
		} else {
			err = os.WriteFile(path, f.data, mode)
		}
		if err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask
			return err
		}
	}
	return nil
}
