package api

import (
	"fmt"
	"net/http"
)

// Limits of a request. The server of package ops bounds its header, and how long it may take.
const (
	maxQuery = 8 << 10 // bytes of all parameters
	maxPath  = 1 << 10
)

// check reports whether a request may be answered, and with which HTTP status it is refused.
func (p *Server) check(r *http.Request) (code int, err error) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, usage(fmt.Sprintf("%.20q is no method here", r.Method), "use GET")
	case len(r.URL.Path) > maxPath || len(r.URL.RawQuery) > maxQuery:
		return http.StatusRequestURITooLong, usage("the address is too long",
			fmt.Sprintf("parameters may take %d bytes", maxQuery))
	case r.ContentLength != 0:
		return http.StatusRequestEntityTooLarge, usage("the request has a body", "send parameters in the address")
	}
	return p.Guard.Check(r)
}

// clip shortens a client's text before it is sent back.
func clip(s string) string {
	const most = 100
	return s[:min(len(s), most)]
}
