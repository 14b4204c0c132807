package k8s

import (
	"fmt"
	"time"

	"pagoda/internal/puzzle/quantity"
)

// Bounds of the times of a run of Jobs.
const (
	minKeep = time.Second
	maxKeep = 30 * 24 * time.Hour
	maxTTL  = 365 * 24 * time.Hour
)

// checkJob checks the demands that hold for runs of Jobs only.
func (o *Overlay) checkJob() error {
	if !o.Job {
		return nil
	}
	switch {
	case o.NATS:
		return fmt.Errorf("NATS servers do not end with a run: a run of Jobs has its queue in the coordinator")
	case o.Workers < 1:
		return fmt.Errorf("a run of Jobs has at least one worker")
	case o.Keep < minKeep || o.Keep > maxKeep || o.Keep%time.Second != 0:
		return fmt.Errorf("the pods of a complete run cannot stay for %v: whole seconds between %v and %v can be said",
			o.Keep, minKeep, maxKeep)
	case o.TTL < 0 || o.TTL > maxTTL || o.TTL%time.Second != 0:
		return fmt.Errorf("a Job cannot be there for %v after its end: whole seconds up to %v can be said", o.TTL, maxTTL)
	}
	return nil
}

// coordinatorJob are the changes to the coordinator's Job beside those of any coordinator.
func (o *Overlay) coordinatorJob() []operation {
	const linger = container + "/args/7"
	return []operation{
		o.ttl(),
		{"test", linger, "--linger-for=1m"}, // the component has not moved it
		{"replace", linger, "--linger-for=" + o.Keep.String()},
	}
}

// workerJob are the changes to the workers' Job beside those of any worker.
func (o *Overlay) workerJob() []operation {
	const scratch = "/spec/template/spec/volumes/2"
	size := quantity.Size(o.WorkerStorage)
	return []operation{
		o.ttl(),
		{"replace", "/spec/completions", o.Workers},
		{"replace", "/spec/parallelism", o.Workers},
		{"test", scratch + "/name", "data"},
		{"replace", scratch + "/emptyDir/sizeLimit", size},
		// The node has to have as much.
		{"add", container + "/resources/requests/ephemeral-storage", size},
	}
}

func (o *Overlay) ttl() operation {
	return operation{"replace", "/spec/ttlSecondsAfterFinished", int(o.TTL / time.Second)}
}
