package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pagoda/internal/api"
	"pagoda/internal/cli"
	"pagoda/internal/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/render"
	"pagoda/internal/rundir"
	"pagoda/internal/runs"
	"pagoda/internal/setting"
)

// questionFlags are the flags that the commands of all questions have, as far as the question needs them.
type questionFlags struct {
	data, config, url, keys string
	form                    render.Form
	out                     string
}

// puzzleCommand holds the questions of one puzzle.
func (a *app) puzzleCommand(d *puzzle.Definition) *cobra.Command {
	var names, examples []string
	for i := range d.Questions {
		q := &d.Questions[i]
		names = append(names, q.Name)
		if len(q.Examples) > 0 {
			examples = append(examples, example(d, q, q.Examples[0]))
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

func example(d *puzzle.Definition, q *puzzle.Question, text string) string {
	return strings.TrimRight("  coordinator "+d.Name+" "+q.Name+" "+text, " ")
}

// questionCommand makes a command of a question.
func (a *app) questionCommand(d *puzzle.Definition, q *puzzle.Question) *cobra.Command {
	var f questionFlags
	var examples []string
	for _, e := range q.Examples {
		examples = append(examples, example(d, q, e))
	}
	cmd := &cobra.Command{
		Use: q.Usage(), Short: q.Short, Long: q.Long, Example: strings.Join(examples, "\n"),
		Args:              func(_ *cobra.Command, args []string) error { return adviseQuestion(q, q.CheckArgs(args)) },
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

// completeArgs offers what an argument can be.
func completeArgs(q *puzzle.Question) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		k := len(args)
		if n := len(q.Args); n > 0 && q.Args[n-1].Repeated {
			k = min(k, n-1)
		}
		if k >= len(q.Args) {
			return nil, cobra.ShellCompDirectiveNoFileComp
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

// Type implements pflag.Value: it is what help calls the value.
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

// ask asks a question of a puzzle and writes the answer. What can be known to be wrong is said before anything is read.
func (a *app) ask(
	ctx context.Context, d *puzzle.Definition, q *puzzle.Question, args []string, given map[string]string, f *questionFlags,
) error {
	request, err := q.Request(args, given)
	if err == nil {
		err = f.form.Check(q)
	}
	if err != nil {
		return adviseQuestion(q, err)
	}
	if f.out != "-" {
		if err := advisePath(export.Free(f.out)); err != nil {
			return err
		}
	}
	if err := f.checkWhere(q); err != nil {
		return err
	}
	if f.url != "" {
		r, err := api.Dial(f.url, f.keys)
		if err != nil {
			return err
		}
		err = a.output(f.out, func(w io.Writer) error { return r.Ask(ctx, d.Name, q.Name, args, given, f.form, w) })
		return adviseQuestion(q, err)
	}
	answer, about, err := a.answer(ctx, d, q, request, f)
	if err != nil {
		return adviseQuestion(q, err)
	}
	return adviseQuestion(q, a.output(f.out, func(w io.Writer) error {
		return render.Answer(ctx, w, answer, about, f.form)
	}))
}

// checkWhere demands one source of what the question needs, or none where it can do without.
func (f *questionFlags) checkWhere(q *puzzle.Question) error {
	named := 0
	for _, where := range []string{f.data, f.config, f.url} {
		if where != "" {
			named++
		}
	}
	if q.Needs == puzzle.NeedsNothing || named == 1 || named == 0 && q.Instead != nil {
		return nil
	}
	return usage("one of --data, --config and --url must be given",
		"--data names a folder, --config the config of a run, --url a coordinator that runs with --api")
}

// answer asks a question here: of nothing, of the folder that is named, or of a small run in memory.
func (a *app) answer(
	ctx context.Context, d *puzzle.Definition, q *puzzle.Question, r puzzle.Request, f *questionFlags,
) (*puzzle.Answer, render.About, error) {
	about := render.About{Puzzle: d.Name, Title: q.Short}
	if q.Needs == puzzle.NeedsNothing {
		answer, err := cli.Await(ctx, func() (*puzzle.Answer, error) { return q.Answer(ctx, r) })
		return answer, about, err
	}
	if f.data == "" && f.config == "" {
		answer, run, err := runs.AskSmall(ctx, d, q, r)
		about.Run = run
		return answer, about, err
	}
	s, err := a.asked(ctx, f)
	if err != nil {
		return nil, about, err
	}
	defer s.Close()
	if s.Definition.Name != d.Name {
		return nil, about, usage("run "+s.ID+" is about the puzzle "+s.Definition.Name,
			"give a run of the puzzle "+d.Name+", or ask a question of "+s.Definition.Name)
	}
	answer, err := s.Ask(ctx, q, r)
	return answer, s.About(q), err
}

// asked opens the run that is asked about, by its folder or by its config.
func (a *app) asked(ctx context.Context, f *questionFlags) (*runs.Stored, error) {
	if f.config == "" {
		return a.loader().Results(ctx, f.data)
	}
	want, err := a.load(ctx, f.config, &settingFlags{})
	if err != nil {
		return nil, err
	}
	s, err := a.loader().Results(ctx, want.Dir)
	if errors.Is(err, rundir.ErrNoRun) {
		return nil, usage(fmt.Sprintf("%s: it has not been run yet: no run is stored in %s", f.config, want.Dir),
			"coordinator run "+f.config)
	}
	if err != nil {
		return nil, err
	}
	if err := rundir.Compare(s.Puzzle.Identity(), want.Puzzle.Identity()); err != nil {
		s.Close()
		return nil, cli.AdviseFolder(err, want.Dir)
	}
	return s, nil
}

// adviseQuestion makes an error about a flag or an argument one about the command line.
func adviseQuestion(q *puzzle.Question, err error) error {
	var e *setting.Error
	if !errors.As(err, &e) {
		return err
	}
	name := "--" + flagName(e.Setting)
	for _, arg := range q.Args {
		if arg.Name == e.Setting {
			name = e.Setting
		}
	}
	return cli.Hint(&cli.UsageError{Err: fmt.Errorf("%s: %w", name, e.Err)}, e.Hint)
}
