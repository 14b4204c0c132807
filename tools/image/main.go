// Image builds the container image of both programs, without a Docker engine and without a registry:
//
//	OUT/oci         an OCI layout with the image of each architecture; skopeo, crane, podman and containerd read it
//	OUT/image.tar   the first of them for docker load, podman load, kind load image-archive, ctr images import
//	OUT/root        its files, for whatever runs a root folder
//	OUT/digest      digest of the index, which names the image of each architecture
//
// The same source gives the same digest: nothing of the build's time, place or user goes into it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

func main() {
	var o options
	flag.StringVar(&o.source, "source", ".", "`folder` of the module pagoda")
	flag.StringVar(&o.out, "out", ".image", "output `folder`; what an earlier call left there is replaced")
	flag.StringVar(&o.name, "name", "pagoda:dev", "`name:tag` that the image has once it is loaded")
	flag.StringVar(&o.archs, "arch", runtime.GOARCH+",amd64,arm64",
		"`architectures`: amd64, arm64 or both; one that is named again is left out")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

type options struct{ source, out, name, archs string }

func run(o options, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("there are only flags, and %q is given", args[0])
	}
	var archs []string
	for _, arch := range strings.Split(o.archs, ",") {
		if arch != "amd64" && arch != "arm64" {
			return fmt.Errorf("-arch: %q is not amd64 or arm64", arch)
		}
		if !slices.Contains(archs, arch) {
			archs = append(archs, arch)
		}
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	bin, err := os.MkdirTemp(o.out, "build-")
	if err != nil {
		return err
	}
	digest, err := build(o, archs, bin)
	if err := errors.Join(err, os.RemoveAll(bin)); err != nil {
		return err
	}
	fmt.Printf("image   %s for linux/%s\ndigest  %s\nfolder  %s\n", o.name, strings.Join(archs, ", linux/"), digest, o.out)
	return nil
}

// build compiles into the folder bin and writes everything.
func build(o options, archs []string, bin string) (digest string, err error) {
	if err := compile(o.source, bin, archs); err != nil {
		return "", err
	}
	var images []v1.Image
	for i, arch := range archs {
		files, err := contents(o.source, bin, arch)
		if err != nil {
			return "", err
		}
		if i == 0 {
			if err := writeRoot(filepath.Join(o.out, "root"), files); err != nil {
				return "", err
			}
		}
		img, err := assemble(files, arch)
		if err != nil {
			return "", err
		}
		images = append(images, img)
	}
	return writeImages(images, archs, o)
}
