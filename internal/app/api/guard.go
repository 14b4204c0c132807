package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/keys"
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
	if p.Keys == nil && !Addressed(r.Host, p.Listen) {
		return http.StatusMisdirectedRequest, cli.Hint(fmt.Errorf("this is not %.100q", r.Host),
			"ask by IP address, as localhost, or by the name that the coordinator was told with --api")
	}
	if err := sameOrigin(r); err != nil {
		return http.StatusForbidden, err
	}
	if p.Keys == nil {
		return 0, nil
	}
	id, err := keys.PeerOf(r.TLS)
	switch {
	case err != nil:
		return http.StatusForbidden, err
	case id.Role != keys.Coordinator:
		return http.StatusForbidden,
			cli.Hint(errors.New("these keys may not read results"), "use the keys of a coordinator")
	}
	return 0, nil
}

// Addressed reports whether a request with a Host was meant for a server that the user has told to listen. A page of a
// browser can have its own name lead to a loopback address (DNS rebinding), and then read the answers as its own; but
// the request still carries that name. So a name must be localhost or the one that the server listens on. An IP address
// belongs to no page from elsewhere.
func Addressed(host, listen string) bool {
	name := hostOf(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return name == "localhost" || name != "" && name == strings.ToLower(hostOf(listen))
}

// hostOf is HOST of HOST:PORT or HOST, without the brackets of IPv6. It is empty where PORT is no number.
func hostOf(address string) string {
	if host, port, err := net.SplitHostPort(address); err == nil {
		if strings.Trim(port, "0123456789") != "" {
			return ""
		}
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
}

// sameOrigin refuses a browser's requests for a page that comes from elsewhere. Such a page could not read the answer,
// but it could have answers made that take time and memory. Other programs send none of these headers.
func sameOrigin(r *http.Request) error {
	refused := cli.Hint(errors.New("a page from elsewhere asks"), "open the address itself, or use another program")
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return refused
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return refused
		}
	}
	return nil
}

// clip shortens a client's text before it is sent back.
func clip(s string) string {
	const most = 100
	return s[:min(len(s), most)]
}
