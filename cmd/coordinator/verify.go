package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/kv"
	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/readfile"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	data, against, output     string
	expected                  runs.Expected
	offset                    string
	recompute, scratch, seed  string
	certificate, proof, check string
	dryRun, weigh             bool
	workers                   int
}

func (a *app) verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify --data DIR | --certificate FILE",
		Short: "check what a run has on disk, and say what was checked",
		Long: `Read every stored block again and check its checksum, the digest of every window, the flow across every edge
between windows, and the totals; count solutions a second time, from the stored rows and joined after another number of
jumps, and through every layer where the run keeps them (store_ways: true); and compare a table with a reference file
when one is given: whatever export writes, except pictures and leaves, a JSON document as run prints it, or an OEIS
b-file. A reference may have fewer columns and rows than the run. One that has nothing in common with the run is
refused.

The table is the one that has the columns of the reference, or that --table names. Of a b-file --column names the
column; its indices are the first column of the table, or with --offset the numbers of the rows from there on. A b-file
that begins before the offset is longer than the table, and its other terms are left out: so one row of a triangle is
compared.

Rows that match their digest are those that were computed, which need not be right. With --recompute, windows are
computed again from the rows of their parents and compared: a share of them, drawn with a seed that is printed, or all.
Where rows are not in the folder, all means that the whole run is carried out again in a temporary folder.

With --weigh, of a run with count: games and retention: all, the rows of each layer are compared with those of the layer
before by sums with random weights. That finds any wrong count, without parents, kernel or a second run.

With --certificate the run is compared with the certificate of another, which every completed run has in its folder, and
the first layer and cell in which they differ are named. Without --data the certificate alone is checked: it must agree
with itself and with the plan of its parameters, and its settings are printed, to repeat the run.

The verdict says how many windows were read, how many recomputed, and how many are taken on trust: those that were
neither. What is damaged is marked, so that running the config again computes it anew; with --dry-run nothing is
changed. The exit code is 13 when anything is wrong, or when there is no window to verify. A run that is not complete
can be verified as far as it is.`,
		Example: `  coordinator verify --data runs/english-0123456789ab
  coordinator verify --data runs/english-0123456789ab --recompute 10%
  coordinator verify --data runs/english-0123456789ab --recompute all
  coordinator verify --data runs/english-0123456789ab --reference layers.csv
  coordinator verify --data runs/english-0123456789ab --reference b112737.txt --column classes
  coordinator verify --data runs/mousetrap-8-0123456789ab --reference b028305.txt --column decks --offset 36
  coordinator verify --data runs/english-0123456789ab --reference 19.parquet --table counts --layer 19
  coordinator verify --data runs/english-0123456789ab --certificate theirs.json
  coordinator verify --certificate theirs.json`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error { return a.verify(ctx, f) }),
	}
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of the run")
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
	addOutput(cmd, &f.output)
	cmd.Flags().StringVar(&f.certificate, "certificate", "", "certificate `file` of another run to compare this one with")
	cmd.Flags().StringVar(&f.proof, "proof", "",
		"print the proof that `window` LAYER/CELL/PART belongs to the root of the run, and do nothing else")
	cmd.Flags().StringVar(&f.check, "check-proof", "",
		"check the proof in `file`, against --certificate where it is given, and do nothing else")
	cmd.Flags().StringVar(&f.against, "reference", "", "reference `file` for a table, or for the rows of a layer")
	cmd.Flags().StringVar(&f.expected.Table, "table", "",
		"`table` that the reference is of; default: the one with its columns")
	cmd.Flags().StringVar(&f.expected.Layer, "layer", "", "`number` of the layer, for a reference of the rows of one")
	cmd.Flags().StringVar(&f.expected.Column, "column", "",
		"`column` that a b-file has, or several with commas between them, read row by row; or a total, with --offset")
	cmd.Flags().StringVar(&f.offset, "offset", "", "`index` that a b-file has for the first row of the table")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "change nothing: do not mark what is damaged")
	cmd.Flags().IntVar(&f.workers, "concurrency", cli.Machine().CPUs, "`number` of windows read or computed at a time")
	cmd.Flags().StringVar(&f.recompute, "recompute", "",
		"`share` of the windows to compute again: a fraction such as 0.1, a percentage such as 10%, or all")
	cmd.Flags().BoolVar(&f.weigh, "weigh", false, "compare the rows of each layer with the next by random weights")
	cmd.Flags().StringVar(&f.seed, "seed", "",
		"`number` that draws the windows to compute again, as a verification printed it")
	cmd.Flags().StringVar(&f.scratch, "scratch", "",
		"`folder` on a disk that can hold the run, should all of it be carried out again; default: the data folder")
	return cmd
}

