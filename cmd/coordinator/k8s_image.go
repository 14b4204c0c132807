package main

import (
	"fmt"
	"io"

	"pagoda/internal/k8s"
)

// noteImages says of images that they may change under a run: a node that has one by this name keeps it, and another
// node gets the image that the name stands for by then.
func noteImages(w io.Writer, o *k8s.Overlay) {
	images := []string{o.Image}
	if o.NATS {
		images = append(images, o.NATSImage)
	}
	for _, name := range images {
		if name != "" && k8s.Floating(name) {
			_, _ = fmt.Fprintf(w, "note: image %s may be another one on each node: name a version, or a digest, "+
				"REPOSITORY@sha256:..., which is one image for ever\n", name)
		}
	}
}
