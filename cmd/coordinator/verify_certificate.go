package main

import (
	"context"
	"fmt"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// comparedCertificate is how a run compares with a certificate.
type comparedCertificate struct {
	File       string `json:"file"`
	Cells      int    `json:"cells"` // compared
	Windows    int    `json:"windows"`
	Difference string `json:"difference,omitempty"` // the first
	// Partial says that the run here is not complete, so that totals and root could not be compared.
	Partial bool `json:"partial,omitempty"`
}

// certify compares the run with a certificate, if there is one. Where nothing was found wrong, it adds the new checks
// to the run's own certificate.
func (v *verdict) certify(s *runs.Stored, f *verifyFlags, theirs *certificate.Certificate) error {
	if !v.Complete {
		// Only a complete run has a certificate: its windows were lost, or an earlier verification marked them.
		if c, err := runs.ReadCertificate(s.Dir); err == nil && c.Run == s.ID && c.Windows > v.Windows {
			v.Findings = append(v.Findings, verify.Finding{Kind: verify.FindLedger, Text: fmt.Sprintf(
				"the run was complete, as its certificate says, and %d of its %d windows are not in the ledger",
				c.Windows-v.Windows, c.Windows)})
			v.ErrorFound = true
		}
	}
	if len(v.Findings) > 0 || v.Empty() {
		if theirs != nil {
			v.Certificate = &comparedCertificate{File: f.certificate, Partial: true}
		}
		return nil
	}
	if !v.Complete {
		return v.compareCells(s, f, theirs)
	}
	checks := certificate.Checks{Edges: v.Edges, Read: v.Read, Recomputed: v.Recomputed}
	for _, r := range v.Recounts {
		if r.State == verify.RecountAgrees {
			checks.SecondCounts = append(checks.SecondCounts, r.What)
		}
	}
	ours, err := s.Certificate(s.Folder, v.Results, runs.Program(), checks)
	if err != nil {
		return err
	}
	v.Root = ours.Root.String()
	if theirs != nil {
		v.Certificate = &comparedCertificate{File: f.certificate, Windows: ours.Windows}
		for _, l := range ours.Layers {
			v.Certificate.Cells += len(l.Cells)
		}
		v.differ(certificate.Compare(ours, theirs))
	}
	if f.dryRun || len(v.Differences) > 0 {
		return nil
	}
	return runs.WriteCertificate(s.Folder, ours)
}

// compareCells compares the cells that a run has so far.
func (v *verdict) compareCells(s *runs.Stored, f *verifyFlags, theirs *certificate.Certificate) error {
	if theirs == nil {
		return nil
	}
	v.Certificate = &comparedCertificate{File: f.certificate, Partial: true}
	if theirs.Run != s.ID {
		v.differ(&certificate.Difference{Place: "run", Ours: s.ID, Theirs: theirs.Run})
		return nil
	}
	tree, err := runs.Tree(s.Folder.Ledger, v.Results, certificate.NewBuilder(s.ID), nil)
	if err != nil {
		return err
	}
	d, cells, windows := certificate.CompareCells(&tree, &theirs.Tree)
	v.Certificate.Cells, v.Certificate.Windows = cells, windows
	v.differ(d)
	return nil
}

// differ notes the first difference from a certificate.
func (v *verdict) differ(d *certificate.Difference) {
	if d != nil {
		v.Certificate.Difference = d.String()
		v.ErrorFound = true
	}
}

// line says how the run compares with the certificate.
func (c *comparedCertificate) line() string {
	switch {
	case c.Difference != "":
		return "differs from " + c.File + ": " + c.Difference
	case c.Cells == 0 && c.Partial:
		return "not compared with " + c.File
	}
	text := fmt.Sprintf("%s with %s compared with %s, the same",
		plural.Of(c.Cells, "cell"), plural.Of(c.Windows, "window"), c.File)
	if c.Partial {
		return text + "; the run here is not complete, so totals and root were not compared"
	}
	return text + ", and so are totals and root"
}

// prove prints the proof that a window belongs to the root of a complete run.
func (a *app) prove(ctx context.Context, f *verifyFlags) error {
	id, err := puzzle.ParseWindowID(f.proof)
	if err != nil {
		return usage("--proof: "+err.Error(), "export --table windows lists the windows")
	}
	s, err := a.loader().Results(ctx, f.data)
	if err != nil {
		return err
	}
	defer s.Close()
	if !s.Results.Complete() {
		return cli.Hint(fmt.Errorf("run %s: %w", s.ID, puzzle.ErrIncomplete), "run the config again to resume")
	}
	b := certificate.NewBuilder(s.ID)
	b.Prove(id)
	if _, err := runs.Tree(s.Folder.Ledger, s.Results, b, nil); err != nil {
		return err
	}
	p, err := b.Proof()
	if err != nil {
		return usage(fmt.Sprintf("--proof %s: %v", f.proof, err), "export --table windows lists the windows")
	}
	text, err := p.Encode()
	if err != nil {
		return err
	}
	return a.print(text)
}

// checkProof checks a proof, and that its root is the one of a certificate or a folder where they are given.
func (a *app) checkProof(ctx context.Context, f *verifyFlags) error {
	b, err := readNamed(ctx, "--check-proof", f.check, certificate.MaxProofBytes)
	if err != nil {
		return err
	}
	p, err := certificate.DecodeProof(b)
	if err != nil {
		return adviseCertificate(err, "--check-proof", f.check)
	}
	path := f.certificate
	if path == "" && f.data != "" {
		path = rundir.CertificatePath(f.data)
	}
	believed := "believe it as far as you believe that root"
	if path != "" {
		c, err := readCertificate(ctx, path)
		if err != nil {
			return err
		}
		if c.Root != p.Root {
			return cli.Hint(fmt.Errorf("--check-proof %s: %w: its root is %s, and that of %s is %s",
				f.check, cli.ErrUnverified, p.Root, path, c.Root), "the proof is of another run, or one of the two is false")
		}
		believed = "the root of " + path
	}
	w := &p.Window
	return a.print(fmt.Appendf(nil, "window %s of run %s: %s, digest %s, belongs to root %s: %s\n",
		w.ID(), p.Run, plural.Of(w.Rows, "row"), w.Digest, p.Root, believed))
}
