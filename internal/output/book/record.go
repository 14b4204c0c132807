package book

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/certificate/canonical"
)

const (
	// Form is the value of the field "record".
	Form = "pagoda result"
	// Version is the version of the form.
	Version = 1
	// MaxBytes bounds the size of a record to read: a certificate, and as much again.
	MaxBytes = 2 * certificate.MaxBytes
)

// ErrRecord is wrapped when a document is no record, or contradicts itself.
var ErrRecord = errors.New("bad record")

// A Record is the result of a complete run with all that its page shows. Its JSON has these fields in this order.
type Record struct {
	Record  string `json:"record"`  // Form
	Version int    `json:"version"` // Version
	Name    string `json:"name"`    // of the run, as its config has it
	puzzle.Subject
	Problem []puzzle.Line `json:"problem"` // the settings as they were understood
	Facts   []Fact        `json:"facts"`
	Tables  []Table       `json:"tables"`
	Boards  []Board       `json:"boards"`
	Notes   []string      `json:"notes"`
	Config  string        `json:"config"` // the settings that define the run, as YAML
	// Computed is nil where the process that completed the run did not compute all of it, or left no word.
	Computed    *Computed                `json:"computed"`
	Certificate *certificate.Certificate `json:"certificate"`

	summary puzzle.Summary
}

// Computed says how a run was carried out, by one coordinator from its first window to its last.
type Computed struct {
	Completed string `json:"completed"` // day, as 2026-01-31, in UTC
	Millis    int64  `json:"millis"`    // from start to end, in milliseconds
	Workers   int    `json:"workers"`   // that took part at the end
	Slots     int    `json:"slots"`     // windows that they computed at a time
	Bytes     uint64 `json:"bytes"`     // coded size of all windows
	// Used is nil where it is not known, or workers in other processes took part.
	Used *Used `json:"used"`
}

// Used is what the process that carried out a run has used.
type Used struct {
	Machine   string `json:"machine"`    // such as linux/amd64, 2 processors
	CPUMillis int64  `json:"cpu_millis"` // processor time
	PeakBytes uint64 `json:"peak_bytes"` // the most memory; 0: not known
}

// New makes the record of a run. The record says what sum and c say, and shows the boards among the figures.
func New(
	name string, about puzzle.Subject, sum *puzzle.Summary, figures []figure.Figure, config string, done *Computed,
	c *certificate.Certificate,
) *Record {
	return &Record{
		Boards: newBoards(figures),
		Record: Form, Version: Version, Name: name, Subject: about, Problem: append([]puzzle.Line{}, sum.Problem.Lines...),
		Facts: newFacts(sum.Facts), Tables: newTables(sum.Tables), Notes: append([]string{}, sum.Notes...), Config: config,
		Computed: done, Certificate: c,
	}
}

// Encode writes r for people and programs: JSON with one indent.
func (r *Record) Encode() ([]byte, error) { return canonical.Indent(r) }

// Decode reads a record and checks that it does not contradict itself, see [Record.Check]. Space between the parts of
// the JSON does not matter; unknown, missing, doubled and disordered fields are refused. Errors wrap ErrRecord.
func Decode(data []byte) (*Record, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrRecord, len(data), MaxBytes)
	}
	var head struct {
		Record  string `json:"record"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if head.Record != Form || head.Version != Version {
		return nil, fmt.Errorf("%w: it is %.40q of version %d, this program reads %q of version %d", ErrRecord, head.Record,
			head.Version, Form, Version)
	}
	var r Record
	if err := canonical.Decode(data, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return &r, nil
}

var (
	nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	dayForm  = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`)
)

// Check says where r contradicts itself: its certificate does not agree with itself, its facts are not the totals of
// the certificate, a table is not the one whose columns are there, or does not add up to the totals. It cannot tell
// whether the config is that of the certificate, which takes the puzzle.
func (r *Record) Check() (err error) {
	if !nameForm.MatchString(r.Name) {
		return fmt.Errorf("%.40q is not a name of lower-case letters, digits, - and _", r.Name)
	}
	for _, t := range []struct{ name, text string }{{"puzzle", r.Puzzle}, {"board", r.Board}, {"question", r.Question},
		{"definition", r.Definition}, {"config", r.Config}} {
		if strings.TrimSpace(t.text) == "" {
			return fmt.Errorf("%s is empty", t.name)
		}
	}
	for name, null := range map[string]bool{"problem": r.Problem == nil, "facts": r.Facts == nil,
		"tables": r.Tables == nil, "notes": r.Notes == nil} {
		if null {
			return fmt.Errorf("%s: null in place of a list", name)
		}
	}
	if r.Certificate == nil {
		return errors.New("it has no certificate")
	}
	if err := r.Certificate.Check(); err != nil {
		return err
	}
	if err := cmp.Or(r.Computed.check(), r.checkBoards()); err != nil {
		return err
	}
	if r.summary, err = r.summarise(); err != nil {
		return err
	}
	return cmp.Or(r.compareTotals(), r.summary.Agree(), r.Certificate.CheckTables(r.summary.Tables))
}

// compareTotals demands that the facts are the totals of the certificate.
func (r *Record) compareTotals() (err error) {
	totals := r.Certificate.Totals
	n := 0
	puzzle.Scalars(r.summary.Facts, func(name string, kind puzzle.Kind, v puzzle.Value) {
		switch value := kind.Plain(v); {
		case err != nil:
		case n == len(totals):
			err = fmt.Errorf("it says %s, and its certificate does not", name)
		case totals[n].Name != name:
			err = fmt.Errorf("it says %s where its certificate has %s", name, totals[n].Name)
		case totals[n].Value != value:
			err = fmt.Errorf("%s is %.60s, and %.60s in its certificate", name, value, totals[n].Value)
		}
		n++
	})
	if err == nil && n < len(totals) {
		err = fmt.Errorf("it does not say %s, and its certificate does", totals[n].Name)
	}
	return err
}

// check checks what is on record, if anything is.
func (c *Computed) check() error {
	if c == nil {
		return nil
	}
	if !dayForm.MatchString(c.Completed) {
		return fmt.Errorf("computed: %.40q is not a day such as 2026-01-31", c.Completed)
	}
	if c.Millis < 0 || c.Workers < 1 || c.Slots < 1 {
		return errors.New("computed: a time below 0, or no worker")
	}
	if u := c.Used; u != nil && (u.CPUMillis < 0 || u.Machine == "") {
		return errors.New("computed: used: a time below 0, or no machine")
	}
	return nil
}
