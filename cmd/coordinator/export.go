package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
)

// layerMark in --out is replaced by the number of the layer, with leading zeros.
const layerMark = "{layer}"

// exportFlags are the flags of export.
type exportFlags struct {
	data, url, keys, out string
	what                 runs.Selection
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export --data DIR | --url URL",
		Short: "write a table of the results or the counts of a layer to a file",
		Long: `Write a table of the results or the counts of a layer to a file or to stdout.

  --table layers   one row for each layer, of the layers that are complete; another table of the results by its name
  --table counts   one row for each symmetry class of a layer: canonical position, jumps, orbit size, paths to it;
                  sorted by position. Needs the rows on disk, see the key retention
  --table rows     the same; a survey of the tile-grid game has one row for each class of initial grids
  --table windows  one row for each committed window, with the digest of its content, in the order of the plan
  --table leaves   the same with the tally, in JSON lines: the leaves of the hash tree of the run's certificate

The rows of a run whose workers were processes of their own are with these: --url asks the coordinator for them, while
it runs or lingers (run --api --linger).

--links URL adds a column link, with the address of each row on the page that coordinator explore serves at URL: a
position of a run with one goal on the board, a pair of a start and a goal as a problem. Other tables have no links, and
are refused.

Every format keeps every digit: see docs/cli.md for how to read them without loss. The bytes depend on the run alone. A
file appears complete or not at all, and none is overwritten.

--out s3://BUCKET/KEY makes an object instead of a file, with keys and server from the environment: AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL. Where it ends with a slash, the object is named after what it is:
layers.csv, counts-07.csv.`,
		Example: `  coordinator export --data runs/english-0123456789ab --table layers --format csv
  coordinator export --data runs/english-0123456789ab --table layers --format bfile --column paths --out b112737.txt
  coordinator export --data runs/english-0123456789ab --table layers --format svg --column classes --out layers.svg
  coordinator export --data runs/english-0123456789ab --table counts --layer 19 --format parquet --out 19.parquet
  coordinator export --data runs/english-0123456789ab --table counts --layer all --format csv --out counts-{layer}.csv
  coordinator export --data runs/english-0123456789ab --table counts --layer all --out s3://bucket/english/
  coordinator export --data runs/tiles-5x5-0123456789ab --table rows --format parquet --out 5x5.parquet
  coordinator export --data runs/tiles-5x5-0123456789ab --table finals --column raw --format svg --out 5x5.svg`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error { return a.export(ctx, f) }),
	}
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of the run")
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
	addURL(cmd, &f.url, &f.keys)
	flags := cmd.Flags()
	flags.StringVar(
		&f.what.Table,
		"table",
		runs.LayersTable,
		"what to export: `table` of the results, counts, rows, windows or leaves",
	)
	flags.StringVar(&f.what.Layer, "layer", "", "layer of the rows: its `number`, or all; all needs {layer} in --out")
	flags.StringVar(&f.what.Format, "format", string(export.CSV), "`format`: csv, jsonl, parquet, markdown, bfile or svg")
	flags.StringVar(&f.out, "out", "-",
		"output `file`, or s3://BUCKET/KEY, which must not exist; s3://BUCKET/PREFIX/ names it; - is stdout")
	flags.StringVar(&f.what.Column, "column", "", "`column` of a b-file or picture")
	flags.StringVar(&f.what.Scale, "scale", string(render.Auto),
		"`scale` of a picture: linear, log, or auto: log when the values span more than two decades")
	flags.StringVar(&f.what.Links, "links", "",
		"add a column with the address of each row on the page of coordinator explore at this `URL`")
	for flag, values := range map[string][]cobra.Completion{
		"table":  {runs.LayersTable, runs.CountsTable, runs.RowsTable, runs.WindowsTable, runs.LeavesTable},
		"format": runs.Formats(), "scale": render.Scales(),
		"layer": {runs.AllLayers},
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return cmd
}

// check returns an error if the flags alone are wrong.
func (f *exportFlags) check() error {
	all := f.what.Layer == runs.AllLayers
	if err := f.what.Check(); err != nil {
		return err
	}
	if all && !strings.Contains(filepath.Base(f.out), layerMark) {
		return usage("--layer all writes one file for each layer",
			"write "+layerMark+" in the file name: --out counts-{layer}.csv")
	}
	return nil
}

// outputs opens the outputs that --out names. A single file must not be there yet.
func (f *exportFlags) outputs(ctx context.Context) (*outputs, error) {
	o, err := openOutputs(ctx, f.out)
	if err == nil && f.out != "-" && f.what.Layer != runs.AllLayers {
		err = o.free(ctx, f.out)
	}
	return o, err
}

