package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/k8s"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/pause"
)

func (a *app) k8sLaunchCommand(c *clusterFlags) *cobra.Command {
	var f launchFlags
	var w waitFlags
	cmd := &cobra.Command{
		Use:   "launch CONFIG|BATCH",
		Short: "launch a run or a batch, show its progress and wait for its end",
		Long: `Launch a run, show its progress, wait for its end and print its results as run does. The exit code says what
became of the run, by the record of its coordinator. Ctrl-C ends the waiting and not the run.

A config that is wrong, or a plan that the API server would refuse, is found before anything is created. Keys are made
for the run and stored as Secrets. Launching a run that is stopped resumes it.

A batch of runs is launched in the same way, with one coordinator and one pool of workers for all members, and its table
is printed in the end.`,
		Example: `  coordinator k8s launch configs/english.yaml
  coordinator k8s launch configs/french.yaml --workers 16 --concurrency 4 --image registry.example/pagoda:1
  coordinator k8s launch configs/batches/triangles.yaml --workers 4`,
		Args:              oneFile("config or batch"),
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := checkOutput(w.output); err != nil {
				return err
			}
			o, err := a.overlayOf(ctx, args[0], f.name, f.set, &f.sizeFlags)
			if err != nil {
				return err
			}
			k, err := c.client(ctx, a.stderr)
			if err != nil {
				return err
			}
			o.Namespace = k.Namespace
			if err := vacant(ctx, k, &o); err != nil {
				return err
			}
			return a.start(ctx, c, k, &o, w)
		}),
	}
	f.add(cmd, a.catalog)
	w.add(cmd)
	return cmd
}

// waitFlags say whether the command waits for the run, and how it prints the results.
type waitFlags struct {
	detach bool
	output string
}

func (f *waitFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.detach, "detach", false, "do not wait for the end of the run")
	addOutput(cmd, &f.output)
}

// vacant refuses a name that another run has.
func vacant(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay) error {
	runs, err := k.Runs(ctx)
	if err != nil {
		return adviseCluster(err)
	}
	for _, r := range runs {
		if r.Name != o.Name {
			continue
		}
		if r.Job != o.Job {
			return otherForm(&r)
		}
		if r.MaxWorkers > 0 && o.MaxWorkers == 0 {
			return usage("run "+r.Name+" was launched with --autoscale", "say --autoscale, as 4:4 for four workers at any time")
		}
		if r.Run != o.Run {
			return usage(fmt.Sprintf("namespace %s has a %s %s already, of other parameters: %s, not %s", k.Namespace,
				kindOf(&r), r.Name, r.Run, o.Run),
				"choose another name with --name, or delete that one with: coordinator k8s delete "+r.Name)
		}
	}
	return nil
}

// otherForm refuses to go on with a run as Jobs that was begun as StatefulSets, or the other way round.
func otherForm(o *k8s.Overlay) error {
	was, hint := "StatefulSets", "leave --job out"
	if o.Job {
		was, hint = "Jobs", "say --job"
	}
	return usage(fmt.Sprintf("%s %s was launched as %s, which have volumes of other names", kindOf(o), o.Name, was),
		hint+", or delete the run first with: coordinator k8s delete "+o.Name)
}

// apply creates the objects of a run on the cluster. First it looks for all that the API server would refuse.
func apply(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay) error {
	text, err := k.Render(ctx, *o)
	if err != nil {
		return adviseCluster(err)
	}
	if o.S3Secret != "" {
		if err := k.CheckS3(ctx, o.S3Secret); err != nil {
			return cli.Hint(err, "nothing was created; make it with: kubectl create secret generic "+o.S3Secret+
				" --from-file=credentials=FILE")
		}
	}
	if o.Job {
		if err := k.ClearJobs(ctx, o.Name); err != nil {
			return adviseCluster(err)
		}
	}
	if err := k.Check(ctx, text); err != nil {
		if o.Job && strings.Contains(err.Error(), "immutable") {
			return cli.Hint(&cli.UsageError{Err: fmt.Errorf("run %s goes on, and its Jobs cannot be changed", o.Name)},
				"coordinator k8s stop "+o.Name+" first; coordinator k8s status "+o.Name+" --watch waits for its end")
		}
		return cli.Hint(err, "nothing was created")
	}
	if err := provideKeys(ctx, k, o); err != nil {
		return adviseCluster(err)
	}
	return adviseCluster(errors.Join(k.Apply(ctx, text), k.Started(ctx, o)))
}

