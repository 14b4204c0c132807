package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/app/api"
	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/output/book"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
)

// batchCommand is the group of the commands about a batch.
func (a *app) batchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "plan and carry out many runs as one, and join their results",
		Long: `Plan and carry out many runs as one, and join their results in one table.

A batch is a YAML file: a base config with a matrix of keys, as in GitHub Actions, or a list of configs. Every member
has a data folder of its own, which all other commands open. See docs/batches.md.`,
		Example: `  coordinator batch plan configs/batches/triangles.yaml
  coordinator batch run configs/batches/triangles.yaml
  coordinator batch export configs/batches/triangles.yaml --format markdown`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usage("no command is given", "coordinator batch --help lists plan, run, status and export")
		},
	}
	cmd.AddCommand(a.batchPlanCommand(), a.batchRunCommand(), a.batchStatusCommand(), a.batchExportCommand())
	return cmd
}

// addBatchFolder adds the flag that names the folder of a batch.
func addBatchFolder(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", "",
		"`folder` of the batch, with a data folder for each member; unless given, runs/<name>")
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
}

func (a *app) batchPlanCommand() *cobra.Command {
	var data, output string
	var step float64
	var prices priceFlags
	cmd := &cobra.Command{
		Use:   "plan BATCH",
		Short: "say what a batch will take, before anything runs",
		Long: `Say what a batch will take, before anything runs: memory, disk and time of each member, and of all of them.
Memory is that of the largest members at a time, disk that of all members together. With prices it says what each member
costs, and all of them. Nothing is created.`,
		Example: `  coordinator batch plan configs/batches/triangles.yaml
  coordinator batch plan configs/batches/english-pairs.yaml --price-core-hour 0.04`,
		Args: oneFile("batch"), ValidArgsFunction: completeConfig,
	}
	addBatchFolder(cmd, &data)
	cmd.Flags().Float64Var(&step, "step", 0, "`nanoseconds` that a predicted step takes, which is not measured then")
	prices.add(cmd)
	addOutput(cmd, &output)
	cmd.RunE = a.action(func(ctx context.Context, args []string) error {
		if !(step >= 0) || math.IsInf(step, 0) {
			return &cli.UsageError{Err: fmt.Errorf("--step %v: want a time of 0 or more", step)}
		}
		given, err := prices.prices()
		if err := errors.Join(err, checkOutput(output)); err != nil {
			return err
		}
		b, err := batch.Load(ctx, a.loader(), args[0], data)
		if err != nil {
			return err
		}
		t := tellEvery(a.stderr, tellInterval)
		defer t.stop()
		fleets := estimate.Fleets{Progress: t.say, Prices: given}
		if step > 0 {
			r := estimate.GivenRate(step / 1e9)
			fleets.Rate = &r
		}
		p, err := b.MakePlan(ctx, fleets)
		if err != nil {
			return err
		}
		if output == render.JSON {
			return a.printJSON(p)
		}
		return a.print(p.Text(a.style()))
	})
	return cmd
}

// A batchSource says where a batch is: in its folder here, or with a coordinator that carries it out.
type batchSource struct{ data, url, keys string }

// add adds the flags of a source, and the check of the arguments.
func (s *batchSource) add(cmd *cobra.Command) {
	addBatchFolder(cmd, &s.data)
	addURL(cmd, &s.url, &s.keys)
	cmd.ValidArgsFunction = completeConfig
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if s.url == "" {
			return oneFile("batch")(cmd, args)
		}
		if len(args) > 0 || s.data != "" {
			return usage("--url excludes a batch and --data", "the coordinator knows its batch")
		}
		return nil
	}
}

// ask asks the coordinator of --url.
func (s *batchSource) ask(ctx context.Context) (*api.Client, *batchReport, error) {
	c, err := api.Dial(s.url, s.keys)
	if err != nil {
		return nil, nil, err
	}
	r, err := askBatch(ctx, c)
	return c, r, err
}

func (a *app) batchStatusCommand() *cobra.Command {
	var from batchSource
	var output string
	cmd := &cobra.Command{
		Use:   "status BATCH | --url URL",
		Short: "say how far a batch is",
		Long: `Say how far each member of a batch is: waiting, running, exporting, stopped, complete or failed, and why it has
failed. Works while the batch goes on. Nothing is changed.

With --url it asks a coordinator that carries out the batch with --api, on whatever machine.`,
		Example: `  coordinator batch status configs/batches/triangles.yaml --output json
  coordinator batch status --url https://head:7443 --certs keys/coordinator`,
	}
	from.add(cmd)
	addOutput(cmd, &output)
	cmd.RunE = a.action(func(ctx context.Context, args []string) error {
		if err := checkOutput(output); err != nil {
			return err
		}
		if from.url != "" {
			_, r, err := from.ask(ctx)
			if err != nil {
				return err
			}
			return a.print(a.statusAs(r, output))
		}
		b, err := batch.Load(ctx, a.loader(), args[0], from.data)
		if err != nil {
			return err
		}
		s, err := b.Status(ctx)
		if err != nil {
			return err
		}
		if output == render.JSON {
			return a.printJSON(s)
		}
		return a.print(s.Text(a.style()))
	})
	return cmd
}

