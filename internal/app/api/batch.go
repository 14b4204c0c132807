package api

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
)

// A BatchServer answers for the coordinator of a batch, with the bounds and the errors of a Server.
//
//	GET /v1/batch                       the status of the batch, with that of its process
//	GET /v1/results                     what `batch run` prints, of a batch that has ended
//	GET /v1/export?table=&format=       the bytes of `batch export` with these flags
//
// Its functions are safe for concurrent use.
type BatchServer struct {
	Status  func(context.Context) (document any, err error)
	Results func(context.Context) ([]byte, error)
	Export  func(context.Context, runs.Selection, io.Writer) error
	Guard   ops.Guard
}

const (
	batchPath   = "/v1/batch"
	resultsPath = "/v1/results"
)

// Handler returns the API.
func (p *BatchServer) Handler() http.Handler {
	b := make(busy, busyAnswers)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+batchPath, b.limited(p.serveStatus))
	mux.HandleFunc("GET "+resultsPath, b.limited(p.serveResults))
	mux.HandleFunc("GET /v1/export", b.limited(p.serveExport))
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, cli.Hint(errors.New("it carries out a batch, and no run alone"),
			"ask for "+batchPath+", as coordinator batch status --url does"))
	})
	return bounded(p.Guard, mux, "ask for "+batchPath+", /v1/results or /v1/export")
}

func (p *BatchServer) serveStatus(w http.ResponseWriter, r *http.Request) {
	if !plain(w, r) {
		return
	}
	s, err := p.Status(r.Context())
	if err != nil {
		refuse(w, httpStatus(err), err)
		return
	}
	answerJSON(w, s)
}

func (p *BatchServer) serveResults(w http.ResponseWriter, r *http.Request) {
	if !plain(w, r) {
		return
	}
	text, err := p.Results(r.Context())
	if err != nil {
		refuse(w, httpStatus(err), err)
		return
	}
	w.Header().Set("Content-Type", render.ContentType(render.Text))
	_, _ = w.Write(text)
}

// parseBatchExport reads the parameters of an export of a batch. Its function checks their values.
func parseBatchExport(q url.Values) (runs.Selection, error) {
	for name, values := range q {
		if name != "table" && name != "format" || len(values) != 1 {
			return runs.Selection{}, usage("unknown or repeated parameter "+clip(name), "the parameters are table and format")
		}
	}
	return runs.Selection{Table: q.Get("table"), Format: cmp.Or(q.Get("format"), string(export.CSV))}, nil
}

func (p *BatchServer) serveExport(w http.ResponseWriter, r *http.Request) {
	what, err := parseBatchExport(r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	finish(w, "application/octet-stream", func(to io.Writer) error { return p.Export(r.Context(), what, to) })
}
