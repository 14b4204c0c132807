package explore

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"

	"pagoda/internal/app/cli"
)

// plainTypes are the media types that are passed on as they are. Whatever else a coordinator sends is bytes to a
// browser, so that it cannot put a script among the files of the page.
var plainTypes = []string{"application/json", "text/plain"}

// pass passes a request to the run's coordinator: it serves the same page, and so has the answer at the same path.
func (o *offer) pass(w http.ResponseWriter, r *http.Request) {
	select {
	case o.remote.slots <- struct{}{}:
		defer func() { <-o.remote.slots }()
	case <-r.Context().Done():
		return
	}
	base, transport := o.remote.client.Transport()
	proxy := httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(p *httputil.ProxyRequest) {
			// None of the browser's headers: it is this program that asks.
			p.Out.Header = http.Header{}
			p.Out.URL.Scheme, p.Out.URL.Host = base.Scheme, base.Host
			p.Out.Host = base.Host
			p.Out.Body, p.Out.ContentLength = http.NoBody, 0
		},
		ModifyResponse: func(got *http.Response) error {
			kind := got.Header.Get("Content-Type")
			got.Header = http.Header{"Content-Type": {"application/octet-stream"}}
			for _, plain := range plainTypes {
				if kind == plain || strings.HasPrefix(kind, plain+";") {
					got.Header.Set("Content-Type", kind)
				}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			refuse(w, http.StatusBadGateway, cli.Hint(fmt.Errorf("%s: %w", o.remote.client.Name(), err),
				"it answers again when it is back"))
		},
		ErrorLog: log.New(io.Discard, "", 0), // the client is told of an answer that breaks off
	}
	proxy.ServeHTTP(&patientWriter{w, http.NewResponseController(w)}, r)
}

// patientWriter is an answer that may take as long as the client goes on reading.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Write gives the client time for another piece.
func (p *patientWriter) Write(b []byte) (int, error) {
	if err := p.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}

// Unwrap returns the writer inside, for http.ResponseController.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

var errElsewhereCarried = cli.Hint(errors.New("a coordinator elsewhere carries this run out"),
	"its own command starts and stops it")