func (a *app) batchExportCommand() *cobra.Command {
	what := runs.Selection{Table: batch.MembersTable}
	var from batchSource
	var out string
	cmd := &cobra.Command{
		Use:   "export BATCH | --url URL",
		Short: "write one table of the results of a batch",
		Long: `Write one table of the results of a batch to a file or to stdout: a row for each complete member, with its
name, its run, the keys of the matrix, and the totals of its run. With --table layers, or another table of the results,
the rows of that table of all members. Counts keep every digit. A file appears complete or not at all, and none is
overwritten.

--format page makes a page for a browser, one file, with the members that are not complete below the table.

With --url a coordinator that carries out the batch with --api writes the table.`,
		Example: `  coordinator batch export configs/batches/triangles.yaml --format markdown
  coordinator batch export configs/batches/triangles.yaml --table layers
  coordinator batch export configs/batches/triangles.yaml --format parquet --out triangles.parquet
  coordinator batch export configs/batches/triangles.yaml --format page --out triangles.html
  coordinator batch export --url https://head:7443 --certs keys/coordinator --out triangles.csv`,
	}
	from.add(cmd)
	cmd.Flags().StringVar(&what.Format, "format", string(export.CSV), "`format`: "+strings.Join(batchFormats, ", "))
	cmd.Flags().StringVar(&what.Table, "table", batch.MembersTable,
		"`table`: members, or a table of the results of all members")
	cmd.Flags().StringVar(&out, "out", "-", "output `file`, which must not exist; - is stdout")
	for flag, values := range map[string][]cobra.Completion{
		"format": batchFormats, "table": {batch.MembersTable, runs.LayersTable},
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is defined above
		}
	}
	cmd.RunE = a.action(func(ctx context.Context, args []string) error {
		if err := checkBatchFormat(what.Format); err != nil {
			return err
		}
		o := &outputs{}
		if out != "-" {
			if err := o.free(ctx, out); err != nil {
				return err
			}
		}
		write, err := a.batchTable(ctx, &from, args, what)
		if err != nil {
			return err
		}
		return a.output(ctx, o, out, write)
	})
	return cmd
}

// batchTable returns the function that writes a table of a batch, and says how many members have no row.
func (a *app) batchTable(
	ctx context.Context, from *batchSource, args []string, what runs.Selection,
) (write func(io.Writer) error, err error) {
	if from.url != "" {
		c, r, err := from.ask(ctx)
		if err != nil {
			return nil, err
		}
		noteWaiting(a.stderr, len(r.Members)-r.Complete, len(r.Members))
		return func(w io.Writer) error {
			_, err := c.Export(ctx, what, w)
			return err
		}, nil
	}
	b, err := batch.Load(ctx, a.loader(), args[0], from.data)
	if err != nil {
		return nil, err
	}
	t, waiting, err := b.Table(ctx, what.Table)
	if err != nil {
		return nil, err
	}
	noteWaiting(a.stderr, waiting, len(b.Members))
	return func(w io.Writer) error { return writeBatchTable(ctx, w, b, t, what) }, nil
}

// noteWaiting says how many members have no row in a table.
func noteWaiting(stderr io.Writer, waiting, members int) {
	if waiting > 0 {
		_, _ = fmt.Fprintf(stderr, "%d of %s not complete and without a row\n", waiting, plural.Of(members, "member"))
	}
}

// pageFormat is a page for a browser.
const pageFormat = "page"

// batchFormats are the formats of a table of a batch.
var batchFormats = append(slices.Clone(finalFormats), pageFormat)

// writeBatchTable writes a table of a batch. On a page the members follow that are not complete.
func writeBatchTable(
	ctx context.Context, w io.Writer, b *batch.Batch, t *puzzle.Table, what runs.Selection,
) error {
	if what.Format != pageFormat {
		return what.Write(w, export.FromTable(t), b.Name, b.Origin(what.Table))
	}
	left, err := b.Unfinished(ctx)
	if err != nil {
		return err
	}
	about := fmt.Sprintf("A batch of %s; %d complete.", plural.Of(len(b.Members), "member"),
		len(b.Members)-len(left.Rows))
	tables := []*puzzle.Table{t, left}
	if len(left.Rows) == 0 {
		tables = tables[:1]
	}
	page, err := book.TablesPage(b.Name, about, tables...)
	if err == nil {
		_, err = w.Write(page)
	}
	return err
}

func checkBatchFormat(format string) error {
	if slices.Contains(batchFormats, format) {
		return nil
	}
	return usage(fmt.Sprintf("--format: %q is not one of %s", format, strings.Join(batchFormats, ", ")),
		"write --format csv")
}
