package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/config"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/k8s"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/plan"
)

// sizeFlags say how large a run on a cluster is. An empty one is taken from the plan, or from the run that is resumed.
type sizeFlags struct {
	workers, concurrency                int
	memory, storage                     string
	coordinatorMemory, coordinatorStore string
	image, natsImage                    string
	storageClass, accessMode            string
	priorityClass, queue                string
	s3Secret, logLevel, autoscale       string
	nats, bindPod                       bool
	job                                 bool
	grace, keep, ttl                    time.Duration
}

func (f *sizeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.workers, "workers", 2, "`number` of worker pods")
	flags.StringVar(&f.autoscale, "autoscale", "",
		"`MIN:MAX` of the workers, whose number follows the windows that are ready; --workers is the first number")
	flags.IntVar(&f.concurrency, "concurrency", 2,
		"`number` of windows that a worker computes at a time, each on one processor")
	flags.StringVar(&f.memory, "memory", "", "memory of a worker, such as 4Gi; from the plan unless given (`size`)")
	flags.StringVar(&f.storage, "storage", "", "volume of a worker, such as 20Gi; from the plan unless given (`size`)")
	flags.StringVar(&f.coordinatorMemory, "coordinator-memory", "", "memory of the coordinator (`size`)")
	flags.StringVar(&f.coordinatorStore, "coordinator-storage", "", "volume of the coordinator (`size`)")
	flags.StringVar(&f.image, "image", "pagoda:dev", "`image` of both programs, as the cluster's nodes can get it")
	flags.StringVar(&f.storageClass, "storage-class", "", "storage `class` of the volumes; the default one unless given")
	flags.StringVar(&f.accessMode, "access-mode", "",
		"access `mode` of the volumes; ReadWriteOncePod unless given, ReadWriteOnce where that is not known")
	flags.StringVar(&f.priorityClass, "priority-class", "", "priority `class` of the workers")
	flags.StringVar(&f.queue, "queue", "", "Kueue `queue` of the workers")
	flags.BoolVar(&f.nats, "nats-cluster", false, "three NATS servers instead of the queue in the coordinator")
	flags.BoolVar(&f.bindPod, "bind-pod", false, "listen on the pods' own addresses alone, where pods share a network")
	flags.StringVar(&f.natsImage, "nats-image", "", "`image` of the NATS servers")
	flags.StringVar(&f.s3Secret, "s3-secret", "",
		"`Secret` of the namespace whose file credentials has the keys of object storage, for an archive")
	flags.DurationVar(&f.grace, "grace", k8s.DefaultGrace,
		"`time` that a worker told to stop takes to finish its windows and to hand over those that only it holds")
	flags.StringVar(&f.logLevel, "log-level", k8s.DefaultLogLevel,
		"`level` from which coordinator and workers log: debug, info, warn or error")
	flags.BoolVar(&f.job, "job", false, "Jobs, which end with the run and free what they took, instead of StatefulSets")
	flags.DurationVar(&f.keep, "keep", defaultKeep,
		"with --job, how long the pods of a complete run stay, to serve exports (`time`)")
	flags.DurationVar(&f.ttl, "ttl", defaultTTL, "with --job, how long Jobs are there after their end (`time`)")
}

// Times of a run of Jobs, as in deploy/k8s/components/job.
const (
	defaultKeep = time.Minute
	defaultTTL  = time.Hour
)

// Sizes of pods and volumes.
const (
	mebi = 1 << 20
	gibi = 1 << 30
	// processMemory is the memory of a process without a window: the program, its store, its connections.
	processMemory = 192 * mebi
	// windowMemory and windowStorage are the coordinator's memory and disk for each window of the plan: three times the
	// 1.0 and 1.2 KiB that 16,000 windows more of the English board cost.
	windowMemory, windowStorage = 3 << 10, 4 << 10
)

// roundUp rounds up to a multiple of unit.
func roundUp(v, unit uint64) uint64 { return (v + unit - 1) / unit * unit }

