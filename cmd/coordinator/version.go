package main

import (
	"context"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
)

func (a *app) versionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version of the program and of its data formats",
		Long: `Print the version of the program, the commit that it was built from, the versions of its data formats and
messages, and what it was built with and for. docs/operating.md says which versions work together.`,
		Example: `  coordinator version
  coordinator version --output json`,
		Args: cobra.NoArgs,
		RunE: a.action(func(context.Context, []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			v := cli.ThisVersion("coordinator")
			if output == render.JSON {
				return a.printJSON(v)
			}
			return a.print([]byte(v.Text()))
		}),
	}
	addOutput(cmd, &output)
	return cmd
}
