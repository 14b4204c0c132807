package ops

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"pagoda/internal/fleet/keys"
)

// A Guard says which requests a server answers whose pages are not for everybody.
type Guard struct {
	Keys   *keys.Credentials // nil: the server has none, and answers every program that reaches it
	Listen string            // HOST:PORT as the user has given it
}

// A refusal is an error with its advice.
type refusal struct{ text, advice string }

func (r *refusal) Error() string  { return r.text }
func (r *refusal) Advice() string { return r.advice }

var (
	errElsewhere = &refusal{"a page from elsewhere asks", "open the address itself, or use another program"}
	errRole      = &refusal{"these keys may not read results", "use the keys of a coordinator"}
)

// Check reports whether a request may be answered, and with which HTTP status it is refused.
func (g Guard) Check(r *http.Request) (code int, err error) {
	if g.Keys == nil && !g.Addressed(r.Host) {
		return http.StatusMisdirectedRequest, &refusal{fmt.Sprintf("this is not %.100q", r.Host),
			"ask by IP address, as localhost, or by the name that the program was told to listen at"}
	}
	if !sameOrigin(r) {
		return http.StatusForbidden, errElsewhere
	}
	if g.Keys == nil {
		return 0, nil
	}
	id, err := keys.PeerOf(r.TLS)
	if err == nil && id.Role != keys.Coordinator {
		err = errRole
	}
	if err != nil {
		return http.StatusForbidden, err
	}
	return 0, nil
}

// Addressed reports whether a request with a Host was meant for the server. A page of a browser can have its own name
// lead to a loopback address (DNS rebinding), and then read the answers as its own; but the request still carries that
// name. So a name must be localhost or the one that the server listens on. An IP address belongs to no page from
// elsewhere.
func (g Guard) Addressed(host string) bool {
	name := hostOf(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return name == "localhost" || name != "" && name == strings.ToLower(hostOf(g.Listen))
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

// sameOrigin is false for a browser's request for a page that comes from elsewhere. Such a page could not read the
// answer, but it could have answers made that take time and memory. Other programs send none of these headers.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}
