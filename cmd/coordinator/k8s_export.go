package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/k8s"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
)

// clusterExport are the flags of k8s export.
type clusterExport struct {
	out, layer, format, column, scale, links string
	what                                     []string
}

func (a *app) k8sExportCommand(c *clusterFlags) *cobra.Command {
	var f clusterExport
	cmd := &cobra.Command{
		Use:   "export RUN --out DIR",
		Short: "copy tables and counts of a run, or the table of a batch, out of the cluster",
		Long: `Copy tables and counts of a run out of the cluster, into files of a folder on this machine. The coordinator
writes them and gets rows from the workers that hold them, so both have to be there: of a run that is complete as well,
until it is stopped. The bytes are those of coordinator export. A file appears complete or not at all, and none is
overwritten.

Files are named after what they are: layers.csv, counts-07.csv. --links URL adds a column, as in coordinator export.

Of a batch it is the table of results, members.csv, or with --table another table of all members that are complete, as
coordinator batch export writes them.`,
		Example: `  coordinator k8s export french --out french/
  coordinator k8s export french --table layers,counts --out french/
  coordinator k8s export french --table counts --layer 19 --format parquet --out french/
  coordinator k8s export french --table counts --layer 19 --links http://127.0.0.1:8420/ --out french/
  coordinator k8s export french --table counts --format parquet --out s3://bucket/french
  coordinator k8s export triangles --format markdown --out triangles/`,
		Args: oneRun,
	}
	cmd.RunE = a.action(func(ctx context.Context, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		k, o, err := c.found(ctx, a.stderr, args[0])
		if err != nil {
			return err
		}
		if o.Batch != "" {
			if err := f.ofBatch(cmd.Flags().Changed); err != nil {
				return err
			}
		}
		return a.k8sExport(ctx, c, k, &o, &f)
	})
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`folder` for the files, made if it is not there, or s3://BUCKET/PREFIX")
	flags.StringSliceVar(
		&f.what,
		"table",
		[]string{runs.LayersTable},
		"what to export: `tables` of the results, counts, rows, windows or leaves; of a batch members unless given",
	)
	flags.StringVar(&f.layer, "layer", runs.AllLayers, "layer of the rows: its `number`, or all")
	flags.StringVar(&f.format, "format", string(export.CSV),
		"`format`: csv, jsonl, parquet, markdown, bfile or svg; of a batch page as well")
	flags.StringVar(&f.column, "column", "", "`column` of a b-file or picture")
	flags.StringVar(&f.scale, "scale", string(render.Auto), "`scale` of a picture: auto, linear or log")
	flags.StringVar(&f.links, "links", "",
		"add a column link, with the address of each row on the page of explore at `URL`")
	if err := errors.Join(cmd.MarkFlagRequired("out"), cmd.MarkFlagDirname("out")); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func (f *clusterExport) check() error {
	for _, what := range f.what {
		if what == batch.MembersTable { // of a batch, which checks the rest
			continue
		}
		one := f.selection(what)
		if one.Rows() && f.layer != runs.AllLayers {
			one.Layer = f.layer
		}
		if err := one.Check(); err != nil {
			return err
		}
		if filepath.Base(what) != what || what == "." || what == ".." {
			return usage(fmt.Sprintf("--table: %q is no name of a table", what), "write --table layers")
		}
	}
	return nil
}

// ofBatch refuses flags and tables that are about one run. given says which flags were set; without --table it is the
// table of results.
func (f *clusterExport) ofBatch(given func(flag string) bool) error {
	for _, flag := range []string{"layer", "column", "scale", "links"} {
		if given(flag) {
			return usage("--"+flag+" is for one run, and this is a batch", "leave it out")
		}
	}
	if err := checkBatchFormat(f.format); err != nil {
		return err
	}
	if f.scale = ""; !given("table") {
		f.what = []string{batch.MembersTable}
	}
	for _, table := range f.what {
		if what := f.selection(table); what.ReadsFolder() {
			return usage("--table "+table+" is of one run, and this is a batch",
				"write --table members, or a table of the results such as layers")
		}
	}
	return nil
}

// selection selects a table, or rows without their layer.
func (f *clusterExport) selection(what string) runs.Selection {
	return runs.Selection{Table: what, Format: f.format, Column: f.column, Scale: f.scale, Links: f.links}
}

func (a *app) k8sExport(
	ctx context.Context, c *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay, f *clusterExport,
) error {
	dest, err := openOutputs(ctx, f.out)
	if err != nil {
		return err
	}
	if !objects.IsURL(f.out) {
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return advisePath(err)
		}
	}
	client, err := c.dial(ctx, k, o.Name)
	if err != nil {
		return adviseCluster(err)
	}
	defer client.close()
	if o.Batch != "" {
		r, err := askBatch(ctx, client.Client)
		if err != nil {
			return adviseCluster(err)
		}
		noteWaiting(a.stderr, len(r.Members)-r.Complete, len(r.Members))
	}
	type part struct {
		path string
		what runs.Selection
	}
	var parts []part
	add := func(name string, what runs.Selection) {
		parts = append(parts, part{dest.below(f.out, name+"."+extension(f.format)), what})
	}
	for _, table := range f.what {
		what := f.selection(table)
		if !what.Rows() {
			add(table, what)
			continue
		}
		layers, err := client.layers(ctx, f.layer)
		if err != nil {
			return adviseCluster(err)
		}
		for _, n := range layers {
			what.Layer = strconv.Itoa(n)
			add(fmt.Sprintf("%s-%02d", table, n), what)
		}
	}
	for _, p := range parts { // all are looked at before the first is written
		if err := dest.free(ctx, p.path); err != nil {
			return err
		}
	}
	for _, p := range parts {
		written, err := exportTo(ctx, client.Client, dest, p.path, p.what, p.what.Rows() && f.layer == runs.AllLayers)
		if err != nil {
			return err
		}
		if written {
			_, _ = fmt.Fprintln(a.stderr, p.path)
		}
	}
	return nil
}

// extension returns the ending of the file names of a format.
func extension(format string) string {
	switch format {
	case string(export.BFile):
		return "txt"
	case string(export.Markdown):
		return "md"
	case pageFormat:
		return "html"
	}
	return format
}

// layers are those that the flag --layer means: the complete ones with rows, or the one that it names.
func (c *apiClient) layers(ctx context.Context, flag string) ([]int, error) {
	if n, err := strconv.Atoi(flag); err == nil {
		return []int{n}, nil
	}
	s, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range s.Layers {
		if l.Done < l.Windows {
			return nil, cli.Hint(
				runs.Incomplete(l),
				"wait for the end of the run, or name a layer that is complete with --layer",
			)
		}
	}
	return c.Layers(ctx)
}