// start brings a run onto the cluster and follows it.
func (a *app) start(ctx context.Context, c *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay, w waitFlags) error {
	noteImages(a.stderr, o)
	noteVolumes(a.stderr, o)
	if err := apply(ctx, k, o); err != nil {
		return err
	}
	queue := "in the coordinator"
	if o.NATS {
		queue = "three NATS servers"
	}
	volume := "a volume"
	if o.Job {
		volume = "scratch space"
	}
	_, _ = fmt.Fprintf(
		a.stderr,
		"%s %s in namespace %s: %s of concurrency %d, %s and %s of %s each; queue %s\n",
		kindOf(o),
		o.Name,
		k.Namespace,
		plural.Of(o.Workers, "worker"),
		o.Concurrency,
		quantity.Size(o.WorkerMemory),
		volume,
		quantity.Size(o.WorkerStorage),
		queue,
	)
	if w.detach {
		return nil
	}
	s, err := a.follow(ctx, c, k, o)
	switch {
	case s == nil && err == nil:
		a.sayUnseen(o)
		return nil
	case s == nil:
		return err
	case err != nil:
		return errors.Join(err, a.print(a.statusAs(s, w.output)))
	}
	if o.Batch != "" && w.output == render.JSON { // whose table has no such form
		return a.print(a.statusAs(s, w.output))
	}
	b, err := c.results(ctx, k, o, w.output)
	if err != nil {
		// Whatever keeps the coordinator from telling them, the run is complete.
		cli.Report(a.stderr, cli.Colour(a.stderr, a.environ), cli.Hint(fmt.Errorf("the %s is complete, and its results "+
			"cannot be had now: %w", kindOf(o), err), "coordinator k8s export "+o.Name+" fetches them"))
		b = a.statusAs(s, w.output)
	}
	return a.print(b)
}

// sayUnseen says where the results are of a run of Jobs that has ended unseen.
func (a *app) sayUnseen(o *k8s.Overlay) {
	_, _ = fmt.Fprintf(a.stderr, "run %s is complete, and its coordinator has ended: kubectl logs job/%s-%s has the "+
		"results, and coordinator k8s resume %s brings it back\n", o.Name, o.Name, k8s.Coordinator, o.Name)
}

// results asks the coordinator of a complete run for the output of `run`. It may be on its way to another node.
func (f *clusterFlags) results(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay, output string) ([]byte, error) {
	const tries = 30
	for n := 1; ; n++ {
		b, err := f.resultsOnce(ctx, k, o, output)
		if err == nil || n == tries || ctx.Err() != nil {
			return b, err
		}
		if err := pause.For(ctx, followEvery); err != nil {
			return nil, err
		}
	}
}

func (f *clusterFlags) resultsOnce(
	ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay, output string,
) ([]byte, error) {
	client, err := f.dial(ctx, k, o.Name)
	if err != nil {
		return nil, err
	}
	defer client.close()
	if o.Batch != "" {
		return client.BatchResults(ctx)
	}
	return client.Results(ctx, output)
}

// statusAs is a status in the form that --output asks for.
func (a *app) statusAs(s answer, output string) []byte {
	if output == render.JSON {
		return append([]byte(s.document()), '\n')
	}
	return s.text(a.style())
}

// natsKeys is where the NATS servers' pods have their keys, see deploy/k8s/components/nats.
const natsKeys = "/etc/nats/keys"

// provideKeys makes the keys of a run and stores them, unless they are there. Its workers' keys are good for this run
// alone.
func provideKeys(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay) error {
	roles := []string{string(keys.Coordinator), string(keys.Worker), string(keys.Server)}
	there, missing, err := k.HasKeys(ctx, o, roles...)
	if err != nil || len(missing) == 0 {
		return err
	}
	if len(there) > 0 {
		return cli.Hint(fmt.Errorf("run %s has keys for %v, and none for %v: they are made together", o.Name, there, missing),
			"delete its Secrets with: kubectl delete secret -l "+k8s.Selector(o.Name))
	}
	tmp, err := os.MkdirTemp("", "pagoda-keys-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	dir := filepath.Join(tmp, "keys")
	service := o.Name + "-" + k8s.NATS // NATS servers compare names when they connect to each other
	bound := o.Run
	if o.Batch != "" { // whose workers compute all members
		bound = ""
	}
	if err := keys.Make(dir, keys.MakeOptions{Run: bound, Hosts: []string{service, "*." + service}}); err != nil {
		return err
	}
	if err := natsqueue.WriteConfig(dir, natsKeys); err != nil {
		return err
	}
	return k.PutKeys(ctx, o, dir, roles...)
}
