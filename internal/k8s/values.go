package k8s

import (
	"cmp"
	"fmt"
	"time"

	"pagoda/internal/puzzle/quantity"
)

// values are those values of the Helm chart in deploy/helm/pagoda that an overlay sets.
type values struct {
	Name          string            `yaml:"name"`
	Image         imageValues       `yaml:"image"`
	Coordinator   coordinatorValues `yaml:"coordinator"`
	Worker        workerValues      `yaml:"worker"`
	LogLevel      string            `yaml:"logLevel"`
	StorageClass  string            `yaml:"storageClass,omitempty"`
	AccessMode    string            `yaml:"accessMode,omitempty"`
	BindPod       bool              `yaml:"bindPod,omitempty"`
	NATS          *natsValues       `yaml:"nats,omitempty"`
	Job           *jobValues        `yaml:"job,omitempty"`
	S3Secret      string            `yaml:"s3Secret,omitempty"`
	Autoscale     *autoscaleValues  `yaml:"autoscale,omitempty"`
	Kueue         *kueueValues      `yaml:"kueue,omitempty"`
	Configuration string            `yaml:"config,omitempty"`
	Batch         *batchValues      `yaml:"batch,omitempty"`
}

type imageValues struct {
	Repository string `yaml:"repository"`
	Tag        string `yaml:"tag"` // also when it is empty: the chart has another one
	Digest     string `yaml:"digest,omitempty"`
}

type coordinatorValues struct {
	Memory  string `yaml:"memory"`
	Storage string `yaml:"storage"`
}

type workerValues struct {
	Replicas      int    `yaml:"replicas"`
	Concurrency   int    `yaml:"concurrency"`
	Memory        string `yaml:"memory"`
	Storage       string `yaml:"storage"`
	PriorityClass string `yaml:"priorityClass,omitempty"`
	GraceSeconds  int    `yaml:"graceSeconds"`
}

type natsValues struct {
	Enabled bool         `yaml:"enabled"`
	Image   *imageValues `yaml:"image,omitempty"`
}

type jobValues struct {
	Enabled bool   `yaml:"enabled"`
	Keep    string `yaml:"keep"`
	TTL     int    `yaml:"ttlSeconds"`
}

type autoscaleValues struct {
	Enabled bool `yaml:"enabled"`
	Min     int  `yaml:"min"`
	Max     int  `yaml:"max"`
}

type batchValues struct {
	File  string            `yaml:"file"`
	Files map[string]string `yaml:"files"`
}

type kueueValues struct {
	Enabled bool   `yaml:"enabled"`
	Queue   string `yaml:"queue"`
}

// Values are the values of the Helm chart that make the objects of the overlay, as YAML.
func (o *Overlay) Values() ([]byte, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	v := values{
		Name: o.Name, Image: *newImageValues(o.Image),
		Coordinator: coordinatorValues{quantity.Size(o.CoordinatorMemory), quantity.Size(o.CoordinatorStorage)},
		Worker: workerValues{
			o.Workers, o.Concurrency, quantity.Size(o.WorkerMemory), quantity.Size(o.WorkerStorage), o.PriorityClass,
			int(cmp.Or(o.Grace, DefaultGrace).Seconds()),
		},
		LogLevel:     cmp.Or(o.LogLevel, DefaultLogLevel),
		StorageClass: o.StorageClass, AccessMode: o.AccessMode, BindPod: o.BindPod, S3Secret: o.S3Secret,
		Configuration: string(o.Config),
	}
	if o.NATS {
		v.NATS = &natsValues{Enabled: true}
		if o.NATSImage != "" {
			v.NATS.Image = newImageValues(o.NATSImage)
		}
	}
	if o.Job {
		v.Job = &jobValues{true, o.Keep.String(), int(o.TTL / time.Second)}
	}
	if o.MaxWorkers > 0 {
		v.Autoscale = &autoscaleValues{true, o.MinWorkers, o.MaxWorkers}
	}
	if o.QueueName != "" {
		v.Kueue = &kueueValues{true, o.QueueName}
	}
	what := "Run"
	if o.Batch != "" {
		what, v.Batch = "Batch", &batchValues{o.Batch, o.Files}
	}
	b, err := encode(v)
	if err != nil {
		return nil, err
	}
	const head = "# %s %s of puzzle %s, made by `coordinator k8s render`, for the chart deploy/helm/pagoda.\n"
	return append(fmt.Appendf(nil, head, what, o.Run, o.Puzzle), b...), nil
}

func newImageValues(name string) *imageValues {
	i := newImage("", name)
	return &imageValues{i.NewName, i.NewTag, i.Digest}
}
