package k8s

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// A Workload is the object that makes the pods of one component of a run: a StatefulSet, or a Job.
type Workload struct {
	Job      bool
	Replicas int    // pods that it should have; 0 of a Job that is suspended or has ended
	Ended    string // of a Job: JobComplete, JobFailed, or "" while it goes on
	Why      string // of a Job that failed: the reason that Kubernetes gives
	// Begun is when a Job was started or a StatefulSet was created, Finished when a Job ended. Zero: not known, not yet.
	Begun, Finished time.Time
}

// How a Job has ended, as Kubernetes names it.
const (
	JobComplete = "Complete"
	JobFailed   = "Failed"
)

type workloadObject struct {
	Kind     string `json:"kind"`
	Metadata meta   `json:"metadata"`
	Spec     struct {
		Replicas    int  `json:"replicas"`
		Parallelism int  `json:"parallelism"`
		Suspend     bool `json:"suspend"`
	} `json:"spec"`
	Status struct {
		StartTime      time.Time `json:"startTime"`
		CompletionTime time.Time `json:"completionTime"` // of a Job that is complete
		Conditions     []struct {
			Type, Status, Message string
			LastTransitionTime    time.Time
		} `json:"conditions"`
	} `json:"status"`
}

func (o *workloadObject) workload() Workload {
	w := Workload{Job: o.Kind == "Job", Replicas: o.Spec.Replicas}
	if !w.Job {
		w.Begun, _ = time.Parse(time.RFC3339, o.Metadata.Created) // zero in a test's object
		return w
	}
	w.Replicas, w.Begun = o.Spec.Parallelism, o.Status.StartTime
	for _, c := range o.Status.Conditions {
		if c.Status == "True" && (c.Type == JobComplete || c.Type == JobFailed) {
			w.Ended, w.Why, w.Finished = c.Type, c.Message, o.Status.CompletionTime
			if w.Finished.IsZero() {
				w.Finished = c.LastTransitionTime
			}
		}
	}
	if o.Spec.Suspend || w.Ended != "" {
		w.Replicas = 0
	}
	return w
}

// Workloads returns the workload of each component of a run. One that is not there is not in the map: a stopped run has
// none.
func (k *Kubectl) Workloads(ctx context.Context, name string) (map[string]Workload, error) {
	var found list[workloadObject]
	if _, err := k.get(ctx, &found, "statefulsets,jobs", "-l", Selector(name)); err != nil {
		return nil, err
	}
	out := map[string]Workload{}
	for i := range found.Items {
		o := &found.Items[i]
		out[o.Metadata.Labels["app.kubernetes.io/component"]] = o.workload()
	}
	return out, nil
}

// Scale sets the number of workers.
func (k *Kubectl) Scale(ctx context.Context, o *Overlay, workers int) error {
	n := strconv.Itoa(workers)
	if o.Job { // an Indexed Job changes as long as both numbers do
		_, err := k.Run(ctx, nil, "patch", "job/"+o.Name+"-"+Worker, "--type=merge", "-p",
			`{"spec":{"completions":`+n+`,"parallelism":`+n+`}}`)
		return err
	}
	_, err := k.Run(ctx, nil, "scale", "statefulset/"+o.Name+"-"+Worker, "--replicas="+n)
	return err
}

// Stop ends a run's pods in order and removes their StatefulSets or Jobs, so that the next start may differ in
// everything. Workers hand back their windows, the coordinator writes the last reports down, then the queue ends.
// Volumes, keys and config stay. Stop calls progress, unless it is nil, with each component that it stops.
func (k *Kubectl) Stop(ctx context.Context, o *Overlay, progress func(component string)) error {
	there, err := k.Workloads(ctx, o.Name)
	if err != nil {
		return err
	}
	if coordinator, ok := there[Coordinator]; o.Job && ok && coordinator.Ended == "" {
		if err := k.markStopped(ctx, o, true); err != nil {
			return err
		}
	}
	if o.MaxWorkers > 0 { // it would look for the StatefulSet in vain
		autoscaler := "horizontalpodautoscaler/" + o.Name + "-" + Worker
		if _, err := k.Run(ctx, nil, "delete", autoscaler, "--ignore-not-found"); err != nil {
			return err
		}
	}
	for _, component := range []string{Worker, Coordinator, NATS} {
		w, ok := there[component]
		if !ok {
			continue
		}
		if progress != nil {
			progress(component)
		}
		if err := k.remove(ctx, o.Name, component, w); err != nil {
			return err
		}
	}
	return nil
}

