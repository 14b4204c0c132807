package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/export"
	"pagoda/internal/kv"
	"pagoda/internal/plan"
	"pagoda/internal/puzzle"
)

// Values of --table, besides the names of other tables.
const (
	whatLayers = "layers"
	whatCounts = "counts"
	whatRows   = "rows" // the same: the word for puzzles whose rows are no counts of paths
)

// layerMark in --out is replaced by the number of the layer, with leading zeros.
const layerMark = "{layer}"

const allLayers = "all"

// exportFlags are the flags of export.
type exportFlags struct {
	data, url, keys, what, layer, format, out, column, scale string
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export --data DIR | --url URL",
		Short: "write a table of the results or the counts of a layer to a file",
		Long: `Write a table of the results or the counts of a layer to a file or to stdout.

  --table layers   one row for each layer, of the layers that are complete; another table of the results by its name
  --table counts   one row for each symmetry class of a layer: canonical position, orbit size, paths to it; sorted by
                  position. Needs the rows on disk, see the key keep
  --table rows     the same; a survey of the tile-grid game has one row for each class of initial grids
  --table windows  one row for each committed window, with the digest of its content, in the order of the plan

The rows of a run whose workers were processes of their own are with these: --url asks the coordinator for them, while
it runs or lingers (run --api --linger).

Every format keeps every digit: see docs/cli.md for how to read them without loss. The bytes depend on the run alone. A
file appears complete or not at all, and none is overwritten.`,
		Example: `  coordinator export --data runs/english-0123456789ab --table layers --format csv
  coordinator export --data runs/english-0123456789ab --table layers --format bfile --column paths --out b112737.txt
  coordinator export --data runs/english-0123456789ab --table layers --format svg --column classes --out layers.svg
  coordinator export --data runs/english-0123456789ab --table counts --layer 19 --format parquet --out 19.parquet
  coordinator export --data runs/english-0123456789ab --table counts --layer all --format csv --out counts-{layer}.csv
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
	flags.StringVar(&f.what, "table", whatLayers, "what to export: `table` of the results, counts, rows or windows")
	flags.StringVar(&f.layer, "layer", "", "layer of the rows: its `number`, or all; all needs {layer} in --out")
	flags.StringVar(&f.format, "format", string(export.CSV), "`format`: csv, jsonl, parquet, markdown, bfile or svg")
	flags.StringVar(&f.out, "out", "-", "output `file`, which must not exist; - is stdout")
	flags.StringVar(&f.column, "column", "", "`column` of a b-file or picture")
	flags.StringVar(&f.scale, "scale", "linear", "`scale` of a picture: linear or log")
	var formats []cobra.Completion
	for _, f := range export.Formats() {
		formats = append(formats, string(f))
	}
	for flag, values := range map[string][]cobra.Completion{
		"table": {whatLayers, whatCounts, whatRows, whatWindows}, "format": formats, "scale": {"linear", "log"},
		"layer": {allLayers},
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return cmd
}

// addData adds the flag that names a folder that is there.
func addData(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", "", "data `folder` of the run")
	if err := errors.Join(cmd.MarkFlagRequired("data"), cmd.MarkFlagDirname("data")); err != nil {
		panic(err) // the flag is defined above
	}
}

// rows says whether stored rows are wanted, not a table.
func (f *exportFlags) rows() bool { return f.what == whatCounts || f.what == whatRows }

// check says what is wrong with the flags alone.
func (f *exportFlags) check() error {
	switch {
	case f.scale != "linear" && f.scale != "log":
		return usage(fmt.Sprintf("--scale: %q is not linear or log", f.scale), "write --scale log")
	case !slices.Contains(export.Formats(), export.Format(f.format)):
		return usage(fmt.Sprintf("--format: %q is not csv, jsonl, parquet, markdown, bfile or svg", f.format),
			"write --format csv")
	case !f.rows() && f.layer != "":
		return usage("--layer belongs to --table counts", "a table of the results has all layers")
	case f.layer == allLayers && !strings.Contains(filepath.Base(f.out), layerMark):
		return usage("--layer all writes one file for each layer",
			"write "+layerMark+" in the file name: --out counts-{layer}.csv")
	case f.rows() && (f.format == string(export.BFile) || f.format == string(export.SVG)):
		return usage("--format "+f.format+" shows one column of a table", "write --table layers, or another format")
	}
	if f.layer != "" && f.layer != allLayers {
		if n, err := strconv.Atoi(f.layer); err != nil || n < 0 {
			return usage(fmt.Sprintf("--layer: %q is not a layer number or all", f.layer), "layers are numbered from 0")
		}
	}
	if f.out != "-" && f.layer != allLayers {
		return advisePath(export.Free(f.out))
	}
	return nil
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
	if err := f.check(); err != nil {
		return err
	}
	if err := checkWhere(f.data, f.url); err != nil {
		return err
	}
	if f.url != "" {
		return a.exportRemote(ctx, f)
	}
	s, err := a.openResults(ctx, f.data)
	if err != nil {
		return err
	}
	defer s.close()
	if !f.rows() {
		return a.exportTable(s, f)
	}
	return a.exportCounts(ctx, s, f)
}

func (a *app) exportTable(s *storedRun, f exportFlags) error {
	t, o, err := s.tableExport(f)
	if err != nil {
		return err
	}
	return a.output(f.out, export.Format(f.format), export.FromTable(t), o)
}

// tableExport returns the table that is asked for and how it is to be shown.
func (s *storedRun) tableExport(f exportFlags) (*puzzle.Table, export.Options, error) {
	t, err := s.table(f.what)
	o := export.Options{Column: f.column, Log: f.scale == "log", Title: s.config.Text("name")}
	if f.column != "" {
		o.Title += ": " + f.column
	}
	return t, o, err
}

// table returns the table of the results of that name.
func (s *storedRun) table(name string) (*puzzle.Table, error) {
	if name == whatWindows {
		return windowsTable(s.results, s.folder.Ledger)
	}
	sum, err := s.puzzle.Summarise(s.results)
	if err != nil {
		return nil, err
	}
	names := []string{whatCounts, whatRows, whatWindows}
	for i := range sum.Tables {
		if sum.Tables[i].Name == name {
			return &sum.Tables[i], nil
		}
		names = append(names, sum.Tables[i].Name)
	}
	return nil, usage(fmt.Sprintf("--table: the run has no table %q", name), "it has "+strings.Join(names, ", "))
}

// sortMemory bounds the rows of a layer that are sorted in memory.
const sortMemory = 256 << 20

func (a *app) exportCounts(ctx context.Context, s *storedRun, f exportFlags) error {
	exporter, layers, err := s.rowsExport(f)
	if err != nil {
		return err
	}
	// All paths are looked at before the first byte is written, and no file appears before all are complete.
	var files []*export.File
	defer func() {
		for _, file := range files {
			file.Abort()
		}
	}()
	for _, n := range layers {
		if f.out != "-" {
			if err := export.Free(layerPath(f.out, n)); err != nil {
				return advisePath(err)
			}
		}
	}
	for _, n := range layers {
		if f.out == "-" {
			w := bufio.NewWriterSize(a.stdout, 1<<16)
			if err := s.writeLayer(ctx, w, exporter, n, f, os.TempDir(), sortMemory); err != nil {
				return err
			}
			return w.Flush()
		}
		path := layerPath(f.out, n)
		file, err := export.Create(path)
		if err != nil {
			return advisePath(err)
		}
		files = append(files, file)
		if err := s.writeLayer(ctx, file, exporter, n, f, filepath.Dir(path), sortMemory); err != nil {
			return err
		}
	}
	for _, file := range files {
		if err := file.Commit(); err != nil {
			return advisePath(err)
		}
	}
	return nil
}

// rowsExport returns what makes rows of blocks, and the layers that are asked for.
func (s *storedRun) rowsExport(f exportFlags) (puzzle.Exporter, []int, error) {
	exporter, ok := s.puzzle.(puzzle.Exporter)
	if !ok {
		return nil, nil, usage(fmt.Sprintf("puzzle %s stores no rows that could be shown", s.puzzle.Identity().Puzzle),
			"try --table layers")
	}
	if f.layer == "" {
		if len(s.results.Progress()) != 1 {
			return nil, nil, usage("--table "+f.what+" needs a layer",
				"write --layer 19, or --layer all with --out counts-{layer}.csv")
		}
		f.layer = "0"
	}
	layers, err := s.exportable(f.layer)
	return exporter, layers, err
}

// layerPath puts the number of the layer into the name of the file.
func layerPath(out string, layer int) string {
	dir, base := filepath.Split(out)
	return dir + strings.ReplaceAll(base, layerMark, fmt.Sprintf("%02d", layer))
}

// exportable returns the layers that the flag --layer names, and checks that they are complete.
func (s *storedRun) exportable(flag string) ([]int, error) {
	progress := s.results.Progress()
	if flag == allLayers {
		var layers []int
		for _, p := range progress {
			if p.Done < p.Windows {
				return nil, incomplete(p)
			}
			if p.Rows > 0 {
				layers = append(layers, p.Layer)
			}
		}
		return layers, nil
	}
	n, err := strconv.Atoi(flag)
	if err != nil || n >= len(progress) {
		return nil, usage(fmt.Sprintf("--layer: there is no layer %s", flag),
			fmt.Sprintf("the run has layers 0 to %d", len(progress)-1))
	}
	if p := progress[n]; p.Done < p.Windows {
		return nil, incomplete(p)
	}
	return []int{n}, nil
}

func incomplete(p plan.Progress) error {
	return cli.Hint(fmt.Errorf("layer %d is not complete: %d of %d windows are committed", p.Layer, p.Done, p.Windows),
		"run the config again to resume")
}

// writeLayer writes the rows of a layer, sorted.
func (s *storedRun) writeLayer(
	ctx context.Context, w io.Writer, exporter puzzle.Exporter, layer int, f exportFlags, tmp string, memory int,
) (err error) {
	sorter := export.NewSorter(exporter.RowColumns(), tmp, memory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	for _, c := range s.results.Cells(layer) {
		err := s.scan(ctx, c.Cell, func(b *puzzle.Block) error {
			return exporter.ExportRows(c.Cell, b, sorter.Add)
		})
		if err != nil {
			return notKept(err, layer)
		}
	}
	return export.Write(w, export.Format(f.format), sorter.Rows(), export.Options{})
}

// notKept adds advice to the error of reading rows.
func notKept(err error, layer int) error {
	switch {
	case errors.Is(err, kv.ErrCorrupt):
		return cli.Hint(err, "verify the run: it marks what is damaged, and running the config again computes it anew")
	case errors.Is(err, puzzle.ErrMissing):
		return cli.Hint(fmt.Errorf("layer %d: %w", layer, err),
			"rows that worker processes computed are with them: export --url asks the coordinator while it runs or lingers;"+
				" otherwise run the config with retention=all in a new folder")
	}
	return fmt.Errorf("layer %d: %w", layer, err)
}

// output writes rows to a new file, or to stdout.
func (a *app) output(path string, format export.Format, rows export.Rows, o export.Options) error {
	if path != "-" {
		return advisePath(export.WriteFile(path, format, rows, o))
	}
	w := bufio.NewWriterSize(a.stdout, 1<<16)
	if err := export.Write(w, format, rows, o); err != nil {
		return err
	}
	return w.Flush()
}
