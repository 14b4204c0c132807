package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// sourceCopy copies the checkout to another folder, with its history, so that the commit is stamped in there too.
func sourceCopy(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".bin", ".image", ".bench", "runs"}, rel) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestImageIsReproducible builds from two folders and reads back what was written, with the library that tools use.
func TestImageIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN with -short: it compiles both programs")
	}
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	a := options{source: source, out: t.TempDir(), name: "pagoda:test", arch: "amd64"}
	b := a
	b.source, b.out = sourceCopy(t, source), t.TempDir()
	for _, o := range []options{a, b} {
		if err := run(o, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"digest", "image.tar", "oci/index.json"} {
		one, err := os.ReadFile(filepath.Join(a.out, name))
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(b.out, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs between two builds of the same source", name)
		}
	}

	index, err := layout.ImageIndexFromPath(filepath.Join(a.out, "oci"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	img, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Error(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" || config.OS != "linux" || config.Architecture != "amd64" {
		t.Errorf("config %+v", config)
	}
	pulledByDigest(t, img, filepath.Join(a.out, "digest"))
	loaded, err := tarball.ImageFromPath(filepath.Join(a.out, "image.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := img.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	if two, err := loaded.ConfigName(); err != nil || one != two {
		t.Errorf("the archive has config %v (%v), the layout %v", two, err, one)
	}

	r := tar.NewReader(mutate.Extract(img))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, "sh") || h.ModTime.Unix() != 0 {
			t.Errorf("%s of %v is in the image", h.Name, h.ModTime)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		inside, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		outside, err := os.ReadFile(filepath.Join(a.out, "root", h.Name))
		if err != nil || !bytes.Equal(inside, outside) {
			t.Errorf("the root folder has another %s (%v)", h.Name, err)
		}
	}
}

// pulledByDigest pushes an image to a registry, and pulls it by the digest that a file has.
func pulledByDigest(t *testing.T, img v1.Image, file string) {
	t.Helper()
	r := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer r.Close()
	repository, err := name.NewRepository(strings.TrimPrefix(r.URL, "http://") + "/pagoda")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(repository.Tag("1"), img); err != nil {
		t.Fatal(err)
	}
	digest, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pulled, err := remote.Image(repository.Digest(strings.TrimSpace(string(digest))))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(pulled); err != nil {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	for want, test := range map[string]struct {
		o    options
		args []string
	}{
		"only flags":             {options{arch: "amd64"}, []string{"x"}},
		"is not amd64 or arm64":  {options{arch: "vax"}, nil},
		"go build in /nonesuch:": {options{arch: "amd64", source: "/nonesuch", name: "x:y"}, nil},
	} {
		test.o.out = t.TempDir()
		if err := run(test.o, test.args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if left, err := os.ReadDir(test.o.out); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v (%v)", left, err)
		}
	}
}
