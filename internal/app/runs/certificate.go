package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/app/cli"
	"pagoda/internal/config"
	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// Program is this program, as certificates name it.
func Program() certificate.Program {
	b := build.Read()
	return certificate.Program{Version: b.Version, Revision: b.Revision, Format: kv.FormatVersion}
}

// Certify writes the certificate of a run that has just been completed into its folder.
func (j *Job) Certify(f *rundir.Folder, results *plan.Plan) error {
	edges, err := verify.CountEdges(results)
	if err != nil {
		return err
	}
	c, err := j.Certificate(f, results, Program(), certificate.Checks{Edges: edges})
	if err == nil {
		err = WriteCertificate(f, c)
	}
	if err != nil {
		err = fmt.Errorf("certificate of run %s: %w", j.ID, err)
	}
	return err
}

// Certificate is the certificate of a complete run, whose results were loaded from the folder.
func (j *Job) Certificate(
	f *rundir.Folder, results *plan.Plan, program certificate.Program, checks certificate.Checks,
) (*certificate.Certificate, error) {
	sum, err := j.Puzzle.Summarise(results)
	if err != nil {
		return nil, err
	}
	c := &certificate.Certificate{
		Certificate: certificate.Form, Version: certificate.Version, Program: program,
		Run: f.Meta.Run, Puzzle: f.Meta.Puzzle, Params: []certificate.Named{}, Settings: j.certifiedSettings(),
		Plan: planDigest(results), Totals: totals(sum.Facts), Checks: checks, Columns: certificate.ColumnsOf(sum.Tables),
	}
	for _, p := range f.Meta.Params {
		c.Params = append(c.Params, certificate.Named{Name: p.Name, Value: p.Value})
	}
	c.Checks.SecondCounts = append([]string{}, checks.SecondCounts...) // an array, never null
	refused, err := f.Ledger.Refused()
	if err != nil {
		return nil, err
	}
	b := certificate.NewBuilder(f.Meta.Run)
	var rows uint128.Uint128
	parties, auditors := make(map[string]bool), make(map[string]bool)
	c.Words, err = rundir.Words(f.Ledger, func(count func(kv.Entry) error) (err error) {
		c.Tree, err = Tree(f.Ledger, results, b, func(e *kv.Entry) error {
			rows, _ = rows.Add(uint128.From(e.Record.Rows)) // of 2^64 windows at most
			note(parties, e.Reporters())
			if by := believed(e.By, refused); len(by) > 1 {
				c.Checks.Audited++
				note(auditors, by)
			}
			return count(*e)
		})
		return err
	})
	c.Rows, c.Parties, c.Checks.Auditors = rows.String(), len(parties), len(auditors)
	return c, err
}

// note adds the parties of workers to a set.
func note(set map[string]bool, names []string) {
	for _, name := range names {
		set[protocol.Party(name)] = true
	}
}

// believed are the parties that computed a window and were not found to lie.
func believed(by []string, refused []kv.Refusal) (list []string) {
	for _, name := range by {
		party := protocol.Party(name)
		lied := func(r kv.Refusal) bool { return protocol.Party(r.Worker) == party }
		if !slices.Contains(list, party) && !slices.ContainsFunc(refused, lied) {
			list = append(list, party)
		}
	}
	return list
}

// Tree passes the windows of all complete cells in a ledger to b, and finishes it. each, when not nil, is called with
// every entry.
func Tree(
	l *kv.Ledger, results puzzle.Results, b *certificate.Builder, each func(*kv.Entry) error,
) (certificate.Tree, error) {
	err := l.Load(func(e kv.Entry) error {
		if _, ok := results.Cell(e.Record.Cell); !ok {
			return nil
		}
		if each != nil {
			if err := each(&e); err != nil {
				return err
			}
		}
		return b.Add(certified(&e.Record))
	})
	if err != nil {
		return certificate.Tree{}, fmt.Errorf("ledger: %w", err)
	}
	return b.Finish()
}

// certified is a committed window as certificates have it.
func certified(r *kv.Record) certificate.Window {
	return certificate.Window{
		Window: r.Window, Rows: r.Rows, Blocks: r.Blocks, Digest: certificate.Hash(r.Digest), Tally: r.Tally,
	}
}

// planDigest is the digest of all layers that are planned.
func planDigest(results puzzle.Results) certificate.Hash {
	h := certificate.NewPlanHasher()
	for n := range results.Layers() {
		cells := results.Cells(n)
		for i := range cells {
			h.Add(&cells[i])
		}
	}
	return h.Sum()
}

// certifiedSettings are the settings that define the run.
func (j *Job) certifiedSettings() (list []certificate.Named) {
	for _, s := range j.Config.Settings() {
		if j.decides(s.Setting.Name) && (s.Value != "" || s.Setting.Default != "") {
			list = append(list, certificate.Named{Name: s.Setting.Name, Value: s.Value})
		}
	}
	return list
}

// decides reports whether a setting is a part of the run's definition, and not only of how it is carried out.
func (j *Job) decides(name string) bool {
	return name == "puzzle" || name == "window_addresses" ||
		slices.ContainsFunc(j.Definition.Settings, func(s setting.Setting) bool { return s.Name == name })
}

// Kept is the config that the folder of the run keeps: all of it but the webhook, whose URL is often a secret.
func (j *Job) Kept() ([]byte, error) {
	return j.Config.YAMLOf(func(key string) bool { return !slices.Contains(NotifySettings, key) })
}

// NotifySettings are the keys of a webhook.
var NotifySettings = []string{"notify", "notify_secret_file"}

