package k8s

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	manifests "pagoda/deploy/k8s"
	"pagoda/internal/puzzle/quantity"
)

// Labels and annotations of everything that belongs to a run.
const (
	LabelPart     = "app.kubernetes.io/part-of"
	LabelInstance = "app.kubernetes.io/instance"
	LabelManager  = "app.kubernetes.io/managed-by"
	LabelRun      = "pagoda/run"
	labelBatch    = "pagoda/batch" // in the place of LabelRun, so that workers take any run of the queue
	labelPuzzle   = "pagoda/puzzle"
	// annotationOverlay on the run's ConfigMap has the overlay that it was launched with, as JSON.
	annotationOverlay = "pagoda/overlay"

	part    = "pagoda"
	manager = "coordinator-k8s"
)

// Components of a run, values of the label app.kubernetes.io/component.
const (
	Coordinator = "coordinator"
	Worker      = "worker"
	NATS        = "nats"
)

// An Overlay holds the settings that one run, or one batch, adds to the base. Sizes are Kubernetes quantities in bytes.
type Overlay struct {
	Name      string `json:"name"` // of the run in its namespace, first part of every object's name; see CheckName
	Namespace string `json:"-"`    // "": that of kubectl's context
	Run       string `json:"run"`  // ID of the run or the batch
	Puzzle    string `json:"puzzle"`
	Config    []byte `json:"-"` // the run's config, YAML
	// Batch is the name of the file of a batch, "" for a run; Files are that file and those that it names.
	Batch string            `json:"batch,omitempty"`
	Files map[string]string `json:"-"`
	// RetryFailed has a batch try members again that have failed. It is not kept for the next start.
	RetryFailed bool `json:"-"`

	Image     string `json:"image"`
	NATSImage string `json:"nats_image,omitempty"` // "": that of the base
	NATS      bool   `json:"nats"`                 // three NATS servers instead of the queue in the coordinator

	Workers     int `json:"workers"`
	Concurrency int `json:"concurrency"` // windows that a worker computes at a time, one processor each
	// Grace is how long a worker that is told to stop takes to finish its windows and to hand over those that only it
	// holds, in nanoseconds; 0, as in runs of earlier programs, is 45 s. Its pod has graceBeyond more.
	Grace time.Duration `json:"grace,omitempty"`
	// MinWorkers and MaxWorkers bound the workers of an autoscaler; MaxWorkers 0: there is none.
	MinWorkers int `json:"min_workers,omitempty"`
	MaxWorkers int `json:"max_workers,omitempty"`
	// LogLevel is the level from which coordinator and workers log; "", as in runs of earlier programs, is info.
	LogLevel string `json:"log_level,omitempty"`

	WorkerMemory       uint64 `json:"worker_memory"`  // of one worker
	WorkerStorage      uint64 `json:"worker_storage"` // volume of one worker
	WorkerDisks        uint64 `json:"-"`              // that all workers together may take, by the plan; 0: not known
	CoordinatorMemory  uint64 `json:"coordinator_memory"`
	CoordinatorStorage uint64 `json:"coordinator_storage"`
	StorageClass       string `json:"storage_class,omitempty"`  // "": the cluster's default
	AccessMode         string `json:"access_mode,omitempty"`    // of the volumes; "": that of the base
	BindPod            bool   `json:"bind_pod,omitempty"`       // listen on the pod's own address alone, see bind
	PriorityClass      string `json:"priority_class,omitempty"` // of the workers; "": none
	QueueName          string `json:"queue_name,omitempty"`     // Kueue's LocalQueue for the workers; "": no Kueue
	S3Secret           string `json:"s3_secret,omitempty"`      // Secret with a credentials file for all pods; "": none

	Job  bool          `json:"job,omitempty"`  // Jobs, which end with the run, instead of StatefulSets
	Keep time.Duration `json:"keep,omitempty"` // of Jobs: how long the pods of a complete run stay, in nanoseconds
	TTL  time.Duration `json:"ttl,omitempty"`  // of Jobs: how long they are there after their end, in nanoseconds

	// Stopped says that a run of Jobs on a cluster has been stopped.
	Stopped bool `json:"-"`
}

