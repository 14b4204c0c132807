package main

import (
	"fmt"
	"io"

	"pagoda/internal/k8s"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
)

// noteVolumes says that the rows may not fit on the volumes of the workers, as many as an autoscaler may start. The
// plan's figure is an upper bound, so nothing is refused.
func noteVolumes(w io.Writer, o *k8s.Overlay) {
	n := uint64(max(o.Workers, o.MaxWorkers, 1))
	if o.WorkerDisks <= n*o.WorkerStorage {
		return
	}
	_, _ = fmt.Fprintf(w, "note: the %s may not fit on the volumes: the plan says %s, and %s have %s together; "+
		"--storage %s, or more workers, help; %s\n", kindOf(o), quantity.Bytes(o.WorkerDisks),
		plural.Of(int(n), "worker"), quantity.Bytes(n*o.WorkerStorage),
		quantity.Size(roundUp((o.WorkerDisks+n-1)/n, gibi)), render.LessDisk)
}
