package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// questionFlags are the flags that the commands of all questions have, as far as the question needs them.
type questionFlags struct {
	data, config, url, keys string
	form                    render.Form
	out                     string
	exitCode                bool
}

// puzzleCommand holds the questions of one puzzle.
func (a *app) puzzleCommand(d *puzzle.Definition) *cobra.Command {
	var names, examples []string
	for i := range d.Questions {
		q := &d.Questions[i]
		names = append(names, q.Name)
		if len(q.Examples) > 0 {
			examples = append(examples, exampleText(d, q, q.Examples[0]))
		}
	}
	cmd := &cobra.Command{
		Use: d.Name, Short: d.Short, Long: d.Long, Example: strings.Join(examples, "\n"),
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("no command is given after " + d.Name + ": " + setting.List(names))
		},
	}
	for i := range d.Questions {
		cmd.AddCommand(a.questionCommand(d, &d.Questions[i]))
	}
	return cmd
}

func exampleText(d *puzzle.Definition, q *puzzle.Question, text string) string {
	return strings.TrimRight("  coordinator "+d.Name+" "+q.Name+" "+text, " ")
}

// questionCommand makes a command of a question.
func (a *app) questionCommand(d *puzzle.Definition, q *puzzle.Question) *cobra.Command {
	var f questionFlags
	var examples []string
	for _, e := range q.Examples {
		examples = append(examples, exampleText(d, q, e))
	}
	cmd := &cobra.Command{
		Use: q.Usage(), Short: q.Short, Long: q.Long, Example: strings.Join(examples, "\n"),
		Args:              func(cmd *cobra.Command, args []string) error { return checkArgs(cmd, q, args) },
		ValidArgsFunction: completeArgs(q),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.started = true
		given := map[string]string{}
		for _, s := range q.Flags {
			if flag := cmd.Flags().Lookup(flagName(s.Name)); flag.Changed {
				given[s.Name] = flag.Value.String()
			}
		}
		args, err := readFiles(cmd.Context(), q, args)
		if err != nil {
			return err
		}
		return a.ask(cmd.Context(), d, q, args, given, &f)
	}
	flags := cmd.Flags()
	complete := map[string][]cobra.Completion{"output": render.Outputs(q)}
	for i := range q.Flags {
		s := &q.Flags[i]
		flags.VarPF(&settingFlag{text: s.Default, setting: s}, flagName(s.Name), s.Letter, s.Doc)
		if s.Kind == setting.Boolean {
			flags.Lookup(flagName(s.Name)).NoOptDefVal = "true"
		}
		complete[flagName(s.Name)] = s.Choices
	}
	flags.StringVar(&f.form.Output, "output", render.Text, "`format` of the answer: "+setting.List(render.Outputs(q)))
	flags.StringVar(&f.out, "out", "-", "output `file`, which must not exist; - is stdout")
	for _, o := range q.Outputs {
		if o == puzzle.Tables {
			flags.StringVar(&f.form.Table, "table", "", "`name` of the table to write; the first of the answer's")
			complete["table"] = nil
		} else if flags.Lookup("figure") == nil {
			flags.StringVar(&f.form.Figure, "figure", "", "`name` of the only picture to draw; all of the answer's")
			complete["figure"] = nil
		}
	}
	if q.Decides != "" {
		flags.BoolVar(&f.exitCode, "exit-code", false, fmt.Sprintf(
			"end with %d where there is %s, %d where there is none, and %d where that is not known",
			cli.OK, q.Decides, cli.No, cli.Undecided))
	}
	if q.Needs != puzzle.NeedsNothing {
		flags.StringVar(&f.data, "data", "", "data `folder` of the run")
		flags.StringVar(&f.config, "config", "", "`config` of the run, in the folder that it would use")
		addURL(cmd, &f.url, &f.keys)
		if err := errors.Join(cmd.MarkFlagDirname("data"), cmd.MarkFlagFilename("config", "yaml", "yml")); err != nil {
			panic(err) // the flags are defined above
		}
	}
	for flag, values := range complete {
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return cmd
}

// flagName is the flag of a setting.
func flagName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// completeArgs offers the values of an argument.
func completeArgs(q *puzzle.Question) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		k := len(args)
		if n := len(q.Args); n > 0 && q.Args[n-1].Repeated {
			k = min(k, n-1)
		}
		if k >= len(q.Args) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if q.Args[k].File {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return append(q.Args[k].Choices, q.Args[k].Completions...), cobra.ShellCompDirectiveNoFileComp
	}
}

// A settingFlag is the text of a question's flag. It is checked with all others when the question is asked.
type settingFlag struct {
	text    string
	setting *setting.Setting
}

func (f *settingFlag) String() string { return f.text }

// Set implements pflag.Value.
func (f *settingFlag) Set(text string) error {
	f.text = text
	return nil
}

// Type implements pflag.Value: it is the name of the value in the help.
func (f *settingFlag) Type() string {
	switch f.setting.Kind {
	case setting.Integer:
		return "number"
	case setting.Choice:
		return "choice"
	case setting.Boolean:
		return "bool"
	case setting.Duration:
		return "time"
	}
	return "text"
}

var _ pflag.Value = (*settingFlag)(nil)