var nameForm = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)

// objectForm is that of the names of objects that are not ours.
var objectForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)
})

// maxName leaves room for what Kubernetes and the base add to a name within the 63 bytes of a label.
const maxName = 40

// CheckName returns an error when a run cannot have the name.
func CheckName(name string) error {
	if !nameForm.MatchString(name) || len(name) > maxName {
		return fmt.Errorf("%.60q is not a name of at most %d lower-case letters, digits and -, beginning with a letter",
			name, maxName)
	}
	return nil
}

// MostWorkers is the largest number of workers of a run.
const MostWorkers = 10000

// Check returns an error when the overlay cannot be used.
func (o *Overlay) Check() error {
	if err := CheckName(o.Name); err != nil {
		return err
	}
	if err := CheckImage(o.Image); err != nil {
		return err
	}
	if o.NATSImage != "" {
		if err := CheckImage(o.NATSImage); err != nil {
			return err
		}
	}
	switch {
	case o.Workers < 0 || o.Workers > MostWorkers:
		return fmt.Errorf("%d workers are not between 0 and %d", o.Workers, MostWorkers)
	case o.Concurrency < 1 || o.Concurrency > 1024:
		return fmt.Errorf("concurrency %d of a worker is not between 1 and 1024", o.Concurrency)
	case o.Grace < 0 || o.Grace > maxGrace || o.Grace%time.Second != 0:
		return fmt.Errorf("a worker cannot have a grace of %v: whole seconds up to %v can be said", o.Grace, maxGrace)
	case o.S3Secret != "" && !objectForm().MatchString(o.S3Secret):
		return fmt.Errorf("%.60q is no name of a Secret", o.S3Secret)
	case o.configSize() > 512<<10:
		return fmt.Errorf("the config has %d bytes: a ConfigMap holds at most 1 MiB, half of which is ours", o.configSize())
	}
	return cmp.Or(o.checkAutoscale(), o.checkJob(), o.checkBatch())
}

// configSize is the size of the config, or of the files of a batch, in bytes.
func (o *Overlay) configSize() int {
	n := len(o.Config)
	for _, text := range o.Files {
		n += len(text)
	}
	return n
}

// kustomization is the part of that format that overlays use.
type kustomization struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Namespace  string   `yaml:"namespace,omitempty"`
	NamePrefix string   `yaml:"namePrefix"`
	Labels     []labels `yaml:"labels"`
	Resources  []string `yaml:"resources"`
	Components []string `yaml:"components,omitempty"`
	Images     []image  `yaml:"images"`
	Replicas   []count  `yaml:"replicas,omitempty"`
	Patches    []patch  `yaml:"patches"`
}

type labels struct {
	Pairs            map[string]string `yaml:"pairs"`
	IncludeSelectors bool              `yaml:"includeSelectors,omitempty"`
	IncludeTemplates bool              `yaml:"includeTemplates,omitempty"`
}

type count struct {
	Name  string `yaml:"name"`
	Count int    `yaml:"count"`
}

type patch struct {
	Path   string  `yaml:"path,omitempty"`
	Target *target `yaml:"target,omitempty"`
	Patch  string  `yaml:"patch,omitempty"`
}

type target struct {
	Kind string `yaml:"kind"`
	Name string `yaml:"name"`
}

// An operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `yaml:"op"`
	Path  string `yaml:"path"`
	Value any    `yaml:"value,omitempty"`
}

// Write writes the overlay to a new folder: kustomization.yaml and config.yaml, and the base and the components
// beside them, so that the folder stands alone and can be kept under version control.
func (o *Overlay) Write(dir string) error {
	if err := o.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if left, err := os.ReadDir(dir); err != nil {
		return err
	} else if len(left) > 0 {
		return fmt.Errorf("folder %s: %w and is not empty", dir, fs.ErrExist)
	}
	if err := os.CopyFS(dir, manifests.Files); err != nil {
		return err
	}
	config, err := o.configMap()
	if err != nil {
		return err
	}
	k, err := o.kustomization()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), config, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "kustomization.yaml"), k, 0o644)
}

