package k8s

import (
	"fmt"
	"strconv"
)

// windowsPerSlot is how many ready windows an autoscaler wants for each window that a worker computes at a time, as in
// deploy/k8s/components/autoscaling.
const windowsPerSlot = 2

// checkAutoscale checks the bounds of an autoscaler.
func (o *Overlay) checkAutoscale() error {
	switch {
	case o.MaxWorkers == 0:
		return nil
	case o.Job:
		return fmt.Errorf("an autoscaler changes StatefulSets alone, and the run is one of Jobs")
	case o.MinWorkers < 1 || o.MaxWorkers < o.MinWorkers || o.MaxWorkers > MostWorkers:
		return fmt.Errorf("an autoscaler from %d to %d workers: bounds are from 1 to %d, the lower one first",
			o.MinWorkers, o.MaxWorkers, MostWorkers)
	case o.Workers < o.MinWorkers || o.Workers > o.MaxWorkers:
		return fmt.Errorf("%d workers to begin with are not between %d and %d, the bounds of the autoscaler", o.Workers,
			o.MinWorkers, o.MaxWorkers)
	}
	return nil
}

// autoscale are the changes to the autoscaler.
func (o *Overlay) autoscale() []operation {
	const target = "/spec/metrics/0/external/target/averageValue"
	return []operation{
		{"replace", "/spec/minReplicas", o.MinWorkers},
		{"replace", "/spec/maxReplicas", o.MaxWorkers},
		{"replace", target, strconv.Itoa(windowsPerSlot * o.Concurrency)},
	}
}
