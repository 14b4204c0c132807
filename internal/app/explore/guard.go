package explore

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/keys"
)

const (
	// policy allows the files that this server serves itself, and nothing that stands in the page.
	policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
	// maxQuery bounds the query of an address, in bytes; a certificate of peg check has a few thousand.
	maxQuery = 8 << 10
	// writeTime is how long a client may take to accept a piece of an answer.
	writeTime = 30 * time.Second
)

// guard refuses requests from other sites' pages and from clients that may not read, and sets the headers of every
// answer.
func (s *Server) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, errElsewhere)
	}))
	inner := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.known(r.Host):
			// A page from elsewhere whose name is made to mean this address must not read the answers.
			refuse(w, http.StatusMisdirectedRequest, cli.Hint(fmt.Errorf("this server is not %.100q", r.Host),
				"open the address that the program prints, or name the host with --host"))
			return
		case len(r.URL.RawQuery) > maxQuery:
			refuse(w, http.StatusRequestURITooLong, errors.New("the address is too long"))
			return
		}
		if r.URL.Path != "/" && !fromHere(r) {
			refuse(w, http.StatusForbidden, errElsewhere)
			return
		}
		if err := s.allowed(r); err != nil {
			refuse(w, http.StatusForbidden, err)
			return
		}
		if r.Method == http.MethodPost && !s.trusts(r) {
			refuse(w, http.StatusForbidden, errDistrusted)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// fromThisMachine reports whether a request was sent from this machine. Without keys, clients on other machines may
// read and no more.
func fromThisMachine(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

func (s *Server) known(host string) bool {
	if s.o.Known != nil {
		return s.o.Known(host)
	}
	return s.knownHost(host)
}

// knownHost reports whether a request is addressed to this server: to a name of this machine alone, or to a name that
// the user has given. The port does not matter: the request arrived, through our own port or a tunnel's.
func (s *Server) knownHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return keys.Loopback(name) || slices.Contains(s.o.Hosts, strings.ToLower(name))
}

var errElsewhere = errors.New("another site's page asks for this")

// fromHere reports whether a browser asks for a page of this server, or for its user. Another site's page could not
// read the answer, but it could have answers made that take time and memory. It may link to the page itself.
func fromHere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return false
}

// allowed reports whether the holder of the client's certificate may read.
func (s *Server) allowed(r *http.Request) error {
	if s.o.Keys == nil {
		return nil
	}
	id, err := keys.PeerOf(r.TLS)
	switch {
	case err != nil:
		return err
	case id.Role != keys.Coordinator:
		return cli.Hint(errors.New("this certificate may not read results"), "use the certificate of a coordinator")
	}
	return nil
}
