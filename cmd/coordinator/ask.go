package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/rundir"
)

// ask asks a question of a puzzle and writes the answer. It checks arguments and flags before it reads anything.
func (a *app) ask(
	ctx context.Context,
	d *puzzle.Definition,
	q *puzzle.Question,
	args []string,
	given map[string]string,
	f *questionFlags,
) error {
	request, err := q.Request(args, given)
	if err == nil {
		err = f.form.Check(q)
	}
	if err != nil {
		return adviseQuestion(q, err)
	}
	o, err := openOutputs(ctx, f.out)
	if err == nil && f.out != "-" {
		err = o.free(ctx, f.out)
	}
	if err != nil {
		return err
	}
	if err := f.checkWhere(q); err != nil {
		return err
	}
	if f.url != "" {
		r, err := api.Dial(f.url, f.keys)
		if err != nil {
			return err
		}
		err = a.output(ctx, o, f.out, func(w io.Writer) error { return r.Ask(ctx, d.Name, q.Name, args, given, f.form, w) })
		return adviseQuestion(q, err)
	}
	err = a.answer(ctx, d, q, request, f, func(answer *puzzle.Answer, about render.About) error {
		if f.exitCode {
			a.code = cli.DecisionCode(answer.Decision)
		}
		if f.out == "-" {
			f.form.Style = a.style()
		}
		return a.output(ctx, o, f.out, func(w io.Writer) error { return render.Answer(ctx, w, answer, about, f.form) })
	})
	return adviseQuestion(q, err)
}

// checkWhere demands one source for a question that needs one. A question with an Instead may do without.
func (f *questionFlags) checkWhere(q *puzzle.Question) error {
	named := 0
	for _, where := range []string{f.data, f.config, f.url} {
		if where != "" {
			named++
		}
	}
	if q.Needs == puzzle.NeedsNothing || named == 1 || named == 0 && (q.Instead != nil || !q.NeedsRun()) {
		return nil
	}
	return usage("one of --data, --config and --url must be given",
		"--data names a folder, --config the config of a run, --url a coordinator that runs with --api")
}

// answer asks a question here: of nothing, of the folder that is named, or of a small run in memory. The folder stays
// open until write returns, because an answer may be a stream that reads it.
func (a *app) answer(
	ctx context.Context, d *puzzle.Definition, q *puzzle.Question, r puzzle.Request, f *questionFlags,
	write func(*puzzle.Answer, render.About) error,
) error {
	about := render.About{Puzzle: d.Name, Title: d.Name + " " + q.Name}
	if !q.NeedsRun() && f.data == "" && f.config == "" {
		answer, err := cli.Await(ctx, func() (*puzzle.Answer, error) { return q.Answer(ctx, r) })
		if err != nil {
			return err
		}
		return write(answer, about)
	}
	if f.data == "" && f.config == "" {
		answer, run, err := runs.AskSmall(ctx, d, q, r)
		if err != nil {
			return err
		}
		about.Run = run
		return write(answer, about)
	}
	s, err := a.asked(ctx, f)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Definition.Name != d.Name {
		return usage("run "+s.ID+" is about the puzzle "+s.Definition.Name,
			"give a run of the puzzle "+d.Name+", or ask a question of "+s.Definition.Name)
	}
	answer, err := s.Ask(ctx, q, r)
	if err != nil {
		return err
	}
	return write(answer, s.About(q))
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

// checkArgs is CheckArgs of a question. An error about their number says how the command is written.
func checkArgs(cmd *cobra.Command, q *puzzle.Question, args []string) error {
	err := q.CheckArgs(args)
	var e *setting.Error
	if err == nil || errors.As(err, &e) {
		return adviseQuestion(q, err)
	}
	return usage(err.Error(), "write "+cmd.UseLine())
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
