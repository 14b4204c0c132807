package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/export"
	"pagoda/internal/k8s"
)

// clusterExport are the flags of k8s export.
type clusterExport struct {
	out, layer, format, column, scale string
	what                              []string
}

func (a *app) k8sExportCommand(c *clusterFlags) *cobra.Command {
	var f clusterExport
	cmd := &cobra.Command{
		Use:   "export RUN --out DIR",
		Short: "copy tables and counts of a run out of the cluster",
		Long: `Copy tables and counts of a run out of the cluster, into files of a folder on this machine. The coordinator
writes them and gets rows from the workers that hold them, so both have to be there: of a run that is complete as well,
until it is stopped. The bytes are those of coordinator export. A file appears complete or not at all, and none is
overwritten.

Files are named after what they are: layers.csv, counts-07.csv.`,
		Example: `  coordinator k8s export french --out french/
  coordinator k8s export french --table layers,counts --out french/
  coordinator k8s export french --table counts --layer 19 --format parquet --out french/`,
		Args: oneRun,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			k, o, err := c.found(ctx, a.stderr, args[0])
			if err != nil {
				return err
			}
			return a.k8sExport(ctx, c, k, &o, &f)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`folder` for the files; made if it is not there")
	flags.StringSliceVar(&f.what, "table", []string{whatLayers}, "what to export: `tables` of the results, counts or rows")
	flags.StringVar(&f.layer, "layer", allLayers, "layer of the rows: its `number`, or all")
	flags.StringVar(&f.format, "format", string(export.CSV), "`format`: csv, jsonl, parquet, markdown, bfile or svg")
	flags.StringVar(&f.column, "column", "", "`column` of a b-file or picture")
	flags.StringVar(&f.scale, "scale", "linear", "`scale` of a picture: linear or log")
	if err := errors.Join(cmd.MarkFlagRequired("out"), cmd.MarkFlagDirname("out")); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func (f *clusterExport) check() error {
	for _, what := range f.what {
		one := exportFlags{what: what, format: f.format, scale: f.scale, column: f.column, out: "-"}
		if one.rows() && f.layer != allLayers {
			one.layer = f.layer
		}
		if err := one.check(); err != nil {
			return err
		}
		if filepath.Base(what) != what || what == "." || what == ".." {
			return usage(fmt.Sprintf("--table: %q is no name of a table", what), "write --table layers")
		}
	}
	return nil
}

func (a *app) k8sExport(
	ctx context.Context, c *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay, f *clusterExport,
) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return advisePath(err)
	}
	client, err := c.dial(ctx, k, o.Name)
	if err != nil {
		return adviseCluster(err)
	}
	defer client.close()
	type part struct {
		path  string
		query url.Values
	}
	var parts []part
	add := func(name string, query url.Values) {
		query.Set("format", f.format)
		query.Set("scale", f.scale)
		if f.column != "" {
			query.Set("column", f.column)
		}
		parts = append(parts, part{filepath.Join(f.out, name+"."+extension(f.format)), query})
	}
	for _, what := range f.what {
		if what != whatCounts && what != whatRows {
			add(what, url.Values{"table": {what}})
			continue
		}
		layers, err := client.layers(ctx, f.layer)
		if err != nil {
			return adviseCluster(err)
		}
		for _, n := range layers {
			add(fmt.Sprintf("%s-%02d", what, n), url.Values{"table": {what}, "layer": {strconv.Itoa(n)}})
		}
	}
	for _, p := range parts { // all are looked at before the first is written
		if err := advisePath(export.Free(p.path)); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if err := client.exportTo(ctx, p.path, p.query); err != nil {
			return err
		}
		_, _ = fmt.Fprintln(a.stderr, p.path)
	}
	return nil
}

// extension is what the names of files of a format end in.
func extension(format string) string {
	switch export.Format(format) {
	case export.BFile:
		return "txt"
	case export.Markdown:
		return "md"
	}
	return format
}

// layers are those that the flag --layer means: the complete ones with rows, or the one that it names.
func (c *apiClient) layers(ctx context.Context, flag string) ([]int, error) {
	if n, err := strconv.Atoi(flag); err == nil {
		return []int{n}, nil
	}
	s, err := c.status(ctx)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, l := range s.Layers {
		if l.Done < l.Windows {
			return nil, cli.Hint(incomplete(l), "wait for the end of the run, or name a layer that is complete with --layer")
		}
		if l.Rows > 0 {
			out = append(out, l.Layer)
		}
	}
	slices.Sort(out)
	return out, nil
}
