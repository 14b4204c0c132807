package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/pipeline"
)

func (a *app) statusCommand() *cobra.Command {
	var data, output string
	cmd := &cobra.Command{
		Use:   "status --data DIR",
		Short: "say how far a run is",
		Long: `Say how far the run in a data folder is: running, stopped, complete or failed, and the windows of each layer.
Works while the run goes on; the figures are then at most a few seconds old. Nothing is changed.`,
		Example: `  coordinator status --data runs/english-0123456789ab
  coordinator status --data runs/english-0123456789ab --output json`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			j, err := a.storedJob(ctx, data)
			if err != nil {
				return err
			}
			s, err := pipeline.ReadStatus(data, j.puzzle)
			if err != nil {
				return adviseFolder(err, data)
			}
			if output == outputJSON {
				b, err := json.MarshalIndent(&s, "", "  ")
				if err != nil {
					return err
				}
				return a.print(append(b, '\n'))
			}
			return a.print(statusText(&s))
		}),
	}
	addData(cmd, &data)
	addOutput(cmd, &output)
	return cmd
}

func statusText(st *pipeline.Status) []byte {
	var s sheet
	s.numbers()
	s.printf("layer\twindows\tdone\trows\tbytes\t\n")
	for _, l := range st.Layers {
		s.printf("%d\t%d\t%d\t%d\t%d\t\n", l.Layer, l.Windows, l.Done, l.Rows, l.Bytes)
	}
	s.columns()
	s.printf("\nrun\t%s\npuzzle\t%s\nstate\t%s\n", st.Run, st.Puzzle, st.State)
	if st.Error != "" {
		s.printf("error\t%s\n", st.Error)
	}
	more := ""
	if !st.Planned {
		more = " planned so far"
	}
	s.printf("windows\t%d of %d%s\nrows\t%d\ndisk\t%s\n", st.Done, st.Windows, more, st.Rows, pipeline.Bytes(st.Bytes))
	if st.State == pipeline.StateRunning && !st.Updated.IsZero() {
		elapsed := st.Updated.Sub(st.Started)
		s.printf("workers\t%d\nrunning for\t%s\n", st.Slots, elapsed.Round(time.Second))
		s.printf("computed\t%d windows, %d rows\n", st.Committed, st.NewRows)
		s.printf("trouble\t%d failed attempts, %d windows lost\n", st.Retries, st.Lost)
		s.printf("updated\t%s\n", st.Updated.Format(time.RFC3339))
	}
	return s.text()
}
