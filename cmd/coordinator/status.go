package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/pipeline"
)

func (a *app) statusCommand() *cobra.Command {
	var data, output string
	cmd := &cobra.Command{
		Use:   "status --data DIR",
		Short: "say how far a run is",
		Long: `Say how far the run in a data folder is: running, stopped, complete or failed, and the windows of each layer. Works
while the run goes on; the figures are then at most a few seconds old. Nothing is changed.`,
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
			text, err := statusText(&s)
			if err != nil {
				return err
			}
			return a.print(text)
		}),
	}
	addData(cmd, &data)
	addOutput(cmd, &output)
	return cmd
}

func statusText(s *pipeline.Status) ([]byte, error) {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "layer\twindows\tdone\trows\tbytes\t\n")
	for _, l := range s.Layers {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t\n", l.Layer, l.Windows, l.Done, l.Rows, l.Bytes)
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	w = tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "run\t%s\npuzzle\t%s\nstate\t%s\n", s.Run, s.Puzzle, s.State)
	if s.Error != "" {
		fmt.Fprintf(w, "error\t%s\n", s.Error)
	}
	more := ""
	if !s.Planned {
		more = " planned so far"
	}
	fmt.Fprintf(w, "windows\t%d of %d%s\nrows\t%d\ndisk\t%s\n", s.Done, s.Windows, more, s.Rows, pipeline.Bytes(s.Bytes))
	if s.State == pipeline.StateRunning && !s.Updated.IsZero() {
		elapsed := s.Updated.Sub(s.Started)
		fmt.Fprintf(w, "workers\t%d\nrunning for\t%s\n", s.Slots, elapsed.Round(time.Second))
		fmt.Fprintf(w, "computed\t%d windows, %d rows\n", s.Committed, s.NewRows)
		fmt.Fprintf(w, "trouble\t%d failed attempts, %d windows lost\n", s.Retries, s.Lost)
		fmt.Fprintf(w, "updated\t%s\n", s.Updated.Format(time.RFC3339))
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
