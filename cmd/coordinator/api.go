package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"pagoda/internal/certs"
	"pagoda/internal/cli"
	"pagoda/internal/export"
	"pagoda/internal/status"
)

// The API of a coordinator: what `status` and `export` say, of a live run too. It only reads.
//
//	GET /v1/status                                       a liveStatus
//	GET /v1/results?output=                              what `run` prints, of a complete run
//	GET /v1/export?table=&layer=&format=&column=&scale=   the bytes of `export` with these flags
//
// Errors are JSON, {"error": ..., "hint": ...}.

// liveStatus is what /v1/status answers: the status of the run, and what the process would exit with.
type liveStatus struct {
	status.Status
	Hint string `json:"hint,omitempty"`
	Code int    `json:"code,omitempty"` // exit code of a coordinator that lingers after an error
}

// An api answers for a coordinator. Its functions are safe for concurrent use.
type api struct {
	status func() liveStatus
	// run lends the run while done has not been called; the error says why there is none.
	run  func() (s *storedRun, done func(), err error)
	keys *certs.Credentials
	busy chan struct{} // one token for each export
}

const (
	// apiExports are answered at a time; each sorts up to apiSortMemory.
	apiExports    = 2
	apiSortMemory = 64 << 20
	// apiWriteTime is how long a client may take to accept a piece of an answer.
	apiWriteTime = 30 * time.Second
)

// handler returns the API. k are the coordinator's keys; without them everybody who can reach it may read.
func (p *api) handler() http.Handler {
	p.busy = make(chan struct{}, apiExports)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", p.serveStatus)
	mux.HandleFunc("GET /v1/results", p.serveResults)
	mux.HandleFunc("GET /v1/export", p.serveExport)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(apiWriteTime))
		if err := p.allowed(r); err != nil {
			refuse(w, http.StatusForbidden, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// allowed reports whether the holder of the client's certificate may read.
func (p *api) allowed(r *http.Request) error {
	if p.keys == nil {
		return nil
	}
	id, err := certs.PeerOf(r.TLS)
	switch {
	case err != nil:
		return err
	case id.Role != certs.Coordinator:
		return cli.Hint(errors.New("these keys may not read results"), "use the keys of a coordinator")
	}
	return nil
}

func (p *api) serveStatus(w http.ResponseWriter, _ *http.Request) {
	s := p.status()
	b, err := json.MarshalIndent(&s, "", "  ")
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n'))
}

// open opens the run, or answers that it cannot.
func (p *api) open(w http.ResponseWriter) (s *storedRun, done func(), ok bool) {
	s, done, err := p.run()
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err)
	}
	return s, done, err == nil
}

func (p *api) serveResults(w http.ResponseWriter, r *http.Request) {
	output := cmp.Or(r.URL.Query().Get("output"), outputText)
	if err := checkOutput(output); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	s, done, ok := p.open(w)
	if !ok {
		return
	}
	defer done()
	if !s.results.Complete() {
		refuse(w, http.StatusConflict, cli.Hint(errors.New("the run is not complete"), "wait for its end"))
		return
	}
	sum, err := s.puzzle.Summarise(s.results)
	if err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	if output == outputJSON {
		w.Header().Set("Content-Type", "application/json")
	}
	_, _ = w.Write(s.shown(&sum, output))
}

// exportParams are the parameters of /v1/export, as the flags of export.
var exportParams = []string{"table", "layer", "format", "column", "scale"}

func parseExport(q url.Values) (exportFlags, error) {
	for name, values := range q {
		if !slices.Contains(exportParams, name) || len(values) != 1 {
			return exportFlags{}, usage("unknown or repeated parameter "+name, "the parameters are those of export")
		}
	}
	get := func(name, otherwise string) string {
		if v := q.Get(name); v != "" {
			return v
		}
		return otherwise
	}
	f := exportFlags{
		what: get("table", whatLayers), layer: q.Get("layer"), format: get("format", string(export.CSV)), out: "-",
		column: q.Get("column"), scale: get("scale", "linear"),
	}
	if f.layer == allLayers {
		return f, usage("layer=all is several files", "ask for one layer at a time")
	}
	return f, f.check()
}

func (p *api) serveExport(w http.ResponseWriter, r *http.Request) {
	f, err := parseExport(r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	select {
	case p.busy <- struct{}{}:
		defer func() { <-p.busy }()
	default:
		refuse(w, http.StatusServiceUnavailable, cli.Hint(errors.New("other exports are going on"), "try again"))
		return
	}
	s, done, ok := p.open(w)
	if !ok {
		return
	}
	defer done()
	out := &patient{w: w, control: http.NewResponseController(w)}
	err = s.write(r.Context(), out, f)
	var misuse *cli.UsageError
	switch {
	case err == nil:
	case out.begun:
		panic(http.ErrAbortHandler) // the client must not take what it got for the whole
	case errors.As(err, &misuse):
		refuse(w, http.StatusBadRequest, err)
	default:
		refuse(w, http.StatusConflict, err)
	}
}

// write writes one export, all of it or nothing before the first byte of a table.
func (s *storedRun) write(ctx context.Context, to io.Writer, f exportFlags) error {
	w := bufio.NewWriterSize(to, 1<<16)
	if !f.rows() {
		t, o, err := s.tableExport(f)
		if err != nil {
			return err
		}
		if err := export.Write(w, export.Format(f.format), export.FromTable(t), o); err != nil {
			return err
		}
		return w.Flush()
	}
	exporter, layers, err := s.rowsExport(f)
	if err != nil {
		return err
	}
	if err := s.writeLayer(ctx, w, exporter, layers[0], f, os.TempDir(), apiSortMemory); err != nil {
		return err
	}
	return w.Flush()
}

// patient is an answer that may take as long as the client goes on reading.
type patient struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

func (p *patient) Write(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		p.w.Header().Set("Content-Type", "application/octet-stream")
	}
	if err := p.control.SetWriteDeadline(time.Now().Add(apiWriteTime)); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}

// apiError is the body of an answer that is none.
type apiError struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

func refuse(w http.ResponseWriter, code int, err error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(apiWriteTime))
	b, merr := json.Marshal(apiError{err.Error(), cli.Advice(err)})
	if merr != nil {
		code = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(b, '\n'))
}
