package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"pagoda/internal/kv"
	"pagoda/internal/output/build"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version of the program and of its data format",
		Long:    "Print the version of the program and of its data format, and what it was built with and for.",
		Example: `  coordinator version`,
		Args:    cobra.NoArgs,
		RunE: a.action(func(context.Context, []string) error {
			b := build.Read()
			return a.print(fmt.Appendf(nil, "coordinator %s\nrevision %s\nformat %d\n%s %s/%s\n",
				b.Version, b.Revision, kv.FormatVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		}),
	}
}
