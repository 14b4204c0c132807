package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/ops"
)

// Limits of a request. The server of package ops bounds its header, and how long it may take.
const (
	maxQuery = 8 << 10 // bytes of all parameters
	maxPath  = 1 << 10
)

// bounded bounds the requests for the paths of mux, and refuses all others. paths is the advice which to ask for.
func bounded(g ops.Guard, mux *http.ServeMux, paths string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if code, err := check(g, r); err != nil {
			refuse(w, code, err)
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			refuse(w, http.StatusNotFound, usage("there is nothing at "+strconv.Quote(clip(r.URL.Path)), paths))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// A busy has one token for each answer that takes memory.
type busy chan struct{}

var errBusy = cli.Hint(errors.New("other answers are being made"), "try again")

// limited keeps more than a few answers from being made at a time.
func (b busy) limited(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case b <- struct{}{}:
			defer func() { <-b }()
			serve(w, r)
		default:
			refuse(w, http.StatusServiceUnavailable, errBusy)
		}
	}
}

// check reports whether a request may be answered, and with which HTTP status it is refused.
func check(g ops.Guard, r *http.Request) (code int, err error) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, usage(fmt.Sprintf("%.20q is no method here", r.Method), "use GET")
	case len(r.URL.Path) > maxPath || len(r.URL.RawQuery) > maxQuery:
		return http.StatusRequestURITooLong, usage("the address is too long",
			fmt.Sprintf("parameters may take %d bytes", maxQuery))
	case r.ContentLength != 0:
		return http.StatusRequestEntityTooLarge, usage("the request has a body", "send parameters in the address")
	}
	return g.Check(r)
}

// plain refuses parameters where there are none.
func plain(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.RawQuery == "" {
		return true
	}
	refuse(w, http.StatusBadRequest, usage("there are no parameters here", ""))
	return false
}

// clip shortens a client's text before it is sent back.
func clip(s string) string {
	const most = 100
	return s[:min(len(s), most)]
}
