package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"pagoda/internal/cli"
	"pagoda/internal/export"
	"pagoda/internal/memrun"
	"pagoda/internal/plan"
	"pagoda/internal/puzzle"
	"pagoda/internal/render"
	"pagoda/internal/runs"
	"pagoda/internal/verify"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	data, against, column, output string
	dryRun                        bool
	workers                       int
}

func (a *app) verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify --data DIR",
		Short: "read everything again and check it",
		Long: `Read every stored block again and check its checksum, the digest of every window, the flow across every edge
between windows, and the totals; count solutions a second time, from the stored rows and joined after another number of
jumps, and through every layer where the run keeps them (store_ways: true); and compare the layer table with a reference
file when one is given: a CSV of layers, a JSON document as run prints it, or an OEIS b-file of one column. A reference
may have fewer columns and rows than the run.

What is damaged is marked, so that running the config again computes it anew; with --dry-run nothing is changed. The
exit code is 13 when anything is wrong. A run that is not complete can be verified as far as it is.`,
		Example: `  coordinator verify --data runs/english-0123456789ab
  coordinator verify --data runs/english-0123456789ab --reference layers.csv
  coordinator verify --data runs/english-0123456789ab --reference b112737.txt --column positions`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error { return a.verify(ctx, f) }),
	}
	addData(cmd, &f.data)
	addOutput(cmd, &f.output)
	cmd.Flags().StringVar(&f.against, "reference", "", "reference `file` for the layer table")
	cmd.Flags().StringVar(&f.column, "column", "", "`column` that a b-file has")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "change nothing: do not mark what is damaged")
	cmd.Flags().IntVar(&f.workers, "concurrency", cli.Machine().CPUs, "`number` of windows read at a time")
	return cmd
}

// verdict is what verify prints; its JSON form is a contract, described in docs/cli.md.
type verdict struct {
	*verify.Report
	Sound       bool     `json:"sound"`
	Against     string   `json:"against,omitempty"`
	Compared    int      `json:"compared,omitempty"`
	Differences []string `json:"differences,omitempty"`
	data        string   // folder
}

func (a *app) verify(ctx context.Context, f verifyFlags) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	if f.workers < 1 || f.workers > 1024 {
		return usage(fmt.Sprintf("--concurrency: %d is not between 1 and 1024", f.workers), "write --concurrency 2")
	}
	var reference []byte
	if f.against != "" {
		var err error
		if reference, err = os.ReadFile(f.against); err != nil {
			var file *fs.PathError
			if errors.As(err, &file) {
				err = file.Err
			}
			return adviseReference(fmt.Errorf("%w: %w", export.ErrReference, err), f.against)
		}
	}
	s, err := a.loader().Open(ctx, f.data, f.dryRun)
	if err != nil {
		return err
	}
	defer s.Close()
	if reference != nil { // an unusable reference is said before the long part
		if _, err := compare(s, memrun.New(s.Puzzle), reference, f.column); err != nil {
			return adviseReference(err, f.against)
		}
	}
	v, err := verify.Run(ctx, s.Puzzle, s.Folder, verify.Options{
		Workers: f.workers, Repair: !f.dryRun, CacheBytes: s.CacheBytes(),
	})
	if err != nil {
		return err
	}
	out := verdict{Report: v, Sound: len(v.Findings) == 0, data: f.data}
	if reference != nil {
		c, err := compare(s, v.Results, reference, f.column)
		if err != nil {
			return adviseReference(err, f.against)
		}
		out.Against, out.Compared, out.Differences = f.against, c.compared, c.differences
		out.Sound = out.Sound && len(c.differences) == 0
	}
	text, err := out.render(f.output)
	if err != nil {
		return err
	}
	if err := a.print(text); err != nil {
		return err
	}
	return out.failure(f.dryRun)
}

func adviseReference(err error, path string) error {
	if errors.Is(err, export.ErrReference) {
		return cli.Hint(&cli.UsageError{Err: fmt.Errorf("--reference %s: %w", path, err)},
			"a reference is a csv with a header, a json document as run prints it, or a b-file with --column")
	}
	return err
}

// comparison is how the layer table compares with a reference.
type comparison struct {
	compared    int
	differences []string
}

