// Package api lets others ask a coordinator about its run: an HTTP server that reads a live or a complete run, and its
// client.
//
//	GET /v1/status                                       a Status
//	GET /v1/results?output=                              what `run` prints, of a complete run
//	GET /v1/layers                                       the layers that may have rows to show
//	GET /v1/export?table=&layer=&format=&column=&scale=&links=   the bytes of `export` with these flags
//	GET /v1/PUZZLE/QUESTION?arg=&FLAG=&output=&figure=&table=   the answer to a question, arg once for each argument
//
// Errors are JSON, {"error": ..., "hint": ...}, whatever was asked.
package api

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/status"
)

// Status is the status of a run, with the exit code of the process that leads it.
type Status struct {
	status.Status
	Hint string `json:"hint,omitempty"`
	Code int    `json:"code,omitempty"` // exit code of a coordinator that lingers after an error
	// Result has the totals of a complete run.
	Result runs.Result `json:"result,omitempty"`
}

// A Server answers for a coordinator. Its functions are safe for concurrent use.
type Server struct {
	Status func() Status
	// Run lends the run while done has not been called; the error says why there is none. Without folder its results
	// are asked alone.
	Run func(folder bool) (s *runs.Stored, done func(), err error)
	// Guard has the coordinator's keys. Without them any client that can reach it may read, but no page of another site in
	// a browser.
	Guard ops.Guard

	busy      busy
	computing chan struct{} // one for the answer that is computed from arguments alone
}

const (
	// exports and answers to questions are given so many at a time; an export sorts up to sortMemory.
	busyAnswers = 2
	sortMemory  = 64 << 20
	// writeTime is how long a client may take to accept a piece of an answer.
	writeTime = 30 * time.Second
)

// Handler returns the API.
func (p *Server) Handler() http.Handler {
	p.busy, p.computing = make(busy, busyAnswers), make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", p.serveStatus)
	mux.HandleFunc("GET "+resultsPath, p.serveResults)
	mux.HandleFunc("GET /v1/export", p.busy.limited(p.serveExport))
	mux.HandleFunc("GET /v1/layers", p.serveLayers)
	mux.HandleFunc("GET /v1/{puzzle}/{question}", p.busy.limited(p.serveQuestion))
	return bounded(p.Guard, mux, "ask for /v1/status, /v1/results, /v1/export or /v1/PUZZLE/QUESTION")
}

func (p *Server) serveStatus(w http.ResponseWriter, _ *http.Request) {
	s := p.Status()
	answerJSON(w, &s)
}

// answerJSON answers with a document.
func answerJSON(w http.ResponseWriter, document any) {
	b, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n'))
}

// open opens the run, or answers that it cannot.
func (p *Server) open(w http.ResponseWriter, folder bool) (s *runs.Stored, done func(), ok bool) {
	s, done, err := p.Run(folder)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err)
	}
	return s, done, err == nil
}

func (p *Server) serveResults(w http.ResponseWriter, r *http.Request) {
	output := cmp.Or(r.URL.Query().Get("output"), render.Text)
	if output != render.Text && output != render.JSON {
		refuse(
			w,
			http.StatusBadRequest,
			usage(fmt.Sprintf("--output: %q is not text or json", output), "ask for output=json"),
		)
		return
	}
	s, done, ok := p.open(w, false)
	if !ok {
		return
	}
	defer done()
	if !s.Results.Complete() {
		refuse(w, http.StatusConflict, cli.Hint(errors.New("the run is not complete"), "wait for its end"))
		return
	}
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	w.Header().Set("Content-Type", render.ContentType(output))
	_, _ = w.Write(s.Summary(&sum, output, render.Style{}))
}

// exportParams are the parameters of /v1/export, as the flags of export.
var exportParams = []string{"table", "layer", "format", "column", "scale", "links"}

func parseExport(q url.Values) (runs.Selection, error) {
	for name, values := range q {
		if !slices.Contains(exportParams, name) || len(values) != 1 {
			return runs.Selection{}, usage("unknown or repeated parameter "+name, "the parameters are those of export")
		}
	}
	what := runs.Selection{
		Table: cmp.Or(q.Get("table"), runs.LayersTable), Layer: q.Get("layer"),
		Format: cmp.Or(q.Get("format"), string(export.CSV)), Column: q.Get("column"),
		Scale: cmp.Or(q.Get("scale"), string(render.Auto)), Links: q.Get("links"),
	}
	if what.Layer == runs.AllLayers {
		return what, usage("layer=all is several files", "ask for one layer at a time")
	}
	return what, what.Check()
}

