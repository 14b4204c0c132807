package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/k8s"
)

// clusterFlags say which cluster is meant and how it is reached.
type clusterFlags struct {
	context, namespace, kubectl, via string
	verbose                          bool
}

func (f *clusterFlags) add(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.context, "context", "", "`context` of the kubeconfig; the current one unless given")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "`namespace` of the run; the context's unless given")
	flags.StringVar(&f.kubectl, "kubectl", "kubectl", "kubectl `program`")
	flags.StringVar(&f.via, "connect", k8s.ViaForward,
		"`way` to the coordinator: port-forward, or pod: its own address, from inside the cluster's network")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show the kubectl commands")
}

// client returns the cluster that the flags name.
func (f *clusterFlags) client(ctx context.Context, stderr *os.File) (*k8s.Kubectl, error) {
	if f.via != k8s.ViaForward && f.via != k8s.ViaPod {
		return nil, usage(fmt.Sprintf("--connect: %q is not port-forward or pod", f.via), "write --connect port-forward")
	}
	k := &k8s.Kubectl{Path: f.kubectl, Context: f.context, Namespace: f.namespace}
	if f.verbose {
		k.Trace = func(args []string) { _, _ = fmt.Fprintf(stderr, "+ %s\n", strings.Join(args, " ")) }
	}
	ns, err := k.CurrentNamespace(ctx)
	if err != nil {
		return nil, adviseCluster(err)
	}
	k.Namespace = ns
	return k, nil
}

func (a *app) k8sCommand() *cobra.Command {
	var f clusterFlags
	cmd := &cobra.Command{
		Use:   "k8s",
		Short: "launch runs and batches on Kubernetes, watch, stop and resume them, and take their results home",
		Long: `Launch runs and batches on Kubernetes, watch, stop and resume them, and take their results home. See
docs/kubernetes.md.

The commands use kubectl with its configuration. A run is named NAME-RUNID unless --name says otherwise; where a command
wants a name, the beginning of one is enough as long as only one run begins so.`,
		Example: `  coordinator k8s launch configs/french.yaml --workers 8
  coordinator k8s status french
  coordinator k8s export french --table layers,counts --out french/
  coordinator k8s stop french
  coordinator k8s resume french --workers 32
  coordinator k8s delete french`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return errors.New("no command of k8s is given") },
	}
	f.add(cmd)
	cmd.AddCommand(a.k8sRenderCommand(&f), a.k8sLaunchCommand(&f), a.k8sStatusCommand(&f), a.k8sExportCommand(&f),
		a.k8sScaleCommand(&f), a.k8sStopCommand(&f), a.k8sResumeCommand(&f), a.k8sDeleteCommand(&f), a.k8sListCommand(&f))
	return cmd
}

// oneRun demands the name of a run as the only argument.
func oneRun(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("no run is named")
	case 1:
		return nil
	}
	return fmt.Errorf("one run is wanted, and %d arguments are given", len(args))
}

// found is the cluster and the run that a command is about.
func (f *clusterFlags) found(ctx context.Context, stderr *os.File, name string) (*k8s.Kubectl, k8s.Overlay, error) {
	k, err := f.client(ctx, stderr)
	if err != nil {
		return nil, k8s.Overlay{}, err
	}
	o, err := k.Find(ctx, name)
	return k, o, adviseCluster(err)
}

// adviseCluster adds advice to an error of reaching a cluster.
func adviseCluster(err error) error {
	var e *k8s.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, k8s.ErrNoKubectl):
		return cli.Hint(&cli.UsageError{Err: err}, "install kubectl, or name it with --kubectl")
	case errors.Is(err, k8s.ErrNoRun):
		return cli.Hint(&cli.UsageError{Err: err}, "coordinator k8s list shows the runs of a namespace; -n names another one")
	case errors.Is(err, k8s.ErrNoPod):
		return cli.Hint(err, "coordinator k8s status shows the pods; coordinator k8s resume brings a stopped run back")
	case errors.Is(err, fs.ErrExist):
		return cli.Hint(&cli.UsageError{Err: err}, "choose an empty or new folder")
	case errors.As(err, &e) && strings.Contains(e.Text, "onnection"):
		return cli.Hint(err, "does kubectl get pods work? --context chooses another cluster")
	case errors.As(err, &e) && strings.Contains(e.Text, "Forbidden"):
		return cli.Hint(err, "docs/kubernetes.md lists the rights that are needed")
	}
	return err
}
