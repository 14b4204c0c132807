// Image builds the container image of both programs, without a Docker engine and without a registry:
//
//	OUT/oci         an OCI layout; skopeo, crane, podman and containerd read it
//	OUT/image.tar   the same image for docker load, podman load, kind load image-archive, ctr images import
//	OUT/root        its files, for whatever runs a root folder
//	OUT/digest      digest of its manifest
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
)

func main() {
	var o options
	flag.StringVar(&o.source, "source", ".", "`folder` of the module pagoda")
	flag.StringVar(&o.out, "out", ".image", "output `folder`; what an earlier call left there is replaced")
	flag.StringVar(&o.name, "name", "pagoda:dev", "`name:tag` that the image has once it is loaded")
	flag.StringVar(&o.arch, "arch", runtime.GOARCH, "`architecture`: amd64 or arm64")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

type options struct{ source, out, name, arch string }

func run(o options, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("there are only flags, and %q is given", args[0])
	}
	if o.arch != "amd64" && o.arch != "arm64" {
		return fmt.Errorf("-arch: %q is not amd64 or arm64", o.arch)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	bin, err := os.MkdirTemp(o.out, "build-")
	if err != nil {
		return err
	}
	size, digest, err := build(o, bin)
	if err := errors.Join(err, os.RemoveAll(bin)); err != nil {
		return err
	}
	fmt.Printf("image   %s for linux/%s\nsize    %.1f MiB, compressed\ndigest  %s\nfolder  %s\n",
		o.name, o.arch, float64(size)/(1<<20), digest, o.out)
	return nil
}

// build compiles into the folder bin and writes everything.
func build(o options, bin string) (size int64, digest string, err error) {
	if err := compile(o.source, bin, o.arch); err != nil {
		return 0, "", err
	}
	files, err := contents(o.source, bin)
	if err != nil {
		return 0, "", err
	}
	img, err := assemble(files, o.arch)
	if err != nil {
		return 0, "", err
	}
	if err := writeRoot(filepath.Join(o.out, "root"), files); err != nil {
		return 0, "", err
	}
	return writeImage(img, o)
}
