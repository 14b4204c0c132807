package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"pagoda/internal/catalog"
	"pagoda/internal/cli"
	"pagoda/internal/config"
	"pagoda/internal/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/rundir"
)

// settingFlags are the flags of every command that reads a config.
type settingFlags struct {
	set     []string
	data    string
	workers string
}

func (f *settingFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a `key=value` of the config; may be given several times")
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of the run; short for --set data_dir=...")
	cmd.Flags().StringVar(
		&f.workers,
		"concurrency",
		"",
		"`number` of windows computed at a time; short for --set concurrency=...",
	)
	for flag, complete := range map[string]cobra.CompletionFunc{
		"set": completeSet, "concurrency": cobra.NoFileCompletions,
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
func completeSet(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	keys := config.General("", catalog.Names(), config.Machine{})
	for _, name := range catalog.Names() {
		more, err := catalog.Keys(name)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		keys = append(keys, more...)
	}
	var out []cobra.Completion
	for _, k := range keys {
		out = append(out, cobra.CompletionWithDesc(k.Name+"=", k.Doc))
	}
	return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completeConfig offers yaml files.
func completeConfig(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// options says where the settings of a config at path come from.
func (a *app) options(path string, f *settingFlags) (config.Options, error) {
	o := config.Options{
		General: config.General(path, catalog.Names(), cli.Machine()), Puzzle: catalog.Keys, Environ: a.environ,
	}
	for _, s := range f.set {
		v, err := config.ParseSet(s)
		if err != nil {
			return o, err
		}
		o.Overrides = append(o.Overrides, v)
	}
	for _, short := range []config.Override{
		{Key: "data_dir", Value: f.data, Flag: "--data"}, {Key: "concurrency", Value: f.workers, Flag: "--concurrency"},
	} {
		if short.Value != "" {
			o.Overrides = append(o.Overrides, short)
		}
	}
	return o, nil
}

// A job is a config with the puzzle it describes.
type job struct {
	config *config.Config
	puzzle puzzle.Puzzle
	run    string // run ID
	dir    string // data folder
}

// load reads a config and makes its puzzle.
func (a *app) load(ctx context.Context, path string, f *settingFlags) (*job, error) {
	o, err := a.options(path, f)
	if err != nil {
		return nil, err
	}
	c, err := config.Load(path, o)
	if err != nil {
		return nil, err
	}
	return newJob(ctx, c)
}

func newJob(ctx context.Context, c *config.Config) (*job, error) {
	p, err := await(ctx, func() (puzzle.Puzzle, error) { return catalog.Build(c) })
	if err != nil {
		return nil, err
	}
	j := &job{config: c, puzzle: p, run: rundir.RunID(p.Identity()), dir: c.Text("data_dir")}
	if j.dir == "" {
		j.dir = fmt.Sprintf("runs/%s-%s", c.Text("name"), j.run)
	}
	return j, nil
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
		Args:              oneConfig,
		ValidArgsFunction: completeConfig,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			j, err := a.load(ctx, args[0], &f)
			if err != nil {
				return err
			}
			if output == outputJSON {
				return a.print(settingsJSON(j.config))
			}
			text, err := j.config.YAML(true)
			if err != nil {
				return err
			}
			return a.print(text)
		}),
	}
	f.add(cmd)
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

// Values of --output.
const (
	outputText = "text"
	outputJSON = "json"
)

func addOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVar(output, "output", outputText, "`format` of the result on stdout: text or json")
	if err := cmd.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions([]cobra.Completion{outputText, outputJSON}, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

func checkOutput(output string) error {
	if output != outputText && output != outputJSON {
		return usage(fmt.Sprintf("--output: %q is not text or json", output), "write --output json")
	}
	return nil
}