// Essence is the config of the run with the settings alone that define it.
func (j *Job) Essence() ([]byte, error) { return j.Config.YAMLOf(j.decides) }

// Announced is the config that workers build the puzzle from: the settings that define it, archive and weight. Those
// that are at their defaults are left out, so that a worker of an earlier program meets no key that it does not know.
// The worker compares the ID of the run, which would differ if the default did.
func (j *Job) Announced() ([]byte, error) {
	said := map[string]bool{"puzzle": true, "window_addresses": true}
	for _, s := range j.Config.Settings() {
		name := s.Setting.Name
		said[name] = said[name] || s.Value != s.Setting.Default && (j.decides(name) || name == "archive" || name == "weight")
	}
	return j.Config.YAMLOf(func(key string) bool { return said[key] })
}

// DecidingSettings are the settings that define the run, by name, as certificates have them.
func (j *Job) DecidingSettings() map[string]string { return byName(j.certifiedSettings()) }

// Totals are the scalar results of a complete run, by name, as certificates have them.
func (j *Job) Totals(results puzzle.Results) (map[string]string, error) {
	sum, err := j.Puzzle.Summarise(results)
	if err != nil {
		return nil, err
	}
	return byName(totals(sum.Facts)), nil
}

func byName(list []certificate.Named) map[string]string {
	m := make(map[string]string, len(list))
	for _, n := range list {
		m[n.Name] = n.Value
	}
	return m
}

// totals are the scalars of the facts of a summary.
func totals(facts []puzzle.Fact) []certificate.Named {
	list := []certificate.Named{} // an array, never null
	puzzle.Scalars(facts, func(name string, kind puzzle.Kind, v puzzle.Value) {
		list = append(list, certificate.Named{Name: name, Value: kind.Plain(v)})
	})
	return list
}

// WriteCertificate puts a certificate into the folder of its run. Checks that an earlier certificate of the same
// windows has on record stay.
func WriteCertificate(f *rundir.Folder, c *certificate.Certificate) error {
	if old, err := ReadCertificate(f.Dir); err == nil && old.Root == c.Root {
		c.Checks.Merge(&old.Checks)
	}
	b, err := c.Encode()
	if err != nil {
		return err
	}
	return f.WriteCertificate(b)
}

// ReadCertificate reads the certificate in a folder. The error wraps fs.ErrNotExist when there is none.
func ReadCertificate(dir string) (*certificate.Certificate, error) {
	b, err := rundir.ReadCertificate(dir, certificate.MaxBytes)
	if err != nil {
		return nil, err
	}
	return certificate.Decode(b)
}

// Certified makes the job of a certificate from its settings. It compares all that needs no computing: parameters, run
// ID and, where all layers can be planned beforehand, the plan. planned says that they could. Errors wrap
// certificate.ErrForm.
func (l Loader) Certified(ctx context.Context, c *certificate.Certificate) (j *Job, planned bool, err error) {
	bad := func(err error) (*Job, bool, error) { return nil, false, fmt.Errorf("%w: %w", certificate.ErrForm, err) }
	if c.Program.Format != kv.FormatVersion {
		return bad(fmt.Errorf("it is of data format %d, this program has %d", c.Program.Format, kv.FormatVersion))
	}
	o := l.options("certificate", nil, nil)
	for _, s := range c.Settings {
		o.Overrides = append(o.Overrides, config.Override{Key: s.Name, Value: s.Value, Flag: "settings of the certificate"})
	}
	parsed, err := config.Parse("certificate", nil, o)
	if err != nil {
		return bad(err)
	}
	j, err = l.job(ctx, parsed)
	if err == nil {
		err = j.as(ctx, c.Run)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, false, err
		}
		return bad(err)
	}
	have := puzzle.Identity{Puzzle: c.Puzzle}
	for _, p := range c.Params {
		have.Params = append(have.Params, puzzle.Param{Name: p.Name, Value: p.Value})
	}
	var differs *rundir.DiffersError
	if errors.As(rundir.Compare(have, j.Puzzle.Identity()), &differs) {
		return bad(fmt.Errorf("its settings give %s %q, and it says %q", differs.Name, differs.Want, differs.Have))
	}
	if c.Run != j.ID {
		return bad(fmt.Errorf("run %s does not belong to its parameters (%s)", c.Run, j.ID))
	}
	p, err := cli.Await(ctx, func() (*plan.Plan, error) { return plan.New(j.Puzzle) })
	if err != nil {
		return nil, false, err
	}
	if decided, _ := p.Size(); !decided {
		return j, false, nil
	}
	if err := comparePlan(c, p); err != nil {
		return bad(err)
	}
	return j, true, nil
}

// comparePlan compares a certificate with the plan of its run.
func comparePlan(c *certificate.Certificate, p *plan.Plan) error {
	if d := planDigest(p); d != c.Plan {
		return fmt.Errorf("its plan is %s, and that of the run %s", c.Plan, d)
	}
	windows := make(map[puzzle.Cell]int)
	for n := range p.Layers() {
		for _, cell := range p.Cells(n) {
			windows[cell.Cell] = cell.Windows()
		}
	}
	for _, l := range c.Layers {
		for _, cell := range l.Cells {
			id := puzzle.Cell{Layer: l.Layer, Key: cell.Key}
			if want := windows[id]; cell.Windows != want {
				return fmt.Errorf("cell %d/%s has %d windows in it, and %d in the plan of the run",
					l.Layer, cell.Key, cell.Windows, want)
			}
			delete(windows, id)
		}
	}
	if len(windows) > 0 {
		return fmt.Errorf("%d cells of the plan are not in it", len(windows))
	}
	return nil
}
