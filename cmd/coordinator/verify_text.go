package main

import (
	"encoding/json"
	"fmt"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/verify"
)

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
	if v.Unlisted > 0 {
		s.Printf("unlisted\t%s in the store that the ledger does not list: an interrupted run leaves a few\n",
			plural.Of(v.Unlisted, "window"))
	}
	s.Printf("blocks\t%d with %s, %s\n", v.Blocks, plural.Of(v.Rows, "row"), quantity.Bytes(v.Bytes))
	if n := len(v.Recounts); n > 0 {
		text, missing := v.recounts()
		s.Printf("recounts\t%s\n", text)
		if missing {
			s.Printf(
				"\tfor these, run the config with --data %s --set retention=all, which computes the rows that are not there,"+
					" and verify again\n",
				v.data,
			)
		}
	}
	v.recomputation(&s)
	s.Printf("edges\t%d with equal flow at both ends, or as reported above; %d without a flow to compare\n",
		v.Edges, v.EdgesUnchecked)
	if v.Against != "" {
		s.Printf("reference\t%s compared with %s, %d differ", plural.Of(v.Compared, "value"), v.Against, len(v.Differences))
		if v.Outside > 0 {
			s.Printf("; %s not compared: other terms of the sequence, zeros past the table, or layers to come",
				plural.Of(v.Outside, "value"))
		}
		s.Printf("\n")
	}
	if v.Certificate != nil {
		s.Printf("certificate\t%s\n", v.Certificate.line())
	}
	if v.Root != "" {
		s.Printf("root\t%s\n", v.Root)
	}
	state := "every window of every layer is committed"
	if !v.Complete {
		state = "windows are missing: the run is not complete, or bad ones will be computed again"
	}
	s.Printf("plan\t%s\n", state)
	s.Printf("verdict\t%s\n", v.Verdict)
	return s.Bytes(), nil
}

// sentence is the verdict: that of the report, and the differences from the reference.
func (v *verdict) sentence() string {
	text := v.compared()
	if v.Certificate != nil && v.Certificate.Difference != "" {
		return text + "; the run differs from the certificate"
	}
	return text
}

// compared is the verdict without the certificate.
func (v *verdict) compared() string {
	switch n := len(v.Differences); {
	case n == 0:
		return v.Report.Verdict()
	case len(v.Findings) > 0:
		return v.Report.Verdict() + ", " + plural.Of(n, "difference") + " from the reference"
	case v.Empty():
		return v.Report.Verdict() + "; " + plural.Of(n, "difference") + " from the reference"
	default:
		return v.Checked() + "; " + plural.Of(n, "difference") + " from the reference"
	}
}

// recomputation writes the results of computing windows again.
func (v *verdict) recomputation(s *render.Sheet) {
	r := v.Recomputation
	if r == nil {
		s.Printf("recomputed\tnone; --recompute 10%% or --recompute all computes windows again\n")
		return
	}
	how := fmt.Sprintf("drawn with --recompute %s --seed %s", r.Share, r.Seed)
	if r.Anew {
		how = "by carrying out the whole run again, since rows are not in this folder"
	}
	s.Printf("recomputed\t%s, %s: %d came out the same, %d differ\n", plural.Of(r.Drawn, "window"), how, r.Same, r.Other)
	for _, n := range r.NotRun {
		s.Printf("\t%s could not be computed again: %s\n", plural.Of(n.Windows, "window"), n.Reason)
	}
	if r.Remaining() > 0 {
		s.Printf("\t--recompute all carries out the whole run again in a temporary folder\n")
	}
}

// recounts sums up the second counts. missing says that one was not made, for want of rows.
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
	text = fmt.Sprintf("%s counted a second time in another way, %d agree",
		plural.Of(len(v.Recounts)-notRun, "result"), agree)
	if notRun > 0 {
		text += fmt.Sprintf("; %d NOT RUN: %s", notRun, reason)
	}
	return text, notRun > 0 && !v.ErrorFound
}

// failure is the error of a verification that found something, or had nothing to verify.
func (v *verdict) failure(dryRun bool) error {
	switch {
	case !v.ErrorFound && v.Empty():
		return cli.Hint(fmt.Errorf("run %s: %w: no window is committed", v.Run, cli.ErrUnverified),
			"run the config, then verify; where a run was complete, its ledger is lost")
	case !v.ErrorFound:
		return nil
	case len(v.Findings) == 0 && len(v.Differences) == 0:
		return cli.Hint(fmt.Errorf("run %s: %w: it differs from %s: %s",
			v.Run, cli.ErrUnverified, v.Certificate.File, v.Certificate.Difference),
			"the stored data agree with themselves; --recompute all says whether this run is right")
	case len(v.Findings) == 0:
		return cli.Hint(fmt.Errorf("run %s: %w: %s from %s",
			v.Run, cli.ErrUnverified, plural.Of(len(v.Differences), "difference"), v.Against),
			"the stored data agree with themselves: is the reference for the same board and start?")
	case dryRun:
		return cli.Hint(fmt.Errorf("run %s: %w: %s", v.Run, cli.ErrUnverified, plural.Of(len(v.Findings), "error")),
			"verify without --dry-run marks what is damaged, and running the config again computes it anew")
	}
	return cli.Hint(fmt.Errorf(
		"run %s: %w: %s, %s marked",
		v.Run,
		cli.ErrUnverified,
		plural.Of(
			len(v.Findings),
			"error",
		),
		plural.Of(v.Repaired, "window"),
	), "run the config again to compute anew what is marked")
}