func compare(s *runs.Stored, results puzzle.Results, reference []byte, column string) (comparison, error) {
	sum, err := s.Puzzle.Summarise(results)
	if err != nil {
		return comparison{}, err
	}
	t := table(&sum, runs.LayersTable)
	if t == nil {
		return comparison{}, usage(fmt.Sprintf("puzzle %s has no layer table", s.Folder.Meta.Puzzle), "leave out --reference")
	}
	r, err := export.ReadReference(reference, t, column)
	if err != nil {
		return comparison{}, err
	}
	list, n := r.Compare(t, sum.Facts)
	if n == 0 {
		return comparison{}, fmt.Errorf("%w: it has nothing to compare", export.ErrReference)
	}
	c := comparison{compared: n}
	for _, d := range list {
		c.differences = append(c.differences, d.String())
	}
	return c, nil
}

// table returns the table of that name, nil when there is none.
func table(sum *puzzle.Summary, name string) *puzzle.Table {
	for i := range sum.Tables {
		if sum.Tables[i].Name == name {
			return &sum.Tables[i]
		}
	}
	return nil
}

func (v *verdict) render(output string) ([]byte, error) {
	if output == render.JSON {
		b, err := json.MarshalIndent(v, "", "  ")
		return append(b, '\n'), err
	}
	var s render.Sheet
	for _, f := range v.Findings {
		if f.Window != "" {
			s.Printf("bad %s, window %s: %s\n", f.Kind, f.Window, f.Text)
		} else {
			s.Printf("bad %s: %s\n", f.Kind, f.Text)
		}
	}
	for _, d := range v.Differences {
		s.Printf("differs from %s: %s\n", v.Against, d)
	}
	s.Columns()
	s.Printf("run\t%s\n", v.Run)
	s.Printf("windows\t%d committed, %d read, %d without rows on disk\n", v.Windows, v.Read, v.Absent)
	s.Printf("blocks\t%d with %d rows, %s\n", v.Blocks, v.Rows, plan.Bytes(v.Bytes))
	if n := len(v.Recounts); n > 0 {
		text, missing := v.recounts()
		s.Printf("recounts\t%s\n", text)
		if missing {
			s.Printf("\tfor these, run the config with --data %s --set retention=all, which computes the rows that are not there,"+
				" and verify again\n", v.data)
		}
	}
	s.Printf("edges\t%d with equal flow at both ends, or as reported above\n", v.Edges)
	if v.Against != "" {
		s.Printf("reference\t%d values compared with %s, %d differ\n", v.Compared, v.Against, len(v.Differences))
	}
	state := "every window of every layer is committed"
	if !v.Complete {
		state = "windows are missing: the run is not complete, or bad ones will be computed again"
	}
	s.Printf("plan\t%s\n", state)
	verdict := "sound"
	if !v.Sound {
		verdict = fmt.Sprintf("not sound: %d findings, %d differences", len(v.Findings), len(v.Differences))
	}
	s.Printf("verdict\t%s\n", verdict)
	return s.Bytes(), nil
}

// recounts sums up what was counted a second time. missing says that something was not, for want of rows.
func (v *verdict) recounts() (text string, missing bool) {
	var agree, notRun int
	var reason string
	for _, r := range v.Recounts {
		switch r.State {
		case verify.RecountAgrees:
			agree++
		case verify.RecountNotRun:
			notRun, reason = notRun+1, r.Reason
		}
	}
	text = fmt.Sprintf("%d results counted a second time in another way, %d agree", len(v.Recounts)-notRun, agree)
	if notRun > 0 {
		text += fmt.Sprintf("; %d NOT RUN: %s", notRun, reason)
	}
	return text, notRun > 0 && v.Sound
}

// failure is the error of a run that is not sound.
func (v *verdict) failure(dryRun bool) error {
	switch {
	case v.Sound:
		return nil
	case len(v.Findings) == 0:
		return cli.Hint(fmt.Errorf("run %s: %w: %d values differ from %s",
			v.Run, cli.ErrUnverified, len(v.Differences), v.Against),
			"the stored data agree with themselves: is the reference for the same board and start?")
	case dryRun:
		return cli.Hint(fmt.Errorf("run %s: %w: %d findings", v.Run, cli.ErrUnverified, len(v.Findings)),
			"verify without --dry-run marks what is damaged, and running the config again computes it anew")
	}
	return cli.Hint(fmt.Errorf("run %s: %w: %d findings, %d windows are marked", v.Run, cli.ErrUnverified, len(v.Findings),
		v.Repaired), "run the config again to compute anew what is marked")
}