// configMap is the patch that puts the run's config in place of the base's.
func (o *Overlay) configMap() ([]byte, error) {
	settings, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return encode(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"name": "config", "annotations": map[string]string{annotationOverlay: string(settings)},
		},
		"data": o.data(),
	})
}

func (o *Overlay) kustomization() ([]byte, error) {
	k := kustomization{
		APIVersion: "kustomize.config.k8s.io/v1beta1", Kind: "Kustomization",
		Namespace: o.Namespace, NamePrefix: o.Name + "-",
		Labels: []labels{
			{Pairs: map[string]string{LabelInstance: o.Name}, IncludeSelectors: true},
			{Pairs: map[string]string{LabelManager: manager, o.labelID(): o.Run, labelPuzzle: o.Puzzle}, IncludeTemplates: true},
		},
		Resources: []string{"base"},
		Images:    []image{newImage("pagoda", o.Image)},
		Patches:   []patch{{Path: "config.yaml"}},
	}
	if o.NATS {
		k.Components = append(k.Components, "components/nats")
		if o.NATSImage != "" {
			k.Images = append(k.Images, newImage("nats", o.NATSImage))
		}
	}
	kind := "StatefulSet"
	if o.Job {
		kind = "Job"
		k.Components = append(k.Components, "components/job")
		claim, err := encode(append([]operation{storage(claimed, o.CoordinatorStorage)}, o.volume(claimed)...))
		if err != nil {
			return nil, err
		}
		to := &target{"PersistentVolumeClaim", "coordinator-data"}
		k.Patches = append(k.Patches, patch{Target: to, Patch: string(claim)})
	} else {
		k.Replicas = []count{{Worker, o.Workers}}
	}
	if o.S3Secret != "" {
		k.Components = append(k.Components, "components/s3")
	}
	if o.MaxWorkers > 0 {
		k.Components = append(k.Components, "components/autoscaling")
		text, err := encode(o.autoscale())
		if err != nil {
			return nil, err
		}
		k.Patches = append(k.Patches, patch{Target: &target{"HorizontalPodAutoscaler", Worker}, Patch: string(text)})
	}
	patches := []struct {
		name string
		ops  []operation
	}{
		{Worker, o.worker()},
		{Coordinator, o.coordinator()},
		{NATS, o.nats()},
	}
	for _, p := range patches {
		if o.BindPod {
			p.ops = append(p.ops, bind()...)
		}
		if p.name == NATS && !o.NATS || len(p.ops) == 0 {
			continue
		}
		text, err := encode(p.ops)
		if err != nil {
			return nil, err
		}
		k.Patches = append(k.Patches, patch{Target: &target{kind, p.name}, Patch: string(text)})
	}
	b, err := encode(k)
	if err != nil {
		return nil, err
	}
	what := "Run"
	if o.Batch != "" {
		what = "Batch"
	}
	head := fmt.Sprintf("# %s %s of puzzle %s, made by `coordinator k8s render`. Apply it with kubectl apply -k.\n",
		what, o.Run, o.Puzzle)
	return append([]byte(head), b...), nil
}

// coordinator are the changes to the coordinator.
func (o *Overlay) coordinator() []operation {
	ops := memory(o.CoordinatorMemory)
	if o.Job {
		ops = append(ops, o.coordinatorJob()...)
	} else {
		ops = append(append(ops, storage(claim, o.CoordinatorStorage)), o.volume(claim)...)
	}
	ops = append(append(ops, o.logLevel()...), o.s3(3)...)
	if o.Batch != "" {
		ops = append(ops, o.batch()...)
	}
	return ops
}

// worker are the changes to the workers.
func (o *Overlay) worker() []operation {
	ops := memory(o.WorkerMemory)
	if o.Job {
		ops = append(ops, o.workerJob()...)
	} else {
		ops = append(append(ops, storage(claim, o.WorkerStorage)), o.volume(claim)...)
	}
	ops = append(ops, o.s3(2)...)
	const args = container + "/args/2"
	ops = append(ops,
		operation{"test", args, "--concurrency=2"}, // the base has not moved it
		operation{"replace", args, "--concurrency=" + strconv.Itoa(o.Concurrency)},
		operation{"replace", container + "/resources/requests/cpu", strconv.Itoa(o.Concurrency)})
	ops = append(append(ops, o.grace()...), o.logLevel()...)
	if o.PriorityClass != "" {
		ops = append(ops, operation{"add", "/spec/template/spec/priorityClassName", o.PriorityClass})
	}
	if o.QueueName != "" {
		ops = append(ops, operation{"add", "/metadata/labels/kueue.x-k8s.io~1queue-name", o.QueueName})
	}
	return ops
}

