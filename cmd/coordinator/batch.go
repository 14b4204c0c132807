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

	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/config"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
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

// batchAction makes the function of a command about a batch, with its folder as a flag. check returns settings of all
// members, which stand above those of the file.
func (a *app) batchAction(
	cmd *cobra.Command, fn func(context.Context, *batch.Batch) error, check func() ([]config.Override, error),
) {
	var data string
	cmd.Args, cmd.ValidArgsFunction = oneFile("batch"), completeConfig
	cmd.Flags().StringVar(&data, "data", "",
		"`folder` of the batch, with a data folder for each member; unless given, runs/<name>")
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
	cmd.RunE = a.action(func(ctx context.Context, args []string) error {
		given, err := check()
		if err != nil {
			return err
		}
		b, err := batch.Load(ctx, a.loader(), args[0], data, given...)
		if err != nil {
			return err
		}
		return fn(ctx, b)
	})
}

func (a *app) batchPlanCommand() *cobra.Command {
	var output string
	var step float64
	var prices priceFlags
	var given *estimate.Prices
	cmd := &cobra.Command{
		Use:   "plan BATCH",
		Short: "say what a batch will take, before anything runs",
		Long: `Say what a batch will take, before anything runs: memory, disk and time of each member, and of all of them.
Memory is that of the largest members at a time, disk that of all members together. With prices it says what each member
costs, and all of them. Nothing is created.`,
		Example: `  coordinator batch plan configs/batches/triangles.yaml
  coordinator batch plan configs/batches/english-pairs.yaml --price-core-hour 0.04`,
	}
	cmd.Flags().Float64Var(&step, "step", 0, "`nanoseconds` that a predicted step takes, which is not measured then")
	prices.add(cmd)
	addOutput(cmd, &output)
	a.batchAction(cmd, func(ctx context.Context, b *batch.Batch) error {
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
	}, func() ([]config.Override, error) {
		if !(step >= 0) || math.IsInf(step, 0) {
			return nil, &cli.UsageError{Err: fmt.Errorf("--step %v: want a time of 0 or more", step)}
		}
		var err error
		given, err = prices.prices()
		return nil, errors.Join(err, checkOutput(output))
	})
	return cmd
}

func (a *app) batchStatusCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "status BATCH",
		Short: "say how far a batch is",
		Long: `Say how far each member of a batch is: waiting, running, exporting, stopped, complete or failed, and why it has
failed. Works while the batch goes on. Nothing is changed.`,
		Example: `  coordinator batch status configs/batches/triangles.yaml --output json`,
	}
	addOutput(cmd, &output)
	a.batchAction(cmd, func(ctx context.Context, b *batch.Batch) error {
		s, err := b.Status(ctx)
		if err != nil {
			return err
		}
		if output == render.JSON {
			return a.printJSON(s)
		}
		return a.print(s.Text(a.style()))
	}, func() ([]config.Override, error) { return nil, checkOutput(output) })
	return cmd
}

func (a *app) batchExportCommand() *cobra.Command {
	what := runs.Selection{Table: batch.MembersTable}
	var out string
	cmd := &cobra.Command{
		Use:   "export BATCH",
		Short: "write one table of the results of a batch",
		Long: `Write one table of the results of a batch to a file or to stdout: a row for each complete member, with its
name, its run, the keys of the matrix, and the totals of its run. With --table layers, or another table of the results,
the rows of that table of all members. Counts keep every digit. A file appears complete or not at all, and none is
overwritten.`,
		Example: `  coordinator batch export configs/batches/triangles.yaml --format markdown
  coordinator batch export configs/batches/triangles.yaml --table layers
  coordinator batch export configs/batches/triangles.yaml --format parquet --out triangles.parquet`,
	}
	cmd.Flags().StringVar(&what.Format, "format", string(export.CSV), "`format`: "+strings.Join(finalFormats, ", "))
	cmd.Flags().StringVar(&what.Table, "table", batch.MembersTable,
		"`table`: members, or a table of the results of all members")
	cmd.Flags().StringVar(&out, "out", "-", "output `file`, which must not exist; - is stdout")
	for flag, values := range map[string][]cobra.Completion{
		"format": finalFormats, "table": {batch.MembersTable, runs.LayersTable},
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is defined above
		}
	}
	a.batchAction(cmd, func(ctx context.Context, b *batch.Batch) error {
		o := &outputs{}
		if out != "-" {
			if err := o.free(ctx, out); err != nil {
				return err
			}
		}
		t, waiting, err := b.Table(ctx, what.Table)
		if err != nil {
			return err
		}
		if waiting > 0 {
			_, _ = fmt.Fprintf(a.stderr, "%d of %s not complete and without a row\n", waiting,
				plural.Of(len(b.Members), "member"))
		}
		return a.output(ctx, o, out, func(w io.Writer) error {
			return what.Write(w, export.FromTable(t), b.Name, b.Origin(what.Table))
		})
	}, func() ([]config.Override, error) {
		if !slices.Contains(finalFormats, what.Format) {
			return nil, usage(fmt.Sprintf("--format: %q is not one of %s", what.Format, strings.Join(finalFormats, ", ")),
				"write --format csv")
		}
		return nil, nil
	})
	return cmd
}