// advisePath turns an error about an output path into one with advice.
func advisePath(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, export.ErrExists):
		return cli.Hint(err, "remove it or choose another name; nothing is overwritten")
	}
	return cli.Hint(&cli.UsageError{Err: err}, "choose a file in a folder that exists and can be written to")
}

func (a *app) export(ctx context.Context, f exportFlags) error {
	f.out = nameBelow(f.out, &f.what)
	if err := f.check(); err != nil {
		return err
	}
	if err := checkWhere(f.data, f.url); err != nil {
		return err
	}
	o, err := f.outputs(ctx)
	if err != nil {
		return err
	}
	if f.url != "" {
		return a.exportRemote(ctx, f, o)
	}
	s, err := a.loader().Results(ctx, f.data)
	if err != nil {
		return err
	}
	defer s.Close()
	if f.what.Rows() {
		return a.exportRows(ctx, s, f, o)
	}
	return a.output(ctx, o, f.out, func(w io.Writer) error { return s.WriteTable(w, f.what) })
}

// sortMemory bounds the rows of a layer that are sorted in memory.
const sortMemory = 256 << 20

func (a *app) exportRows(ctx context.Context, s *runs.Stored, f exportFlags, o *outputs) error {
	exporter, layers, err := s.Layers(f.what)
	if err != nil {
		return err
	}
	if f.out == "-" {
		return a.output(ctx, o, "-", func(w io.Writer) error {
			_, err := s.WriteLayer(ctx, w, exporter, layers[0], f.what, os.TempDir(), sortMemory, nil)
			return err
		})
	}
	// All paths are looked at before the first byte is written, and no file appears before all are complete.
	for _, n := range layers {
		if err := o.free(ctx, layerPath(f.out, n)); err != nil {
			return err
		}
	}
	var files []output
	defer func() {
		for _, file := range files {
			file.Abort()
		}
	}()
	for _, n := range layers {
		path := layerPath(f.out, n)
		file, err := o.create(path)
		if err != nil {
			return err
		}
		files = append(files, file)
		rows, err := s.WriteLayer(ctx, file, exporter, n, f.what, o.scratch(path), sortMemory, nil)
		if err != nil {
			return err
		}
		if rows == 0 && f.what.Layer == runs.AllLayers {
			file.Abort()
			files = files[:len(files)-1]
		}
	}
	for _, file := range files {
		if err := file.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// layerPath puts the number of the layer into the name of the file.
func layerPath(out string, layer int) string {
	dir, base := filepath.Split(out)
	return dir + strings.ReplaceAll(base, layerMark, fmt.Sprintf("%02d", layer))
}

// output writes a result to stdout, or to a new file or object that appears complete or not at all.
func (a *app) output(ctx context.Context, o *outputs, path string, write func(io.Writer) error) error {
	if path == "-" {
		w := bufio.NewWriterSize(a.stdout, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	return o.write(ctx, path, write)
}

// exportTo writes one export of a coordinator to a new file or object, which appears complete or not at all. With
// unlessEmpty a layer without rows to show makes none; written says whether there is one.
func exportTo(
	ctx context.Context, r *api.Client, o *outputs, path string, what runs.Selection, unlessEmpty bool,
) (written bool, err error) {
	w, err := o.create(path)
	if err != nil {
		return false, err
	}
	defer w.Abort()
	empty, err := r.Export(ctx, what, w)
	if err != nil || empty && unlessEmpty {
		return false, err
	}
	return true, w.Commit(ctx)
}

// exportRemote writes an export of a coordinator, over its API. With --layer all it exports every layer that is there.
func (a *app) exportRemote(ctx context.Context, f exportFlags, o *outputs) error {
	r, err := api.Dial(f.url, f.keys)
	if err != nil {
		return err
	}
	switch {
	case f.what.Layer == runs.AllLayers:
	case f.out == "-":
		_, err := r.Export(ctx, f.what, a.stdout)
		return err
	default:
		_, err := exportTo(ctx, r, o, f.out, f.what, false)
		return err
	}
	layers, err := r.Layers(ctx)
	if err != nil {
		return err
	}
	for _, n := range layers {
		if err := o.free(ctx, layerPath(f.out, n)); err != nil {
			return err
		}
	}
	for _, n := range layers {
		what := f.what
		what.Layer = strconv.Itoa(n)
		if _, err := exportTo(ctx, r, o, layerPath(f.out, n), what, true); err != nil {
			return err
		}
	}
	return nil
}
