package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
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
			if slices.Contains([]string{".bin", ".image", ".release", ".bench", "runs"}, rel) {
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
	a := options{source: source, out: t.TempDir(), name: "pagoda:test", archs: "amd64,arm64"}
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
	list, err := index.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(list); err != nil {
		t.Error(err)
	}
	if manifest, err = list.IndexManifest(); err != nil || len(manifest.Manifests) != 2 {
		t.Fatalf("the index names %d images (%v)", len(manifest.Manifests), err)
	}
	var images []v1.Image
	for i, arch := range []string{"amd64", "arm64"} {
		img, err := list.Image(manifest.Manifests[i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.Config.User != "65532:65532" || config.OS != "linux" || config.Architecture != arch ||
			manifest.Manifests[i].Platform.Architecture != arch {
			t.Errorf("config %+v", config)
		}
		images = append(images, img)
		checkMachine(t, img, map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[arch])
	}
	checkVersion(t, source, filepath.Join(a.out, "root/usr/bin/coordinator"))
	pulledByDigest(t, list, filepath.Join(a.out, "digest"))
	img := images[0]
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

// checkMachine compares the machine of both programs of an image, which need no libraries.
func checkMachine(t *testing.T, img v1.Image, want elf.Machine) {
	t.Helper()
	found := 0
	r := tar.NewReader(mutate.Extract(img))
	for h, err := r.Next(); !errors.Is(err, io.EOF); h, err = r.Next() {
		if err != nil {
			t.Fatal(err)
		}
		if path.Dir(h.Name) != "usr/bin" {
			continue
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		program, err := elf.NewFile(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if libraries, err := program.ImportedLibraries(); program.Machine != want || err != nil || len(libraries) > 0 {
			t.Errorf("%s is for %v and needs %v (%v), want %v", h.Name, program.Machine, libraries, err, want)
		}
		found++
	}
	if found != 2 {
		t.Errorf("%d programs for %v", found, want)
	}
}

// checkVersion compares the commit that a program names with that of git.
func checkVersion(t *testing.T, source, program string) {
	t.Helper()
	git := exec.Command("git", "rev-parse", "HEAD")
	git.Dir = source
	head, err := git.Output()
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Version, Revision string }
	out, err := exec.Command(program, "version", "--output", "json").Output()
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	commit := strings.TrimSpace(string(head))
	if err != nil || strings.TrimSuffix(v.Revision, "+dirty") != commit || !strings.HasPrefix(v.Version, "v") {
		t.Errorf("it names version %s and revision %s of commit %s (%v)", v.Version, v.Revision, commit, err)
	}
}

// pulledByDigest pushes an index to a registry, and pulls it by the digest that a file has.
func pulledByDigest(t *testing.T, index v1.ImageIndex, file string) {
	t.Helper()
	r := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer r.Close()
	repository, err := name.NewRepository(strings.TrimPrefix(r.URL, "http://") + "/pagoda")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(repository.Tag("1"), index); err != nil {
		t.Fatal(err)
	}
	digest, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pulled, err := remote.Index(repository.Digest(strings.TrimSpace(string(digest))))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(pulled); err != nil {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	for want, test := range map[string]struct {
		o    options
		args []string
	}{
		"only flags":                  {options{archs: "amd64"}, []string{"x"}},
		"is not amd64 or arm64":       {options{archs: "amd64,vax"}, nil},
		"tools/release in /nonesuch:": {options{archs: "amd64", source: "/nonesuch", name: "x:y"}, nil},
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
