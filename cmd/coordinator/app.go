package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/catalog"
)

// An app is one call of the program. Data goes to stdout, everything else to stderr.
type app struct {
	stdout, stderr *os.File
	environ        []string
	catalog        catalog.Catalog
	code           int  // exit code of a command that succeeds
	started        bool // a command has begun: later errors are no mistakes in the command line
}

// main runs the command that args name and returns the exit code.
func (a *app) main(args []string) int {
	ctx, stop := cli.Signals(context.Background(), os.Exit)
	defer stop()
	root := a.root()
	root.SetArgs(flagsFirst(root, args))
	err := root.ExecuteContext(ctx)
	if err != nil && !a.started {
		err = commandLineError(err)
	}
	err = cli.Cause(ctx, err)
	if err == nil {
		return a.code
	}
	cli.Report(a.stderr, cli.Colour(a.stderr, a.environ), err)
	return cli.Code(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "coordinator",
		Short: "enumerate puzzle state spaces exhaustively and count paths through them exactly",
		Long: `Enumerate puzzle state spaces exhaustively and count paths through them exactly.

A run is described by a config file. It can be interrupted at any moment and resumed by running the same command
again.`,
		Example: `  coordinator run configs/triangle15.yaml     # a small run, to begin with
  coordinator explore                         # a page in the browser: play, look, watch
  coordinator peg solve center center         # a question that needs no run`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(*cobra.Command, []string) error { return errors.New("no command is given") },
	}
	root.SetOut(a.stdout) // help that was asked for is data
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	group := func(id, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for _, c := range commands {
			c.GroupID = id
		}
		root.AddCommand(commands...)
	}
	group("run", "Run:", a.planCommand(), a.runCommand(), a.batchCommand(), a.verifyCommand(), a.configCommand(),
		a.notifyCommand())
	group("look", "Look at runs:", a.exploreCommand(), a.statusCommand(), a.lifeCommand(),
		a.exportCommand(), a.publishCommand())
	var puzzles []*cobra.Command
	for i := range a.catalog {
		if len(a.catalog[i].Questions) > 0 {
			puzzles = append(puzzles, a.puzzleCommand(&a.catalog[i]))
		}
	}
	group("ask", "Ask about puzzles:", puzzles...)
	group("fleet", "Run on many machines:", a.k8sCommand(), a.certsCommand())
	root.AddCommand(a.versionCommand())
	cli.OnlyOnce(root)
	return root
}

// action makes a command's function of one that does not care about the command line any more.
func (a *app) action(fn func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.started = true
		return fn(cmd.Context(), args)
	}
}

// commandLineError turns cobra's error, which may have paragraphs, into ours: one line and a hint.
func commandLineError(err error) error {
	var advised *cli.UserError
	if errors.As(err, &advised) {
		return err
	}
	text, more, _ := strings.Cut(cli.PlainFlag(err.Error()), "\n")
	hint := "coordinator --help lists the commands, coordinator COMMAND --help its flags"
	if _, names, ok := strings.Cut(more, "Did you mean this?"); ok {
		hint = "did you mean " + strings.Join(strings.Fields(names), " or ") + "?"
	}
	return cli.Hint(&cli.UsageError{Err: errors.New(text)}, hint)
}

// oneFile demands the path of one file as the only argument: a config, or a batch.
func oneFile(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return fmt.Errorf("no %s file is given", what)
		case 1:
			return nil
		}
		return fmt.Errorf("one %s file is wanted, and %d arguments are given", what, len(args))
	}
}

// await is cli.Await.
func await[T any](ctx context.Context, fn func() (T, error)) (T, error) { return cli.Await(ctx, fn) }

// usage makes a usage error.
func usage(text, hint string) error {
	return cli.Hint(&cli.UsageError{Err: errors.New(text)}, hint)
}

// printJSON prints a document.
func (a *app) printJSON(document any) error {
	b, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return a.print(append(b, '\n'))
}

// print writes a result to stdout. A reader that has gone away is no error worth a message, but it is one.
func (a *app) print(data []byte) error {
	_, err := a.stdout.Write(data)
	return err
}