func (p *Server) serveExport(w http.ResponseWriter, r *http.Request) {
	what, err := parseExport(r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	s, done, ok := p.open(w, what.ReadsFolder())
	if !ok {
		return
	}
	defer done()
	finish(w, "application/octet-stream", func(to io.Writer) error {
		return writeExport(r.Context(), to, s, what, func(rows uint64) {
			w.Header().Set(rowsHeader, strconv.FormatUint(rows, 10))
		})
	})
}

// rowsHeader says how many rows an export of a layer has.
const rowsHeader = "Pagoda-Rows"

// serveLayers says which layers may have rows to show: none where the puzzle stores rows that serve the computation
// alone.
func (p *Server) serveLayers(w http.ResponseWriter, r *http.Request) {
	if !plain(w, r) {
		return
	}
	s, done, ok := p.open(w, false)
	if !ok {
		return
	}
	defer done()
	var layers []int
	if _, ok := s.Puzzle.(puzzle.Exporter); ok {
		var err error
		_, layers, err = s.Layers(runs.Selection{Table: runs.CountsTable, Layer: runs.AllLayers})
		if err != nil {
			refuse(w, httpStatus(err), err)
			return
		}
	}
	finish(w, render.ContentType(render.JSON), func(to io.Writer) error {
		return json.NewEncoder(to).Encode(append([]int{}, layers...)) // an array, never null
	})
}

// writeExport writes one export, all of it or nothing before the first byte of a table.
// count is told how many rows a layer has.
func writeExport(
	ctx context.Context, w io.Writer, s *runs.Stored, what runs.Selection, count func(uint64),
) error {
	if !what.Rows() {
		return s.WriteTable(w, what)
	}
	exporter, layers, err := s.Layers(what)
	if err != nil {
		return err
	}
	_, err = s.WriteLayer(ctx, w, exporter, layers[0], what, os.TempDir(), sortMemory, count)
	return err
}

// serveQuestion answers a question about the run.
func (p *Server) serveQuestion(w http.ResponseWriter, r *http.Request) {
	s, done, ok := p.open(w, false)
	if !ok {
		return
	}
	defer done()
	d := s.Definition
	q := d.Question(r.PathValue("question"))
	switch {
	case r.PathValue("puzzle") != d.Name:
		refuse(w, http.StatusBadRequest, usage("run "+s.ID+" is about the puzzle "+d.Name, "ask a question of "+d.Name))
		return
	case q == nil:
		refuse(w, http.StatusNotFound, usage("puzzle "+d.Name+" has no such question", ""))
		return
	}
	form, request, err := parseQuestion(q, r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	if q.ReadsRows() {
		rows, done, ok := p.open(w, true)
		if !ok {
			return
		}
		defer done()
		s = rows
	}
	answer := p.ask(r.Context(), w, q, request, s.Ask)
	if answer == nil {
		return
	}
	finish(w, render.ContentType(form.Output), func(to io.Writer) error {
		return render.Answer(r.Context(), to, answer, s.About(q), form)
	})
}

// parseQuestion reads the parameters of a question.
func parseQuestion(q *puzzle.Question, values url.Values) (render.Form, puzzle.Request, error) {
	form := render.Form{Output: cmp.Or(values.Get("output"), render.Text), Figure: values.Get("figure"),
		Table: values.Get("table")}
	flags := map[string]string{}
	for name, list := range values {
		switch {
		case name == "arg":
		case len(list) != 1:
			return form, puzzle.Request{}, &setting.Error{Setting: name, Err: errors.New("it is given several times")}
		case name != "output" && name != "figure" && name != "table":
			flags[name] = list[0]
		}
	}
	request, err := q.Request(values["arg"], flags)
	if err == nil {
		err = form.Check(q)
	}
	return form, request, err
}

// finish writes an answer. A failure before the first byte is told as an error.
func finish(w http.ResponseWriter, contentType string, write func(io.Writer) error) {
	out := &deadlineWriter{w: w, control: http.NewResponseController(w), contentType: contentType}
	buffer := bufio.NewWriterSize(out, 1<<16)
	err := write(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	switch {
	case err == nil:
	case out.begun:
		panic(http.ErrAbortHandler) // the client must not take the part for the whole
	default:
		refuse(w, httpStatus(err), err)
	}
}

// httpStatus is the HTTP status of an error.
func httpStatus(err error) int {
	var misuse *cli.UsageError
	var flag *setting.Error
	if errors.As(err, &misuse) || errors.As(err, &flag) || errors.Is(err, export.ErrFormat) {
		return http.StatusBadRequest
	}
	return http.StatusConflict
}

// usage makes a usage error.
func usage(text, hint string) error { return cli.Hint(&cli.UsageError{Err: errors.New(text)}, hint) }

// deadlineWriter is an answer that may take as long as the client goes on reading.
type deadlineWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool

	contentType string
}

func (p *deadlineWriter) Write(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		p.w.Header().Set("Content-Type", p.contentType)
	}
	if err := p.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}

// apiError is the body of an answer that is none.
type apiError struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
	// Setting is the flag or argument at fault.
	Setting string `json:"setting,omitempty"`
}

func refuse(w http.ResponseWriter, code int, err error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	said := apiError{Error: err.Error(), Hint: cli.Advice(err)}
	var flag *setting.Error
	if errors.As(err, &flag) {
		said.Error, said.Setting = flag.Err.Error(), flag.Setting
	}
	b, merr := json.Marshal(said)
	if merr != nil {
		code = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(b, '\n'))
}
