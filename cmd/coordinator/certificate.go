package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/readfile"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/trust"
)

// certify writes the certificate of a complete run into its folder.
func certify(j *runs.Job, f *rundir.Folder, results *plan.Plan) error {
	err := j.Certify(f, results)
	if err != nil {
		err = cli.Hint(err, "the run is complete; the same command tries again to write its certificate")
	}
	return err
}

// readCertificate reads a certificate that the user names.
func readCertificate(ctx context.Context, path string) (*certificate.Certificate, error) {
	b, err := readNamed(ctx, "--certificate", path, certificate.MaxBytes)
	if err != nil {
		return nil, err
	}
	c, err := await(ctx, func() (*certificate.Certificate, error) { return certificate.Decode(b) })
	if err != nil {
		return nil, adviseCertificate(err, "--certificate", path)
	}
	return c, nil
}

// readNamed reads a file that the user names with a flag.
func readNamed(ctx context.Context, flag, path string, limit int64) ([]byte, error) {
	b, err := readfile.Read(ctx, path, limit)
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &file):
		err = file.Err
	}
	if err != nil {
		return nil, usage(fmt.Sprintf("%s %s: %v", flag, path, err), "name a file that coordinator wrote")
	}
	return b, nil
}

// adviseCertificate makes of a document that contradicts itself a verification that failed.
func adviseCertificate(err error, flag, path string) error {
	if !errors.Is(err, certificate.ErrForm) {
		return err
	}
	return cli.Hint(fmt.Errorf("%s %s: %w: %w", flag, path, cli.ErrUnverified, err),
		"a certificate is certificate.json in the folder of a complete run, unchanged")
}

// certificateVerdict is the answer about a certificate alone; its JSON form is a contract, described in docs/cli.md.
type certificateVerdict struct {
	Run     string              `json:"run"`
	Windows int                 `json:"windows"`
	Root    certificate.Hash    `json:"root"`
	Program certificate.Program `json:"program"`
	// Planned says that its plan was compared with that of the run; where layers are found on the way it cannot be.
	Planned bool                `json:"planned"`
	Totals  []certificate.Named `json:"totals"`
	Checks  certificate.Checks  `json:"checks"`
	Parties int                 `json:"parties"`
	Words   *trust.Words        `json:"words,omitempty"` // nil: an older version of the program wrote it
	Verdict string              `json:"verdict"`
	Repeat  string              `json:"repeat"` // a config
}

// checkCertificate checks a certificate without a folder: nothing is computed.
func (a *app) checkCertificate(ctx context.Context, f *verifyFlags) error {
	c, err := readCertificate(ctx, f.certificate)
	if err != nil {
		return err
	}
	j, planned, err := a.loader().Certified(ctx, c)
	if err != nil {
		return adviseCertificate(err, "--certificate", f.certificate)
	}
	repeat, err := j.Essence()
	if err != nil {
		return err
	}
	v := certificateVerdict{
		Run: c.Run, Windows: c.Windows, Root: c.Root, Program: c.Program, Planned: planned, Totals: c.Totals,
		Checks: c.Checks, Parties: c.Parties, Words: c.Words, Repeat: string(repeat),
		Verdict: "the certificate agrees with itself; nothing of the run was read or recomputed: " +
			plural.Of(c.Windows, "window") + " on trust",
	}
	if f.output == render.JSON {
		return a.printJSON(&v)
	}
	var s render.Sheet
	s.Columns()
	s.Printf("run\t%s, %s\n", c.Run, c.Puzzle)
	s.Printf("program\t%s, revision %s, data format %d\n", c.Program.Version, c.Program.Revision, c.Program.Format)
	s.Printf("windows\t%d in %s, %s\n", c.Windows, plural.Of(len(c.Layers), "layer"), plural.Digits(c.Rows, "row"))
	s.Printf("root\t%s\n", c.Root)
	for _, t := range c.Totals {
		s.Printf("%s\t%s\n", t.Name, strings.ReplaceAll(t.Value, "\n", "/"))
	}
	s.Printf("checks\t%s\n", c.Checked())
	if c.Words != nil {
		s.Printf("computed by\t%s\n", c.Words)
	}
	plan := "the same as that of the parameters"
	if !planned {
		plan = "layers are found on the way: it cannot be compared without computing"
	}
	s.Printf("plan\t%s\n", plan)
	s.Printf("verdict\t%s\n", v.Verdict)
	text := append(s.Bytes(), "\nTo repeat it, write these settings to a file, run it, and verify its folder with "+
		"this certificate:\n\n"...)
	return a.print(append(text, v.Repeat...))
}
