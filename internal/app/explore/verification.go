package explore

import (
	"context"
	"errors"
	"net/http"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/status"
	"pagoda/internal/run/verify"
)

// A verification is how far the last one of a run is.
type verification struct {
	begun, over    bool
	windows, total int
	report         *verify.Report
	err            error
}

// A verificationDoc is the page's document about a verification.
type verificationDoc struct {
	State    string           `json:"state"` // running, complete or failed
	Windows  int              `json:"windows"`
	Total    int              `json:"total"`
	Verdict  string           `json:"verdict,omitempty"`
	Findings []verify.Finding `json:"findings,omitempty"` // at most maxFindings
	Error    string           `json:"error,omitempty"`
}

const (
	// maxFindings bounds the findings about a damaged folder that a page is told.
	maxFindings = 20
	// progressPause is the least time between two reports to the watchers of how far a verification is.
	progressPause = 250 * time.Millisecond
)

// verification describes the last one, nil where none was asked for.
func (o *offer) verification() *verificationDoc {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := &o.checked
	doc := &verificationDoc{State: "running", Windows: c.windows, Total: c.total}
	switch {
	case !c.begun:
		return nil
	case !c.over:
	case c.err != nil:
		doc.State, doc.Error = "failed", c.err.Error()
	default:
		doc.State, doc.Verdict = "complete", c.report.Verdict()
		doc.Findings = c.report.Findings[:min(maxFindings, len(c.report.Findings))]
	}
	return doc
}

// serveVerify begins to read all of a complete run again, as `verify --dry-run` does, unless that is being done.
func (s *Server) serveVerify(w http.ResponseWriter, r *http.Request) {
	o := s.offered(w, r)
	if o == nil {
		return
	}
	if o.remote != nil {
		o.pass(w, r)
		return
	}
	if o.state() != status.StateComplete {
		refuse(w, http.StatusConflict, cli.Hint(puzzle.ErrIncomplete, "wait for its end"))
		return
	}
	run, done, err := o.lock(s.ctx, s.o.Loader)
	if err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	select {
	case s.checking <- struct{}{}:
	default:
		done()
		refuse(w, http.StatusServiceUnavailable, cli.Hint(errors.New("another run is being verified"), "wait for its end"))
		return
	}
	o.check(func(c *verification) { *c = verification{begun: true} })
	s.wait.Go(func() {
		defer func() { <-s.checking }()
		defer done()
		told := time.Now()
		report, err := verify.Run(s.ctx, run.Puzzle, run.Folder, verify.Options{
			Workers: 1, CacheBytes: run.CacheBytes(), MemoryBytes: run.Config.Uint("memory_limit_bytes") / 2,
			Progress: func(windows, total int) {
				if time.Since(told) >= progressPause {
					told = time.Now()
					o.check(func(c *verification) { c.windows, c.total = windows, total })
				}
			},
		})
		if errors.Is(err, context.Canceled) {
			err = errors.New("the server has ended")
		}
		o.check(func(c *verification) { c.over, c.report, c.err = true, report, err })
	})
	reply(w, http.StatusAccepted, o.doc())
}

// lock opens a complete run, so that no other program writes to it until done is called: verified files must not be
// replaced meanwhile.
func (o *offer) lock(ctx context.Context, l runs.Loader) (s *runs.Stored, done func(), err error) {
	if o.live != nil || o.small {
		return o.lend(ctx, l, true)
	}
	if s, err = l.Results(ctx, o.Dir); err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// check changes the state of the verification, and tells the watchers.
func (o *offer) check(change func(*verification)) {
	o.mu.Lock()
	change(&o.checked)
	o.mu.Unlock()
	o.changed()
}
