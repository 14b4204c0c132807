package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
)

// settingFlags are the flags of every command that reads a config.
type settingFlags struct {
	set         []string
	data        string
	concurrency string
	export      string
	from        string // of run alone
}

func (f *settingFlags) add(cmd *cobra.Command, all catalog.Catalog) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a `key=value` of the config; may be given several times")
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of the run; short for --set data_dir=...")
	cmd.Flags().StringVar(&f.concurrency, "concurrency", "",
		"`number` of windows computed at a time; short for --set concurrency=...")
	cmd.Flags().StringVar(&f.export, "export", "",
		"`folder` or s3://BUCKET/PREFIX for tables of the complete run; short for --set export=...")
	for flag, complete := range map[string]cobra.CompletionFunc{
		"set": completeSet(all), "concurrency": cobra.NoFileCompletions,
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // the flag is defined above
		}
	}
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err)
	}
}

// completeSet offers the keys of every puzzle.
func completeSet(all catalog.Catalog) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		keys := config.General("", all.Names(), config.Machine{}, nil)
		for i := range all {
			keys = append(keys, all[i].Settings...)
		}
		var out []cobra.Completion
		for _, k := range keys {
			out = append(out, cobra.CompletionWithDesc(k.Name+"=", k.Doc))
		}
		return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// completeConfig offers yaml files.
func completeConfig(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// overrides are the settings that the flags give.
func (f *settingFlags) overrides() ([]config.Override, error) {
	var list []config.Override
	for _, s := range f.set {
		v, err := config.ParseSet(s)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	for _, short := range []config.Override{
		{Key: "data_dir", Value: f.data, Flag: "--data"}, {Key: "concurrency", Value: f.concurrency, Flag: "--concurrency"},
		{Key: "export", Value: f.export, Flag: "--export"}, {Key: "archive", Value: f.from, Flag: "--from"},
	} {
		if short.Value != "" {
			list = append(list, short)
		}
	}
	return list, nil
}

// loader makes jobs of configs and data folders.
func (a *app) loader() runs.Loader { return runs.Loader{Catalog: a.catalog, Environ: a.environ} }

// load reads a config and makes its puzzle.
func (a *app) load(ctx context.Context, path string, f *settingFlags) (*runs.Job, error) {
	overrides, err := f.overrides()
	if err != nil {
		return nil, err
	}
	j, err := a.loader().Load(ctx, path, overrides)
	if err != nil && batch.Holds(path) {
		return nil, usage(path+" is a batch, and no config of one run",
			"coordinator batch plan and batch run take it, and k8s render and k8s launch do")
	}
	return j, err
}

func (a *app) configCommand() *cobra.Command {
	var f settingFlags
	var output string
	cmd := &cobra.Command{
		Use:   "config CONFIG",
		Short: "print every effective value and where it came from",
		Long: `Print every effective value and where it came from: the default, the file, the environment or a flag.

A later source overrides an earlier one: default, file, environment PAGODA_<KEY>, --set key=value. The output is itself
a config file. Nothing is computed or created.`,
		Example: `  coordinator config configs/english.yaml
  PAGODA_CONCURRENCY=4 coordinator config configs/english.yaml --set retention=last`,
		Args:              oneFile("config"),
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			j, err := a.load(ctx, args[0], &f)
			if err != nil {
				return err
			}
			if output == render.JSON {
				return a.print(settingsJSON(j.Config))
			}
			text, err := j.Config.YAML(true)
			if err != nil {
				return err
			}
			return a.print(text)
		}),
	}
	f.add(cmd, a.catalog)
	addOutput(cmd, &output)
	return cmd
}

// settingsJSON is an array of {"key","value","origin"}, the values as texts.
func settingsJSON(c *config.Config) []byte {
	b := []byte("[\n")
	for i, s := range c.Settings() {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, `  {"key":`...)
		b = export.AppendJSON(b, s.Setting.Name)
		b = export.AppendJSON(append(b, `,"value":`...), s.Value)
		b = export.AppendJSON(append(b, `,"origin":`...), s.Origin)
		b = append(b, '}')
	}
	return append(b, "\n]\n"...)
}

func addOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVar(output, "output", render.Text, "`format` of the result on stdout: text or json")
	if err := cmd.RegisterFlagCompletionFunc(
		"output",
		cobra.FixedCompletions(
			[]cobra.Completion{render.Text, render.JSON},
			cobra.ShellCompDirectiveNoFileComp,
		),
	); err != nil {
		panic(err)
	}
}

func checkOutput(output string) error {
	if output != render.Text && output != render.JSON {
		return usage(fmt.Sprintf("--output: %q is not text or json", output), "write --output json")
	}
	return nil
}
