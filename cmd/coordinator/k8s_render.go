package main

import (
	"context"

	"github.com/spf13/cobra"

	"pagoda/internal/catalog"
	"pagoda/internal/k8s"
)

// launchFlags are the flags of the commands that make a run of a config.
type launchFlags struct {
	sizeFlags
	name string
	set  []string
}

func (f *launchFlags) add(cmd *cobra.Command, all catalog.Catalog) {
	f.sizeFlags.add(cmd)
	cmd.Flags().StringVar(&f.name, "name", "", "`name` of the run in its namespace; <name>-<run ID> unless given")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a `key=value` of the config; may be given several times")
	if err := cmd.RegisterFlagCompletionFunc("set", completeSet(all)); err != nil {
		panic(err) // the flag is defined above
	}
}

func (a *app) k8sRenderCommand(c *clusterFlags) *cobra.Command {
	var f launchFlags
	var out string
	var values bool
	cmd := &cobra.Command{
		Use:   "render CONFIG|BATCH",
		Short: "write the manifests of a run or a batch",
		Long: `Write the manifests of a run to stdout, or as a kustomize overlay into a folder. No cluster is asked. Memory
and volumes are what the plan says, unless flags say otherwise.

With --values it writes what the Helm chart in deploy/helm/pagoda needs to make the same objects.

The keys are no part of it, as secrets do not belong into manifests: launch makes them, or see docs/kubernetes.md.`,
		Example: `  coordinator k8s render configs/french.yaml --workers 8 --storage 20Gi > french.yaml
  coordinator k8s render configs/french.yaml --workers 8 --out french/ && kubectl apply -k french/
  coordinator k8s render configs/french.yaml --workers 8 --values > french.yaml`,
		Args:              oneFile("config or batch"),
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			o, err := a.overlayOf(ctx, args[0], f.name, f.set, &f.sizeFlags)
			if err != nil {
				return err
			}
			o.Namespace = c.namespace
			noteImages(a.stderr, &o)
			noteVolumes(a.stderr, &o)
			switch {
			case values && out != "":
				return usage("--values and --out exclude each other", "values go to stdout: --values > FILE")
			case values:
				b, err := o.Values()
				if err != nil {
					return err
				}
				return a.print(b)
			case out != "":
				return adviseCluster(o.Write(out))
			}
			k := &k8s.Kubectl{Path: c.kubectl}
			b, err := k.Render(ctx, o)
			if err != nil {
				return adviseCluster(err)
			}
			return a.print(b)
		}),
	}
	f.add(cmd, a.catalog)
	cmd.Flags().BoolVar(&values, "values", false, "write the values for the Helm chart deploy/helm/pagoda instead")
	cmd.Flags().StringVar(&out, "out", "", "write a kustomize overlay into this new `folder` instead")
	return cmd
}