// verdict is the output of verify; its JSON form is a contract, described in docs/cli.md.
type verdict struct {
	*verify.Report
	Verdict     string   `json:"verdict"`
	ErrorFound  bool     `json:"error_found"` // a finding, or a difference from the reference
	Against     string   `json:"against,omitempty"`
	Compared    int      `json:"compared,omitempty"`
	Differences []string `json:"differences,omitempty"`
	Outside     int      `json:"outside,omitempty"` // values of the reference that are not about this table
	// Certificate says how the run compares with a certificate; nil without one.
	Certificate *comparedCertificate `json:"certificate,omitempty"`
	Root        string               `json:"root,omitempty"` // of a complete run without a finding
	data        string               // folder
}

func (a *app) verify(ctx context.Context, f verifyFlags) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	if f.workers < 1 || f.workers > 1024 {
		return usage(fmt.Sprintf("--concurrency: %d is not between 1 and 1024", f.workers), "write --concurrency 2")
	}
	draw, err := f.draw()
	if err != nil {
		return err
	}
	switch {
	case f.check != "":
		return a.checkProof(ctx, &f)
	case f.data == "" && f.certificate != "":
		return a.checkCertificate(ctx, &f)
	case f.data == "":
		return usage("neither --data nor --certificate is given", "name the data folder of a run with --data")
	case f.proof != "":
		return a.prove(ctx, &f)
	}
	if err := f.expect(); err != nil {
		return err
	}
	var theirs *certificate.Certificate
	if f.certificate != "" {
		if theirs, err = readCertificate(ctx, f.certificate); err != nil {
			return err
		}
	}
	var reference *export.Reference
	if f.against != "" {
		if reference, err = readReference(ctx, f.against); err != nil {
			return err
		}
	}
	s, err := a.loader().Open(ctx, f.data, f.dryRun)
	if errors.Is(err, kv.ErrCorrupt) {
		return fmt.Errorf("%w: %w", cli.ErrUnverified, err)
	}
	if errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) {
		return cli.Hint(err, "verify --dry-run changes nothing, and status, export and questions read such a folder; "+
			"what writes needs a copy of it")
	}
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f.precheck(ctx, s, reference); err != nil {
		return err
	}
	var weigh func() uint64
	if f.weigh {
		if _, ok := s.Puzzle.(puzzle.RowWeigher); !ok {
			return usage("--weigh: the rows of this run have no weights", "it is for runs of peg solitaire with count: games")
		}
		weigh = rand.Uint64
	}
	v, err := verify.Run(ctx, s.Puzzle, s.Folder, verify.Options{
		Workers: f.workers, Repair: !f.dryRun, CacheBytes: s.CacheBytes(), Weigh: weigh,
		Recompute: draw, MemoryBytes: s.Config.Uint("memory_limit_bytes") / 2,
		Rerun: func(ctx context.Context, compare func(kv.Record) error) error { return rerun(ctx, s, &f, compare) },
	})
	if err != nil {
		return err
	}
	out := verdict{Report: v, ErrorFound: len(v.Findings) > 0, data: f.data}
	s.Results = v.Results
	var unusable error
	if reference != nil {
		unusable = out.compare(ctx, s, &f, reference)
	}
	if err := out.certify(s, &f, theirs); err != nil {
		return err
	}
	out.Verdict = out.sentence()
	text, err := out.render(f.output)
	if err != nil {
		return err
	}
	if err := a.print(text); err != nil {
		return err
	}
	if unusable != nil && !out.ErrorFound {
		return unusable
	}
	return out.failure(f.dryRun)
}

