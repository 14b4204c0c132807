package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"pagoda/internal/kv"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version of the program and of its data format",
		Args:  cobra.NoArgs,
		RunE: a.action(func(context.Context, []string) error {
			version, revision := "unknown", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = s.Value
					}
				}
			}
			return a.print(fmt.Appendf(nil, "coordinator %s\nrevision %s\nformat %d\n%s %s/%s\n",
				version, revision, kv.FormatVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		}),
	}
}