// overlay describes a run of a job on a cluster. Where the flags say nothing the plan decides. A worker gets the memory
// that its windows under way need and cache. It gets twice its share of the rows on disk, so that half of the workers
// can hold them.
func overlay(j *runs.Job, f *sizeFlags, name string) (k8s.Overlay, error) {
	o := k8s.Overlay{Run: j.ID, Puzzle: j.Config.Text("puzzle")}
	if err := named(&o, name, j.Config.Text("name")); err != nil {
		return o, err
	}
	if j.Config.Text("notify") != "" {
		return o, usage("notify: the network policy of a run on a cluster lets no notification out",
			"leave it out with --set notify= and let alerts tell of the run, see docs/kubernetes.md")
	}
	pred, err := f.predict(j)
	if err != nil {
		return o, err
	}
	f.sizes(&o, demands{pred.MemoryBytes + estimate.CacheBytes(&pred), f.rows(j, &pred),
		uint64(pred.Windows) * windowMemory, uint64(pred.Windows) * windowStorage})
	if o.Config, err = clusterConfig(j.Config); err != nil {
		return o, err
	}
	return o, f.apply(&o, nil)
}

// named gives an overlay its name: the one that is given, or else one made of the name of its config and its ID.
func named(o *k8s.Overlay, given, config string) error {
	if o.Name = given; given == "" {
		o.Name = strings.Trim(strings.ReplaceAll(config, "_", "-"), "-") + "-" + o.Run
	}
	if err := k8s.CheckName(o.Name); err != nil {
		return cli.Hint(&cli.UsageError{Err: err}, "choose a name with --name")
	}
	return nil
}

// predict predicts the run of a job on a worker.
func (f *sizeFlags) predict(j *runs.Job) (plan.Prediction, error) {
	return plan.Predict(j.Puzzle, plan.Resources{
		Concurrency: max(f.concurrency, 1), Retention: plan.Retention(j.Config.Text("retention")),
	})
}

// rows is the disk that a predicted run takes on all workers together.
func (f *sizeFlags) rows(j *runs.Job, pred *plan.Prediction) uint64 {
	return pred.DiskBytes * min(j.Config.Uint("replicas"), uint64(max(f.workers, 1)))
}

// demands are the bytes that a plan asks of a cluster: the memory of a worker, the rows of all workers, and the memory
// and the disk of the coordinator for windows.
type demands struct{ memory, rows, leading, ledgers uint64 }

// sizes gives an overlay the sizes that meet the demands of a plan.
func (f *sizeFlags) sizes(o *k8s.Overlay, d demands) {
	// A process keeps to 80 % of its cgroup.
	o.WorkerMemory = roundUp((d.memory+processMemory)/4*5, 256*mebi)
	o.WorkerDisks = d.rows
	o.WorkerStorage = roundUp(2*d.rows/uint64(max(f.workers, 1)), gibi)
	o.CoordinatorMemory = roundUp((processMemory+d.leading)/4*5, 256*mebi)
	o.CoordinatorStorage = roundUp(d.ledgers+gibi/2, gibi)
	o.NATS, o.Job = f.nats, f.job
}