// draw returns the choice of windows to compute again; nil is none.
func (f *verifyFlags) draw() (*verify.Draw, error) {
	if f.recompute == "" {
		if f.seed != "" || f.scratch != "" {
			return nil, usage("--seed and --scratch are for --recompute", "add --recompute 10%, or leave them out")
		}
		return nil, nil
	}
	share, err := verify.ParseShare(f.recompute)
	if err != nil {
		return nil, usage(fmt.Sprintf("--recompute %s: %v", setting.Quote(f.recompute), err), "write --recompute 10%")
	}
	d := &verify.Draw{Share: share, Seed: rand.Uint64()}
	if f.seed != "" {
		if d.Seed, err = strconv.ParseUint(f.seed, 10, 64); err != nil {
			return nil, usage(fmt.Sprintf("--seed %s: not a whole number below 2^64", setting.Quote(f.seed)),
				"write the seed that a verification printed")
		}
	}
	return d, nil
}

// maxReference bounds a reference file, in bytes.
const maxReference = 64 << 20

// readReference reads a reference file.
func readReference(ctx context.Context, path string) (*export.Reference, error) {
	b, err := readfile.Read(ctx, path, maxReference)
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &file):
		err = file.Err
	}
	if err != nil {
		return nil, adviseReference(fmt.Errorf("%w: %w", export.ErrReference, err), path)
	}
	r, err := export.ReadReference(b)
	return r, adviseReference(err, path)
}

// adviseReference adds to an error its file and advice.
func adviseReference(err error, path string) error {
	if !errors.Is(err, export.ErrReference) {
		return err
	}
	hint := cli.Advice(err)
	if hint == "" {
		hint = "a reference is what export writes, a json document as run prints it, or a b-file with --column"
	}
	return cli.Hint(&cli.UsageError{Err: fmt.Errorf("--reference %s: %w", path, err)}, hint)
}

// expect reads the flags about the subject of a reference.
func (f *verifyFlags) expect() error {
	e := &f.expected
	if f.against == "" {
		for _, flag := range []struct{ name, value string }{
			{"table", e.Table}, {"layer", e.Layer}, {"column", e.Column}, {"offset", f.offset},
		} {
			if flag.value != "" {
				return usage("--"+flag.name+" says what a reference is about, and there is no --reference",
					"remove it, or add --reference FILE")
			}
		}
		return nil
	}
	if f.offset != "" {
		n, err := strconv.ParseUint(f.offset, 10, 63)
		if err != nil {
			return usage(fmt.Sprintf("--offset %s: not a whole number below 2^63", setting.Quote(f.offset)),
				"write the index that the b-file has for the first row of the table")
		}
		e.Offset = &n
	}
	return e.Check()
}

// precheck refuses an unusable reference before the long part. The ledger is enough for that, except for rows; a ledger
// that cannot be loaded is a matter of the verification.
func (f *verifyFlags) precheck(ctx context.Context, s *runs.Stored, r *export.Reference) (err error) {
	what := runs.Selection{Table: f.expected.Table}
	if r == nil || what.Rows() || f.expected.Layer != "" {
		return nil
	}
	if s.Results, err = rundir.Load(s.Puzzle, s.Folder); err != nil {
		return nil //nolint:nilerr // see above
	}
	_, err = s.Compare(ctx, r, &f.expected, os.TempDir(), sortMemory)
	return adviseReference(err, f.against)
}

// compare compares the run with a reference.
func (v *verdict) compare(ctx context.Context, s *runs.Stored, f *verifyFlags, r *export.Reference) error {
	c, err := s.Compare(ctx, r, &f.expected, os.TempDir(), sortMemory)
	if err != nil {
		return adviseReference(err, f.against)
	}
	v.Against, v.Compared, v.Outside = f.against, c.Compared, c.Outside
	for _, d := range c.Differences {
		v.Differences = append(v.Differences, d.String())
	}
	v.ErrorFound = v.ErrorFound || len(c.Differences) > 0
	return nil
}