// remove ends the pods of a component, waits for that, and removes their StatefulSet or Job.
func (k *Kubectl) remove(ctx context.Context, name, component string, w Workload) error {
	object := "statefulset/" + name + "-" + component
	if w.Job {
		object = "job/" + name + "-" + component
	} else if _, err := k.Run(ctx, nil, "scale", object, "--replicas=0"); err != nil {
		return err
	} else if err := k.gone(ctx, name, component); err != nil {
		return err
	}
	// A Job that is suspended would do as well, if it were not for queues, which let it go on when it is its turn.
	if _, err := k.Run(ctx, nil, "delete", object, "--ignore-not-found", "--cascade=foreground"); err != nil {
		return err
	}
	return k.gone(ctx, name, component)
}

// ClearJobs removes the Jobs of a run that have ended, which would not start again, and their pods with them.
func (k *Kubectl) ClearJobs(ctx context.Context, name string) error {
	there, err := k.Workloads(ctx, name)
	if err != nil {
		return err
	}
	for component, w := range there {
		if w.Ended == "" {
			continue
		}
		if err := k.remove(ctx, name, component, w); err != nil {
			return err
		}
	}
	return nil
}

// annotationStopped on the ConfigMap of a run of Jobs marks a run that has been stopped: without Jobs a run may as well
// have ended, some time ago.
const annotationStopped = "pagoda/stopped"

func (k *Kubectl) markStopped(ctx context.Context, o *Overlay, stopped bool) error {
	mark := annotationStopped + "-"
	if stopped {
		mark = annotationStopped + "=true"
	}
	_, err := k.Run(ctx, nil, "annotate", "--overwrite", "configmap/"+o.Name+"-config", mark)
	return err
}

// Started takes back that a run of Jobs was stopped.
func (k *Kubectl) Started(ctx context.Context, o *Overlay) error {
	if !o.Job {
		return nil
	}
	return k.markStopped(ctx, o, false)
}

// Failure says how the coordinator of a run of Jobs failed: its last exit code, 1 when that is not known, and its last
// words.
func (k *Kubectl) Failure(ctx context.Context, name string, w Workload) (code int, text string) {
	code, text = 1, w.Why
	last, err := k.lastCoordinator(ctx, name, phaseFailed)
	if err != nil || last == nil {
		return code, text
	}
	log, err := k.Run(ctx, nil, "logs", last.Name, "--tail=20")
	if err != nil {
		log = []byte(last.Message)
	}
	for line := range strings.Lines(string(log)) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "error: "); ok {
			text = said
		}
	}
	return last.exit, text
}

// lastCoordinator returns the last of the coordinator's pods that have ended in a phase, nil when there is none.
func (k *Kubectl) lastCoordinator(ctx context.Context, name, phase string) (last *Pod, err error) {
	pods, err := k.Pods(ctx, name)
	for i := range pods {
		p := &pods[i]
		if p.Component == Coordinator && p.Phase == phase && (p.exit != 0) == (phase == phaseFailed) &&
			(last == nil || p.created >= last.created) {
			last = p
		}
	}
	return last, err
}

// finalLines bounds how much of a log is looked through for the results of a run.
const finalLines = "100"

// FinalLog returns the end of the log of the coordinator of a run of Jobs that is complete, nil when its pod is gone.
func (k *Kubectl) FinalLog(ctx context.Context, name string) ([]byte, error) {
	last, err := k.lastCoordinator(ctx, name, phaseSucceeded)
	if err != nil || last == nil {
		return nil, err
	}
	return k.Run(ctx, nil, "logs", last.Name, "--tail="+finalLines)
}
