package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// assemble makes the image of the files: one layer, and a config that runs the coordinator as an unprivileged user.
func assemble(files []file, arch string) (v1.Image, error) {
	tar, err := archive(files)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(tar)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	epoch := v1.Time{Time: time.Unix(0, 0).UTC()}
	if img, err = mutate.Append(img, mutate.Addendum{Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: epoch, CreatedBy: "tools/image"}}); err != nil {
		return nil, err
	}
	c, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	c.Created, c.Architecture, c.OS = epoch, arch, "linux"
	c.Config.User = strconv.Itoa(user) + ":" + strconv.Itoa(user)
	c.Config.WorkingDir = "/data"
	c.Config.Env = []string{"PATH=/usr/bin"}
	c.Config.Entrypoint = []string{"/usr/bin/coordinator"}
	c.Config.Labels = map[string]string{
		"org.opencontainers.image.title":       "pagoda",
		"org.opencontainers.image.description": "enumerates puzzle state spaces and counts paths through them exactly",
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
	return mutate.ConfigFile(img, c)
}

// writeImages writes the layout with the images, the archive of the first of them, and the digest of their index.
func writeImages(images []v1.Image, archs []string, o options) (digest string, err error) {
	tag, err := name.NewTag(o.name, name.WithDefaultRegistry(""))
	if err != nil {
		return "", fmt.Errorf("-name: %w", err)
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for i, img := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: archs[i]}}})
	}
	hash, err := index.Digest()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(o.out, "oci")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return "", err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": tag.TagStr(),
	})); err != nil {
		return "", err
	}
	if err := tarball.WriteToFile(filepath.Join(o.out, "image.tar"), tag, images[0]); err != nil {
		return "", err
	}
	return hash.String(), os.WriteFile(filepath.Join(o.out, "digest"), []byte(hash.String()+"\n"), 0o644)
}
