package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pagoda/internal/k8s"
	"pagoda/internal/output/render"
)

func (a *app) k8sStopCommand(c *clusterFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "stop RUN",
		Short: "stop a run, and keep its volumes",
		Long: `Stop a run: workers hand back what they compute, then the coordinator ends, then the queue. Volumes, keys and
config stay, and cost what they cost. resume brings the run back, with as many workers and as much memory as it is told
to.`,
		Example: `  coordinator k8s stop french`,
		Args:    oneRun,
		RunE: a.action(func(ctx context.Context, args []string) error {
			k, o, err := c.found(ctx, a.stderr, args[0])
			if err != nil {
				return err
			}
			err = k.Stop(ctx, &o, func(component string) {
				_, _ = fmt.Fprintf(a.stderr, "waiting for the end of every %s\n", component)
			})
			if err != nil {
				return adviseCluster(err)
			}
			_, _ = fmt.Fprintf(a.stderr, "%s %s is stopped; resume it with: coordinator k8s resume %s\n", kindOf(&o), o.Name,
				o.Name)
			return nil
		}),
	}
}

func (a *app) k8sResumeCommand(c *clusterFlags) *cobra.Command {
	var f sizeFlags
	var w waitFlags
	var retry bool
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "bring a stopped run back",
		Long: `Bring a stopped run back, show its progress and wait for its end. What flags do not change stays as it was
launched. Workers beyond the number that there were begin with empty volumes. Volumes keep the size that they have.`,
		Example: `  coordinator k8s resume french
  coordinator k8s resume french --workers 32 --memory 8Gi`,
		Args: oneRun,
	}
	cmd.RunE = a.action(func(ctx context.Context, args []string) error {
		if err := checkOutput(w.output); err != nil {
			return err
		}
		k, o, err := c.found(ctx, a.stderr, args[0])
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("job") && f.job != o.Job {
			return otherForm(&o)
		}
		if retry && o.Batch == "" {
			return usage("--retry-failed is for the members of a batch, and "+o.Name+" is a run", "leave it out")
		}
		o.RetryFailed = retry
		if err := f.apply(&o, cmd.Flags().Changed); err != nil {
			return err
		}
		return a.start(ctx, c, k, &o, w)
	})
	f.add(cmd)
	w.add(cmd)
	cmd.Flags().BoolVar(&retry, "retry-failed", false, "of a batch: try members again that have failed")
	return cmd
}

func (a *app) k8sScaleCommand(c *clusterFlags) *cobra.Command {
	var workers int
	cmd := &cobra.Command{
		Use:   "scale RUN --workers N",
		Short: "change the number of workers of a run that goes on",
		Long: `Change the number of workers of a run that goes on: kubectl scale of its StatefulSet, or the same of its
Job. Workers that go hand back what they compute, and others copy the windows that only they hold. What is not copied
within --grace of launch is computed again when it is needed, or comes back with them.`,
		Example: `  coordinator k8s scale french --workers 16`,
		Args:    oneRun,
		RunE: a.action(func(ctx context.Context, args []string) error {
			k, o, err := c.found(ctx, a.stderr, args[0])
			if err != nil {
				return err
			}
			least := 0
			if o.Job { // without any it would be over
				least = 1
			}
			if o.MaxWorkers > 0 {
				return usage(fmt.Sprintf("run %s has an autoscaler, which chooses from %d to %d workers", o.Name, o.MinWorkers,
					o.MaxWorkers), "coordinator k8s resume "+o.Name+" --autoscale MIN:MAX changes the bounds")
			}
			if workers < least || workers > k8s.MostWorkers {
				return usage(fmt.Sprintf("--workers: %d is not between %d and %d", workers, least, k8s.MostWorkers),
					"write --workers 4")
			}
			return adviseCluster(k.Scale(ctx, &o, workers))
		}),
	}
	cmd.Flags().IntVar(&workers, "workers", 0, "`number` of worker pods")
	if err := cmd.MarkFlagRequired("workers"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func (a *app) k8sDeleteCommand(c *clusterFlags) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete RUN",
		Short: "delete a run with its volumes",
		Long: `Delete a run with its volumes, after a question. What was not exported is gone then. The run's full name is
wanted: here the beginning of a name is not enough.`,
		Example: `  coordinator k8s delete french-0123456789ab
  coordinator k8s delete french-0123456789ab --yes`,
		Args: oneRun,
		RunE: a.action(func(ctx context.Context, args []string) error {
			k, o, err := c.found(ctx, a.stderr, args[0])
			if err != nil {
				return err
			}
			if o.Name != args[0] {
				return usage(fmt.Sprintf("%q is not the full name of a run", args[0]), "did you mean "+o.Name+"?")
			}
			objects, err := k.Objects(ctx, o.Name)
			if err != nil {
				return adviseCluster(err)
			}
			if !yes {
				if err := a.confirm(ctx, k.Namespace, o.Name, objects); err != nil {
					return err
				}
			}
			if err := k.Delete(ctx, o.Name); err != nil {
				return adviseCluster(err)
			}
			_, _ = fmt.Fprintf(a.stderr, "%s %s is deleted\n", kindOf(&o), o.Name)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// confirm asks whether a run shall really go.
func (a *app) confirm(ctx context.Context, namespace, name string, objects []k8s.Object) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return usage("nobody is there to be asked whether run "+name+" shall be deleted with its data", "say --yes")
	}
	var s render.Sheet
	s.Printf("This deletes from namespace %s:\n\n", namespace)
	s.Columns()
	for _, o := range objects {
		s.Printf("  %s\t%s\t%s\n", o.Kind, o.Name, o.Size)
	}
	_, _ = fmt.Fprintf(a.stderr, "%s\nWrite the name of the run to delete it: ", s.Bytes())
	answer, err := await(ctx, func() (string, error) { return bufio.NewReader(os.Stdin).ReadString('\n') })
	if err != nil {
		return err
	}
	if strings.TrimSpace(answer) != name {
		return usage("the answer is not "+name, "nothing was deleted")
	}
	return nil
}
