package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/http"
	"os"
	"slices"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// A resultDoc is the result of a complete run with all that is needed to cite it. All numbers are decimal strings.
type resultDoc struct {
	Facts  []factDoc  `json:"facts"`
	Tables []tableDoc `json:"tables"`
	Notes  []string   `json:"notes"`
	Config string     `json:"config"` // the settings that define the run
	// RowLinks is whether the exported rows of a layer can have links.
	RowLinks bool `json:"row_links"`
	// Certificate has the content of the certificate in the folder, nil for none.
	Certificate *certifiedDoc `json:"certificate"`
}

// A factDoc is one result: a value, a list, a histogram or an object.
type factDoc struct {
	columnDoc
	Value  string      `json:"value,omitempty"`
	List   []string    `json:"list,omitempty"`
	Map    [][2]string `json:"map,omitempty"`
	Fields []factDoc   `json:"fields,omitempty"`
}

type columnDoc struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Digit bool   `json:"digit"` // its values are whole numbers
}

type tableDoc struct {
	Name    string      `json:"name"`
	Columns []columnDoc `json:"columns"`
	Rows    [][]string  `json:"rows"`
	// Links are the addresses of the rows on the page, from # on, where they have some.
	Links []string `json:"links,omitempty"`
}

// A certifiedDoc is the part of a certificate that is cited.
type certifiedDoc struct {
	Root    certificate.Hash   `json:"root"` // over the digests of all windows
	Plan    certificate.Hash   `json:"plan"`
	Version string             `json:"version"`
	Rows    string             `json:"rows"`
	Checks  certificate.Checks `json:"checks"`
	Words   string             `json:"words,omitempty"` // on whose word the windows are
}

func newColumn(c puzzle.Column) columnDoc { return columnDoc{c.Name, c.Doc, !c.Kind.Worded()} }

func newFacts(facts []puzzle.Fact) []factDoc {
	list := []factDoc{}
	for _, f := range facts {
		doc := factDoc{columnDoc: newColumn(f.Column), Fields: newFacts(f.Fields)}
		if f.Scalar() {
			doc.Value = f.Kind.Plain(f.Value)
		}
		for _, v := range f.List {
			doc.List = append(doc.List, f.Kind.Plain(v))
		}
		for _, e := range f.Map {
			doc.Map = append(doc.Map, [2]string{e.Key, e.Value.String()})
		}
		list = append(list, doc)
	}
	return list
}

func newTable(t *puzzle.Table) tableDoc {
	doc := tableDoc{Name: t.Name, Columns: []columnDoc{}, Rows: [][]string{}}
	for _, c := range t.Columns {
		doc.Columns = append(doc.Columns, newColumn(c))
	}
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = t.Columns[i].Kind.Plain(v)
		}
		doc.Rows = append(doc.Rows, line)
	}
	return doc
}

// A found is the result of a complete run, kept because to read it again takes up to seconds.
type found struct {
	sum *puzzle.Summary
	// plan has the committed windows, none of their holders; nil: it was forgotten.
	plan *plan.Plan
	// last is the status file of the process that led the run last; nil: there is none.
	last *status.Status
}

// find keeps the result of a run whose windows have been loaded.
func (o *offer) find(p *plan.Plan, last *status.Status) (*found, error) {
	sum, err := o.Puzzle.Summarise(p)
	if err != nil {
		return nil, err
	}
	f := &found{&sum, p, last}
	o.mu.Lock()
	o.found = f
	o.mu.Unlock()
	if o.asked != nil {
		o.asked()
	}
	return f, nil
}

// maxResults bounds the windows of the results that are kept: 1.6 kB each. Those that were asked last stay in any case.
const maxResults = 100_000

// keepResults notes that the results of o were asked last, and forgets those beyond maxResults that were asked first.
func (s *Server) keepResults(o *offer) {
	s.recalling.Lock()
	defer s.recalling.Unlock()
	s.recalled = append(slices.DeleteFunc(s.recalled, func(other *offer) bool { return other == o }), o)
	windows := 0
	for i := len(s.recalled) - 1; i >= 0; i-- {
		if p := s.recalled[i].results(); p != nil {
			windows += p.WindowCount
		}
		if windows > cmp.Or(s.o.Results, maxResults) && s.recalled[i] != o {
			s.recalled[i].forget()
			s.recalled = slices.Delete(s.recalled, i, i+1)
		}
	}
}

// results are those of a folder, where they are kept; nil: they are not. The folder of a small run stays open itself.
func (o *offer) results() *plan.Plan {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.found == nil || o.small {
		return nil
	}
	return o.found.plan
}

// recall keeps results again that were forgotten.
func (o *offer) recall(p *plan.Plan) {
	o.mu.Lock()
	if o.found != nil && o.found.plan == nil {
		o.found = &found{o.found.sum, p, o.found.last}
	}
	o.mu.Unlock()
	o.asked()
}

// forget gives up the kept results, but not their summary.
func (o *offer) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.found != nil {
		o.found = &found{o.found.sum, nil, o.found.last}
	}
}

// result is the result of a complete run. Only of a run of this process are its windows loaded for it.
func (o *offer) result(ctx context.Context, l runs.Loader) (*found, error) {
	o.mu.Lock()
	f := o.found
	o.mu.Unlock()
	if f != nil {
		return f, nil
	}
	run, done, err := o.lend(ctx, l, true)
	if err != nil {
		return nil, err
	}
	defer done()
	if !run.Results.Complete() {
		return nil, cli.Hint(puzzle.ErrIncomplete, "wait for its end")
	}
	return o.find(run.Results, nil)
}

