package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/catalog"
	"pagoda/internal/cli"
)

// An app is one call of the program. Data goes to stdout, everything else to stderr.
type app struct {
	stdout, stderr *os.File
	environ        []string
	catalog        catalog.Catalog
	code           int  // that a command ends with when nothing goes wrong
	started        bool // a command has begun: what goes wrong from now on is no mistake in the command line
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
		Example: `  coordinator plan configs/english.yaml
  coordinator run configs/english.yaml
  coordinator export --data runs/english-0123456789ab --table layers --format csv
  coordinator verify --data runs/english-0123456789ab`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(*cobra.Command, []string) error { return errors.New("no command is given") },
	}
	root.SetOut(a.stdout) // help that was asked for is data
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	root.AddCommand(a.runCommand(), a.planCommand(), a.statusCommand(), a.exportCommand(), a.verifyCommand(),
		a.exploreCommand(), a.configCommand(), a.certsCommand(), a.k8sCommand(), a.versionCommand())
	for i := range a.catalog {
		if len(a.catalog[i].Questions) > 0 {
			root.AddCommand(a.puzzleCommand(&a.catalog[i]))
		}
	}
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

// oneConfig demands the path of a config as the only argument.
func oneConfig(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("no config file is given")
	case 1:
		return nil
	}
	return fmt.Errorf("one config file is wanted, and %d arguments are given", len(args))
}

// await is cli.Await.
func await[T any](ctx context.Context, fn func() (T, error)) (T, error) { return cli.Await(ctx, fn) }

// usage makes a usage error.
func usage(text, hint string) error {
	return cli.Hint(&cli.UsageError{Err: errors.New(text)}, hint)
}

// print writes a result to stdout. A reader that has gone away is no error worth a message, but it is one.
func (a *app) print(data []byte) error {
	_, err := a.stdout.Write(data)
	return err
}