// DefaultGrace is the grace of a worker whose overlay has none, as in deploy/k8s.
const (
	DefaultGrace = 45 * time.Second
	maxGrace     = time.Hour
	graceBeyond  = 15 * time.Second // for the process to end in order after its grace
)

// grace are the changes that give a worker its grace.
func (o *Overlay) grace() []operation {
	const args = container + "/args/7"
	grace := cmp.Or(o.Grace, DefaultGrace)
	return []operation{
		{"test", args, "--grace=45s"}, // the base has not moved it
		{"replace", args, fmt.Sprintf("--grace=%ds", int(grace.Seconds()))},
		{"replace", "/spec/template/spec/terminationGracePeriodSeconds", int((grace + graceBeyond).Seconds())},
	}
}

// DefaultLogLevel is the log level of a run whose overlay has none, as in deploy/k8s.
const DefaultLogLevel = "info"

// logLevel are the changes that give coordinator and workers their log level.
func (o *Overlay) logLevel() []operation {
	const args = container + "/args/11"
	return []operation{
		{"test", args, "--log-level=" + DefaultLogLevel}, // the base has not moved it
		{"replace", args, "--log-level=" + cmp.Or(o.LogLevel, DefaultLogLevel)},
	}
}

// nats are the changes to the NATS servers. Their volumes keep the base's access mode, which every provisioner knows.
func (o *Overlay) nats() []operation {
	if o.StorageClass == "" {
		return nil
	}
	return []operation{{"add", claim + "/storageClassName", o.StorageClass}}
}

// bind lets a pod listen on its own address alone, in place of every one that it has: where pods share a network, as
// with hostNetwork and on the cluster of the tests, ports of several would collide. Port-forward does not reach it
// then.
func bind() []operation {
	const listen = container + "/env/1" // after POD_IP, of which it is made
	return []operation{
		{"test", listen + "/name", "LISTEN"},
		{"replace", listen + "/value", "[$(POD_IP)]"},
	}
}

const (
	container = "/spec/template/spec/containers/0"
	claim     = "/spec/volumeClaimTemplates/0/spec" // in a StatefulSet
	claimed   = "/spec"                             // of a claim
)

func memory(bytes uint64) []operation {
	m := quantity.Size(bytes)
	return []operation{
		{"replace", container + "/resources/requests/memory", m},
		{"replace", container + "/resources/limits/memory", m},
	}
}

func storage(claim string, bytes uint64) operation {
	return operation{"replace", claim + "/resources/requests/storage", quantity.Size(bytes)}
}

func (o *Overlay) volume(claim string) (ops []operation) {
	if o.StorageClass != "" {
		ops = append(ops, operation{"add", claim + "/storageClassName", o.StorageClass})
	}
	if o.AccessMode != "" {
		ops = append(ops, operation{"replace", claim + "/accessModes", []string{o.AccessMode}})
	}
	return ops
}

// s3 names the Secret that the component of that name mounts, as the volume after a pod's own.
func (o *Overlay) s3(own int) []operation {
	if o.S3Secret == "" {
		return nil
	}
	if o.Job {
		own++ // the data is no claim of a template there
	}
	path := fmt.Sprintf("/spec/template/spec/volumes/%d", own)
	return []operation{
		{"test", path + "/name", "s3"},
		{"replace", path + "/secret/secretName", o.S3Secret},
	}
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// Render returns the manifests of the overlay, as kubectl apply takes them. It needs no cluster.
func (k *Kubectl) Render(ctx context.Context, o Overlay) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pagoda-k8s-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := o.Write(filepath.Join(dir, "run")); err != nil {
		return nil, err
	}
	return k.Run(ctx, nil, "kustomize", filepath.Join(dir, "run"))
}