// links are the addresses of the rows of a table on the page; nil: they have none.
func (o *offer) links(t *puzzle.Table) []string {
	if o.Definition.Links == nil {
		return nil
	}
	link, err := o.Definition.Links(o.Config, t.Columns)
	if err != nil {
		return nil
	}
	list := []string{}
	for _, row := range t.Rows {
		to, err := link(row)
		if err != nil {
			return nil
		}
		list = append(list, to)
	}
	return list
}

// serveResult answers what a complete run found.
func (s *Server) serveResult(w http.ResponseWriter, _ *http.Request, o *offer) {
	f, err := o.result(s.ctx, s.o.Loader)
	if err != nil {
		refuse(w, httpStatus(err), err)
		return
	}
	config, err := o.Essence()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	doc := resultDoc{Facts: newFacts(f.sum.Facts), Tables: []tableDoc{}, Notes: append([]string{}, f.sum.Notes...),
		Config: string(config)}
	for i := range f.sum.Tables {
		t := newTable(&f.sum.Tables[i])
		t.Links = o.links(&f.sum.Tables[i])
		doc.Tables = append(doc.Tables, t)
	}
	if e, ok := o.Puzzle.(puzzle.Exporter); ok {
		doc.RowLinks = o.links(&puzzle.Table{Columns: e.RowColumns()}) != nil
	}
	if doc.Certificate, err = o.certified(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		doc.Notes = append(doc.Notes, fmt.Sprintf("the certificate in the folder cannot be read: %v", err))
	}
	reply(w, http.StatusOK, doc)
}

// A cited is a certificate that was read, with the file that had it: one of 18,167 windows takes 0.2 s to read.
type cited struct {
	file os.FileInfo
	doc  *certifiedDoc
}

// certified reads the certificate of the run, unless its file is the one that was read last. The error wraps
// fs.ErrNotExist when there is none.
func (o *offer) certified() (*certifiedDoc, error) {
	file, err := os.Stat(rundir.CertificatePath(o.Dir))
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	last := o.cited
	o.mu.Unlock()
	if last.file != nil && sameFile(file, last.file) {
		return last.doc, nil
	}
	c, err := runs.ReadCertificate(o.Dir)
	if err == nil && c.Run != o.ID {
		err = fmt.Errorf("it is of run %s", c.Run)
	}
	if err != nil {
		return nil, err
	}
	doc := &certifiedDoc{Root: c.Root, Plan: c.Plan, Version: c.Program.Version, Rows: c.Rows, Checks: c.Checks}
	if c.Words != nil {
		doc.Words = c.Words.String()
	}
	o.mu.Lock()
	o.cited = cited{file, doc}
	o.mu.Unlock()
	return doc, nil
}

var errUncertified = cli.Hint(errors.New("the run has no certificate"),
	"coordinator run writes one at the end of a run")

// serveCertificate sends the certificate as it is in the folder.
func (s *Server) serveCertificate(w http.ResponseWriter, _ *http.Request, o *offer) {
	b, err := rundir.ReadCertificate(o.Dir, certificate.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		err = errUncertified
	}
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="`+o.ID+`-certificate.json"`)
	_, _ = w.Write(b)
}

// A headline is the number of a run that stands for its result in a list.
type headline struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Of a run of all pairs the value is the number of those with solutions, Of that of all that were counted, and All
	// is the sum of their solutions.
	Of  string `json:"of,omitempty"`
	All string `json:"all,omitempty"`
}

// headline is the first exact count among the facts, nil for none, or the sum of all pairs.
func (f *found) headline() *headline {
	if f == nil {
		return nil
	}
	for i := range f.sum.Tables {
		if h := pairsHeadline(&f.sum.Tables[i]); h != nil {
			return h
		}
	}
	for _, fact := range f.sum.Facts {
		if fact.Kind == puzzle.Count && fact.Scalar() {
			return &headline{Name: fact.Name, Value: fact.Value.N.String()}
		}
	}
	return nil
}

// pairsHeadline adds up the classes of pairs of a start vacancy and a last peg. Their table has columns for the number
// of pairs in a class and the solutions of each. nil: the table is another one.
func pairsHeadline(t *puzzle.Table) *headline {
	column := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c puzzle.Column) bool { return c.Name == name })
	}
	size, solutions := column("pairs"), column("solutions")
	if t.Name != questionPairs || size < 0 || solutions < 0 {
		return nil
	}
	solvable, of, all := uint64(0), uint64(0), new(big.Int)
	for _, row := range t.Rows {
		n := row[size].N
		of += n.Lo
		if !row[solutions].N.IsZero() {
			solvable += n.Lo
		}
		all.Add(all, new(big.Int).Mul(n.Big(), row[solutions].N.Big()))
	}
	return &headline{Name: "solvable_pairs", Value: fmt.Sprint(solvable), Of: fmt.Sprint(of), All: all.String()}
}

// ended is when the run was completed, and how long that took when one process did all of it; zero: it is not known.
func (f *found) ended(windows int) (at string, seconds float64) {
	if f == nil || f.last == nil || f.last.State != status.StateComplete || f.last.Committed != windows {
		return "", 0
	}
	return f.last.Updated.UTC().Format(time.RFC3339), f.last.Updated.Sub(f.last.Started).Seconds()
}