// apply puts the values of the flags into an overlay. given says which flags were set; nil takes them all.
func (f *sizeFlags) apply(o *k8s.Overlay, given func(flag string) bool) error {
	if given == nil {
		given = func(string) bool { return true }
	}
	for flag, set := range map[string]func(){
		"workers":        func() { o.Workers = f.workers },
		"concurrency":    func() { o.Concurrency = f.concurrency },
		"image":          func() { o.Image = f.image },
		"nats-image":     func() { o.NATSImage = f.natsImage },
		"storage-class":  func() { o.StorageClass = f.storageClass },
		"access-mode":    func() { o.AccessMode = f.accessMode },
		"priority-class": func() { o.PriorityClass = f.priorityClass },
		"queue":          func() { o.QueueName = f.queue },
		"nats-cluster":   func() { o.NATS = f.nats },
		"bind-pod":       func() { o.BindPod = f.bindPod },
		"s3-secret":      func() { o.S3Secret = f.s3Secret },
		"grace":          func() { o.Grace = f.grace },
		"log-level":      func() { o.LogLevel = f.logLevel },
		"keep":           func() { o.Keep = f.keep },
		"ttl":            func() { o.TTL = f.ttl },
	} {
		if given(flag) {
			set()
		}
	}
	for _, size := range []struct {
		flag, text string
		to         *uint64
	}{
		{"memory", f.memory, &o.WorkerMemory},
		{"storage", f.storage, &o.WorkerStorage},
		{"coordinator-memory", f.coordinatorMemory, &o.CoordinatorMemory},
		{"coordinator-storage", f.coordinatorStore, &o.CoordinatorStorage},
	} {
		if size.text == "" {
			continue
		}
		v, err := quantity.ParseSize(size.text)
		if err == nil && v < 64*mebi {
			err = fmt.Errorf("%s is less than 64Mi", size.text)
		}
		if err != nil {
			return usage("--"+size.flag+": "+err.Error(), "write --"+size.flag+" 4Gi")
		}
		*size.to = v
	}
	if f.autoscale != "" || given("autoscale") && o.MaxWorkers > 0 {
		var err error
		if o.MinWorkers, o.MaxWorkers, err = parseBounds(f.autoscale); err != nil {
			return err
		}
	}
	if err := cli.CheckLog(ops.LogStyle{Level: f.logLevel}); err != nil {
		return err
	}
	if f.grace == 0 {
		return usage("--grace: a worker needs some time to end", "write --grace 45s")
	}
	if !slices.Contains([]string{"", "ReadWriteOnce", "ReadWriteOncePod"}, o.AccessMode) {
		return usage(fmt.Sprintf("--access-mode: %q is not ReadWriteOnce or ReadWriteOncePod", o.AccessMode),
			"a store belongs to one process, so a volume that several pods share would be of no use")
	}
	if !o.Job {
		if f.keep != defaultKeep || f.ttl != defaultTTL {
			return usage("--keep and --ttl are about Jobs", "say --job, or leave them out")
		}
		o.Keep, o.TTL = 0, 0
	}
	if err := o.Check(); err != nil {
		return &cli.UsageError{Err: err}
	}
	return nil
}

// parseBounds reads the bounds of an autoscaler.
func parseBounds(text string) (least, most int, err error) {
	from, to, _ := strings.Cut(text, ":")
	least, err1 := strconv.Atoi(from)
	most, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || least < 1 || most < least {
		return 0, 0, usage(fmt.Sprintf("--autoscale: %.40q is not MIN:MAX, two numbers of workers from 1 on", text),
			"write --autoscale 1:8")
	}
	return least, most, nil
}

// localKeys are settings of a machine and not of a run: in a pod others hold. The network policy of the pods lets no
// notification out.
var localKeys = append([]string{"data_dir", "concurrency"}, runs.NotifySettings...)

// clusterConfig is the effective config without the settings of this machine.
func clusterConfig(c *config.Config) ([]byte, error) {
	text, err := c.YAML(false)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the config is no mapping")
	}
	drop := localKeys
	if !c.Given("memory_limit_bytes") {
		drop = append(slices.Clone(drop), "memory_limit_bytes")
	}
	m := doc.Content[0]
	var kept []*yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		if !slices.Contains(drop, m.Content[i].Value) {
			kept = append(kept, m.Content[i], m.Content[i+1])
		}
	}
	m.Content = kept
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// overlayOf reads a config or a batch and makes its overlay.
func (a *app) overlayOf(ctx context.Context, path, name string, set []string, f *sizeFlags) (k8s.Overlay, error) {
	if batch.Holds(path) {
		return a.batchOverlay(ctx, path, name, set, f)
	}
	j, err := a.load(ctx, path, &settingFlags{set: set})
	if err != nil {
		return k8s.Overlay{}, err
	}
	return await(ctx, func() (k8s.Overlay, error) { return overlay(j, f, name) })
}
